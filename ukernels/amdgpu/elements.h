// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The element types of rows, as C++ types: tags for operands, with what matrix
// instructions want to be told of them, and the conversions of out elements.

#ifndef UKERNELS_AMDGPU_ELEMENTS_H_
#define UKERNELS_AMDGPU_ELEMENTS_H_

#include "ukernels/amdgpu/device.h"

namespace tilewright::amdgpu {

// One empty type per row of element_types.def, so that a row's type names are
// types here.
#define TW_ELEMENT_TYPE(name, ENUM, width, kind)                 \
  struct name {                                                  \
    static constexpr int bits = width;                           \
    static constexpr bool isSigned = #kind[0] == 'S';            \
    static constexpr tw_element_type_t type = TW_ELEMENT_##ENUM; \
  };
#include "tilewright/element_types.def"

template <typename A, typename B>
inline constexpr bool isSame = false;
template <typename A>
inline constexpr bool isSame<A, A> = true;

// The format codes of the f8f6f4 matrix instructions.
template <typename T>
inline constexpr int formatCode = isSame<T, f8e4m3fn>   ? 0
                                  : isSame<T, f8e5m2>   ? 1
                                  : isSame<T, f6e2m3fn> ? 2
                                  : isSame<T, f6e3m2fn> ? 3
                                  : isSame<T, f4e2m1fn> ? 4
                                                        : -1;

// How an out element is stored and summed.
template <typename Out>
struct OutElement;
template <>
struct OutElement<f64> {
  using Storage = double;
  using Sum = double;
};
template <>
struct OutElement<f32> {
  using Storage = float;
  using Sum = float;
};
template <>
struct OutElement<s32> {
  using Storage = int;
  using Sum = int;
};
template <>
struct OutElement<f16> {
  using Storage = _Float16;
  using Sum = float;
};
template <>
struct OutElement<bf16> {
  using Storage = __bf16;
  using Sum = float;
};

}  // namespace tilewright::amdgpu

#endif  // UKERNELS_AMDGPU_ELEMENTS_H_
