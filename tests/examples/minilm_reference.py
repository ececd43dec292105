"""What the sentences example computes, written out in Python in double precision, for small networks: the vector of one sentence."""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import math

LAYERS, HEAD, EPSILON = 6, 32, 1e-12


def vector(weights, ids):
    """weights: {name: rows, or one row} as the file has them."""
    def dense(name, rows):
        return [[math.fsum(map(float.__mul__, row, column)) + bias for column, bias in zip(weights[name + ".weight"], weights[name + ".bias"])]
                for row in rows]

    def add_and_norm(name, one, other):
        out = []
        for row in ([a + b for a, b in zip(*each)] for each in zip(one, other)):
            mean = math.fsum(row) / len(row)
            scale = 1 / math.sqrt(math.fsum((each - mean) ** 2 for each in row) / len(row) + EPSILON)
            out.append([(each - mean) * scale * weight + bias for each, weight, bias in zip(row, weights[name + ".weight"], weights[name + ".bias"])])
        return out

    def attention(q, k, v):
        out = [[] for _ in q]
        for begin in range(0, len(q[0]), HEAD):
            part = slice(begin, begin + HEAD)
            for row, result in zip(q, out):
                scores = [math.exp(math.fsum(map(float.__mul__, row[part], key[part])) / math.sqrt(HEAD)) for key in k]
                shares = [score / math.fsum(scores) for score in scores]
                result += [math.fsum(map(float.__mul__, shares, column)) for column in zip(*(value[part] for value in v))]
        return out

    kind = weights["embeddings.token_type_embeddings.weight"][0]
    places = [[a + b for a, b in zip(place, kind)] for place in weights["embeddings.position_embeddings.weight"][:len(ids)]]
    x = add_and_norm("embeddings.LayerNorm", [weights["embeddings.word_embeddings.weight"][each] for each in ids], places)
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}."
        seen = attention(*(dense(layer + "attention.self." + each, x) for each in ("query", "key", "value")))
        x = add_and_norm(layer + "attention.output.LayerNorm", x, dense(layer + "attention.output.dense", seen))
        wide = [[each * (1 + math.erf(each / math.sqrt(2))) / 2 for each in row] for row in dense(layer + "intermediate.dense", x)]
        x = add_and_norm(layer + "output.LayerNorm", x, dense(layer + "output.dense", wide))
    sums = [math.fsum(column) for column in zip(*x)]
    length = math.sqrt(math.fsum(each * each for each in sums))
    return [each / length for each in sums]
