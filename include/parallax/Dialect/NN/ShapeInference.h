//===- ShapeInference.h - Result types from operands -----------*- C++ -*-===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// One function per shape rule, named in the operator's definition. The importer
// builds with it, the verifier checks with it, and what it rejects is reported
// at the operator's location. Checks that a definition states in TableGen are
// not repeated here.
//===----------------------------------------------------------------------===//
#ifndef PARALLAX_DIALECT_NN_SHAPEINFERENCE_H
#define PARALLAX_DIALECT_NN_SHAPEINFERENCE_H

#include "parallax/Dialect/NN/NNOps.h"

namespace parallax::nn {

/// What a shape rule writes its results into.
class ResultTypes {
public:
  /// Only for operators with `dataDependent` extents may be unknown.
  ResultTypes(StringRef operatorName, std::optional<Location> location,
              bool dataDependent, SmallVectorImpl<Type> &types)
      : operatorName(operatorName), location(location),
        dataDependent(dataDependent), types(types) {}

  /// Refuses operands of unknown or absurd extents before a rule looks at them.
  LogicalResult checkOperands(ValueRange operands) const;

  /// Appends a result type. Refuses negative extents, and tensors of more than
  /// 2^40 elements: no network has one, but a damaged file may ask for it.
  LogicalResult add(ArrayRef<int64_t> shape, Type elementType);

