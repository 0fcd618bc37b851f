// RUN: parallax-opt %s | parallax-opt | FileCheck %s

// CHECK-LABEL: func.func @float_functions
func.func @float_functions(%x: tensor<2x3xf32>) {
  // CHECK: nn.acos {{.*}} -> tensor<2x3xf32>
  %0 = nn.acos %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: nn.acosh {{.*}} -> tensor<2x3xf32>
  %1 = nn.acosh %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: nn.asin {{.*}} -> tensor<2x3xf32>
  %2 = nn.asin %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: nn.asinh {{.*}} -> tensor<2x3xf32>
  %3 = nn.asinh %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: nn.atan {{.*}} -> tensor<2x3xf32>
  %4 = nn.atan %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: nn.atanh {{.*}} -> tensor<2x3xf32>
  %5 = nn.atanh %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: nn.ceil {{.*}} -> tensor<2x3xf32>
  %6 = nn.ceil %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: nn.cos {{.*}} -> tensor<2x3xf32>
  %7 = nn.cos %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: nn.cosh {{.*}} -> tensor<2x3xf32>
  %8 = nn.cosh %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: nn.erf {{.*}} -> tensor<2x3xf32>
  %9 = nn.erf %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: nn.exp {{.*}} -> tensor<2x3xf32>
  %10 = nn.exp %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: nn.floor {{.*}} -> tensor<2x3xf32>
  %11 = nn.floor %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: nn.hard_swish {{.*}} -> tensor<2x3xf32>
  %12 = nn.hard_swish %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: nn.log {{.*}} -> tensor<2x3xf32>
  %13 = nn.log %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: nn.mish {{.*}} -> tensor<2x3xf32>
  %14 = nn.mish %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: nn.reciprocal {{.*}} -> tensor<2x3xf32>
  %15 = nn.reciprocal %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: nn.round {{.*}} -> tensor<2x3xf32>
  %16 = nn.round %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: nn.sigmoid {{.*}} -> tensor<2x3xf32>
  %17 = nn.sigmoid %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: nn.silu {{.*}} -> tensor<2x3xf32>
  %silu = nn.silu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: nn.sin {{.*}} -> tensor<2x3xf32>
  %18 = nn.sin %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: nn.sinh {{.*}} -> tensor<2x3xf32>
  %19 = nn.sinh %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: nn.softplus {{.*}} -> tensor<2x3xf32>
  %20 = nn.softplus %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: nn.softsign {{.*}} -> tensor<2x3xf32>
  %21 = nn.softsign %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: nn.sqrt {{.*}} -> tensor<2x3xf32>
  %22 = nn.sqrt %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: nn.tan {{.*}} -> tensor<2x3xf32>
  %23 = nn.tan %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: nn.tanh {{.*}} -> tensor<2x3xf32>
  %24 = nn.tanh %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: nn.celu {{.*}}alpha = 2.0{{.*}}-> tensor<2x3xf32>
  %25 = nn.celu %x {alpha = 2.0 : f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: nn.elu {{.*}}alpha = 2.0{{.*}}-> tensor<2x3xf32>
  %26 = nn.elu %x {alpha = 2.0 : f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: nn.gelu {{.*}}approximate = "tanh"{{.*}}-> tensor<2x3xf32>
  %27 = nn.gelu %x {approximate = "tanh"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: nn.hard_sigmoid {{.*}}beta = 7.5{{.*}}-> tensor<2x3xf32>
  %28 = nn.hard_sigmoid %x {alpha = 0.25 : f32, beta = 0.75 : f32}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: nn.leaky_relu {{.*}}alpha = 5.0{{.*}}-> tensor<2x3xf32>
  %29 = nn.leaky_relu %x {alpha = 0.5 : f32}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: nn.selu {{.*}}gamma = 2.0{{.*}}-> tensor<2x3xf32>
  %30 = nn.selu %x {gamma = 2.0 : f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: nn.thresholded_relu {{.*}}alpha = 2.0{{.*}}-> tensor<2x3xf32>
  %31 = nn.thresholded_relu %x {alpha = 2.0 : f32}
      : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: func.func @number_functions
func.func @number_functions(%n: tensor<4xi64>) {
  // CHECK: nn.abs {{.*}} -> tensor<4xi64>
  %0 = nn.abs %n : (tensor<4xi64>) -> tensor<4xi64>
  // CHECK: nn.neg {{.*}} -> tensor<4xi64>
  %1 = nn.neg %n : (tensor<4xi64>) -> tensor<4xi64>
  // CHECK: nn.relu {{.*}} -> tensor<4xi64>
  %2 = nn.relu %n : (tensor<4xi64>) -> tensor<4xi64>
  // CHECK: nn.sign {{.*}} -> tensor<4xi64>
  %3 = nn.sign %n : (tensor<4xi64>) -> tensor<4xi64>
  // CHECK: nn.clip {{.*}}max = 6.0{{.*}}-> tensor<4xi64>
  %4 = nn.clip %n {max = 6.0 : f64, min = 0.0 : f64}
      : (tensor<4xi64>) -> tensor<4xi64>
  // CHECK: nn.shrink {{.*}}lambd = 1.0{{.*}}-> tensor<4xi64>
  %5 = nn.shrink %n {lambd = 1.0 : f32} : (tensor<4xi64>) -> tensor<4xi64>
  return
}

// CHECK-LABEL: func.func @predicates
func.func @predicates(%x: tensor<2x3xf32>, %c: tensor<2x3xi1>) {
  // CHECK: nn.not {{.*}} -> tensor<2x3xi1>
  %0 = nn.not %c : (tensor<2x3xi1>) -> tensor<2x3xi1>
  // CHECK: nn.is_inf {{.*}}detect_negative = false{{.*}}-> tensor<2x3xi1>
  %1 = nn.is_inf %x {detect_negative = false}
      : (tensor<2x3xf32>) -> tensor<2x3xi1>
  // CHECK: nn.is_nan {{.*}} -> tensor<2x3xi1>
  %2 = nn.is_nan %x : (tensor<2x3xf32>) -> tensor<2x3xi1>
  // CHECK: nn.cast {{.*}}to = ui8{{.*}}-> tensor<2x3xui8>
  %3 = nn.cast %x {to = ui8} : (tensor<2x3xf32>) -> tensor<2x3xui8>
  // CHECK: nn.cast {{.*}} -> tensor<2x3xf64>
  %4 = nn.cast %c {to = f64} : (tensor<2x3xi1>) -> tensor<2x3xf64>
  return
}

// CHECK-LABEL: func.func @binary
func.func @binary(%a: tensor<4x1x3xf32>, %b: tensor<2x3xf32>, %s: tensor<f32>,
                  %n: tensor<3xi64>, %u: tensor<8xui8>, %c: tensor<3xi1>,
                  %d: tensor<2x1xi1>) {
  // CHECK: nn.add {{.*}} -> tensor<4x2x3xf32>
  %0 = nn.add %a, %b : (tensor<4x1x3xf32>, tensor<2x3xf32>) -> tensor<4x2x3xf32>
  // CHECK: nn.div {{.*}} -> tensor<4x2x3xf32>
  %1 = nn.div %a, %b : (tensor<4x1x3xf32>, tensor<2x3xf32>) -> tensor<4x2x3xf32>
  // CHECK: nn.max {{.*}} -> tensor<4x2x3xf32>
  %2 = nn.max %a, %b : (tensor<4x1x3xf32>, tensor<2x3xf32>) -> tensor<4x2x3xf32>
  // CHECK: nn.min {{.*}} -> tensor<4x2x3xf32>
  %3 = nn.min %a, %b : (tensor<4x1x3xf32>, tensor<2x3xf32>) -> tensor<4x2x3xf32>
  // CHECK: nn.mul {{.*}} -> tensor<4x2x3xf32>
  %4 = nn.mul %a, %b : (tensor<4x1x3xf32>, tensor<2x3xf32>) -> tensor<4x2x3xf32>
  // CHECK: nn.sub {{.*}} -> tensor<4x2x3xf32>
  %5 = nn.sub %a, %b : (tensor<4x1x3xf32>, tensor<2x3xf32>) -> tensor<4x2x3xf32>
  // CHECK: nn.add {{.*}} -> tensor<2x3xf32>
  %6 = nn.add %b, %s : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  // CHECK: nn.pow {{.*}} -> tensor<4x1x3xf32>
  %7 = nn.pow %a, %n : (tensor<4x1x3xf32>, tensor<3xi64>) -> tensor<4x1x3xf32>
  // CHECK: nn.prelu {{.*}} -> tensor<2x3xf32>
  %8 = nn.prelu %b, %s : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  // CHECK: nn.mod {{.*}}fmod = true{{.*}}-> tensor<4x2x3xf32>
  %9 = nn.mod %a, %b {fmod = true}
      : (tensor<4x1x3xf32>, tensor<2x3xf32>) -> tensor<4x2x3xf32>
  // CHECK: nn.bit_shift {{.*}}direction = "RIGHT"{{.*}}-> tensor<8xui8>
  %10 = nn.bit_shift %u, %u {direction = "RIGHT"}
      : (tensor<8xui8>, tensor<8xui8>) -> tensor<8xui8>
  // CHECK: nn.where {{.*}} -> tensor<4x2x3xf32>
  %11 = nn.where %c, %a, %b
      : (tensor<3xi1>, tensor<4x1x3xf32>, tensor<2x3xf32>) -> tensor<4x2x3xf32>
  return
}

// CHECK-LABEL: func.func @logical
func.func @logical(%a: tensor<4x1x3xf32>, %b: tensor<2x3xf32>, %s: tensor<f32>,
                   %n: tensor<3xi64>, %u: tensor<8xui8>, %c: tensor<3xi1>,
                   %d: tensor<2x1xi1>) {
  // CHECK: nn.and {{.*}} -> tensor<2x3xi1>
  %0 = nn.and %c, %d : (tensor<3xi1>, tensor<2x1xi1>) -> tensor<2x3xi1>
  // CHECK: nn.or {{.*}} -> tensor<2x3xi1>
  %1 = nn.or %c, %d : (tensor<3xi1>, tensor<2x1xi1>) -> tensor<2x3xi1>
  // CHECK: nn.xor {{.*}} -> tensor<2x3xi1>
  %2 = nn.xor %c, %d : (tensor<3xi1>, tensor<2x1xi1>) -> tensor<2x3xi1>
  // CHECK: nn.equal {{.*}} -> tensor<2x3xi1>
  %3 = nn.equal %c, %d : (tensor<3xi1>, tensor<2x1xi1>) -> tensor<2x3xi1>
  // CHECK: nn.equal {{.*}} -> tensor<4x2x3xi1>
  %4 = nn.equal %a, %b
      : (tensor<4x1x3xf32>, tensor<2x3xf32>) -> tensor<4x2x3xi1>
  // CHECK: nn.greater {{.*}} -> tensor<4x2x3xi1>
  %5 = nn.greater %a, %b
      : (tensor<4x1x3xf32>, tensor<2x3xf32>) -> tensor<4x2x3xi1>
  // CHECK: nn.greater_or_equal {{.*}} -> tensor<4x2x3xi1>
  %6 = nn.greater_or_equal %a, %b
      : (tensor<4x1x3xf32>, tensor<2x3xf32>) -> tensor<4x2x3xi1>
  // CHECK: nn.less {{.*}} -> tensor<4x2x3xi1>
  %7 = nn.less %a, %b : (tensor<4x1x3xf32>, tensor<2x3xf32>) -> tensor<4x2x3xi1>
  // CHECK: nn.less_or_equal {{.*}} -> tensor<4x2x3xi1>
  %8 = nn.less_or_equal %a, %b
      : (tensor<4x1x3xf32>, tensor<2x3xf32>) -> tensor<4x2x3xi1>
  return
}

// CHECK-LABEL: func.func @stages
func.func @stages(%x: tensor<2x3xf32>,
                  %c: tensor<2x3x!quant.calibrated<f32<-1.0:1.0>>>,
                  %q: tensor<2x3x!quant.uniform<i8:f32, 0.5>>) {
  // CHECK: nn.relu {{.*}} -> tensor<2x3x!quant.calibrated<f32<-1.000000e+00:1.000000e+00>>>
  %0 = nn.relu %x
      : (tensor<2x3xf32>) -> tensor<2x3x!quant.calibrated<f32<-1.0:1.0>>>
  // CHECK: nn.relu {{.*}} -> tensor<2x3x!quant.uniform<i8:f32, 5.000000e-01>>
  %1 = nn.relu %q
      : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>)
      -> tensor<2x3x!quant.uniform<i8:f32, 0.5>>
  // CHECK: nn.add {{.*}} -> tensor<2x3xf32>
  %2 = nn.add %c, %q
      : (tensor<2x3x!quant.calibrated<f32<-1.0:1.0>>>, tensor<2x3x!quant.uniform<i8:f32, 0.5>>)
      -> tensor<2x3xf32>
  // CHECK: nn.less {{.*}} -> tensor<2x3xi1>
  %3 = nn.less %q, %q
      : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>, tensor<2x3x!quant.uniform<i8:f32, 0.5>>)
      -> tensor<2x3xi1>
  return
}
