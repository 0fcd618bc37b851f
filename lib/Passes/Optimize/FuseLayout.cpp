//===- FuseLayout.cpp - Movements of many steps become one ----------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// A movement is recognised by what it does to the elements, not by how it is
// written: exporters merge, split and drop dimensions at will.
//===----------------------------------------------------------------------===//
#include "Families.h"
#include "Match.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace parallax {
namespace {

using Extents = SmallVector<int64_t>;

//===----------------------------------------------------------------------===//
// Reshape, transpose, reshape
//===----------------------------------------------------------------------===//

/// A permutation of dimensions in its shortest form: without dimensions of
/// extent 1, and with those merged that stay together. Two permutations of the
/// same elements in memory are equal exactly if they do the same.
struct Movement {
  Extents dims, perm;

  Movement(ArrayRef<int64_t> extents, ArrayRef<int64_t> permutation) {
    // The dimensions that matter, in the order of the result.
    Extents order;
    for (int64_t axis : permutation)
      if (extents[size_t(axis)] != 1)
        order.push_back(axis);
    // The one that follows a dimension in the operand.
    auto follower = [&](int64_t axis) {
      do
        ++axis;
      while (size_t(axis) < extents.size() && extents[size_t(axis)] == 1);
      return axis;
    };
    SmallVector<bool> isFirst(extents.size());
    for (size_t i = 0; i < order.size(); ++i)
      isFirst[size_t(order[i])] = i == 0 || order[i] != follower(order[i - 1]);
    Extents merged(extents.size());
    for (size_t i = 0; i < extents.size(); ++i) {
      if (isFirst[i]) {
        merged[i] = int64_t(dims.size());
        dims.push_back(1);
      }
      if (extents[i] != 1)
        dims.back() *= extents[i];
    }
    for (int64_t axis : order)
      if (isFirst[size_t(axis)])
        perm.push_back(merged[size_t(axis)]);
  }

  bool operator==(const Movement &other) const = default;
};

/// An operation that moves elements, and how it would be written out.
struct Form {
  Movement movement;
  Extents shape; ///< Of the result.
  std::function<Value(Value, Proposal &)> build;
};

Form shuffleForm(ArrayRef<int64_t> x, int64_t groups) {
  int64_t pixels = elementCount(x.drop_front(2));
  return {{{x[0], groups, x[1] / groups, pixels}, {0, 2, 1, 3}},
          Extents(x),
          [groups](Value x, Proposal &p) {
            return p.create<nn::ChannelShuffleOp>(x, p.i64("groups", groups));
          }};
}

Form depthToSpaceForm(ArrayRef<int64_t> x, int64_t block, bool isDCR) {
  int64_t n = x[0], c = x[1] / (block * block), h = x[2], w = x[3];
  Movement movement =
      isDCR ? Movement({n, block, block, c, h, w}, {0, 3, 4, 1, 5, 2})
            : Movement({n, c, block, block, h, w}, {0, 1, 4, 2, 5, 3});
  return {std::move(movement),
          {n, c, h * block, w * block},
          [block, isDCR](Value x, Proposal &p) {
            return p.create<nn::DepthToSpaceOp>(
                x, {p.i64("blocksize", block),
                    p.word("mode", isDCR ? "DCR" : "CRD")});
          }};
}

/// `space_to_depth` puts all channels of one pixel of the block together; the
/// inverse of a pixel shuffle puts the whole block of one channel together,
/// which is a channel shuffle away.
Form spaceToDepthForm(ArrayRef<int64_t> x, int64_t block, bool byChannel) {
  int64_t n = x[0], c = x[1], h = x[2] / block, w = x[3] / block;
  Movement movement({n, c, h, block, w, block},
                    byChannel ? ArrayRef<int64_t>{0, 1, 3, 5, 2, 4}
                              : ArrayRef<int64_t>{0, 3, 5, 1, 2, 4});
  return {std::move(movement),
          {n, c * block * block, h, w},
          [block, byChannel](Value x, Proposal &p) {
            Value y =
                p.create<nn::SpaceToDepthOp>(x, p.i64("blocksize", block));
            return byChannel ? p.create<nn::ChannelShuffleOp>(
                                   y, p.i64("groups", block * block))
                             : y;
          }};
}

/// All forms that fit an operand of the given shape.
std::vector<Form> formsOn(ArrayRef<int64_t> x) {
  std::vector<Form> forms;
  if (x.size() < 3 || elementCount(x) == 0)
    return forms;
  for (int64_t groups = 2; groups < x[1]; ++groups)
    if (x[1] % groups == 0)
      forms.push_back(shuffleForm(x, groups));
  if (x.size() != 4)
    return forms;
  for (int64_t block = 2; block * block <= x[1]; ++block)
    if (x[1] % (block * block) == 0)
      for (bool isDCR : {true, false})
        forms.push_back(depthToSpaceForm(x, block, isDCR));
  for (int64_t block = 2; block <= std::min(x[2], x[3]); ++block)
    if (x[2] % block == 0 && x[3] % block == 0)
      for (bool byChannel : {false, true})
        forms.push_back(spaceToDepthForm(x, block, byChannel));
  return forms;
}

void fuseMovement(nn::ReshapeOp op, Proposal &proposal) {
  auto transpose = soleProducer<nn::TransposeOp>(op.getX());
  auto first = transpose ? transpose.getX().getDefiningOp<nn::ReshapeOp>()
                         : nn::ReshapeOp();
  if (!first)
    return;
  Value x = first.getX();
  Movement movement(shapeOf(transpose.getX()), transpose.getPerm());
  if (llvm::is_sorted(movement.perm))
    return;
  std::vector<Form> forms = formsOn(shapeOf(x));
  llvm::erase_if(forms,
                 [&](const Form &form) { return form.movement != movement; });
  auto form = llvm::find_if(forms, [&](const Form &form) {
    return ArrayRef<int64_t>(form.shape) == op.getShape();
  });
  if (form != forms.end())
    return proposal.replace(form->build(x, proposal));
  // The last reshape does more than this form. For images it still pays off.
  if (forms.empty() || rankOf(x) < 4)
    return;
  Value y = forms.front().build(x, proposal);
  proposal.replace(proposal.createLike(op, y));
}

//===----------------------------------------------------------------------===//
// Strided slices, concatenated
//===----------------------------------------------------------------------===//

/// What a chain of strided slices takes of its source.
struct Slices {
  Value source;
  Extents starts, steps;

