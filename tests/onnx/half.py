"""Makes an ONNX model of f32 one of f16: its weights, constants, inputs, outputs and casts. Factors of Resize and Upsample stay as they are, numbers
beyond f16 become its largest."""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import networks  # noqa: E402: finds the package onnx

numpy, onnx, numpy_helper = networks.numpy, networks.onnx, networks.numpy_helper
F32, F16, MOST = onnx.TensorProto.FLOAT, onnx.TensorProto.FLOAT16, 65504
KEPT = {"Resize": (1, 2), "Upsample": (1,)}  # inputs that are f32 whatever the type of the others


def tensor_of(tensor):
    if tensor.data_type == F32:
        values = numpy.clip(numpy_helper.to_array(tensor), -MOST, MOST).astype(numpy.float16)
        tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))


def type_of(info):
    if info.type.WhichOneof("value") == "tensor_type" and info.type.tensor_type.elem_type == F32:
        info.type.tensor_type.elem_type = F16


def convert_graph(graph):
    makers = {value: node for node in graph.node for value in node.output}
    kept = {node.input[at] for node in graph.node for at in KEPT.get(node.op_type, ()) if at < len(node.input)}
    while more := {name for value in kept if value in makers and makers[value].op_type not in ("Shape", "Size") for name in makers[value].input} - kept:
        kept |= more
    for each in graph.initializer:
        if each.name not in kept:
            tensor_of(each)
    for each in [*graph.input, *graph.output]:
        type_of(each)
    del graph.value_info[:]
    for node in graph.node:
        stays = any(output in kept for output in node.output)
        if node.op_type == "ConstantOfShape" and not node.attribute and not stays:
            node.attribute.append(onnx.helper.make_attribute("value", numpy_helper.from_array(numpy.zeros(1, numpy.float32))))
        for each in node.attribute:
            if each.HasField("g"):
                convert_graph(each.g)
            elif each.HasField("t") and not stays:
                tensor_of(each.t)
            elif each.name in ("value_float", "value_floats") and not stays:
                number = numpy.array(onnx.helper.get_attribute_value(each), dtype=numpy.float16)
                each.CopyFrom(onnx.helper.make_attribute("value", numpy_helper.from_array(number)))
            elif node.op_type == "Cast" and each.name == "to" and each.i == F32 and not stays:
                each.i = F16


def convert(model):
    """The model itself, changed."""
    convert_graph(model.graph)
    return model
