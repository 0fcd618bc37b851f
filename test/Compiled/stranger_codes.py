#===- stranger_codes.py - Element by element, and products ---===#
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
#
# docs/numerics.md, C1 to C53: unbounded integers, one operation at a time.
#===------------------------------------------------------------------------===#
import itertools
import math
import struct

from stranger_file import LEAST, Tensor


def binary32(value):
    return struct.unpack('<f', struct.pack('<f', value))[0]


def rounded_shift(product, shift, rounding):
    """C10."""
    half = 1 << (shift - 1)
    if rounding == 'half_up':
        return (product + half) >> shift
    if rounding == 'half_away':
        magnitude = (abs(product) + half) >> shift
        return -magnitude if product < 0 else magnitude
    quotient, rest = product >> shift, product & ((1 << shift) - 1)
    return quotient + (rest > half or (rest == half and quotient & 1))


def store(steps, a):
    """C4."""
    return min(max(a['zero_point'] + steps, a['low']), a['high'])


def requantize(sums, a, channel_of):
    """C13 and C4; one factor, or one for each channel."""
    many = len(a['multipliers']) > 1
    codes = []
    for at, value in enumerate(sums):
        o = channel_of(at) if many else 0
        steps = rounded_shift(value * a['multipliers'][o], a['shifts'][o],
                              a['rounding'])
        codes.append(store(steps, a))
    return codes


def positions(shape):
    return itertools.product(*map(range, shape))


def flat(position, shape):
    at = 0
    for index, extent in zip(position, shape):
        at = at * extent + index
    return at


def float_or_codes(sums, a, channel_of):
    """C25 or C26."""
    if not a['scales']:
        return requantize(sums, a, channel_of)
    many = len(a['scales']) > 1
    return [binary32(float(value) * a['scales'][channel_of(at) if many else 0])
            for at, value in enumerate(sums)]


def quantize(a, kind, shape, x):
    """C6. A quotient of binary32 numbers rounded twice is rounded once."""
    def code(value):
        if math.isnan(value):
            return a['low']
        if math.isinf(value):
            return a['high'] if value > 0 else a['low']
        try:
            quotient = binary32(value / a['scale'])
        except OverflowError:
            return a['high'] if value > 0 else a['low']
        return store(round(quotient), a)
    return [code(value) for value in x.values]


def dequantize(a, kind, shape, x):
    """C7."""
    return [binary32(binary32(q - a['x_zero_point']) * a['scale'])
            for q in x.values]


def conv_input(a, p, k, extent, axis):
    """i(p, k) of C21 or C22 along one axis, or None."""
    stride, dilation = a['strides'][axis], a['dilations'][axis]
    if not a['transposed']:
        i = p * stride - a['pads'][axis] + k * dilation
    else:
        i, rest = divmod(p + a['pads'][axis] - k * dilation, stride)
        if rest:
            return None
    return i if 0 <= i < extent else None