  explicit Slices(Value part)
      : source(part), starts(size_t(rankOf(part)), 0),
        steps(size_t(rankOf(part)), 1) {
    while (auto slice = source.getDefiningOp<nn::SliceOp>()) {
      // A crop of the source is not part of the chain.
      if (isFilledWith(slice.getSteps(), 1))
        break;
      for (size_t i = 0; i < starts.size(); ++i) {
        starts[i] = slice.getStarts()[i] + starts[i] * slice.getSteps()[i];
        steps[i] *= slice.getSteps()[i];
      }
      source = slice.getX();
    }
  }
};

/// Every pixel of a block, sliced out and put into channels of its own.
void fuseFocus(nn::ConcatOp op, Proposal &proposal) {
  int64_t axis = int64_t(op.getAxis());
  if (rankOf(op.getY()) != 4 || (axis != 1 && axis != -3))
    return;
  Slices first(op.getInputs()[0]);
  Value x = first.source;
  ArrayRef<int64_t> shape = shapeOf(x);
  int64_t block = first.steps[2];
  if (block < 2 || int64_t(op.getInputs().size()) != block * block ||
      shape[2] % block != 0 || shape[3] % block != 0)
    return;
  int64_t channels = shape[1];
  const Extents partShape{shape[0], channels, shape[2] / block,
                          shape[3] / block};
  const Extents steps{1, 1, block, block};

  // The channels of space_to_depth in the order of the concatenation.
  std::vector<int64_t> order;
  for (Value input : op.getInputs()) {
    Slices part(input);
    int64_t row = part.starts[2], column = part.starts[3];
    if (part.source != x || part.steps != steps ||
        shapeOf(input) != ArrayRef<int64_t>(partShape) || part.starts[0] != 0 ||
        part.starts[1] != 0 || row >= block || column >= block)
      return;
    for (int64_t channel = 0; channel < channels; ++channel)
      order.push_back((row * block + column) * channels + channel);
  }
  std::vector<int64_t> sorted = order;
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, int64_t(order.size()))))
    return;

  Value y =
      proposal.create<nn::SpaceToDepthOp>(x, proposal.i64("blocksize", block));
  if (order != sorted) {
    Value indices = proposal.constant(
        Tensor::fromValues<int64_t>({int64_t(order.size())}, order), "order");
    y = proposal.create<nn::GatherOp>({y, indices}, proposal.i64("axis", 1));
  }
  proposal.replace(y);
}

//===----------------------------------------------------------------------===//
// Another order of channels
//===----------------------------------------------------------------------===//

