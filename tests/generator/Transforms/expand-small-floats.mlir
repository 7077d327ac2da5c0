// RUN: tw-opt %s --tw-expand-small-floats --canonicalize | FileCheck %s
// RUN: tw-opt %s --tw-expand-small-floats=native-f16 | FileCheck %s --check-prefix=NATIVE

// On constants the integer arithmetic folds: what is left is the value.

// All encodings: +-{0, 0.5, 1, 1.5, 2, 3, 4, 6}.
// CHECK-LABEL: @f4e2m1fn
// CHECK-NEXT:  arith.constant dense<[0.000000e+00, 5.000000e-01, 1.000000e+00, 1.500000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00, 6.000000e+00, -0.000000e+00, -5.000000e-01, -1.000000e+00, -1.500000e+00, -2.000000e+00, -3.000000e+00, -4.000000e+00, -6.000000e+00]> : vector<16xf32>
func.func @f4e2m1fn() -> vector<16xf32> {
  %bits = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : vector<16xi4>
  %x = arith.bitcast %bits : vector<16xi4> to vector<16xf4E2M1FN>
  %y = arith.extf %x : vector<16xf4E2M1FN> to vector<16xf32>
  return %y : vector<16xf32>
}

// Smallest and largest denormal, 1, largest.
// CHECK-LABEL: @f6
// CHECK-DAG:   arith.constant dense<[1.250000e-01, 8.750000e-01, 1.000000e+00, 7.500000e+00, -7.500000e+00]> : vector<5xf32>
// CHECK-DAG:   arith.constant dense<[6.250000e-02, 1.875000e-01, 1.000000e+00, 2.800000e+01, -2.800000e+01]> : vector<5xf32>
func.func @f6() -> (vector<5xf32>, vector<5xf32>) {
  %a = arith.constant dense<[1, 7, 8, 31, 63]> : vector<5xi6>
  %b = arith.constant dense<[1, 3, 12, 31, 63]> : vector<5xi6>
  %c = arith.bitcast %a : vector<5xi6> to vector<5xf6E2M3FN>
  %d = arith.bitcast %b : vector<5xi6> to vector<5xf6E3M2FN>
  %e = arith.extf %c : vector<5xf6E2M3FN> to vector<5xf32>
  %f = arith.extf %d : vector<5xf6E3M2FN> to vector<5xf32>
  return %e, %f : vector<5xf32>, vector<5xf32>
}

// Smallest denormal, largest denormal, 1, largest, NaN of either sign.
// CHECK-LABEL: @f8e4m3fn
// CHECK-NEXT:  arith.constant dense<[0.001953125, 0.013671875, 1.000000e+00, 4.480000e+02, 0x7FC00000, 0xFFC00000]> : vector<6xf32>
func.func @f8e4m3fn() -> vector<6xf32> {
  %bits = arith.constant dense<[0x01, 0x07, 0x38, 0x7E, 0x7F, 0xFF]> : vector<6xi8>
  %x = arith.bitcast %bits : vector<6xi8> to vector<6xf8E4M3FN>
  %y = arith.extf %x : vector<6xf8E4M3FN> to vector<6xf32>
  return %y : vector<6xf32>
}

// The same with infinities.
// CHECK-LABEL: @f8e5m2
// CHECK-NEXT:  arith.constant dense<[1.52587891E-5, 4.57763672E-5, 1.000000e+00, 5.734400e+04, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000]> : vector<8xf32>
func.func @f8e5m2() -> vector<8xf32> {
  %bits = arith.constant dense<[0x01, 0x03, 0x3C, 0x7B, 0x7C, 0xFC, 0x7D, 0xFF]> : vector<8xi8>
  %x = arith.bitcast %bits : vector<8xi8> to vector<8xf8E5M2>
  %y = arith.extf %x : vector<8xf8E5M2> to vector<8xf32>
  return %y : vector<8xf32>
}

