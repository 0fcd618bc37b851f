#===- stranger_rows.py - Windows, rows and movement ---===#
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
#
# docs/numerics.md, C36 to C39, C47 to C49 and C60 to C75.
#===------------------------------------------------------------------------===#
import itertools
import math

from stranger_codes import broadcast, flat, positions, requantize
from stranger_codes import rounded_shift, store
from stranger_file import LEAST


def root(total, multiplier, shift, a):
    """C38a."""
    return store(rounded_shift(math.isqrt(total * multiplier ** 2), shift,
                               a['rounding']), a)


def rows_along(x, axes):
    """The elements that are reduced to one, for each result."""
    kept = [1 if axis in axes else extent
            for axis, extent in enumerate(x.shape)]
    rows = [[] for _ in range(math.prod(kept))]
    for position, q in zip(positions(x.shape), x.values):
        at = [0 if axis in axes else i for axis, i in enumerate(position)]
        rows[flat(at, kept)].append(q)
    return rows


TERMS = {'sum': lambda v: v, 'mean': lambda v: v, 'l1': abs,
         'sum_square': lambda v: v * v, 'l2': lambda v: v * v}


def norms(a, rows):
    """C36a, C37 to C38a."""
    term, zero = TERMS[a['kind']], a['x_zero_point']
    sums = [sum(term(q - zero) for q in row) for row in rows]
    if a['kind'] == 'l2':
        return [root(total, a['multipliers'][0], a['shifts'][0], a)
                for total in sums]
    return requantize(sums, a, None)


def reduce(a, kind, shape, x):
    return norms(a, rows_along(x, a['axes']))


def windows(a, shape, x):
    """For each result, the inputs under its window, and how many taps are
    inside of the input and its pads."""
    extents, spatial = x.shape[2:], len(x.shape) - 2
    begin, end = a['pads'][:spatial], a['pads'][spatial:]
    places = []
    for p in positions(shape[2:]):
        inside, padded = [], 0
        for k in positions(a['kernel']):
            i = [at * stride - before + tap * dilation
                 for at, stride, before, tap, dilation in
                 zip(p, a['strides'], begin, k, a['dilations'])]
            padded += all(-low <= j < extent + high for j, low, extent, high
                          in zip(i, begin, extents, end))
            if all(0 <= j < extent for j, extent in zip(i, extents)):
                inside.append(flat(i, extents))
        places.append((inside, padded))
    size = math.prod(extents)
    for plane in range(x.shape[0] * x.shape[1]):
        for inside, padded in places:
            yield [x.values[plane * size + i] for i in inside], padded


def average_pool(a, kind, shape, x):
    """C36: entry n of the factors is for n taps."""
    found = list(windows(a, shape, x))
    sums = [sum(q - a['x_zero_point'] for q in row) for row, _ in found]
    return requantize(
        sums, a, lambda at: (found[at][1] if a['count_include_pad']
                             else len(found[at][0])))


def lp_pool(a, kind, shape, x):
    return norms(a, [row for row, _ in windows(a, shape, x)])


def max_pool(a, kind, shape, x):
    """C48."""
    return [max(row, default=LEAST[x.kind]) for row, _ in windows(a, shape, x)]


def lines(shape, axis):
    """The flat positions of each line along an axis."""
    inner, count = math.prod(shape[axis + 1:]), shape[axis]
    for outer in range(math.prod(shape[:axis])):
        for i in range(inner):
            yield [(outer * count + k) * inner + i for k in range(count)]


def by_lines(x, axis, fn):
    result = [0] * len(x.values)
    for line in lines(x.shape, axis):
        for at, code in zip(line, fn([x.values[at] for at in line])):
            result[at] = code
    return result


def cum_sum(a, kind, shape, x):
    """C37a."""
    def running(row):
        terms = [q - a['x_zero_point'] for q in row]
        if a['reverse']:
            terms.reverse()
        sums = list(itertools.accumulate(terms))
        if a['exclusive']:
            sums = [0] + sums[:-1]
        codes = requantize(sums, a, None)
        return codes[::-1] if a['reverse'] else codes
    return by_lines(x, a['axis'], running)


