// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: the features of the CPU that the process runs on.

#ifndef UKERNELS_CPU_H_
#define UKERNELS_CPU_H_

#include <stdint.h>

#include "tilewright/types.h"

// What tw_cpu_detect finds, remembered after the first call: cpuid traps under
// virtual machines and costs microseconds there. Fills TW_CPU_DATA_WORDS words.
void tw_cpu_data_of_this_cpu(uint64_t* cpu_data);

#endif  // UKERNELS_CPU_H_
