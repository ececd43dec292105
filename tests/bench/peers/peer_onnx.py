"""PyTorch's twins of ONNX networks (onnx_gpu.py): image networks node by node from the model, with its weights and with normalisation folded into
convolutions, and an encoder of MiniLM's sizes with drawn weights, its queries, keys and values one product.

Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
"""

import torch
from torch import nn
from torch.nn import functional


class Apply(nn.Module):
    """A function with its constants."""

    def __init__(self, function, *constants):
        super().__init__()
        self.function, self.constants = function, constants

    def forward(self, *inputs):
        return self.function(*inputs, *self.constants)


class MeanWithin(nn.Module):
    """The mean of what a window has inside of the image, where padding differs at its ends."""

    def __init__(self, size, stride, pads):
        super().__init__()
        self.size, self.stride, self.pads = size, stride, pads

    def forward(self, x):
        top, left, bottom, right = self.pads
        padded = functional.pad(x, (left, right, top, bottom))
        ones = functional.pad(torch.ones_like(x[:1, :1]), (left, right, top, bottom))
        return functional.avg_pool2d(padded, self.size, self.stride) / functional.avg_pool2d(ones, self.size, self.stride)


def padded_max(x, size, stride, pads):
    top, left, bottom, right = pads
    return functional.max_pool2d(functional.pad(x, (left, right, top, bottom), value=float("-inf")), size, stride)


def product(model, weight, bias, transposed):
    made = nn.Linear(weight.shape[1 if transposed else 0], weight.shape[0 if transposed else 1])
    made.weight.data, made.bias.data = weight if transposed else weight.t().contiguous(), bias
    return made


class Twin(nn.Module):
    """A network of images from its ONNX model."""

    def __init__(self, model):
        import onnx
        super().__init__()
        helper, graph = onnx.helper, model.graph
        values = {each.name: torch.from_numpy(onnx.numpy_helper.to_array(each).copy()) for each in graph.initializer}
        self.given = next(each.name for each in graph.input if each.name not in values)
        self.wanted = [each.name for each in graph.output]
        uses, skipped, made = {}, {}, []
        for node in graph.node:
            for name in node.input:
                uses.setdefault(name, []).append(node)
        for node in graph.node:
            attributes = {each.name: helper.get_attribute_value(each) for each in node.attribute}
            inputs = [skipped.get(name, name) for name in node.input]
            constants = [values.get(name) for name in inputs]
            if all(each is not None for each in constants):
                values[node.output[0]] = self.computed(node.op_type, constants, attributes)
                continue
            if node.op_type == "Dropout":
                skipped[node.output[0]] = inputs[0]
                continue
            if node.op_type == "BatchNormalization" and made and made[-1][2] == inputs[0] and isinstance(made[-1][0], nn.Conv2d) and len(uses[inputs[0]]) == 1:
                convolution, folded = made[-1][0], nn.utils.fusion.fuse_conv_bn_weights
                bias = convolution.bias
                convolution.weight, convolution.bias = folded(convolution.weight, bias, constants[3], constants[4], attributes.get("epsilon", 1e-5),
                                                              constants[1], constants[2])
                made[-1] = (convolution, made[-1][1], node.output[0])
                continue
            if node.op_type in ("Mul", "Add") and made and self.folds(node.op_type, made[-1], inputs, constants, uses):
                made[-1] = (*made[-1][:2], node.output[0])
                continue
            made.append((self.part(node.op_type, constants, attributes), [name for name, value in zip(inputs, constants) if value is None], node.output[0]))
        self.wanted = [skipped.get(name, name) for name in self.wanted]
        self.parts, self.wires = nn.ModuleList(each[0] for each in made), [each[1:] for each in made]

    @staticmethod
    def folds(kind, before, inputs, constants, uses):
        """Whether a factor or a summand for each channel became one of what is before it."""
        part, _, output = before
        known = [each for each in constants if each is not None]
        if output not in inputs or len(uses[output]) != 1 or not known or not isinstance(part, (nn.Conv2d, nn.BatchNorm2d)) or part.bias is None:
            return False
        channels = known[0].reshape(-1)
        if known[0].shape[-3:] != (len(part.bias), 1, 1):
            return False
        if kind == "Mul":
            part.weight.data = part.weight.data * channels.reshape(-1, *[1] * (part.weight.dim() - 1))
            part.bias.data = part.bias.data * channels
        else:
            part.bias.data = part.bias.data + channels
        return True

    @staticmethod
    def computed(kind, constants, attributes):
        if kind == "Unsqueeze":
            value = constants[0]
            for axis in sorted(attributes["axes"]):
                value = value.unsqueeze(axis)
            return value
        assert kind == "Reshape", kind
        return constants[0].reshape(constants[1].tolist())

    def part(self, kind, constants, attributes):
        size, stride, pads = attributes.get("kernel_shape"), attributes.get("strides", [1, 1]), list(attributes.get("pads", [0, 0, 0, 0]))
        even = pads[:2] == pads[2:]
        if kind == "Conv":
            weight, bias = constants[1], constants[2] if len(constants) > 2 else None
            groups = attributes.get("group", 1)
            made = nn.Conv2d(weight.shape[1] * groups, weight.shape[0], size, stride, pads[:2], groups=groups, bias=bias is not None)
            made.weight.data = weight
            if bias is not None:
                made.bias.data = bias
            return made
        if kind == "BatchNormalization":
            made = nn.BatchNorm2d(len(constants[1]), attributes.get("epsilon", 1e-5))
            made.weight.data, made.bias.data, made.running_mean, made.running_var = constants[1:5]
            return made
        if kind == "MaxPool":
            return nn.MaxPool2d(size, stride, pads[:2]) if even else Apply(padded_max, tuple(size), tuple(stride), tuple(pads))
        if kind == "AveragePool":
            return nn.AvgPool2d(size, stride, pads[:2], count_include_pad=False) if even else MeanWithin(tuple(size), tuple(stride), tuple(pads))
        if kind == "Gemm":
            return product(self, constants[1], constants[2], attributes.get("transB", 0))
        if kind == "LRN":
            return nn.LocalResponseNorm(attributes["size"], attributes["alpha"], attributes["beta"], attributes["bias"])
        if kind in ("Add", "Sum", "Mul"):
            known = [each for each in constants if each is not None]
            function = torch.mul if kind == "Mul" else torch.add
            if known:
                return Scaled(function, known[0])
            return Apply(function)
        simple = {"Relu": (functional.relu,), "GlobalAveragePool": (functional.adaptive_avg_pool2d, 1), "Softmax": (softmax, attributes.get("axis", 1)),
                  "Concat": (joined,), "Transpose": (torch.permute, tuple(attributes.get("perm", ()))),
                  "Reshape": (torch.reshape, tuple(constants[1].tolist()) if len(constants) > 1 and constants[1] is not None else ())}
        return Apply(*simple[kind])

    def forward(self, x):
        values = {self.given: x}
        for part, (inputs, output) in zip(self.parts, self.wires):
            values[output] = part(*[values[name] for name in inputs])
        return [values[name] for name in self.wanted]


