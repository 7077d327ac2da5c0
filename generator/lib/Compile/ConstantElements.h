// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants as the bytes that they are: looked at, moved and made without an
// APInt, an APFloat or an attribute for each element.

#ifndef TILEWRIGHT_LIB_COMPILE_CONSTANTELEMENTS_H
#define TILEWRIGHT_LIB_COMPILE_CONSTANTELEMENTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/PatternMatch.h"
#include <functional>
#include <optional>

namespace tilewright {

/// From this size on a constant's bytes stay out of IR: a page. Below it the
/// optimiser may look at them.
constexpr int64_t kLargeConstantBytes = 4096;

/// The elements of a constant, row-major, as the target has them in memory. A
/// splat has one.
struct ConstantElements {
  llvm::ArrayRef<char> bytes;
  int64_t elementBytes = 0;
  bool isSplat = false;

  /// Nothing if the constant keeps no bytes, fewer than its type has, or
  /// elements that are not 1, 2, 4 or 8 bytes: of i1, LLVM says how many. Of
  /// 2, 4 and 6 bits each is a byte, whose other bits are zeros behind
  /// tw-common-forms.
  static std::optional<ConstantElements> of(mlir::ElementsAttr attr);
};

/// A constant of `type`, whose elements `fill` writes. If it is large its bytes
/// are a resource of the context, else they are the attribute's.
mlir::ElementsAttr
makeConstant(mlir::RankedTensorType type, int64_t elementBytes,
             llvm::function_ref<void(llvm::MutableArrayRef<char>)> fill);

/// A constant whose bytes are elsewhere, and stay there.
mlir::ElementsAttr constantAt(mlir::RankedTensorType type,
                              llvm::ArrayRef<char> bytes);

/// A constant of `type`, as many elements of a byte each as `elements` has:
/// what `change` makes of each.
mlir::ElementsAttr changeBytes(mlir::RankedTensorType type,
                               const ConstantElements &elements,
                               llvm::function_ref<char(char)> change);

/// One step along a dimension of a result goes by `elements` along the
/// dimension `dim` of the source.
struct ElementStep {
  int64_t dim, elements;
};

/// Fills `result`, row-major, with elements of `source`; `steps` has one for
/// each dimension of `resultShape`. What lies outside of `source`, which is
/// only ever behind its end, is `padding`, one element.
void moveElements(const ConstantElements &source,
                  llvm::ArrayRef<int64_t> sourceShape,
                  llvm::ArrayRef<int64_t> resultShape,
                  llvm::ArrayRef<ElementStep> steps,
                  llvm::ArrayRef<char> padding,
                  llvm::MutableArrayRef<char> result);

/// The constant of `type` that moveElements fills, or `faster` if it can and
/// says so. In a ScratchFile it may be filled later, and is the same for all
/// programs; `source` has to stay until then.
mlir::ElementsAttr
makeMoved(mlir::RankedTensorType type, const ConstantElements &source,
          llvm::ArrayRef<int64_t> sourceShape,
          llvm::ArrayRef<ElementStep> steps, llvm::ArrayRef<char> padding,
          std::function<bool(llvm::MutableArrayRef<char>)> faster = nullptr);

/// A constant of `type`, which `fill` makes of the bytes of `source`, as `how`
/// tells from anything else, on the way to another constant. What is made in
/// several places is one constant, and with a ScratchFile the same for all
/// programs.
mlir::ElementsAttr
makeBetween(mlir::RankedTensorType type, int64_t elementBytes,
            llvm::StringRef how, llvm::ArrayRef<char> source,
            const std::function<void(llvm::MutableArrayRef<char>)> &fill);

/// The same of elements of `source` that are moved, from its `offset`th on.
mlir::ElementsAttr makeMovedBetween(mlir::RankedTensorType type,
                                    const ConstantElements &source,
                                    llvm::ArrayRef<int64_t> sourceShape,
                                    llvm::ArrayRef<ElementStep> steps,
                                    int64_t offset = 0);

/// The same of the very bytes of another constant.
mlir::ElementsAttr makeReshaped(mlir::RankedTensorType type,
                                llvm::ArrayRef<char> bytes);

/// Whether `op` only moves the elements of its one input, each to a place of
/// its own.
bool isTranspose(mlir::linalg::LinalgOp op);

/// A transpose of a constant becomes the transposed constant; fails of any
/// other.
llvm::LogicalResult foldConstantTranspose(mlir::linalg::LinalgOp op,
                                          mlir::PatternRewriter &rewriter);

/// The same as a pattern.
void populateFoldConstantTransposes(mlir::RewritePatternSet &patterns);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_COMPILE_CONSTANTELEMENTS_H
