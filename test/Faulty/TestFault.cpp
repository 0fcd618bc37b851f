//===- TestFault.cpp - Kernels that are wrong on purpose ------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The operation is bound through a copy with other numbers, by the binder that
// it always has.
//===----------------------------------------------------------------------===//
#include "TestFault.h"

#include "parallax/Backend/NPU/Kernels/Codes.h"
#include "parallax/Backend/NPU/NPU.h"
#include "parallax/Dialect/NPU/NPUOps.h"
#include "parallax/Support/Error.h"
#include "parallax/Support/LayerName.h"
#include "parallax/Support/QuantizedType.h"
#include "parallax/Support/TensorAttr.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <fmt/format.h>

using namespace mlir;

namespace parallax {
namespace npu {
namespace {

using Binder = KernelSet::Binder;

CodeLimits limitsOf(Operation *op) {
  return codeLimitsOf(*toDType(getElementTypeOrSelf(op->getResult(0))));
}

/// The numbers of a copied operation, by the names of its attributes.
class Numbers {
public:
  explicit Numbers(Operation *op) : op(op), builder(op->getContext()) {}

  bool has(StringRef name) const { return op->hasAttr(name); }
  int64_t get(StringRef name) const {
    return op->getAttrOfType<IntegerAttr>(name).getInt();
  }
  void set(StringRef name, int64_t value) {
    auto old = op->getAttrOfType<IntegerAttr>(name);
    op->setAttr(name, builder.getIntegerAttr(old.getType(), value));
  }
  void add(StringRef name, int64_t value) { set(name, get(name) + value); }

  /// Changes every number of a list: fn(number, place).
  template <typename Fn> void each(StringRef name, Fn fn) {
    auto old = op->getAttrOfType<DenseI32ArrayAttr>(name).asArrayRef();
    std::vector<int32_t> values(old.begin(), old.end());
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = int32_t(fn(int64_t(old[i]), i, old));
    op->setAttr(name, builder.getDenseI32ArrayAttr(values));
  }

