"""What the photographs example computes, written out in Python: the square of a picture and the network, in double precision. For small
networks and pictures.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import math

STAGES = ((1, 1), (2, 2), (2, 2), (3, 2), (3, 1), (4, 2), (1, 1))  # blocks, stride of the first


def read_ppm(path):
    """(width, height, bytes) of a PPM whose header has one comment at most."""
    data = path.read_bytes()
    fields, at = [], 0
    while len(fields) < 4:
        end = data.index(b"\n", at)
        if data[at:at + 1] != b"#":
            fields += data[at:end].split()
        at = end + 1
    assert fields[0] == b"P6" and fields[3] == b"255"
    return int(fields[1]), int(fields[2]), data[at:]


def crop(width, height, rgb, size):
    """The square in the middle with 7/8 of the shorter side, as size x size pixels: bytes."""
    side = max(min(width, height) * 7 // 8, 1)
    left, top = (width - side) // 2, (height - side) // 2
    spans = []
    for i in range(size):
        begin, end = i * side / size, (i + 1) * side / size
        spans.append([(k, min(k + 1, end) - max(k, begin)) for k in range(int(begin), math.ceil(end))])
    area = (side / size) ** 2
    out = bytearray()
    for rows in spans:
        for columns in spans:
            sums = [0.0, 0.0, 0.0]
            for v, tall in rows:
                for u, wide in columns:
                    at = 3 * ((top + v) * width + left + u)
                    for c in range(3):
                        sums[c] += tall * wide * rgb[at + c]
            out += bytes(int(each / area + 0.5) for each in sums)
    return bytes(out)


def convolution(x, shape, weight, bias, stride, limited, residual=None):
    """x: [channel][row][column]."""
    k, depth, size, _ = shape
    tall, wide = len(x[0]), len(x[0][0])
    out_tall, out_wide = -(-tall // stride), -(-wide // stride)
    above = max((out_tall - 1) * stride + size - tall, 0) // 2
    before = max((out_wide - 1) * stride + size - wide, 0) // 2
    result = []
    for m in range(k):
        first = m * len(x) // k if depth == 1 else 0
        taps = [(c, r, s, weight[((m * depth + c) * size + r) * size + s]) for c in range(depth) for r in range(size) for s in range(size)]
        plane = []
        for i in range(out_tall):
            row = []
            for j in range(out_wide):
                total = bias[m]
                for c, r, s, w in taps:
                    v, u = i * stride + r - above, j * stride + s - before
                    if 0 <= v < tall and 0 <= u < wide:
                        total += w * x[first + c][v][u]
                if residual:
                    total += residual[m][i][j]
                row.append(min(max(total, 0.0), 6.0) if limited else total)
            plane.append(row)
        result.append(plane)
    return result


def scores(layers, pixels, size):
    """The scores of the classes; layers: (name, shape, weight, bias) in the order in which they are needed."""
    todo = iter(layers)

    def layer(x, stride, limited, residual=None):
        _, shape, weight, bias = next(todo)
        return convolution(x, shape, weight, bias, stride, limited, residual if residual and len(residual) == shape[0] else None)

    x = [[[(pixels[3 * (i * size + j) + c] - 127) / 128 for j in range(size)] for i in range(size)] for c in range(3)]
    x = layer(x, 2, True)
    for number, (blocks, stride) in enumerate(STAGES):
        for block in range(blocks):
            wide = layer(x, 1, True) if number > 0 else x
            inner = layer(wide, stride if block == 0 else 1, True)
            x = layer(inner, 1, False, x if stride == 1 or block > 0 else None)
    x = layer(x, 1, True)
    means = [math.fsum(map(math.fsum, plane)) / (len(plane) * len(plane[0])) for plane in x]
    _, (classes, features), weight, bias = next(todo)
    return [bias[c] + math.fsum(weight[c * features + f] * means[f] for f in range(features)) for c in range(classes)]
