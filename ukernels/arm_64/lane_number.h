// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lane numbers have to be literals: op(..., lane), whose lane is known when it
// has been inlined, of 2, 4 or 8 lanes.

#ifndef UKERNELS_ARM_64_LANE_NUMBER_H_
#define UKERNELS_ARM_64_LANE_NUMBER_H_

#define TW_LANE_OF_2(lane, op, ...) \
  ((lane) == 0 ? op(__VA_ARGS__, 0) : op(__VA_ARGS__, 1))
#define TW_LANE_OF_4(lane, op, ...)   \
  ((lane) == 0   ? op(__VA_ARGS__, 0) \
   : (lane) == 1 ? op(__VA_ARGS__, 1) \
   : (lane) == 2 ? op(__VA_ARGS__, 2) \
                 : op(__VA_ARGS__, 3))
#define TW_LANE_OF_8(lane, op, ...)   \
  ((lane) == 0   ? op(__VA_ARGS__, 0) \
   : (lane) == 1 ? op(__VA_ARGS__, 1) \
   : (lane) == 2 ? op(__VA_ARGS__, 2) \
   : (lane) == 3 ? op(__VA_ARGS__, 3) \
   : (lane) == 4 ? op(__VA_ARGS__, 4) \
   : (lane) == 5 ? op(__VA_ARGS__, 5) \
   : (lane) == 6 ? op(__VA_ARGS__, 6) \
                 : op(__VA_ARGS__, 7))

#endif  // UKERNELS_ARM_64_LANE_NUMBER_H_
