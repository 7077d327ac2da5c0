// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef UKERNELS_INSTANCE_PARAMETERS_H_
#define UKERNELS_INSTANCE_PARAMETERS_H_

#include <stddef.h>

#include "tilewright/instance.h"

struct tw_parameters_t {
  const tw_model_t* model;  // for which it was opened
  void* data;               // mapped
  size_t bytes;
};

#endif  // UKERNELS_INSTANCE_PARAMETERS_H_
