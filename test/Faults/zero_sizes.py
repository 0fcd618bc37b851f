# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Models of one operator with operands of no elements.

Every operator that docs/generated/op-status.md lists has a line in OPERATORS.
An extent is a letter with the size of SIZES, and each letter of an operator is
set to zero in turn, in all of its operands at once; then each extent of one
operand alone, which most operators have to refuse.
"""

import functools
import json
import math
import random
import re
import struct
import sys

from trials import ROOT, Finding

sys.path.insert(0, str(ROOT / "test" / "Tools"))

from make_bad_models import (  # noqa: E402
    BOOL,
    FLOAT,
    INT64,
    graph,
    model,
    node,
    port,
    tensor,
)

UINT8, INT32 = 2, 6
SIZES = {"N": 1, "M": 6, "C": 4, "H": 5, "W": 5, "K": 3, "L": 3, "D": 4, "S": 3}
SIZES |= {"G": 8, "T": 12, "O": 1, "V": 2, "Q": 4, "R": 2}


class Data:
    """An operand: floats that may be an input of the model or a constant."""

    def __init__(self, extents, is_constant=False):
        self.extents = extents.split() if extents else []
        self.is_constant = is_constant


class Fixed:
    """An operand that says how to compute: a constant of these values."""

    def __init__(self, shape, values, dtype=INT64):
        self.shape, self.values, self.dtype = shape, values, dtype

    def encode(self, name):
        codes = {FLOAT: "f", INT64: "q", INT32: "i", UINT8: "B", BOOL: "?"}
        raw = struct.pack(f"<{len(self.values)}{codes[self.dtype]}", *self.values)
        return tensor(name, self.shape, raw=raw, dtype=self.dtype)


def x(extents):
    return Data(extents)


def w(extents):
    return Data(extents, is_constant=True)


def ints(*values):
    return Fixed([len(values)], values)


def scalar(value, dtype=INT64):
    return Fixed([], [value], dtype)


IMAGE = "N C H W"
WINDOW = {"kernel_shape": [2, 2], "strides": [1, 1]}

# Operator: operands, attributes, operator set if not 17, number of results.
OPERATORS = {}


def op(name, operands, version=17, results=1, dtype=FLOAT, **attributes):
    OPERATORS.setdefault(name, []).append(
        (operands, attributes, version, results, dtype)
    )


for name in (
    "Abs Acos Acosh Asin Asinh Atan Atanh Ceil Celu Cos Cosh Elu Erf Exp Floor "
    "HardSigmoid HardSwish Identity LeakyRelu Log Neg Reciprocal Relu Round Selu "
    "Shrink Sigmoid Sign Sin Sinh Softplus Softsign Sqrt Tan Tanh ThresholdedRelu "
    "Clip Dropout"
).split():
    op(name, [x("N C W")])
for name in ("IsInf", "IsNaN"):
    op(name, [x("N C W")], dtype=BOOL)
op("Gelu", [x("N C W")], 20)
op("Mish", [x("N C W")], 18)
op("Swish", [x("N C W")], 24)
for name in "Add Div Mul Pow PRelu Sub Max Mean Min Sum".split():
    op(name, [x("N C W"), w("C W")])
    op(name, [x("N C W"), w("C O")])
op("Mod", [x("N C W"), w("C W")], fmod=1)
for name in "Equal Greater GreaterOrEqual Less LessOrEqual".split():
    op(name, [x("N C W"), w("C W")], dtype=BOOL)
for name in "And Or Xor".split():
    op(name, ["bool:N C W", "bool:C W"], dtype=BOOL)
op("Not", ["bool:N C W"], dtype=BOOL)
op("BitShift", ["uint8:N C W", "uint8:C W"], dtype=UINT8, direction="LEFT")
op("Where", ["bool:C W", x("N C W"), w("W")])
op("Cast", [x("N C W")], to=INT64, dtype=INT64)
op("CastLike", [x("N C W"), scalar(1)], dtype=INT64)

for name in ("ArgMax", "ArgMin"):
    op(name, [x("N C W")], axis=1, dtype=INT64)
op("CumSum", [x("N C W"), scalar(1)])
for name in "L1 L2 LogSum LogSumExp Max Mean Min Prod SumSquare".split():
    op("Reduce" + name, [x("N C W")], axes=[1])
    op("Reduce" + name, [x("N C W")])
op("ReduceSum", [x("N C W"), ints(1)])
op("ReduceSum", [x("N C W")])
op("TopK", [x("N C W"), ints(2)], results=2, axis=1)
op("TopK", [x("N C W"), ints(0)], results=2, axis=1)

op("Conv", [x(IMAGE), w("M C K L"), w("M")])
op("Conv", [x(IMAGE), w("M C K L")], pads=[1, 1, 1, 1])
op("Conv", [x(IMAGE), w("M R K L"), w("M")], group=2)
op("Conv", [x("N C W"), w("M C K")])
op("ConvTranspose", [x(IMAGE), w("C M K L"), w("M")])
op("ConvTranspose", [x("N C W"), w("C M K")])
op("ConvTranspose", [x(IMAGE), w("C R K L")], group=2)
op("Gemm", [x("N C"), w("C M"), w("M")])
op("Gemm", [x("N C"), w("M C")], transB=1)
op("MatMul", [x("N W C"), w("C M")])
op("MatMul", [x("N D W C"), w("N D C M")])
op("MatMul", [x("C"), w("C M")])
op("MatMul", [x("N C"), w("C")])
op("Einsum", [x("N W C"), w("C M")], equation="nwc,cm->nwm")
op("Einsum", [x("N W C"), w("N W D")], equation="nwc,nwd->ncd")

for name in ("AveragePool", "MaxPool", "LpPool"):
    op(name, [x(IMAGE)], **WINDOW)
    op(name, [x(IMAGE)], **WINDOW, pads=[1, 1, 1, 1])
for name in ("GlobalAveragePool", "GlobalLpPool", "GlobalMaxPool"):
    op(name, [x(IMAGE)])

op("BatchNormalization", [x(IMAGE), w("C"), w("C"), w("C"), w("C")])
op("GroupNormalization", [x(IMAGE), w("V"), w("V")], 18, num_groups=2)
op("GroupNormalization", [x(IMAGE), w("C"), w("C")], 21, num_groups=2)
op("InstanceNormalization", [x(IMAGE), w("C"), w("C")])
op("LayerNormalization", [x("N W C"), w("C"), w("C")], axis=-1)
op("RMSNormalization", [x("N W C"), w("C")], 23, axis=-1)
op("LpNormalization", [x("N C W")], axis=1)
op("LRN", [x(IMAGE)], size=3)
op("MeanVarianceNormalization", [x(IMAGE)])
for name in ("Softmax", "LogSoftmax", "Hardmax"):
    op(name, [x("N C W")], axis=1)
    op(name, [x("N C W")], 11, axis=1)

op("DequantizeLinear", ["uint8:N C W", w(""), scalar(3, UINT8)])
op("DynamicQuantizeLinear", [x("N C W")], results=3)
op("QuantizeLinear", [x("N C W"), w(""), scalar(3, UINT8)], dtype=UINT8)
op("QuantizeLinear", [x("N C W"), w("C")], axis=1, dtype=UINT8)

op("Concat", [x("N C W"), w("N C D")], axis=2)
op("DepthToSpace", [x(IMAGE)], blocksize=2)
op("SpaceToDepth", [x("N C Q D")], blocksize=2)
op("Expand", [x("C O"), ints(2, 4, 3)])
op("Expand", [x("C O"), ints(0, 4, 1)])
op("Flatten", [x("N C W")], axis=2)
op("OneHot", ["int64:N C", scalar(3), Fixed([2], [0.0, 1.0], FLOAT)])
op("OneHot", ["int64:N C", scalar(0), Fixed([2], [0.0, 1.0], FLOAT)])
op("Pad", [x("N C W"), ints(0, 0, 1, 0, 0, 1)])
for mode in ("reflect", "edge"):
    op("Pad", [x("N C W"), ints(0, 0, 1, 0, 0, 1)], mode=mode)
op("Pad", [x("N C W"), ints(0, 0, -2, 0, 0, -3)])
op("Reshape", [x("N C W"), ints(-1, 5)])
op("Reshape", [x("N C W"), ints(0, -1)])
op("ReverseSequence", [x("W S C"), ints(1, 2, 3)], batch_axis=1, time_axis=0)
op("Slice", [x("N C W"), ints(1), ints(3), ints(2)])
op("Slice", [x("N C W"), ints(3), ints(3), ints(2)])
op("Split", [x("N C W"), ints(2, 2)], results=2, axis=1)
op("Split", [x("N C W"), ints(4, 0)], results=2, axis=1)
op("Squeeze", [x("N C W"), ints(0)])
op("Tile", [x("N C W"), ints(1, 2, 1)])
op("Tile", [x("N C W"), ints(1, 0, 1)])
op("Transpose", [x("N C W")], perm=[2, 0, 1])
op("Trilu", [x("N C W")])
op("Unsqueeze", [x("N C W"), ints(1)])

op("Compress", [x("N C W"), Fixed([4], [1, 0, 1, 1], BOOL)], axis=1)
op("Compress", [x("N C W"), Fixed([4], [0, 0, 0, 0], BOOL)], axis=1)
op("Gather", [x("N C W"), "int64:D"], axis=1)
op("GatherElements", [x("C W"), "int64:C D"], axis=1)
op("GatherND", [x("C W H"), "int64:D V"])
op("NonZero", [x("N C W")], dtype=INT64)
op("Scatter", [x("C W"), "int64:D W", w("D W")], 10, axis=0)
op("ScatterElements", [x("C W"), "int64:D W", w("D W")], axis=0)
op("ScatterND", [x("C W"), "int64:D O", w("D W")])

op("GridSample", [x(IMAGE), w("N D S V")])
op("GridSample", [x(IMAGE), w("N D S V")], mode="nearest")
op("NonMaxSuppression", [x("N W Q"), w("N C W")], dtype=INT64)
op("NonMaxSuppression", [x("N W Q"), w("N C W"), scalar(2)], dtype=INT64)
op("Resize", [x(IMAGE), "", Fixed([4], [1.0, 1.0, 2.0, 2.0], FLOAT)])
op("Resize", [x(IMAGE), "", Fixed([4], [1.0, 1.0, 0.1, 0.1], FLOAT)])
op("Resize", [x(IMAGE), "", "", ints(1, 4, 3, 3)], mode="linear")
op("Upsample", [x(IMAGE), Fixed([4], [1.0, 1.0, 2.0, 2.0], FLOAT)], 9)
op("RoiAlign", [x(IMAGE), w("D Q"), "zeros:D"])

for name, gates in (("RNN", "Q"), ("GRU", "T"), ("LSTM", "16")):
    operands = [x("S R C"), w(f"O {gates} C"), w(f"O {gates} Q")]
    op(name, operands, results=2, hidden_size=4)

op("Constant", [])
op("ConstantOfShape", [ints(0, 3)])
op("ConstantOfShape", [ints()])
op("EyeLike", [x("C W")])
op("Range", [scalar(0), scalar(0), scalar(1)], dtype=INT64)
op("Shape", [x("N C W")], dtype=INT64)
op("Size", [x("N C W")], dtype=INT64)
op("If", [x("N C")])

TYPES = {"bool": BOOL, "int64": INT64, "zeros": INT64, "uint8": UINT8}
CODES = {FLOAT: "f", BOOL: "?", INT64: "q", UINT8: "B"}


def listed_operators():
    """The operators of the generated page."""
    text = (ROOT / "docs/generated/op-status.md").read_text()
    table = text[text.index("## ONNX operators") :]
    return set(re.findall(r"^\| (\w+) \| \d+ \|$", table, re.M))


def extents_of(operand):
    if isinstance(operand, Data):
        return operand.extents
    if isinstance(operand, str) and ":" in operand:
        return operand.split(":")[1].split()
    return []


def size_of(extent, zero):
    if extent == zero:
        return 0
    return SIZES[extent] if extent in SIZES else int(extent)


def values_of(dtype, count, rng):
    if dtype == FLOAT:
        return [rng.uniform(0.25, 1) for _ in range(count)]
    return [rng.randrange(2) for _ in range(count)]


def encode(name, line, shapes, dynamic, rng):
    """The model, and its inputs as {name: bytes of one sample}."""
    operands, attributes, version, results, dtype = line
    names, constants, inputs, samples = [], [], [], {}
    for i, (operand, shape) in enumerate(zip(operands, shapes)):
        if operand == "":
            names.append("")
            continue
        names.append(f"in{i}")
        if isinstance(operand, Fixed):
            constants.append(operand.encode(names[-1]))
            continue
        kind = FLOAT if isinstance(operand, Data) else TYPES[operand.split(":")[0]]
        values = values_of(kind, math.prod(shape), rng)
        if isinstance(operand, str) and operand.startswith("zeros"):
            values = [0] * len(values)
        raw = struct.pack(f"<{len(values)}{CODES[kind]}", *values)
        is_input = isinstance(operand, Data) and (dynamic or not operand.is_constant)
        if is_input:
            inputs.append(port(names[-1], shape, kind))
            samples[names[-1]] = raw
        else:
            constants.append(tensor(names[-1], shape, raw=raw, dtype=kind))
    outputs = ["y"] + [f"y{i}" for i in range(1, results)]
    nodes = [node(name, names, outputs, **attributes)]
    if name == "If":
        branches = [
            graph([node(body, ["in0"], [body])], inputs=[], outputs=[port(body, [])])
            for body in ("Relu", "Abs")
        ]
        inputs.append(port("condition", [1], BOOL))
        samples["condition"] = b"\1"
        nodes = [
            node(
                "If",
                ["condition"],
                outputs,
                then_branch=branches[0],
                else_branch=branches[1],
            )
        ]
    if name == "Constant":
        nodes = [node(name, [], outputs, value_ints=[])]
    if not inputs:  # A network has an input, which this one only passes on.
        inputs.append(port("in", [1, 4]))
        samples["in"] = struct.pack("<4f", 1, 2, 3, 4)
        nodes.append(node("Relu", ["in"], ["z"]))
    ports = [port(out, [], dtype) for out in outputs]
    if "in" in samples:
        ports.append(port("z", [1, 4]))
    data = model(nodes, constants, inputs=inputs, outputs=ports, version=version)
    return data, samples


def walk():
    """Yields (name, model, samples) of every operator and extent."""
    rng = random.Random(1)
    for name, lines in OPERATORS.items():
        for number, line in enumerate(lines):
            operands = line[0]
            letters = sorted({e for o in operands for e in extents_of(o)})
            full = [[size_of(e, None) for e in extents_of(o)] for o in operands]
            variants = [("as-is", full)]
            for letter in letters:
                shapes = [[size_of(e, letter) for e in extents_of(o)] for o in operands]
                variants.append((f"{letter}=0", shapes))
            for i, shape in enumerate(full):
                for axis in range(len(shape)):
                    shapes = [list(other) for other in full]
                    shapes[i][axis] = 0
                    if all(shapes != known for _, known in variants):
                        variants.append((f"operand{i}.{axis}=0", shapes))
            is_mixed = any(isinstance(o, Data) and o.is_constant for o in operands)
            for what, shapes in variants:
                for dynamic in (False, True)[: 1 + is_mixed]:
                    title = f"{name}-{number}-{what}{'-dynamic' if dynamic else ''}"
                    yield title, *encode(name, line, shapes, dynamic, rng)


@functools.cache
def all_models():
    return list(walk())


COUNT = sum(1 for _ in walk())

# Operands of no elements that have crashed once, so that a short campaign has
# them, too.
KNOWN = (
    "Conv-0-M=0",
    "ConvTranspose-0-C=0",
    "Gemm-1-M=0",
    "MatMul-0-M=0",
    "InstanceNormalization-0-C=0",
)
# The importer reads operator sets up to 23.
TOO_NEW = ("Swish",)


def chosen(trials, number, count):
    """All models in a full campaign, else some of them and the known ones."""
    models = all_models()
    if count == len(models):
        return models[number]
    if number < len(KNOWN):
        return next(entry for entry in models if entry[0] == KNOWN[number])
    return trials.rng.choice(models)


def trial(trials, number, count):
    missing = listed_operators() ^ set(OPERATORS)
    if missing:
        raise Finding(f"zero_sizes.py or op-status.md lacks {sorted(missing)}")
    name, data, samples = chosen(trials, number, count)
    folder = trials.fresh("zero")
    folder.mkdir()
    (folder / "model.onnx").write_bytes(data)
    inputs = []
    for tensor_name, raw in samples.items():
        dataset = folder / tensor_name
        dataset.mkdir()
        for sample in range(2):
            (dataset / f"{sample}.bin").write_bytes(raw)
        inputs.append(
            {
                "tensor_name": tensor_name,
                "calibration_dataset": str(dataset),
                "calibration_format": "Binary",
            }
        )
    config = {
        "input": str(folder / "model.onnx"),
        "output_dir": str(folder / "out"),
        "quant": {
            "input_configs": inputs,
            "precision_analysis": True,
            "precision_analysis_mode": "Both",
        },
    }
    path = folder / "config.json"
    path.write_text(json.dumps(config))
    try:
        ended = trials.run("build", "--config", path)
    except Finding as finding:
        raise Finding(f"{name}: {finding}") from None
    # Without zeros each operator has a model that works.
    is_first = "-0-as-is" in name and not name.startswith(TOO_NEW)
    if is_first and ended.code != 0:
        raise Finding(f"{name} should work:\n{ended.text[-1000:]}")
    return "refused" if ended.code == 2 else "built"