// 0x80 is the only NaN; all ones is the most negative number.
// CHECK-LABEL: @fnuz
// CHECK-DAG:   arith.constant dense<[9.765625E-4, 1.000000e+00, 2.400000e+02, -2.400000e+02, 0xFFC00000]> : vector<5xf32>
// CHECK-DAG:   arith.constant dense<[7.62939453E-6, 1.000000e+00, 5.734400e+04, -5.734400e+04, 0xFFC00000]> : vector<5xf32>
func.func @fnuz() -> (vector<5xf32>, vector<5xf32>) {
  %a = arith.constant dense<[0x01, 0x40, 0x7F, 0xFF, 0x80]> : vector<5xi8>
  %b = arith.constant dense<[0x01, 0x40, 0x7F, 0xFF, 0x80]> : vector<5xi8>
  %c = arith.bitcast %a : vector<5xi8> to vector<5xf8E4M3FNUZ>
  %d = arith.bitcast %b : vector<5xi8> to vector<5xf8E5M2FNUZ>
  %e = arith.extf %c : vector<5xf8E4M3FNUZ> to vector<5xf32>
  %f = arith.extf %d : vector<5xf8E5M2FNUZ> to vector<5xf32>
  return %e, %f : vector<5xf32>, vector<5xf32>
}

// To bf16: up, ties to even (down, up), overflow, denormal, NaN stays NaN.
// CHECK-LABEL: @to_bf16
// CHECK-NEXT:  arith.constant dense<[16257, 16256, 16258, 32640, 1, 32704]> : vector<6xi16>
func.func @to_bf16() -> vector<6xi16> {
  %bits = arith.constant dense<[0x3F808001, 0x3F808000, 0x3F818000, 0x7F7FFFFF, 0x0000C000, 0x7F800001]> : vector<6xi32>
  %x = arith.bitcast %bits : vector<6xi32> to vector<6xf32>
  %y = arith.truncf %x : vector<6xf32> to vector<6xbf16>
  %z = arith.bitcast %y : vector<6xbf16> to vector<6xi16>
  return %z : vector<6xi16>
}

// To f16: 1, ties to even (down, up), the largest value that does not overflow
// and the least that does, denormals (tie to 0, smallest, largest), NaN.
// CHECK-LABEL: @to_f16
// CHECK-NEXT:  arith.constant dense<[15360, 15360, 15362, 31743, 31744, 0, 1, 1024, 32256, -1024]> : vector<10xi16>
// NATIVE-LABEL: @to_f16
// NATIVE:         arith.truncf
func.func @to_f16() -> vector<10xi16> {
  %bits = arith.constant dense<[0x3F800000, 0x3F801000, 0x3F803000, 0x477FEFFF, 0x477FF000, 0x33000000, 0x33000001, 0x387FFFFF, 0x7F800001, 0xFF800000]> : vector<10xi32>
  %x = arith.bitcast %bits : vector<10xi32> to vector<10xf32>
  %y = arith.truncf %x : vector<10xf32> to vector<10xf16>
  %z = arith.bitcast %y : vector<10xf16> to vector<10xi16>
  return %z : vector<10xi16>
}

// Floats of 8 bits: ties to even, 0.5 of the least denormal, too large, NaN, and -0, which f8E4M3FNUZ does not have.
// CHECK-LABEL: @to_f8E4M3FN
// CHECK-NEXT:  arith.constant dense<[56, 56, 58, 0, 1, 126, 127, 127, -128]> : vector<9xi8>
func.func @to_f8E4M3FN() -> vector<9xi8> {
  %x = arith.constant dense<[1.0, 1.0625, 1.1875, 0.0009765625, 0.001, 448.0, 480.0, 0x7FC00000, -0.0]> : vector<9xf32>
  %y = arith.truncf %x : vector<9xf32> to vector<9xf8E4M3FN>
  %z = arith.bitcast %y : vector<9xf8E4M3FN> to vector<9xi8>
  return %z : vector<9xi8>
}
// CHECK-LABEL: @to_f8E5M2
// CHECK-NEXT:  arith.constant dense<[60, 123, 124, 126, -128]> : vector<5xi8>
func.func @to_f8E5M2() -> vector<5xi8> {
  %x = arith.constant dense<[1.0, 57344.0, 61440.0, 0x7FC00000, -0.0]> : vector<5xf32>
  %y = arith.truncf %x : vector<5xf32> to vector<5xf8E5M2>
  %z = arith.bitcast %y : vector<5xf8E5M2> to vector<5xi8>
  return %z : vector<5xi8>
}
// CHECK-LABEL: @to_f8E4M3FNUZ
// CHECK-NEXT:  arith.constant dense<[64, -64, 127, -128, -128, 0]> : vector<6xi8>
func.func @to_f8E4M3FNUZ() -> vector<6xi8> {
  %x = arith.constant dense<[1.0, -1.0, 240.0, 248.0, 0x7FC00000, -0.0]> : vector<6xf32>
  %y = arith.truncf %x : vector<6xf32> to vector<6xf8E4M3FNUZ>
  %z = arith.bitcast %y : vector<6xf8E4M3FNUZ> to vector<6xi8>
  return %z : vector<6xi8>
}

