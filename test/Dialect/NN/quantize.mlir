// RUN: parallax-opt %s | parallax-opt | FileCheck %s

// CHECK-LABEL: func.func @types
func.func @types(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  // Float to codes, codes to other codes, and back.
  // CHECK: nn.requantize %{{.*}} : (tensor<1x2xf32>) -> tensor<1x2x!quant.uniform<u16:f32, 1.000000e-03:32768>>
  %0 = nn.requantize %x : (tensor<1x2xf32>)
      -> tensor<1x2x!quant.uniform<u16:f32, 1.0e-03:32768>>
  // CHECK: nn.requantize {{.*}} -> tensor<1x2x!quant.uniform<i8:f32, 2.500000e-01:-3>>
  %1 = nn.requantize %0
      : (tensor<1x2x!quant.uniform<u16:f32, 1.0e-03:32768>>)
      -> tensor<1x2x!quant.uniform<i8:f32, 0.25:-3>>
  // One scale per entry of a dimension.
  // CHECK: nn.quantized_constant dense<{{.*}}> : tensor<2x2xi8> : tensor<2x2x!quant.uniform<i8<-127:127>:f32:0, {5.000000e-01,1.250000e-01}>>
  %w = nn.quantized_constant dense<[[1, -2], [127, 0]]> : tensor<2x2xi8>
      : tensor<2x2x!quant.uniform<i8<-127:127>:f32:0, {0.5, 0.125}>>
  // One for all, with a zero point and fewer codes than the storage has.
  // CHECK: nn.quantized_constant dense<{{.*}}> : tensor<2xui8> : tensor<2x!quant.uniform<u8<0:15>:f32, 5.000000e-01:7>>
  %c = nn.quantized_constant dense<[0, 15]> : tensor<2xui8>
      : tensor<2x!quant.uniform<u8<0:15>:f32, 0.5:7>>
  // CHECK: nn.matmul {{.*}} -> tensor<1x2x!quant.uniform<u8:f32, 5.000000e-01>>
  %2 = nn.matmul %1, %w
      : (tensor<1x2x!quant.uniform<i8:f32, 0.25:-3>>,
         tensor<2x2x!quant.uniform<i8<-127:127>:f32:0, {0.5, 0.125}>>)
      -> tensor<1x2x!quant.uniform<u8:f32, 0.5>>
  %3 = nn.add %2, %c
      : (tensor<1x2x!quant.uniform<u8:f32, 0.5>>,
         tensor<2x!quant.uniform<u8<0:15>:f32, 0.5:7>>)
      -> tensor<1x2x!quant.uniform<u8:f32, 0.5>>
  // CHECK: nn.requantize {{.*}} -> tensor<1x2xf32>
  %4 = nn.requantize %3 : (tensor<1x2x!quant.uniform<u8:f32, 0.5>>)
      -> tensor<1x2xf32>
  return %4 : tensor<1x2xf32>
}
