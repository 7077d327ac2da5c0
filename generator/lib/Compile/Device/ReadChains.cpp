// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ReadChains.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "tilewright/Dialect/TwDialect.h"
#include "tilewright/Encoding/PackOperand.h"
#include "tilewright/Encoding/Place.h"

using namespace mlir;

namespace tilewright {
namespace {

/// More in one kernel would only make it long.
constexpr size_t kLongestChain = 32;
/// Roots that compute one thing.
constexpr unsigned kMostReaders = 4;
/// What a size that is not known counts for.
constexpr double kUnknownSize = 128;

bool packs(Operation *op) { return isa<tw::SetEncodingOp, linalg::PackOp>(op); }
bool unpacks(Operation *op) {
  return isa<tw::UnsetEncodingOp, linalg::UnPackOp>(op);
}
bool reshapes(Operation *op) {
  return isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op);
}

double elementsOf(Value tensor) {
  tensor = withoutReshapes(tensor);
  double count = 1;
  for (int64_t size : cast<RankedTensorType>(tensor.getType()).getShape())
    count *= ShapedType::isDynamic(size) ? kUnknownSize : double(size);
  return count;
}

double bytesPerElement(Value tensor) {
  Type element = getElementTypeOrSelf(tensor.getType());
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() / 8.0 : 8;
}

/// Computes elements of elements, one for each iteration.
bool isOfElements(linalg::LinalgOp op) {
  return op.hasPureTensorSemantics() && !isa<linalg::FillOp>(op) &&
         !op.getNumReductionLoops() &&
         llvm::none_of(op->getOperandTypes(), tw::isEncoded);
}

/// Whether each element of the only result is computed by what reads it alone.
bool isComputedByElement(linalg::LinalgOp op) {
  if (!isOfElements(op) || op->getNumResults() != 1)
    return false;
  OpOperand *init = op.getDpsInitOperand(0);
  return op.getMatchingIndexingMap(init).isPermutation() &&
         !op.payloadUsesValueFromOperand(init) &&
         llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
           return op.isScalar(input) ||
                  op.getMatchingIndexingMap(input).isProjectedPermutation(
                      /*allowZeroInResults=*/true);
         });
}

/// Whether it does more than move elements.
bool computes(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return false;
  Value yielded = linalgOp.getBlock()->getTerminator()->getOperand(0);
  Operation *maker = yielded.getDefiningOp();
  return maker && maker->getBlock() == linalgOp.getBlock() &&
         !isa<tensor::ExtractOp>(maker);
}

bool readsAny(Operation *op, ReadChains::Predicate predicate) {
  return op
      ->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (Operation *maker = operand.getDefiningOp();
              maker && predicate(maker))
            return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}

/// Of all that it reads, what is small counts once.
double bytesRead(Operation *op, double iterations) {
  llvm::SetVector<Value> tensors;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    for (OpOperand *input : linalgOp.getDpsInputOperands())
      tensors.insert(input->get());
    getUsedValuesDefinedAbove(op->getRegions(), tensors);
  } else {
    tensors.insert(op->getOperand(0));
  }
  double bytes = 0;
  for (Value tensor : tensors)
    if (isa<RankedTensorType>(tensor.getType()))
      bytes +=
          bytesPerElement(tensor) * std::min(elementsOf(tensor), iterations);
  return bytes;
}

} // namespace

ReadChains::ReadChains(Block &block, Predicate isOnDevice, Predicate isApart,
                       Predicate isKept)
    : block(block) {
  for (Operation &op : block) {
    if (isApart(&op) || isKept(&op))
      apart.insert(&op);
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    // What is known now is packed now.
    bool isRoot =
        packs(&op)
            ? !matchPattern(withoutReshapes(op.getOperand(0)), m_Constant())
            : linalgOp && linalgOp.hasPureTensorSemantics() &&
                  !isa<linalg::FillOp>(op) &&
                  llvm::none_of(op.getOperandTypes(), tw::isEncoded);
    if (isRoot && isOnDevice(&op))
      roots.insert(&op);
  }
  if (roots.empty())
    return; // nobody reads on a device
  isDecided = isa<tw::DispatchRegionOp>(block.getParentOp());
  for (bool isChanged = true; isChanged;) {
    findParts(isOnDevice);
    isChanged = false;
    for (Operation &op : block) {
      SmallVector<Operation *> chain = chainOf(&op);
      // What turns out not to go on from a product is done as it is, unless it
      // was decided before that it is done together.
      if (isRoot(&op) && !packs(&op) && !isDecided && !isApart(&op) &&
          llvm::none_of(chain, unpacks) && !readsAny(&op, isApart) &&
          llvm::none_of(
              chain, [&](Operation *part) { return readsAny(part, isApart); }))
        isChanged |= roots.erase(&op);
      if (chain.size() > kLongestChain)
        isChanged |= apart.insert(chain[chain.size() / 2]).second;
    }
  }
}

