// RUN: parallax-opt --nn-merge-transposes %s 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=undone
// RUN: parallax-opt --nn-merge-transposes -mlir-print-debuginfo \
// RUN:     -mlir-print-local-scope %s | FileCheck %s --check-prefix=NAMES

// CHECK-LABEL: func.func @neighbours
// CHECK-SAME: (%[[X:[^:]*]]:
func.func @neighbours(%x: tensor<2x3x4xf32>) -> (tensor<4x3x2xf32>,
    tensor<2x3x4xf32>) {
  // CHECK-NEXT: %[[Y:.*]] = nn.transpose %[[X]] {{.*}}perm = array<i64: 2, 1, 0>
  // CHECK-NEXT: return %[[Y]], %[[X]]
  %0 = nn.transpose %x {perm = array<i64: 1, 2, 0>} : (tensor<2x3x4xf32>)
      -> tensor<3x4x2xf32>
  %1 = nn.transpose %0 {perm = array<i64: 1, 0, 2>} : (tensor<3x4x2xf32>)
      -> tensor<4x3x2xf32>
  %2 = nn.transpose %0 {perm = array<i64: 2, 0, 1>} : (tensor<3x4x2xf32>)
      -> tensor<2x3x4xf32>
  return %1, %2 : tensor<4x3x2xf32>, tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @chain
// CHECK-SAME: (%[[X:[^:]*]]:
func.func @chain(%x: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  // Constants are turned as far as they have dimensions.
  // CHECK-DAG: %[[ONE:.*]] = nn.constant dense<5.0{{.*}}> : tensor<f32>
  // CHECK-DAG: %[[C:.*]] = nn.constant dense<{{\[\[\[\[}}1.000000e+00]], {{\[\[}}2.000000e+00]]]]> : tensor<1x2x1x1xf32>
  // CHECK-DAG: %[[WC:.*]] = nn.constant dense<{{.*}}> : tensor<1x2x1x4xf32>
  // CHECK-DAG: %[[A:.*]] = nn.add %[[X]], %[[C]]
  // CHECK-DAG: %[[B:.*]] = nn.sub %[[ONE]], %[[A]]
  // CHECK-DAG: %[[D:.*]] = nn.mul %[[B]], %[[WC]]
  // CHECK: %[[Y:.*]] = nn.relu %[[D]]
  // CHECK-NEXT: return %[[Y]]
  // NAMES: nn.add {{.*}} loc("add"(
  // NAMES: nn.relu {{.*}} loc("relu"("y"))
  %one = nn.constant dense<5.0> : tensor<f32> loc("one"("one"))
  %c = nn.constant dense<[1.0, 2.0]> : tensor<2xf32> loc("c"("c"))
  %wc = nn.constant dense<[[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0]]>
      : tensor<4x2xf32> loc("wc"("wc"))
  %0 = nn.transpose %x {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x2x3x4xf32>)
      -> tensor<1x3x4x2xf32> loc("t1"("a"))
  %1 = nn.add %0, %c : (tensor<1x3x4x2xf32>, tensor<2xf32>)
      -> tensor<1x3x4x2xf32> loc("add"("b"))
  %2 = nn.sub %one, %1 : (tensor<f32>, tensor<1x3x4x2xf32>)
      -> tensor<1x3x4x2xf32> loc("sub"("d"))
  %3 = nn.mul %2, %wc : (tensor<1x3x4x2xf32>, tensor<4x2xf32>)
      -> tensor<1x3x4x2xf32> loc("mul"("e"))
  %4 = nn.relu %3 : (tensor<1x3x4x2xf32>) -> tensor<1x3x4x2xf32>
      loc("relu"("f"))
  %5 = nn.transpose %4 {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x3x4x2xf32>)
      -> tensor<1x2x3x4xf32> loc("t2"("y"))
  return %5 : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: func.func @axes
// CHECK-SAME: (%[[X:[^:]*]]:
func.func @axes(%x: tensor<1x2x3x4xf32>) -> (tensor<1x2x3x4xf32>,
    tensor<1x1x3x2xf32>) {
  // CHECK-NEXT: nn.softmax %[[X]] {{.*}}axis = 1 : i64}
  %0 = nn.transpose %x {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x2x3x4xf32>)
      -> tensor<1x3x4x2xf32>
  %1 = nn.softmax %0 : (tensor<1x3x4x2xf32>) -> tensor<1x3x4x2xf32>
  %2 = nn.transpose %1 {perm = array<i64: 0, 3, 1, 2>} : (tensor<1x3x4x2xf32>)
      -> tensor<1x2x3x4xf32>
  // CHECK-NEXT: %[[R:.*]] = nn.reduce_max %[[X]] {axes = array<i64: 0, 3>
  // CHECK-NEXT: nn.transpose %[[R]] {{.*}}perm = array<i64: 3, 0, 2, 1>
  // CHECK-NEXT: return
  %3 = nn.transpose %x {perm = array<i64: 0, 2, 3, 1>} : (tensor<1x2x3x4xf32>)
      -> tensor<1x3x4x2xf32> loc("t1"("a"))
  %4 = nn.reduce_max %3 {axes = array<i64: 0, 2>} : (tensor<1x3x4x2xf32>)
      -> tensor<1x3x1x2xf32> loc("max"("b"))
  %5 = nn.transpose %4 {perm = array<i64: 2, 0, 1, 3>} : (tensor<1x3x1x2xf32>)
      -> tensor<1x1x3x2xf32> loc("t2"("y"))
  return %2, %5 : tensor<1x2x3x4xf32>, tensor<1x1x3x2xf32>
}

// Two transposed alike are transposed once.
// CHECK-LABEL: func.func @together
// CHECK-SAME: (%[[A:[^:]*]]: tensor<2x3x4xf32>, %[[B:[^:]*]]: tensor<2x1x4xf32>, %[[C:[^:]*]]:
func.func @together(%a: tensor<2x3x4xf32>, %b: tensor<2x1x4xf32>,
    %c: tensor<2x5x4xf32>) -> (tensor<4x2x3xf32>, tensor<4x2x8xf32>) {
  // CHECK-NEXT: %[[S:.*]] = nn.sigmoid %[[B]]
  // CHECK-NEXT: %[[Y:.*]] = nn.mul %[[A]], %[[S]]
  // CHECK-NEXT: nn.transpose %[[Y]] {{.*}}perm = array<i64: 2, 0, 1>
  %0 = nn.transpose %a {perm = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>)
      -> tensor<4x2x3xf32> loc("t1"("a"))
  %1 = nn.transpose %b {perm = array<i64: 2, 0, 1>} : (tensor<2x1x4xf32>)
      -> tensor<4x2x1xf32> loc("t2"("b"))
  %2 = nn.sigmoid %1 : (tensor<4x2x1xf32>) -> tensor<4x2x1xf32> loc("s"("c"))
  %3 = nn.mul %0, %2 : (tensor<4x2x3xf32>, tensor<4x2x1xf32>)
      -> tensor<4x2x3xf32> loc("m"("d"))
  // CHECK-NEXT: %[[J:.*]] = nn.concat %[[A]], %[[C]] {{.*}}axis = 1 : i64}
  // CHECK-NEXT: nn.transpose %[[J]] {{.*}}perm = array<i64: 2, 0, 1>
  // CHECK-NEXT: return
  %4 = nn.transpose %a {perm = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>)
      -> tensor<4x2x3xf32> loc("t3"("e"))
  %5 = nn.transpose %c {perm = array<i64: 2, 0, 1>} : (tensor<2x5x4xf32>)
      -> tensor<4x2x5xf32> loc("t4"("f"))
  %6 = nn.concat %4, %5 {axis = -1 : i64} : (tensor<4x2x3xf32>,
      tensor<4x2x5xf32>) -> tensor<4x2x8xf32> loc("j"("g"))
  return %3, %6 : tensor<4x2x3xf32>, tensor<4x2x8xf32>
}

// All readers are inside: it is read twice, but it can go.
// CHECK-LABEL: func.func @inside
// CHECK-SAME: (%[[X:[^:]*]]:
func.func @inside(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK-NEXT: %[[E:.*]] = nn.erf %[[X]]
  // CHECK-NEXT: %[[Y:.*]] = nn.mul %[[X]], %[[E]]
  // CHECK-NEXT: return %[[Y]]
  %0 = nn.transpose %x {perm = array<i64: 1, 0>} : (tensor<2x3xf32>)
      -> tensor<3x2xf32> loc("t1"("a"))
  %1 = nn.erf %0 : (tensor<3x2xf32>) -> tensor<3x2xf32> loc("e"("b"))
  %2 = nn.mul %0, %1 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
      loc("m"("c"))
  %3 = nn.transpose %2 {perm = array<i64: 1, 0>} : (tensor<3x2xf32>)
      -> tensor<2x3xf32> loc("t2"("y"))
  return %3 : tensor<2x3xf32>
}

// Somebody else reads a value in between; no fewer transposes would be left;
// operands of other orders, of other ranks, or of an operation that knows
// about places.
// CHECK-LABEL: func.func @stay
// CHECK-SAME: (%[[A:[^:]*]]: tensor<2x3xf32>, %[[B:[^:]*]]: tensor<3x2xf32>,
func.func @stay(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>, %s: tensor<3x3xf32>)
    -> (tensor<2x3xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x3xf32>,
    tensor<1x3x2xf32>, tensor<2x3xf32>) {
  // CHECK-NEXT: nn.transpose
  // CHECK-NEXT: nn.relu
  // CHECK-NEXT: nn.transpose
  %0 = nn.transpose %a {perm = array<i64: 1, 0>} : (tensor<2x3xf32>)
      -> tensor<3x2xf32> loc("t1"("a"))
  %1 = nn.relu %0 : (tensor<3x2xf32>) -> tensor<3x2xf32> loc("r"("r"))
  %2 = nn.transpose %1 {perm = array<i64: 1, 0>} : (tensor<3x2xf32>)
      -> tensor<2x3xf32> loc("t2"("b"))
  // CHECK-NEXT: nn.transpose
  // CHECK-NEXT: nn.add
  %3 = nn.transpose %a {perm = array<i64: 1, 0>} : (tensor<2x3xf32>)
      -> tensor<3x2xf32> loc("t3"("c"))
  %4 = nn.add %3, %b : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
      loc("u"("u"))
  // CHECK-NEXT: nn.transpose {{.*}}array<i64: 1, 0>
  // CHECK-NEXT: nn.transpose {{.*}}array<i64: 0, 1>
  // CHECK-NEXT: nn.mul
  %5 = nn.transpose %s {perm = array<i64: 1, 0>} : (tensor<3x3xf32>)
      -> tensor<3x3xf32> loc("t4"("d"))
  %6 = nn.transpose %s {perm = array<i64: 0, 1>} : (tensor<3x3xf32>)
      -> tensor<3x3xf32> loc("t5"("e"))
  %7 = nn.mul %5, %6 : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
      loc("m"("m"))
  // CHECK-NEXT: %[[WIDE:.*]] = nn.constant
  // CHECK-NEXT: nn.transpose
  // CHECK-NEXT: nn.div
  // CHECK-NEXT: nn.transpose
  %wide = nn.constant dense<2.0> : tensor<1x1x1xf32> loc("wide"("wide"))
  %8 = nn.transpose %a {perm = array<i64: 1, 0>} : (tensor<2x3xf32>)
      -> tensor<3x2xf32> loc("t6"("f"))
  %9 = nn.div %8, %wide : (tensor<3x2xf32>, tensor<1x1x1xf32>)
      -> tensor<1x3x2xf32> loc("v"("v"))
  %10 = nn.transpose %9 {perm = array<i64: 0, 1, 2>} : (tensor<1x3x2xf32>)
      -> tensor<1x3x2xf32> loc("t7"("g"))
  // CHECK-NEXT: nn.transpose
  // CHECK-NEXT: nn.trilu
  // CHECK-NEXT: nn.transpose
  // CHECK-NEXT: return
  %11 = nn.transpose %a {perm = array<i64: 1, 0>} : (tensor<2x3xf32>)
      -> tensor<3x2xf32> loc("t8"("h"))
  %12 = nn.trilu %11 : (tensor<3x2xf32>) -> tensor<3x2xf32> loc("w"("w"))
  %13 = nn.transpose %12 {perm = array<i64: 1, 0>} : (tensor<3x2xf32>)
      -> tensor<2x3xf32> loc("t9"("i"))
  return %2, %1, %4, %7, %10, %13 : tensor<2x3xf32>, tensor<3x2xf32>,
      tensor<3x2xf32>, tensor<3x3xf32>, tensor<1x3x2xf32>, tensor<2x3xf32>
}

// The first transpose stays for its other reader; the second one goes.
// CHECK-LABEL: func.func @first_stays
// CHECK-SAME: (%[[X:[^:]*]]:
func.func @first_stays(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>,
    tensor<3x2xf32>) {
  // CHECK-NEXT: nn.transpose %[[X]]
  // CHECK-NEXT: nn.relu %[[X]]
  // CHECK-NEXT: return
  %0 = nn.transpose %x {perm = array<i64: 1, 0>} : (tensor<2x3xf32>)
      -> tensor<3x2xf32>
  %1 = nn.relu %0 : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %2 = nn.transpose %1 {perm = array<i64: 1, 0>} : (tensor<3x2xf32>)
      -> tensor<2x3xf32>
  return %2, %0 : tensor<2x3xf32>, tensor<3x2xf32>
}

// CHECK-LABEL: func.func @reshapes
// CHECK-SAME: (%[[X:[^:]*]]: tensor<1x2x1x6xf32>, %[[Y:[^:]*]]:
func.func @reshapes(%x: tensor<1x2x1x6xf32>, %y: tensor<1x2x1x6xf32>)
    -> (tensor<1x2x1x6xf32>, tensor<3x4xf32>, tensor<1x2x6xf32>) {
  // Constants follow where only dimensions of extent 1 differ.
  // CHECK-NEXT: %[[C:.*]] = nn.constant dense<{{.*}}> : tensor<1x2x1x1xf32>
  // CHECK-NEXT: %[[P:.*]] = nn.prelu %[[X]], %[[C]]
  // CHECK-NEXT: %[[Z:.*]] = nn.tanh %[[P]]
  %c = nn.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32> loc("c"("c"))
  %0 = nn.reshape %x {shape = array<i64: 1, 2, 6>} : (tensor<1x2x1x6xf32>)
      -> tensor<1x2x6xf32> loc("r1"("a"))
  %1 = nn.prelu %0, %c : (tensor<1x2x6xf32>, tensor<2x1xf32>)
      -> tensor<1x2x6xf32> loc("p"("p"))
  %2 = nn.tanh %1 : (tensor<1x2x6xf32>) -> tensor<1x2x6xf32> loc("t"("t"))
  %3 = nn.reshape %2 {shape = array<i64: 1, 2, 1, 6>} : (tensor<1x2x6xf32>)
      -> tensor<1x2x1x6xf32> loc("r2"("b"))
  // CHECK-NEXT: %[[N:.*]] = nn.neg %[[X]]
  // CHECK-NEXT: nn.reshape %[[N]] {{.*}}shape = array<i64: 3, 4>
  %4 = nn.reshape %x {shape = array<i64: 12>} : (tensor<1x2x1x6xf32>)
      -> tensor<12xf32> loc("r3"("d"))
  %5 = nn.neg %4 : (tensor<12xf32>) -> tensor<12xf32> loc("n"("n"))
  %6 = nn.reshape %5 {shape = array<i64: 3, 4>} : (tensor<12xf32>)
      -> tensor<3x4xf32> loc("r4"("e"))
  // CHECK-NEXT: %[[S:.*]] = nn.add %[[X]], %[[Y]]
  // CHECK-NEXT: nn.reshape %[[S]] {{.*}}shape = array<i64: 1, 2, 6>
  // CHECK-NEXT: return
  %7 = nn.reshape %x {shape = array<i64: 1, 2, 6>} : (tensor<1x2x1x6xf32>)
      -> tensor<1x2x6xf32> loc("r5"("f"))
  %8 = nn.reshape %y {shape = array<i64: 1, 2, 6>} : (tensor<1x2x1x6xf32>)
      -> tensor<1x2x6xf32> loc("r6"("g"))
  %9 = nn.add %7, %8 : (tensor<1x2x6xf32>, tensor<1x2x6xf32>)
      -> tensor<1x2x6xf32> loc("s"("s"))
  return %3, %6, %9 : tensor<1x2x1x6xf32>, tensor<3x4xf32>, tensor<1x2x6xf32>
}

// A constant that would not fit, other sources, broadcasting, axes; neighbours
// are for another pass.
// CHECK-LABEL: func.func @reshapes_stay
func.func @reshapes_stay(%x: tensor<2x6xf32>, %y: tensor<4x3xf32>,
    %z: tensor<1x1xf32>) -> (tensor<2x6xf32>, tensor<12xf32>, tensor<12xf32>,
    tensor<2x6xf32>, tensor<3x4xf32>) {
  %c = nn.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32> loc("c"("c"))
  // CHECK: nn.reshape
  // CHECK-NEXT: nn.add
  // CHECK-NEXT: nn.reshape
  %0 = nn.reshape %x {shape = array<i64: 3, 4>} : (tensor<2x6xf32>)
      -> tensor<3x4xf32> loc("r1"("r1"))
  %1 = nn.add %0, %c : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
      loc("a1"("a1"))
  %2 = nn.reshape %1 {shape = array<i64: 2, 6>} : (tensor<3x4xf32>)
      -> tensor<2x6xf32> loc("r2"("r2"))
  // CHECK-NEXT: nn.reshape
  // CHECK-NEXT: nn.reshape
  // CHECK-NEXT: nn.sub
  %3 = nn.reshape %x {shape = array<i64: 12>} : (tensor<2x6xf32>)
      -> tensor<12xf32> loc("r3"("r3"))
  %4 = nn.reshape %y {shape = array<i64: 12>} : (tensor<4x3xf32>)
      -> tensor<12xf32> loc("r4"("r4"))
  %5 = nn.sub %3, %4 : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xf32>
      loc("s"("s"))
  // CHECK-NEXT: nn.reshape
  // CHECK-NEXT: nn.reshape
  // CHECK-NEXT: nn.mul
  %6 = nn.reshape %x {shape = array<i64: 12>} : (tensor<2x6xf32>)
      -> tensor<12xf32> loc("r5"("r5"))
  %7 = nn.reshape %z {shape = array<i64: 1>} : (tensor<1x1xf32>)
      -> tensor<1xf32> loc("r6"("r6"))
  %8 = nn.mul %6, %7 : (tensor<12xf32>, tensor<1xf32>) -> tensor<12xf32>
      loc("m"("m"))
  // CHECK-NEXT: nn.reshape
  // CHECK-NEXT: nn.softmax
  // CHECK-NEXT: nn.reshape
  %9 = nn.reshape %x {shape = array<i64: 3, 4>} : (tensor<2x6xf32>)
      -> tensor<3x4xf32> loc("r7"("r7"))
  %10 = nn.softmax %9 : (tensor<3x4xf32>) -> tensor<3x4xf32> loc("t"("t"))
  %11 = nn.reshape %10 {shape = array<i64: 2, 6>} : (tensor<3x4xf32>)
      -> tensor<2x6xf32> loc("r8"("r8"))
  // CHECK-NEXT: nn.reshape
  // CHECK-NEXT: nn.reshape
  // CHECK-NEXT: return
  %12 = nn.reshape %x {shape = array<i64: 12>} : (tensor<2x6xf32>)
      -> tensor<12xf32> loc("r9"("r9"))
  %13 = nn.reshape %12 {shape = array<i64: 3, 4>} : (tensor<12xf32>)
      -> tensor<3x4xf32> loc("r10"("r10"))
  return %2, %5, %8, %11, %13 : tensor<2x6xf32>, tensor<12xf32>, tensor<12xf32>,
      tensor<2x6xf32>, tensor<3x4xf32>
}
