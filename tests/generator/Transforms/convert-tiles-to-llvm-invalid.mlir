// RUN: tw-opt %s --tw-convert-tiles-to-llvm --split-input-file --verify-diagnostics

func.func @indices(%a: i64) {
  // expected-error @below {{'arith.index_cast' op has a result of type 'index', which the LLVM dialect does not have}}
  %0 = arith.index_cast %a : i64 to index
  return
}

// -----

func.func @unknown(%a: vector<8xf32>) {
  // expected-error @below {{'vector.reduction' op has no counterpart in the LLVM dialect that tw-convert-tiles-to-llvm knows}}
  %0 = vector.reduction <add>, %a : vector<8xf32> into f32
  return
}

// -----

func.func @lengths(%a: vector<8xf32>, %b: vector<4xf32>) {
  // expected-error @below {{'vector.shuffle' op has no counterpart}}
  %0 = vector.shuffle %a, %b [0, 8] : vector<8xf32>, vector<4xf32>
  return
}
