// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dispatches: work of a model that becomes a function.

#ifndef TILEWRIGHT_DIALECT_TWDISPATCHES
#define TILEWRIGHT_DIALECT_TWDISPATCHES

include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Tw_DispatchRegionOp : Op<Tw_Dialect, "dispatch_region", [
    DeclareOpInterfaceMethods<RegionBranchOpInterface>, NoRegionArguments,
    RecursiveMemoryEffects, SingleBlock]> {
  let summary = "Operations that one dispatch is to do";
  let description = [{
    What is inside is decided to be done together, before anybody knows how its
    tensors lie: tw-group-dispatches forms it on encoded tensors,
    tw-outline-dispatches makes `tw.dispatch` of it. It sees all values before
    it, and hands on what `tw.yield` gives out.

    ```mlir
    %r = tw.dispatch_region {
      %e = linalg.exp ins(%x : tensor<?xf32>) outs(%d : tensor<?xf32>) -> tensor<?xf32>
      tw.yield %e : tensor<?xf32>
    } : tensor<?xf32>
    ```
  }];
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$body attr-dict (`:` type($results)^)?";
  let hasVerifier = 1;
}

def Tw_YieldOp : Op<Tw_Dialect, "yield", [
    Pure, ReturnLike, Terminator, HasParent<"DispatchRegionOp">]> {
  let summary = "What a tw.dispatch_region hands on";
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "($values^)? attr-dict (`:` type($values)^)?";
}

def Tw_DispatchOp : Op<Tw_Dialect, "dispatch", [
    AttrSizedOperandSegments, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "Call of a function that computes tensors into destinations";
  let description = [{
    Calls `callee` with `inputs`, tensors and scalars that are only read, and
    with `outputs`, the destinations of its results, in that order. What
    `accumulates` says of a destination is whether its elements are read too. On
    tensors it has a result for each output, of its type; on buffers it writes
    the outputs.

    The callee's tensors have the same ranks and element types, and sizes that
    may be dynamic where those of the operands are not: one function serves many
    shapes.

    ```mlir
    %r = tw.dispatch @tanh_0 ins(%x : tensor<4x8xf32>)
      outs(%e : tensor<4x8xf32>) accumulates [false] -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins
    FlatSymbolRefAttr:$callee,
    Variadic<AnyType>:$inputs,
    Variadic<Tw_RankedTensorOrMemRef>:$outputs,
    DenseBoolArrayAttr:$accumulates);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $callee (`ins` `(` $inputs^ `:` type($inputs) `)`)?
    `outs` `(` $outputs `:` type($outputs) `)` `accumulates` $accumulates
    attr-dict (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getOutputsMutable();
    }
  }];
}

def Tw_WorkOp : Op<Tw_Dialect, "work", [MemoryEffects<[MemWrite]>]> {
  let summary = "How much an iteration of a parallel loop does";
  let description = [{
    An iteration of the loop around it does about as much as `amount` operations
    on vectors take, beside what other `tw.work` says. tw-split-dispatches makes
    tasks by it, and erases it. It says that it writes so that it stays where
    it is.
  }];
  let arguments = (ins Index:$amount);
  let assemblyFormat = "$amount attr-dict";
}

#endif // TILEWRIGHT_DIALECT_TWDISPATCHES
