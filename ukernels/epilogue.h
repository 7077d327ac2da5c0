// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal: what is done with blocks of out that have their sums.

#ifndef UKERNELS_EPILOGUE_H_
#define UKERNELS_EPILOGUE_H_

#include "tilewright/contraction.h"

// Null, as that of a tw_matmul is: nothing.
static inline void tw_run_epilogue(const tw_epilogue_t* epilogue,
                                   tw_index_t m_begin, tw_index_t m_end,
                                   tw_index_t n_begin, tw_index_t n_end) {
  if (epilogue && epilogue->run)
    epilogue->run(epilogue->context, m_begin, m_end, n_begin, n_end);
}

#endif  // UKERNELS_EPILOGUE_H_