  bool hasShift() const { return has("shift") || has("shifts"); }
  void addToShifts(int64_t value) {
    if (has("shift"))
      add("shift", value);
    else
      each("shifts",
           [&](int64_t shift, size_t, auto) { return shift + value; });
  }

private:
  Operation *op;
  Builder builder;
};

bool isDirectTable(Operation *op) {
  return isa<TableOp>(op) &&
         getElementTypeOrSelf(op->getOperand(0)).getIntOrFloatBitWidth() == 8;
}

Kernel bindCopy(Operation *op, BindContext &context, const Binder &bind,
                llvm::function_ref<void(Numbers &)> change) {
  Operation *copy = op->clone();
  Numbers numbers(copy);
  change(numbers);
  Kernel kernel = bind(copy, context);
  copy->destroy();
  return kernel;
}

/// Runs a kernel, then changes what it gave: fn(codes).
template <typename Fn> Kernel thenChange(Kernel kernel, Fn fn) {
  auto run = kernel.run;
  kernel.run = [run, fn](const KernelArgs &args) {
    run(args);
    Tensor &y = args.outputs[0];
    dispatchCodes("a test", y.dtype(), [&]<typename T>(TypeTag<T>) {
      fn(std::span(y.data<T>(), size_t(y.size())));
    });
  };
  return kernel;
}

//===----------------------------------------------------------------------===//
// The faults
//===----------------------------------------------------------------------===//

/// Rounds up from three quarters on: twice the steps are rounded, and half of
/// them rounded down. Twice the codes need two runs, for halves that overlap;
/// the last code stands for all beyond.
Kernel bindWrongRounding(Operation *op, BindContext &context,
                         const Binder &bind) {
  auto [low, high] = limitsOf(op);
  int64_t offset = high - low - 1;
  int64_t zero = Numbers(op).get("zero_point");
  auto half = [&](int64_t shifted) {
    return bindCopy(op, context, bind, [&](Numbers &numbers) {
      numbers.addToShifts(-1);
      numbers.set("zero_point", 2 * zero - low - shifted);
      numbers.set("low", low);
      numbers.set("high", high);
    });
  };
  Kernel lower = half(0), upper = half(offset);
  Numbers numbers(op);
  int64_t least = numbers.get("low"), most = numbers.get("high");
  auto run = [lower = lower.run, upper = upper.run, low = low, high = high,
              offset, least, most](const KernelArgs &args) {
    Tensor &y = args.outputs[0];
    upper(args);
    Tensor above = y.clone();
    lower(args);
    dispatchCodes("a test", y.dtype(), [&]<typename T>(TypeTag<T>) {
      for (int64_t i = 0; i < y.size(); ++i) {
        int64_t twice = int64_t(y.data<T>()[i]) + low;
        if (above.data<T>()[i] > low)
          twice = int64_t(above.data<T>()[i]) + low + offset;
        twice += above.data<T>()[i] == high;
        y.data<T>()[i] = T(std::clamp(twice >> 1, least, most));
      }
    });
  };
  lower.run = run;
  return lower;
}

/// Half of the steps.
Kernel bindWrongShift(Operation *op, BindContext &context, const Binder &bind) {
  return bindCopy(op, context, bind,
                  [](Numbers &numbers) { numbers.addToShifts(1); });
}

Kernel bindWrongZeroPoint(Operation *op, BindContext &context,
                          const Binder &bind) {
  return bindCopy(op, context, bind, [&](Numbers &numbers) {
    if (!isDirectTable(op))
      return numbers.add("zero_point", 1);
    numbers.each("entries", [&](int64_t entry, size_t, auto) {
      return std::min(entry + 1, limitsOf(op).high);
    });
  });
}

/// The greatest quarter of the codes becomes one.
Kernel bindWrongSaturation(Operation *op, BindContext &context,
                           const Binder &bind) {
  int64_t low = Numbers(op).get("low"), high = Numbers(op).get("high");
  return thenChange(bind(op, context), [=](auto codes) {
    for (auto &code : codes)
      code = std::min<int64_t>(code, high - (high - low) / 4);
  });
}

/// Entries of a table are some places away from theirs.
Kernel bindWrongTable(Operation *op, BindContext &context, const Binder &bind) {
  return bindCopy(op, context, bind, [](Numbers &numbers) {
    numbers.each("entries", [](int64_t, size_t i, auto old) {
      return old[std::min(i + old.size() / 16, old.size() - 1)];
    });
  });
}

/// Sums with another zero point of the operand than that of its codes.
Kernel bindWrongAccumulator(Operation *op, BindContext &context,
                            const Binder &bind) {
  return bindCopy(op, context, bind, [](Numbers &numbers) {
    numbers.add(numbers.has("x_zero_point") ? "x_zero_point" : "a_zero_point",
                3);
  });
}

/// Neighbours in memory change places.
Kernel bindWrongLayout(Operation *op, BindContext &context,
                       const Binder &bind) {
  return thenChange(bind(op, context), [](auto codes) {
    for (size_t i = 0; i + 1 < codes.size(); i += 2)
      std::swap(codes[i], codes[i + 1]);
  });
}

struct Fault {
  StringRef kind;
  Kernel (*bind)(Operation *, BindContext &, const Binder &);
  /// Whether an operation has what breaks.
  bool (*applies)(Operation *);
};

bool anything(Operation *) { return true; }
bool hasShift(Operation *op) { return Numbers(op).hasShift(); }
bool isTable(Operation *op) { return isa<TableOp>(op); }
bool isSum(Operation *op) {
  return isa<ConvOp, FullyConnectedOp, MatMulOp>(op);
}

constexpr Fault faults[] = {
    {"rounding", bindWrongRounding, hasShift},
    {"shift", bindWrongShift, hasShift},
    {"zero_point", bindWrongZeroPoint, anything},
    {"saturation", bindWrongSaturation, anything},
    {"table", bindWrongTable, isTable},
    {"accumulator", bindWrongAccumulator, isSum},
    {"layout", bindWrongLayout, anything},
};

const Fault *findFault(StringRef kind) {
  const Fault *found = llvm::find_if(
      faults, [&](const Fault &fault) { return fault.kind == kind; });
  return found == std::end(faults) ? nullptr : found;
}

/// What is to break, and what was seen of it.
struct Request {
  SmallVector<std::string> layers;
  const Fault *fault = nullptr;
  bool sawMachine = false, sawLayer = false;
};
std::optional<Request> current;

/// Operations that end in codes by C4.
bool canBreak(Operation *op) {
  return isa<NPUDialect>(op->getDialect()) && op->hasAttr("zero_point") &&
         op->hasAttr("rounding") &&
         isCode(*toDType(getElementTypeOrSelf(op->getResult(0).getType())));
}

bool isOfLayer(Operation *op) {
  LayerName name = getLayerName(op);
  return canBreak(op) &&
         llvm::any_of(current->layers, [&](const std::string &layer) {
           return name.node == layer || llvm::is_contained(name.tensors, layer);
         });
}

/// Of several operations that are one layer, the last one breaks.
bool breaks(Operation *op) {
  if (!current)
    return false;
  current->sawMachine = true;
  if (!isOfLayer(op) || llvm::any_of(op->getUsers(), isOfLayer))
    return false;
  current->sawLayer = true;
  if (!current->fault->applies(op))
    throw Error(fmt::format("it has no {} that could be wrong",
                            current->fault->kind.str()));
  return true;
}

template <typename... OpTys> void addFaulty(KernelSet &kernels) {
  auto add = [&](StringRef name) {
    kernels.add(name, [bind = *kernels.find(name)](Operation *op,
                                                   BindContext &context) {
      return breaks(op) ? current->fault->bind(op, context, bind)
                        : bind(op, context);
    });
  };
  (add(OpTys::getOperationName()), ...);
}

void addAllFaulty(KernelSet &kernels) {
  addFaulty<ConvOp, FullyConnectedOp, MatMulOp, LinearOp, AffineOp, MulOp,
            DivOp, PReluOp, TableOp, AveragePoolOp, LpPoolOp, CumSumOp,
            ReduceOp, ReduceLogOp, ResizeOp, SoftmaxOp, LogSoftmaxOp,
            NormalizeOp>(kernels);
}

/// Before anybody can have used a kernel.
[[maybe_unused]] const bool isInstalled = [] {
  changeNpuKernels = addAllFaulty;
  return true;
}();

} // namespace
} // namespace npu

TestFault::TestFault(const std::string &request) {
  auto [layers, kind] = StringRef(request).rsplit(':');
  const npu::Fault *fault = npu::findFault(kind);
  if (!fault) {
    std::string known;
    for (const npu::Fault &each : npu::faults)
      known += (known.empty() ? "" : ", ") + each.kind.str();
    throw Error(fmt::format("'{}' is no fault of a layer: write LAYER:KIND "
                            "with one of {}",
                            request, known));
  }
  npu::current.emplace();
  npu::current->fault = fault;
  for (StringRef layer : llvm::split(layers, '|'))
    npu::current->layers.push_back(layer.str());
}

TestFault::~TestFault() { npu::current.reset(); }

void TestFault::checkFound() const {
  if (npu::current->sawMachine && !npu::current->sawLayer)
    throw Error(fmt::format("no layer '{}' of the machine ends in codes",
                            npu::current->layers[0]));
}

} // namespace parallax