def conv(a, kind, shape, x, w, b=None):
    """C21, C22."""
    batch, channels, extents = x.shape[0], x.shape[1], x.shape[2:]
    kernel, groups, outputs = w.shape[2:], a['group'], shape[1]
    deep, wide = channels // groups, outputs // groups
    taps = math.prod(kernel)
    near = {}
    for p in positions(shape[2:]):
        near[p] = []
        for t, k in enumerate(positions(kernel)):
            i = [conv_input(a, *each, axis)
                 for axis, each in enumerate(zip(p, k, extents))]
            if None not in i:
                near[p].append((t, flat(i, extents)))
    centred = [q - a['x_zero_point'] for q in x.values]
    size, sums = math.prod(extents), []
    for n, o in itertools.product(range(batch), range(outputs)):
        group = o // wide
        for p in positions(shape[2:]):
            total = b.values[o] if b else 0
            for c in range(deep):
                source = group * deep + c
                row = (source * wide + o - group * wide
                       if a['transposed'] else o * deep + c)
                start = (n * channels + source) * size
                for t, i in near[p]:
                    total += centred[start + i] * w.values[row * taps + t]
            sums.append(total)
    inner = math.prod(shape[2:])
    return float_or_codes(sums, a, lambda at: at // inner % outputs)


def fully_connected(a, kind, shape, x, w, b=None):
    """C23."""
    outputs, depth = w.shape
    sums = []
    for row in range(math.prod(shape) // max(outputs, 1)):
        for o in range(outputs):
            total = b.values[o] if b else 0
            for k in range(depth):
                total += ((x.values[row * depth + k] - a['x_zero_point'])
                          * w.values[o * depth + k])
            sums.append(total)
    return float_or_codes(sums, a, lambda at: at % outputs)


def broadcast(x, shape):
    """The values of x as ONNX broadcasts them to a shape, in order."""
    for position in positions(shape):
        tail = position[len(position) - len(x.shape):]
        yield x.values[flat([i if extent > 1 else 0
                             for i, extent in zip(tail, x.shape)], x.shape)]


def linear(a, kind, shape, *inputs):
    """C31."""
    codes = []
    for element in zip(*(broadcast(x, shape) for x in inputs)):
        total = sum((q - zero) * k
                    for q, zero, k in zip(element, a['input_zero_points'],
                                          a['coefficients']))
        codes.append(store(rounded_shift(total, a['shift'], a['rounding']), a))
    return codes


def pairs(a, shape, x, y):
    """Elements of two operands without their zero points."""
    return [(p - a['a_zero_point'], q - a['b_zero_point'])
            for p, q in zip(broadcast(x, shape), broadcast(y, shape))]


def mul(a, kind, shape, x, y):
    """C40."""
    return requantize([p * q for p, q in pairs(a, shape, x, y)], a, None)


def prelu(a, kind, shape, x, slope):
    """C42."""
    both = pairs(a, shape, x, slope)
    return requantize([p if p >= 0 else p * q for p, q in both], a,
                      lambda at: 0 if both[at][0] >= 0 else 1)


def div(a, kind, shape, x, y):
    """C44: the quotient is rounded once."""
    multiplier, shift = a['multipliers'][0], a['shifts'][0]
    codes = []
    for p, q in pairs(a, shape, x, y):
        if q == 0:
            codes.append(a['high'] if p > 0 else
                         a['low'] if p < 0 else store(0, a))
            continue
        top, bottom = p * multiplier, q << shift
        if bottom < 0:
            top, bottom = -top, -bottom
        whole, rest = divmod(top, bottom)
        up = {'half_up': True, 'half_away': top > 0,
              'half_even': whole % 2 == 1}[a['rounding']]
        whole += 2 * rest > bottom or (2 * rest == bottom and up)
        codes.append(store(whole, a))
    return codes


def compare(a, kind, shape, x, y):
    """C46."""
    k1, k2 = a['coefficients']
    decide = {'equal': lambda v: v == 0, 'less': lambda v: v < 0,
              'less_or_equal': lambda v: v <= 0, 'greater': lambda v: v > 0,
              'greater_or_equal': lambda v: v >= 0}[a['kind']]
    return [decide(p * k1 + q * k2) for p, q in pairs(a, shape, x, y)]


def affine(a, kind, shape, x):
    """C33."""
    inner, channels = math.prod(shape[a['axis'] + 1:]), shape[a['axis']]
    codes = []
    for at, q in enumerate(x.values):
        c = at // inner % channels
        total = (q - a['x_zero_point']) * a['factors'][c] + a['offsets'][c]
        codes.append(store(rounded_shift(total, a['shifts'][c],
                                         a['rounding']), a))
    return codes


def matmul(a, kind, shape, x, y):
    """C23."""
    (rows, depth), columns = x.shape[-2:], y.shape[-1]
    lead = shape[:-2]
    first = Tensor(7, x.shape[:-2], list(range(math.prod(x.shape[:-2]))))
    second = Tensor(7, y.shape[:-2], list(range(math.prod(y.shape[:-2]))))
    sums = []
    for m, n in zip(broadcast(first, lead), broadcast(second, lead)):
        for r, c in itertools.product(range(rows), range(columns)):
            sums.append(sum(
                (x.values[(m * rows + r) * depth + k] - a['a_zero_point'])
                * (y.values[(n * depth + k) * columns + c] - a['b_zero_point'])
                for k in range(depth)))
    return float_or_codes(sums, a, lambda at: at % columns)


def table(a, kind, shape, x):
    """C51, C53."""
    least, knots = LEAST[x.kind], a['entries']
    if x.kind in (2, 3):
        return [knots[q - least] for q in x.values]
    kappa = (len(knots) - 1).bit_length() - 1
    delta, codes = 1 << (16 - kappa), []
    for q in x.values:
        i, r = divmod(q - least, delta)
        total = knots[i] * (delta - r) + knots[i + 1] * r
        codes.append(store(rounded_shift(total, 24 - kappa, a['rounding']), a))
    return codes