  template <typename... Parts> LogicalResult fail(Parts &&...parts) const {
    return mlir::emitOptionalError(location, "'", operatorName, "' op ",
                                   std::forward<Parts>(parts)...);
  }

private:
  StringRef operatorName;
  std::optional<Location> location;
  bool dataDependent;
  SmallVectorImpl<Type> &types;
};

/// True if each actual type has the shape that was inferred and the same
/// float type, quantized or not: stages differ in element types only.
bool areCompatibleResults(TypeRange inferred, TypeRange actual);

/// The float or integer type that a value has in the imported network.
Type getExpressedElementType(Type type);

inline RankedTensorType getTensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Maps [-rank, rank) to [0, rank).
LogicalResult normalizeAxis(int64_t &axis, int64_t rank,
                            const ResultTypes &results);

/// The NumPy broadcast of shapes.
LogicalResult broadcastShapes(ArrayRef<ArrayRef<int64_t>> shapes,
                              SmallVectorImpl<int64_t> &result,
                              const ResultTypes &results);

// Elementwise. Rules that several operators share look at operands only, which
// every adaptor has.
LogicalResult inferSameTypeAs(Value operand, ResultTypes &results);
LogicalResult inferBroadcastOf(ValueRange operands, Type elementType,
                               ResultTypes &results);
LogicalResult inferFloatFunctionOf(Value x, ResultTypes &results);
LogicalResult inferNumberFunctionOf(Value x, ResultTypes &results);
LogicalResult inferPredicateOf(Value x, ResultTypes &results);
/// Operands of one element type, result of the same.
LogicalResult inferBinary(ValueRange operands, ResultTypes &results);
LogicalResult inferBinaryPredicate(ValueRange operands, ResultTypes &results);
LogicalResult inferLogicalOf(ValueRange operands, ResultTypes &results);
template <typename Adaptor>
LogicalResult inferFloatFunction(Adaptor op, ResultTypes &results) {
  return inferFloatFunctionOf(op.getX(), results);
}
template <typename Adaptor>
LogicalResult inferNumberFunction(Adaptor op, ResultTypes &results) {
  return inferNumberFunctionOf(op.getX(), results);
}
template <typename Adaptor>
LogicalResult inferPredicate(Adaptor op, ResultTypes &results) {
  return inferPredicateOf(op.getX(), results);
}
template <typename Adaptor>
LogicalResult inferBroadcast(Adaptor op, ResultTypes &results) {
  return inferBinary(op.getOperands(), results);
}
template <typename Adaptor>
LogicalResult inferComparison(Adaptor op, ResultTypes &results) {
  return inferBinaryPredicate(op.getOperands(), results);
}
template <typename Adaptor>
LogicalResult inferLogical(Adaptor op, ResultTypes &results) {
  return inferLogicalOf(op.getOperands(), results);
}
LogicalResult inferCast(CastOp::Adaptor op, ResultTypes &results);
LogicalResult inferPow(PowOp::Adaptor op, ResultTypes &results);
LogicalResult inferPRelu(PReluOp::Adaptor op, ResultTypes &results);
LogicalResult inferShift(BitShiftOp::Adaptor op, ResultTypes &results);
LogicalResult inferWhere(WhereOp::Adaptor op, ResultTypes &results);

// Mac.
LogicalResult inferConv(ConvOp::Adaptor op, ResultTypes &results);
LogicalResult inferConvTranspose(ConvTransposeOp::Adaptor op,
                                 ResultTypes &results);
LogicalResult inferGemm(GemmOp::Adaptor op, ResultTypes &results);
LogicalResult inferMatMul(MatMulOp::Adaptor op, ResultTypes &results);
LogicalResult inferFullyConnected(FullyConnectedOp::Adaptor op,
                                  ResultTypes &results);
LogicalResult inferEinsum(EinsumOp::Adaptor op, ResultTypes &results);

// Pool.
struct PoolWindow {
  ArrayRef<int64_t> kernel, strides, pads, dilations;
  bool ceilMode;
};
/// Adds the pooled type of `x`, and with `indices` an i64 tensor beside it.
LogicalResult inferPoolWindow(Value x, const PoolWindow &window, bool indices,
                              ResultTypes &results);
template <typename Adaptor>
LogicalResult inferPool(Adaptor op, ResultTypes &results) {
  return inferPoolWindow(op.getX(),
                         {op.getKernel(), op.getStrides(), op.getPads(),
                          op.getDilations(), op.getCeilMode()},
                         std::is_same_v<Adaptor, MaxPoolWithIndicesOpAdaptor>,
                         results);
}
LogicalResult inferGlobalPoolOf(Value x, ResultTypes &results);
template <typename Adaptor>
LogicalResult inferGlobalPool(Adaptor op, ResultTypes &results) {
  return inferGlobalPoolOf(op.getX(), results);
}

// Reduce.
LogicalResult inferReduceOf(Value x, ArrayRef<int64_t> axes, bool keepdims,
                            ResultTypes &results);
LogicalResult inferArgReduceOf(Value x, int64_t axis, bool keepdims,
                               ResultTypes &results);
template <typename Adaptor>
LogicalResult inferReduce(Adaptor op, ResultTypes &results) {
  return inferReduceOf(op.getX(), op.getAxes(), op.getKeepdims(), results);
}
template <typename Adaptor>
LogicalResult inferArgReduce(Adaptor op, ResultTypes &results) {
  return inferArgReduceOf(op.getX(), int64_t(op.getAxis()), op.getKeepdims(),
                          results);
}
LogicalResult inferCumSum(CumSumOp::Adaptor op, ResultTypes &results);
LogicalResult inferTopK(TopKOp::Adaptor op, ResultTypes &results);

// Layout.
LogicalResult inferConstant(ConstantOp::Adaptor op, ResultTypes &results);
LogicalResult inferReshape(ReshapeOp::Adaptor op, ResultTypes &results);
LogicalResult inferTranspose(TransposeOp::Adaptor op, ResultTypes &results);
LogicalResult inferExpand(ExpandOp::Adaptor op, ResultTypes &results);
LogicalResult inferTile(TileOp::Adaptor op, ResultTypes &results);
LogicalResult inferDepthToSpace(DepthToSpaceOp::Adaptor op,
                                ResultTypes &results);
LogicalResult inferSpaceToDepth(SpaceToDepthOp::Adaptor op,
                                ResultTypes &results);
LogicalResult inferChannelShuffle(ChannelShuffleOp::Adaptor op,
                                  ResultTypes &results);
LogicalResult inferTrilu(TriluOp::Adaptor op, ResultTypes &results);
LogicalResult inferSlice(SliceOp::Adaptor op, ResultTypes &results);
LogicalResult inferPad(PadOp::Adaptor op, ResultTypes &results);
LogicalResult inferConcat(ConcatOp::Adaptor op, ResultTypes &results);
LogicalResult inferSplit(SplitOp::Adaptor op, ResultTypes &results);
LogicalResult inferGather(GatherOp::Adaptor op, ResultTypes &results);
LogicalResult inferGatherElements(GatherElementsOp::Adaptor op,
                                  ResultTypes &results);
LogicalResult inferGatherND(GatherNDOp::Adaptor op, ResultTypes &results);
LogicalResult inferScatterElements(ScatterElementsOp::Adaptor op,
                                   ResultTypes &results);
LogicalResult inferScatterND(ScatterNDOp::Adaptor op, ResultTypes &results);
LogicalResult inferOneHot(OneHotOp::Adaptor op, ResultTypes &results);
LogicalResult inferNonZero(NonZeroOp::Adaptor op, ResultTypes &results);
LogicalResult inferReverseSequence(ReverseSequenceOp::Adaptor op,
                                   ResultTypes &results);
LogicalResult inferResize(ResizeOp::Adaptor op, ResultTypes &results);
LogicalResult inferGridSample(GridSampleOp::Adaptor op, ResultTypes &results);
LogicalResult inferRoiAlign(RoiAlignOp::Adaptor op, ResultTypes &results);
LogicalResult inferColorConvert(ColorConvertOp::Adaptor op,
                                ResultTypes &results);
LogicalResult inferNonMaxSuppression(NonMaxSuppressionOp::Adaptor op,
                                     ResultTypes &results);
LogicalResult inferQuantizeLinear(QuantizeLinearOp::Adaptor op,
                                  ResultTypes &results);
LogicalResult inferDequantizeLinear(DequantizeLinearOp::Adaptor op,
                                    ResultTypes &results);

// Normalize.
LogicalResult inferChannelNormalizationOf(ValueRange operands,
                                          ResultTypes &results);
template <typename Adaptor>
LogicalResult inferChannelNormalization(Adaptor op, ResultTypes &results) {
  return inferChannelNormalizationOf(op.getOperands(), results);
}
LogicalResult inferAlongAxisOf(Value x, int64_t axis, ResultTypes &results);
template <typename Adaptor>
LogicalResult inferAlongAxis(Adaptor op, ResultTypes &results) {
  return inferAlongAxisOf(op.getX(), int64_t(op.getAxis()), results);
}
LogicalResult inferNormalize(NormalizeOp::Adaptor op, ResultTypes &results);
LogicalResult inferGroupNormalization(GroupNormalizationOp::Adaptor op,
                                      ResultTypes &results);
LogicalResult inferLayerNormalization(LayerNormalizationOp::Adaptor op,
                                      ResultTypes &results);
LogicalResult inferRMSNormalization(RMSNormalizationOp::Adaptor op,
                                    ResultTypes &results);
LogicalResult inferLRN(LRNOp::Adaptor op, ResultTypes &results);
LogicalResult
inferMeanVarianceNormalization(MeanVarianceNormalizationOp::Adaptor op,
                               ResultTypes &results);

// Quantize.
LogicalResult inferRequantize(RequantizeOp::Adaptor op, ResultTypes &results);
LogicalResult inferQuantizedConstant(QuantizedConstantOp::Adaptor op,
                                     ResultTypes &results);

// Recurrent.
struct RecurrentLayer {
  Value x, w, r, b, sequenceLens, initialH;
  Value initialC, p; ///< Of LSTM only.
  int64_t hiddenSize;
  StringRef direction;
  int64_t layout;
  int64_t gates;               ///< 1 for RNN, 3 for GRU, 4 for LSTM.
  size_t functionsOfDirection; ///< Activation functions of one direction.
  mlir::ArrayAttr activations;
  ArrayRef<float> alphas, betas;
};
LogicalResult inferRecurrentLayer(const RecurrentLayer &layer,
                                  ResultTypes &results);
template <typename Adaptor>
LogicalResult inferRecurrent(Adaptor op, ResultTypes &results) {
  constexpr bool isLSTM = std::is_same_v<Adaptor, LSTMOpAdaptor>;
  constexpr bool isGRU = std::is_same_v<Adaptor, GRUOpAdaptor>;
  RecurrentLayer layer = {
      .x = op.getX(),
      .w = op.getW(),
      .r = op.getR(),
      .b = op.getB(),
      .sequenceLens = op.getSequenceLens(),
      .initialH = op.getInitialH(),
      .initialC = {},
      .p = {},
      .hiddenSize = int64_t(op.getHiddenSize()),
      .direction = op.getDirection(),
      .layout = int64_t(op.getLayout()),
      .gates = isLSTM  ? 4
               : isGRU ? 3
                       : 1,
      .functionsOfDirection = isLSTM  ? 3
                              : isGRU ? 2
                                      : 1,
      .activations = op.getActivations(),
      .alphas = op.getActivationAlpha(),
      .betas = op.getActivationBeta(),
  };
  if constexpr (isLSTM) {
    layer.initialC = op.getInitialC();
    layer.p = op.getP();
  }
  return inferRecurrentLayer(layer, results);
}

} // namespace parallax::nn

#endif // PARALLAX_DIALECT_NN_SHAPEINFERENCE_H
