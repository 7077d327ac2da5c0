// RUN: tw-opt %s --tw-convert-tiles-to-llvm | FileCheck %s

// A loop that may run no times is tested before and at its end.
// CHECK-LABEL: llvm.func @loop(
// CHECK-SAME:    %[[P:.*]]: !llvm.ptr {llvm.noalias}, %[[N:.*]]: i64)
// CHECK-DAG:     %[[C0:.*]] = llvm.mlir.constant(0 : i64)
// CHECK-DAG:     %[[C1:.*]] = llvm.mlir.constant(1 : i64)
// CHECK-DAG:     %[[ZERO:.*]] = llvm.mlir.constant(dense<0.000000e+00> : vector<8xf32>)
// CHECK:         %[[RUNS:.*]] = llvm.icmp "slt" %[[C0]], %[[N]]
// CHECK:         llvm.cond_br %[[RUNS]], ^[[BODY:.*]](%[[C0]], %[[ZERO]] : {{.*}}), ^[[END:.*]](%[[ZERO]]
// CHECK:       ^[[BODY]](%[[I:.*]]: i64, %[[ACC:.*]]: vector<8xf32>):
// CHECK:         %[[SUM:.*]] = llvm.intr.fmuladd(%{{.*}}, %{{.*}}, %[[ACC]])
// CHECK:         %[[NEXT:.*]] = llvm.add %[[I]], %[[C1]]
// CHECK:         %[[AGAIN:.*]] = llvm.icmp "slt" %[[NEXT]], %[[N]]
// CHECK:         llvm.cond_br %[[AGAIN]], ^[[BODY]](%[[NEXT]], %[[SUM]] : {{.*}}), ^[[END]](%[[SUM]]
// CHECK:       ^[[END]](%[[RESULT:.*]]: vector<8xf32>):
// CHECK:         llvm.store %[[RESULT]], %[[P]]
// CHECK:         llvm.return
func.func @loop(%p: !llvm.ptr {llvm.noalias}, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : vector<8xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (vector<8xf32>) : i64 {
    %x = llvm.load %p : !llvm.ptr -> vector<8xf32>
    %next = vector.fma %x, %x, %acc : vector<8xf32>
    scf.yield %next : vector<8xf32>
  }
  llvm.store %sum, %p : vector<8xf32>, !llvm.ptr
  return
}