// Scalars; f16 stays where it is native, and is f64 by way of f32.
// CHECK-LABEL: @scalars
// CHECK-NOT:     extf %{{.*}} : f16
// CHECK-NOT:     extf %{{.*}} : bf16
// CHECK:         arith.extf %{{.*}} : f32 to f64
// NATIVE-LABEL: @scalars
// NATIVE:         arith.extf %{{.*}} : f16 to f32
// NATIVE-NOT:     arith.extf %{{.*}} : bf16 to f32
// NATIVE:         arith.extf %{{.*}} : f16 to f64
func.func @scalars(%a: f16, %b: bf16) -> (f32, f32, f64) {
  %c = arith.extf %a : f16 to f32
  %d = arith.extf %b : bf16 to f32
  %e = arith.extf %a : f16 to f64
  return %c, %d, %e : f32, f32, f64
}

// Of f64, too, rounded once: f32 is towards zero, its last bit says what was left, and what is rounded to is that.
// CHECK-LABEL: @from_f64(
// CHECK:         %[[NEAREST:.*]] = arith.truncf %[[X:.*]] : f64 to f32
// CHECK:         %[[BACK:.*]] = arith.extf %[[NEAREST]] : f32 to f64
// CHECK:         %[[BITS:.*]] = arith.bitcast %[[NEAREST]] : f32 to i32
// CHECK:         %[[NEGATIVE:.*]] = arith.cmpi slt, %[[BITS]]
// CHECK-DAG:     %[[LESS:.*]] = arith.cmpf olt, %[[BACK]], %[[X]] : f64
// CHECK-DAG:     %[[MORE:.*]] = arith.cmpf ogt, %[[BACK]], %[[X]] : f64
// CHECK:         %[[FARTHER:.*]] = arith.select %[[NEGATIVE]], %[[LESS]], %[[MORE]] : i1
// CHECK:         %[[STEP:.*]] = arith.addi %[[BITS]]
// CHECK:         %[[TOWARDS:.*]] = arith.select %[[FARTHER]], %[[STEP]], %[[BITS]]
// CHECK:         %[[ODD:.*]] = arith.ori %[[TOWARDS]]
// CHECK:         %[[INEXACT:.*]] = arith.cmpf one, %[[BACK]], %[[X]] : f64
// CHECK:         arith.select %[[INEXACT]], %[[ODD]], %[[BITS]]
// CHECK-NOT:     truncf
// CHECK:         return
// NATIVE-LABEL: @from_f64(
// NATIVE:        arith.truncf %{{.*}} : f64 to f32
// NATIVE-NOT:    truncf
// NATIVE:        %[[ODD:.*]] = arith.bitcast %{{.*}} : i32 to f32
// NATIVE-NEXT:   arith.truncf %[[ODD]] : f32 to f16
func.func @from_f64(%x: f64) -> f16 {
  %y = arith.truncf %x : f64 to f16
  return %y : f16
}

// Scales: 2^-127, a denormal of f32, 2^-126, 1, 2^127 and NaN.
// CHECK-LABEL: @f8e8m0fnu
// CHECK-NEXT:  arith.constant dense<[5.87747175E-39, 1.17549435E-38, 1.000000e+00, 1.70141183E+38, 0x7FC00000]> : vector<5xf32>
func.func @f8e8m0fnu() -> vector<5xf32> {
  %bits = arith.constant dense<[0, 1, 127, 254, 255]> : vector<5xi8>
  %x = arith.bitcast %bits : vector<5xi8> to vector<5xf8E8M0FNU>
  %y = arith.extf %x : vector<5xf8E8M0FNU> to vector<5xf32>
  return %y : vector<5xf32>
}
