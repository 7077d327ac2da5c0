// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The passes of models for a GPU.

#ifndef TILEWRIGHT_COMPILE_DEVICEPASSES
#define TILEWRIGHT_COMPILE_DEVICEPASSES

include "mlir/Pass/PassBase.td"

def KeepOnHost : Pass<"tw-keep-on-host", "mlir::func::FuncOp"> {
  let summary = "Have the host do what branches and loops do";
  let description = [{
    Every operation in `scf.if`, `scf.for` and `scf.while` that would run on a
    device with memory of its own runs on the host, whatever the function said:
    launches are a straight line.
  }];
}

def RelayoutOnDevice : Pass<"tw-relayout-on-device", "mlir::func::FuncOp"> {
  let summary = "Have the device lay out anew what it hands to the host";
  let description = [{
    A `linalg.pack` of the host of what it unpacks, which a device with memory of
    its own has computed, is that device's, with the unpack: one kernel moves
    each element to its place, and what is copied is packed.
  }];
  let dependentDialects = ["tilewright::tw::TwDialect"];
}

def LowerDevicePacks : Pass<"tw-lower-device-packs", "mlir::func::FuncOp"> {
  let summary = "Packs and unpacks of the device, and relayouts, as one operation";
  let description = [{
    Each `linalg.pack` and `linalg.unpack` of the device becomes a
    `linalg.generic` over the elements of its result, which extracts the element
    of the source at computed indices; `tw.dispatch` says what it was. A pack of
    an unpack's result reads the packed source of that, wherever it was
    computed: one relayout instead of two and the matrix between.

    What lies between is done where an element is read: reshapes, transposes,
    slices and everything elementwise, before a pack, and behind an unpack up to
    an elementwise operation or a sum, which then reads what is
    packed. Of what has several readers each computes its own, if all of them
    can, they are four at most, and less is moved: they read what it reads once
    each, but nobody writes its result, and nobody reads that. What is broadcast
    is computed once. Sizes are scalar operands, so that one kernel serves every
    shape.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::linalg::LinalgDialect",
    "mlir::tensor::TensorDialect",
  ];
}

def PlaceOnDevice : Pass<"tw-place-on-device", "mlir::ModuleOp"> {
  let summary = "Make the transfers between host and devices explicit";
  let description = [{
    Every tensor that a dispatch of a device reads or writes is made to be in
    that device's memory, `bufferization.alloc_tensor` in memory space 1, 2, ...
    in the order of the devices that have memory of their own, with a copy of
    what the host or another device computed; and a copy back where the host
    reads what a device computed. Each value is copied once to each device.

    What an instance keeps, `tw.keep` and `tw.kept`, gets the memory space of
    what reads it, once for each, and is not copied.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::bufferization::BufferizationDialect",
    "mlir::tensor::TensorDialect", "tilewright::tw::TwDialect",
  ];
}

def FormDispatches : Pass<"tw-form-dispatches", "mlir::ModuleOp"> {
  let summary = "Turn what works on device memory into kernels and launches";
  let description = [{
    Every `tw.dispatch` of a function of the device becomes a launch. `tw.mmt4d`
    launches the tile's workgroup kernel, `<prefix>_mmt4d_kernel_...`, once for
    each batch. Linalg operations become a kernel with the name of their function
    in the nested module `@kernels` of the device's target, of 256 work-items a
    workgroup, each of which computes elements of the results, of all the
    operations; devices of one target share them. Functions of devices are gone
    after this. Allocations, copies and launches are calls of the library
    tilewright_hip with the program of the device, between tw_hip_begin and
    tw_hip_end, whose status the function returns; of several devices between
    tw_hip_begin_all and tw_hip_end_all. `tw.kernels` of a nested module lists
    the names of what is launched of it, in the order of their numbers,
    `tw.constants` of the module the constants that are uploaded once to each
    device; `tw.dispatches` counts the launches.

    Globals of tw-place-kept in the memory of a device are one block of memory of
    each instance. Its address is what the instance keeps on the host, in a
    global with the attributes `tw.kept_by`, the device, and `tw.kept_by_bytes`.
    It is allocated, tw_hip_keep, where a function with the attribute
    `tw.keeps_on_devices` begins.

    A function of one device that is given a buffer of another, or of the host,
    is an error.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::func::FuncDialect",
    "mlir::LLVM::LLVMDialect", "mlir::memref::MemRefDialect",
    "mlir::ROCDL::ROCDLDialect", "mlir::scf::SCFDialect",
  ];
}

def ExpandDeviceMath : Pass<"tw-expand-device-math", "mlir::func::FuncOp"> {
  let summary = "Functions that the device computes, of those it does not";
  let description = [{
    Sine, hyperbolic tangent, error function and the like become polynomials in
    f32, powers become exponentials. What is left has to be what LLVM's back end
    for AMD GPUs has code for, else it is an error.
  }];
  let dependentDialects = [
    "mlir::arith::ArithDialect", "mlir::math::MathDialect",
    "mlir::scf::SCFDialect", "mlir::vector::VectorDialect",
  ];
}

#endif // TILEWRIGHT_COMPILE_DEVICEPASSES