/// From the last to the first: who reads a result is behind it.
void ReadChains::findParts(Predicate isOnDevice) {
  readers.clear();
  for (Operation &op : llvm::reverse(block)) {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    bool isPart = reshapes(&op) || unpacks(&op) ||
                  (linalgOp && isComputedByElement(linalgOp));
    if (isPart && (reshapes(&op) || isOnDevice(&op)))
      noteReaders(&op);
  }
}

/// Notes who computes `op`, if all of its readers may, and less is moved.
void ReadChains::noteReaders(Operation *op) {
  if (apart.contains(op) || tw::isEncoded(op->getResult(0).getType()))
    return;
  double own = elementsOf(op->getResult(0)), read = 0;
  Readers found;
  llvm::DenseSet<Operation *> users;
  for (OpOperand &use : op->getResult(0).getUses()) {
    Operation *user = block.findAncestorOpInBlock(*use.getOwner());
    if (!user || !mayBeReadBy(op, use))
      return;
    if (!users.insert(user).second)
      continue;
    Operation *root = rootOf(user);
    if (!areTogether(root, found.first ? found.first : root) ||
        (!reshapes(op) && !areTogether(root, op)))
      return;
    found.first = root;
    unsigned count = root == user ? 1 : readers[user].count;
    found.count += count;
    read += count * elementsOf(user->getResult(0));
  }
  if (users.empty() || (found.count > kMostReaders && !isDecided))
    return;
  double ofResult = bytesPerElement(op->getResult(0)),
         ofOperands = bytesRead(op, own);
  if (!isDecided &&
      read / own * ofOperands > ofOperands + (own + read) * ofResult)
    return;
  readers[op] = found;
}

bool ReadChains::mayBeReadBy(Operation *op, OpOperand &use) const {
  Operation *owner = use.getOwner(),
            *user = block.findAncestorOpInBlock(*owner);
  if (!isPartOfReaders(user) && !isRoot(user))
    return false;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(user);
  if (!linalgOp)
    return owner == user && use.getOperandNumber() == 0 && !unpacks(user);
  if (owner != user)
    return isa<tensor::ExtractOp>(owner) && isOfElements(linalgOp);
  if (!linalgOp.isDpsInput(&use))
    return false;
  AffineMap map = linalgOp.getMatchingIndexingMap(&use);
  if (map.isPermutation())
    return true;
  // What is broadcast would be computed for each element anew.
  return isOfElements(linalgOp) && !computes(op) &&
         map.isProjectedPermutation(/*allowZeroInResults=*/true);
}

void ReadChains::addOperands(Operation *op,
                             llvm::DenseSet<Operation *> &chain) const {
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (Operation *part = operand.getDefiningOp();
          part && isPartOfReaders(part) && chain.insert(part).second)
        addOperands(part, chain);
  });
}

SmallVector<Operation *> ReadChains::chainOf(Operation *root) const {
  llvm::DenseSet<Operation *> chain;
  if (isRoot(root))
    addOperands(root, chain);
  SmallVector<Operation *> result(chain.begin(), chain.end());
  llvm::sort(result,
             [](Operation *x, Operation *y) { return x->isBeforeInBlock(y); });
  return result;
}

void copySharedChains(Block &block, ReadChains::Predicate isOnDevice,
                      ReadChains::Predicate isApart,
                      ReadChains::Predicate isKept) {
  ReadChains chains(block, isOnDevice, isApart, isKept);
  SmallVector<std::pair<Operation *, SmallVector<Operation *>>> roots;
  llvm::DenseMap<Operation *, unsigned> uses;
  for (Operation &op : block)
    if (SmallVector<Operation *> chain = chains.chainOf(&op); !chain.empty()) {
      for (Operation *part : chain)
        ++uses[part];
      roots.push_back({&op, std::move(chain)});
    }
  SmallVector<Operation *> replaced;
  for (auto &[root, chain] : roots) {
    OpBuilder b(root);
    IRMapping mapping;
    for (Operation *part : chain) {
      bool goesOnFromCopy = false;
      part->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          goesOnFromCopy |= mapping.contains(operand);
      });
      if (uses[part] == 1 && !goesOnFromCopy)
        continue;
      b.clone(*part, mapping);
      replaced.push_back(part);
    }
    root->walk([&](Operation *inner) {
      for (OpOperand &operand : inner->getOpOperands())
        operand.set(mapping.lookupOrDefault(operand.get()));
    });
  }
  llvm::sort(replaced,
             [](Operation *x, Operation *y) { return y->isBeforeInBlock(x); });
  replaced.erase(llvm::unique(replaced), replaced.end());
  for (Operation *part : replaced)
    if (part->use_empty())
      part->erase();
}

} // namespace tilewright