class Scaled(nn.Module):
    def __init__(self, function, constant):
        super().__init__()
        self.function = function
        self.register_buffer("constant", constant)

    def forward(self, x):
        return self.function(x, self.constant)


def joined(*tensors):
    return torch.cat(tensors, 1)


def softmax(x, axis):
    """Of ONNX before version 13: over all that comes from the axis on."""
    return functional.softmax(x.flatten(axis), axis).reshape(x.shape)


class Sentences(nn.Module):
    """MiniLM-L6: 6 layers of 384, 12 heads."""

    LAYERS, WIDTH, HEADS, INNER, WORDS, PLACES = 6, 384, 12, 1536, 30522, 512

    def __init__(self):
        super().__init__()
        width = self.WIDTH
        self.words, self.places, self.kinds = nn.Embedding(self.WORDS, width), nn.Embedding(self.PLACES, width), nn.Embedding(2, width)
        self.first = nn.LayerNorm(width, 1e-12)

        def layer():
            return nn.ModuleList([nn.Linear(width, 3 * width), nn.Linear(width, width), nn.LayerNorm(width, 1e-12), nn.Linear(width, self.INNER),
                                  nn.Linear(self.INNER, width), nn.LayerNorm(width, 1e-12)])
        self.layers = nn.ModuleList(layer() for _ in range(self.LAYERS))

    def forward(self, ids, mask, kinds):
        batch, places = ids.shape
        x = self.first(self.words(ids) + self.places.weight[:places] + self.kinds(kinds))
        added = (1 - mask[:, None, None, :].to(x.dtype)) * torch.finfo(x.dtype).min
        for packed, out, after, wide, narrow, last in self.layers:
            q, k, v = packed(x).view(batch, places, 3, self.HEADS, -1).permute(2, 0, 3, 1, 4).unbind(0)
            seen = functional.scaled_dot_product_attention(q, k, v, attn_mask=added)
            x = after(x + out(seen.transpose(1, 2).reshape(batch, places, self.WIDTH)))
            x = last(x + narrow(functional.gelu(wide(x))))
        return [x]