// A loop may count down, or end where its second carried value arrives, which
// is a pointer: it has no counter then.
// CHECK-LABEL: llvm.func @ends(
// CHECK-SAME:    %[[P:.*]]: !llvm.ptr, %[[Q:.*]]: !llvm.ptr, %[[N:.*]]: i64)
// CHECK-DAG:     %[[C0:.*]] = llvm.mlir.constant(0 : i64)
// CHECK-DAG:     %[[C2:.*]] = llvm.mlir.constant(2 : i64)
// CHECK:         %[[COUNT:.*]] = llvm.sub %[[N]], %[[C0]]
// CHECK:         llvm.cond_br %{{.*}}, ^[[BODY:bb[0-9]+]](%[[COUNT]], %[[P]], %[[Q]] :
// CHECK:       ^[[BODY]](%[[LEFT:.*]]: i64, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr):
// CHECK:         %[[NEXT:.*]] = llvm.sub %[[LEFT]], %[[C2]]
// CHECK:         llvm.icmp "ne" %[[NEXT]], %{{.*}} : i64
// CHECK:         %[[RANGE:.*]] = llvm.sub %[[N]], %[[C0]]
// CHECK:         %[[C32:.*]] = llvm.mlir.constant(32 : i64)
// CHECK:         %[[BYTES:.*]] = llvm.mul %[[RANGE]], %[[C32]]
// CHECK:         %[[END:.*]] = llvm.getelementptr %[[FIRST:.*]][%[[BYTES]]]
// CHECK:         %[[RUNS:.*]] = llvm.icmp "slt" %[[C0]], %[[N]]
// CHECK:         llvm.cond_br %[[RUNS]], ^[[BODY:bb[0-9]+]](%{{.*}}, %[[FIRST]] :
// CHECK:       ^[[BODY]](%{{.*}}: !llvm.ptr, %[[AT:.*]]: !llvm.ptr):
// CHECK:         %[[AFTER:.*]] = llvm.getelementptr %[[AT]][64]
// CHECK-NEXT:    %[[AGAIN:.*]] = llvm.icmp "ne" %[[AFTER]], %[[END]] : !llvm.ptr
// CHECK-NEXT:    llvm.cond_br %[[AGAIN]], ^[[BODY]](
// An index that is used is counted.
// CHECK:         llvm.icmp "slt" %{{.*}}, %[[N]]
// CHECK:         llvm.icmp "slt" %{{.*}}, %[[N]]
func.func @ends(%p: !llvm.ptr, %q: !llvm.ptr, %n: i64) {
  %c0 = arith.constant 0 : i64
  %c2 = arith.constant 2 : i64
  %down:2 = scf.for %i = %c0 to %n step %c2 iter_args(%a = %p, %b = %q) -> (!llvm.ptr, !llvm.ptr) : i64 {
    %a1 = llvm.getelementptr %a[16] : (!llvm.ptr) -> !llvm.ptr, i8
    %b1 = llvm.getelementptr %b[64] : (!llvm.ptr) -> !llvm.ptr, i8
    scf.yield %a1, %b1 : !llvm.ptr, !llvm.ptr
  } {tilewright.counts_down}
  %pointer:2 = scf.for %i = %c0 to %n step %c2 iter_args(%a = %down#0, %b = %down#1) -> (!llvm.ptr, !llvm.ptr) : i64 {
    %a1 = llvm.getelementptr %a[16] : (!llvm.ptr) -> !llvm.ptr, i8
    %b1 = llvm.getelementptr %b[64] : (!llvm.ptr) -> !llvm.ptr, i8
    scf.yield %a1, %b1 : !llvm.ptr, !llvm.ptr
  } {tilewright.bytes_per_index = 32 : i64}
  %counted:2 = scf.for %i = %c0 to %n step %c2 iter_args(%a = %pointer#0, %b = %pointer#1) -> (!llvm.ptr, !llvm.ptr) : i64 {
    llvm.store %i, %a : i64, !llvm.ptr
    %b1 = llvm.getelementptr %b[64] : (!llvm.ptr) -> !llvm.ptr, i8
    scf.yield %a, %b1 : !llvm.ptr, !llvm.ptr
  } {tilewright.bytes_per_index = 32 : i64}
  return
}

// Constant bounds say that it runs; nested in a conditional.
// CHECK-LABEL: llvm.func @nested
// CHECK:         llvm.cond_br %{{.*}}, ^[[THEN:bb[0-9]+]], ^[[REST:bb[0-9]+]]
// CHECK:       ^[[THEN]]:
// CHECK-NEXT:    llvm.br ^[[BODY:bb[0-9]+]](
// CHECK:       ^[[BODY]](
// CHECK:         llvm.cond_br %{{.*}}, ^[[BODY]]({{.*}}), ^[[AFTER:bb[0-9]+]]
// CHECK:       ^[[AFTER]]:
// CHECK-NEXT:    llvm.br ^[[REST]]
// CHECK:       ^[[REST]]:
// CHECK-NEXT:    llvm.return
func.func @nested(%p: !llvm.ptr, %c: i1) {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  scf.if %c {
    scf.for %i = %c0 to %c4 step %c1 : i64 {
      llvm.store %i, %p : i64, !llvm.ptr
    }
  }
  return
}

// CHECK-LABEL: llvm.func @values
// CHECK:         llvm.insertelement
// CHECK:         llvm.shufflevector %{{.*}} [0, 0, 0, 0] : vector<4xi32>
// CHECK:         llvm.icmp "ugt"
// CHECK:         llvm.fcmp "olt"
// CHECK:         llvm.select
// CHECK:         llvm.lshr
// CHECK:         llvm.ashr
// CHECK:         llvm.zext
// CHECK:         llvm.sext
// CHECK:         llvm.shufflevector %{{.*}} [0, 4, -1, 7] : vector<4xi32>
func.func @values(%p: !llvm.ptr, %x: i32, %f: f32) {
  %0 = vector.broadcast %x : i32 to vector<4xi32>
  %1 = arith.cmpi ugt, %x, %x : i32
  %2 = arith.cmpf olt, %f, %f : f32
  %3 = arith.select %2, %x, %x : i32
  %4 = arith.shrui %x, %x : i32
  %5 = arith.shrsi %x, %x : i32
  %6 = arith.extui %1 : i1 to i32
  %7 = arith.extsi %1 : i1 to i32
  %8 = vector.shuffle %0, %0 [0, 4, -1, 7] : vector<4xi32>, vector<4xi32>
  return
}
