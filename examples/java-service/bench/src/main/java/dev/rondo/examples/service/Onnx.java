// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** The network as an ONNX file, written field by field as onnx.proto numbers them: Gemm, Relu, Gemm, Softmax of any number of images. */
final class Onnx {
  private static final int FLOAT = 1;

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  private Onnx() {}

  static byte[] of(Weights weights) {
    final int hidden = weights.hidden();
    final Onnx graph = new Onnx()
        .message(1, node("Gemm", "hidden", "images", "weight1", "bias1"))
        .message(1, node("Relu", "active", "hidden"))
        .message(1, node("Gemm", "logits", "active", "weight2", "bias2"))
        .message(1, node("Softmax", "probabilities", "logits"))
        .text(2, "digits")
        .message(5, tensor("weight1", weights.weight1(), Weights.PIXELS, hidden))
        .message(5, tensor("bias1", weights.bias1(), hidden))
        .message(5, tensor("weight2", weights.weight2(), hidden, Weights.CLASSES))
        .message(5, tensor("bias2", weights.bias2(), Weights.CLASSES))
        .message(11, value("images", Weights.PIXELS))
        .message(12, value("probabilities", Weights.CLASSES));
    return new Onnx().number(1, 8).message(8, new Onnx().number(2, 13)).message(7, graph).bytes.toByteArray();
  }

  private static Onnx node(String type, String output, String... inputs) {
    final Onnx node = new Onnx();
    for (final String input : inputs) {
      node.text(1, input);
    }
    return node.text(2, output).text(4, type);
  }

  private static Onnx tensor(String name, float[] values, int... dims) {
    final Onnx tensor = new Onnx();
    for (final int dim : dims) {
      tensor.number(1, dim);
    }
    final ByteBuffer raw = ByteBuffer.allocate(values.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    raw.asFloatBuffer().put(values);
    return tensor.number(2, FLOAT).text(8, name).field(9, raw.array());
  }

  private static Onnx value(String name, int columns) {
    final Onnx shape = new Onnx().message(1, new Onnx().text(2, "n")).message(1, new Onnx().number(1, columns));
    final Onnx type = new Onnx().message(1, new Onnx().number(1, FLOAT).message(2, shape));
    return new Onnx().text(1, name).message(2, type);
  }

  // --- the wire format of protocol buffers

  private void varint(long value) {
    for (; value >= 0x80; value >>>= 7) {
      bytes.write((int) (value & 0x7f | 0x80));
    }
    bytes.write((int) value);
  }

  private Onnx number(int field, long value) {
    varint((long) field << 3);
    varint(value);
    return this;
  }

  private Onnx field(int field, byte[] data) {
    varint((long) field << 3 | 2);
    varint(data.length);
    bytes.writeBytes(data);
    return this;
  }

  private Onnx text(int field, String text) {
    return field(field, text.getBytes(StandardCharsets.UTF_8));
  }

  private Onnx message(int field, Onnx message) {
    return field(field, message.bytes.toByteArray());
  }
}
