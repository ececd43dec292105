"""Rows of layers.cc with onnxruntime: the same operators and sizes, on as many threads as it takes by itself.

Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
"""

import numpy as np


class OnnxRuntime:
    has_graphs = False

    def __init__(self, kind, index):
        if kind != "cpu":
            raise RuntimeError("it is compared on a cpu alone")
        import onnx
        import onnxruntime

        self.onnx, self.runtime = onnx, onnxruntime
        self.version = onnxruntime.__version__

    def wait(self):
        pass

    def session(self, nodes, inputs, constants, output):
        """A call that runs the nodes, which are (operator, inputs, output, attributes)."""
        helper, kind = self.onnx.helper, self.onnx.TensorProto.FLOAT
        graph = helper.make_graph(
            [helper.make_node(name, given, [made], **attributes) for name, given, made, attributes in nodes], "graph",
            [helper.make_tensor_value_info(name, kind, value.shape) for name, value in inputs.items()],
            [helper.make_tensor_value_info(output, kind, None)],
            [self.onnx.numpy_helper.from_array(value, name) for name, value in constants.items()])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        session = self.runtime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        return lambda: session.run(None, inputs)


def layers(work):
    """(row, call)."""
    generator = np.random.default_rng(1)

    def made(*shape):
        return (generator.random(shape, dtype=np.float32) - 0.5) / 10

    image, small = made(1, 64, 112, 112), made(1, 64, 56, 56)
    pool = {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}
    yield "pool.max", work.session([("MaxPool", ["x"], "y", pool)], {"x": image}, {}, "y")
    twice = {"scales": np.array([1, 1, 2, 2], dtype=np.float32)}
    for row, attributes in (("nearest", {"coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}),
                            ("linear", {"coordinate_transformation_mode": "half_pixel"})):
        nodes = [("Resize", ["x", "", "scales"], "y", {"mode": row, **attributes})]
        yield f"resize.{row}", work.session(nodes, {"x": small}, twice, "y")
    nodes = [("Conv", ["x", "w", "b"], "c", {}), ("Relu", ["c"], "y", {})]
    yield "fused.convolution", work.session(nodes, {"x": small}, {"w": made(256, 64, 1, 1), "b": made(256)}, "y")
    yield "eager.transformer", transformer(work, made, 16)
    yield "minilm.16", transformer(work, made, 16)
    yield "minilm.128", transformer(work, made, 128)
    yield "product.16", work.session([("MatMul", ["x", "w"], "y", {})], {"x": made(16, 384)}, {"w": made(384, 1536)}, "y")


def transformer(work, made, words):
    width, inner, heads, count = 384, 1536, 12, 6
    nodes, constants = [], {"scale": np.array(32**-0.5, dtype=np.float32), "mask": made(1, 1, 1, words), "half": np.array(0.5, dtype=np.float32),
                            "one": np.array(1, dtype=np.float32), "root": np.array(2**0.5, dtype=np.float32),
                            "apart": np.array([1, words, heads, width // heads]), "together": np.array([1, words, width])}

    def node(operator, given, **attributes):
        name = f"v{len(nodes)}"
        nodes.append((operator, given, name, attributes))
        return name

    def constant(*shape):
        name = f"c{len(constants)}"
        constants[name] = made(*shape)
        return name

    def dense(x, a, b):
        return node("Add", [node("MatMul", [x, constant(a, b)]), constant(b)])

    x = "x"
    for _ in range(count):
        q, k, v = (node("Transpose", [node("Reshape", [dense(x, width, width), "apart"])], perm=perm)
                   for perm in ((0, 2, 1, 3), (0, 2, 3, 1), (0, 2, 1, 3)))
        scores = node("Softmax", [node("Add", [node("Mul", [node("MatMul", [q, k]), "scale"]), "mask"])], axis=-1)
        mixed = node("Reshape", [node("Transpose", [node("MatMul", [scores, v])], perm=(0, 2, 1, 3)), "together"])
        x = node("LayerNormalization", [node("Add", [dense(mixed, width, width), x]), constant(width), constant(width)], axis=-1, epsilon=1e-12)
        h = dense(x, width, inner)
        gate = node("Add", [node("Erf", [node("Div", [h, "root"])]), "one"])
        h = node("Mul", [node("Mul", [h, gate]), "half"])
        x = node("LayerNormalization", [node("Add", [dense(h, inner, width), x]), constant(width), constant(width)], axis=-1, epsilon=1e-12)
    return work.session(nodes, {"x": made(1, words, width)}, constants, x)
