// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Encoding/UnitDims.h"

#include <utility>

using namespace mlir;
using llvm::SmallBitVector;

namespace tilewright {

SmallVector<ReassociationIndices> groupsWithout(const SmallBitVector &dropped) {
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices leading;
  for (unsigned dim = 0; dim < dropped.size(); ++dim) {
    if (!dropped[dim]) {
      groups.push_back(std::exchange(leading, {}));
      groups.back().push_back(dim);
    } else if (groups.empty()) {
      leading.push_back(dim);
    } else {
      groups.back().push_back(dim);
    }
  }
  return groups;
}

Value withoutDims(ImplicitLocOpBuilder &b, Value tensor,
                  const SmallBitVector &dropped) {
  // Nothing but such dimensions may have been added.
  if (auto expand = tensor.getDefiningOp<tensor::ExpandShapeOp>())
    if (expand.getReassociationIndices() == groupsWithout(dropped))
      return expand.getSrc();
  return tensor::CollapseShapeOp::create(b, tensor, groupsWithout(dropped));
}

} // namespace tilewright