def exponents(a, row):
    """C62: E(d) of a row."""
    greatest = max(row)
    if not a['coarse']:
        return [a['fine'][greatest - q] for q in row]
    return [rounded_shift(a['coarse'][(greatest - q) // 256]
                          * a['fine'][(greatest - q) % 256], 30, 'half_up')
            for q in row]


def softmax(a, kind, shape, x):
    """C60, C64."""
    def of(row):
        parts = exponents(a, row)
        k = sum(parts).bit_length()
        r = (1 << (k + 30)) // sum(parts)
        g = rounded_shift(r * a['multipliers'][0], 31, 'half_up')
        shift = k + 30 + a['shifts'][0] - 31
        return [store(rounded_shift(e * g, shift, a['rounding']), a)
                for e in parts]
    return by_lines(x, a['axis'], of)


def logarithm(a, total, bits):
    """The l of C66; `bits` is the k that gives 0."""
    k, table = total.bit_length(), a['logarithms']
    m = (total << 25 >> k) - (1 << 24)
    i, t = divmod(m, 1 << 16)
    # m < 2^24, so i + 1 is at most 256.
    return (k - bits) * table[256] + rounded_shift(
        table[i] * ((1 << 16) - t) + table[i + 1] * t, 16, 'half_up')


def log_softmax(a, kind, shape, x):
    """C66."""
    def of(row):
        ell = logarithm(a, sum(exponents(a, row)), 31)
        return [store(rounded_shift(-(max(row) - q) * a['distance']
                                    - ell * a['logarithm'], a['shift'],
                                    a['rounding']), a) for q in row]
    return by_lines(x, a['axis'], of)


def reduce_log(a, kind, shape, x):
    """C67, C68."""
    def of(row):
        if a['kind'] == 'sum_exp':
            if not row:
                return a['low']
            total = ((max(row) - a['x_zero_point']) * a['distance']
                     + logarithm(a, sum(exponents(a, row)), 31)
                     * a['logarithm'])
        else:
            plain = sum(q - a['x_zero_point'] for q in row)
            if plain <= 0:
                return a['low']
            total = (logarithm(a, plain, 1) + a['offset']) * a['logarithm']
        return store(rounded_shift(total, a['shift'], a['rounding']), a)
    return [of(row) for row in rows_along(x, a['axes'])]


def normalize(a, kind, shape, x):
    """C61, C72 to C75."""
    n, fraction, codes = a['count'], a['fraction_bits'], []
    channels = n // a['inner']

    def entry(values, r, i):
        return values[0] if len(values) == 1 else values[
            r % a['groups'] * channels + i // a['inner']]
    for r in range(len(x.values) // n):
        row = [q - a['x_zero_point'] for q in x.values[r * n:(r + 1) * n]]
        first, second = sum(row), sum(v * v for v in row)
        distances, v = {
            'centered': ([n * v - first for v in row], n * second - first ** 2),
            'rms': ([n * v for v in row], n * second),
            'l2': (row, second)}[a['kind']]
        w = (v << 16) + a['epsilon']
        if w:
            j = (w.bit_length() - 61) // 2
            q = math.isqrt(w >> 2 * j if j >= 0 else w << -2 * j)
            inverse = (1 << 61) // q
        for i, d in enumerate(distances):
            u = rounded_shift(d * inverse, 61 + j - 8 - fraction,
                              'half_up') if w else 0
            total = u * entry(a['factors'], r, i) + entry(a['offsets'], r, i)
            codes.append(store(rounded_shift(total, a['shift'] + fraction,
                                             a['rounding']), a))
    return codes


def resize(a, kind, shape, x):
    """C39."""
    lengths, outs, taps = a['axis_in'], a['axis_out'], a['axis_taps']
    starts = [0]
    for out, count in zip(outs, taps):
        starts.append(starts[-1] + out * count)

    def tap(axis, o):
        first = starts[axis] + o * taps[axis]
        return list(zip(a['indices'][first:first + taps[axis]],
                        a['weights'][first:first + taps[axis]]))
    sums = []
    for before in range(a['outer']):
        for position in positions(outs):
            pairs = [(flat([j for j, _ in chosen], lengths),
                      math.prod(w for _, w in chosen))
                     for chosen in itertools.product(
                         *(tap(*each) for each in enumerate(position)))]
            for behind in range(a['inner']):
                sums.append(sum(
                    (x.values[(before * math.prod(lengths) + j) * a['inner']
                              + behind] - a['x_zero_point']) * weight
                    for j, weight in pairs))
    return requantize(sums, a, None)


def concat(a, kind, shape, *inputs):
    axis = a['axis'] % len(shape)
    outer = math.prod(shape[:axis])
    values = []
    for row in range(outer):
        for x in inputs:
            length = len(x.values) // outer
            values += x.values[row * length:(row + 1) * length]
    return values


def moved(a, kind, shape, x):
    return x.values


def transpose(a, kind, shape, x):
    values = []
    for position in positions(shape):
        source = [0] * len(shape)
        for axis, i in zip(a['perm'], position):
            source[axis] = i
        values.append(x.values[flat(source, x.shape)])
    return values


def where(a, kind, shape, condition, x, y):
    return [p if c else q for c, p, q in zip(broadcast(condition, shape),
                                             broadcast(x, shape),
                                             broadcast(y, shape))]


def arg_max(a, kind, shape, x):
    """C49."""
    order = -1 if a['select_last_index'] else 1
    results = []
    for row in rows_along(x, [a['axis'] % len(x.shape)]):
        results.append(max(range(len(row))[::order], key=row.__getitem__))
    return results