/// Which channel of its operand an operation puts at every place, if it does
/// nothing but change the order of channels.
std::vector<int64_t> channelOrderOf(nn::GatherOp op) {
  std::optional<std::vector<int64_t>> order = integersOf(op.getIndices());
  int64_t axis = int64_t(op.getAxis());
  if (!order || (axis < 0 ? axis + rankOf(op.getData()) : axis) != 1)
    return {};
  int64_t channels = shapeOf(op.getData())[1];
  for (int64_t &index : *order)
    index += index < 0 ? channels : 0;
  std::vector<int64_t> sorted = *order;
  llvm::sort(sorted);
  return llvm::equal(sorted, llvm::seq<int64_t>(0, channels))
             ? std::move(*order)
             : std::vector<int64_t>();
}

std::vector<int64_t> channelOrderOf(nn::ChannelShuffleOp op) {
  int64_t channels = shapeOf(op.getX())[1];
  int64_t groups = int64_t(op.getGroups());
  std::vector<int64_t> order;
  for (int64_t i = 0; i < channels; ++i)
    order.push_back(i % groups * (channels / groups) + i / groups);
  return order;
}

/// A convolution reads all channels anyway: its weights change places instead.
void foldChannelOrder(nn::ConvOp op, Proposal &proposal) {
  Operation *producer = op.getX().getDefiningOp();
  Tensor weight = constantOf(op.getWeight());
  if (!producer || weight.isNull() || weight.dtype() != DType::F32 ||
      op.getGroup() != 1)
    return;
  std::vector<int64_t> order =
      llvm::TypeSwitch<Operation *, std::vector<int64_t>>(producer)
          .Case<nn::GatherOp, nn::ChannelShuffleOp>(
              [](auto op) { return channelOrderOf(op); })
          .Default(std::vector<int64_t>());
  if (order.empty())
    return;
  Tensor reordered(DType::F32, weight.shape());
  int64_t channels = weight.dim(1);
  int64_t kernel = elementCount(std::span(weight.shape()).subspan(2));
  for (int64_t m = 0; m < weight.dim(0); ++m)
    for (int64_t i = 0; i < channels; ++i)
      std::copy_n(weight.data<float>() + (m * channels + i) * kernel, kernel,
                  reordered.data<float>() +
                      (m * channels + order[size_t(i)]) * kernel);
  SmallVector<Value> operands(op->getOperands());
  operands[0] = producer->getOperand(0);
  operands[1] = proposal.constantLike(op.getWeight(), std::move(reordered));
  proposal.replace(proposal.createLike(op, operands));
}

//===----------------------------------------------------------------------===//
// Slices side by side
//===----------------------------------------------------------------------===//

/// The dimension along which a slice is shorter than its operand, if that is a
/// single one and every element of the part is taken.
std::optional<int64_t> slicedAxis(nn::SliceOp op) {
  std::optional<int64_t> axis;
  for (int64_t i = 0; i < rankOf(op.getX()); ++i) {
    if (op.getSteps()[size_t(i)] != 1)
      return std::nullopt;
    if (op.getSizes()[size_t(i)] == shapeOf(op.getX())[size_t(i)])
      continue;
    if (axis)
      return std::nullopt;
    axis = i;
  }
  return axis;
}

/// Slices that cover a dimension without gap or overlap are a split.
void makeSplit(nn::SliceOp op, Proposal &proposal) {
  std::optional<int64_t> axis = slicedAxis(op);
  if (!axis)
    return;
  std::map<int64_t, nn::SliceOp> parts;
  for (Operation *user : op.getX().getUsers()) {
    auto slice = dyn_cast<nn::SliceOp>(user);
    if (!slice || slicedAxis(slice) != axis)
      continue;
    // The split stands where the last of them does.
    bool isRead = llvm::any_of(slice->getUsers(), [&](Operation *reader) {
      return reader->isBeforeInBlock(op);
    });
    if (isRead || op->isBeforeInBlock(slice) ||
        !parts.try_emplace(slice.getStarts()[size_t(*axis)], slice).second)
      return;
  }
  Extents sizes;
  int64_t end = 0;
  for (auto [start, slice] : parts) {
    if (start != end)
      return;
    sizes.push_back(slice.getSizes()[size_t(*axis)]);
    end += sizes.back();
  }
  if (end != shapeOf(op.getX())[size_t(*axis)])
    return;
  Operation *split =
      proposal
          .create<nn::SplitOp>(op.getX(), {proposal.i64("axis", *axis),
                                           proposal.i64s("sizes", sizes)})
          .getDefiningOp();
  for (auto [part, result] : llvm::zip(parts, split->getResults()))
    proposal.replace(part.second, result);
}

} // namespace

Rewrites fuseLayoutRewrites() {
  return {rewrite("make-split", makeSplit),
          rewrite("fuse-movement", fuseMovement),
          rewrite("fuse-focus", fuseFocus),
          rewrite("fold-channel-order", foldChannelOrder)};
}

} // namespace parallax
