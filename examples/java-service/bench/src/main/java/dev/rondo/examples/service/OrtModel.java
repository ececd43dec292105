// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.Map;

/** The same network in ONNX Runtime, on the cpu. Its tensors are memory of the program, which nothing is copied from or to. */
final class OrtModel implements Model {
  private final OrtEnvironment environment = OrtEnvironment.getEnvironment();
  private final OrtSession session;
  private final FloatBuffer input;
  private final FloatBuffer output;
  private final int largest;

  OrtModel(Weights weights, int largest) throws OrtException {
    this.largest = largest;
    input = floats(largest * Weights.PIXELS);
    output = floats(largest * Weights.CLASSES);
    final OrtSession.SessionOptions options = new OrtSession.SessionOptions();
    options.setIntraOpNumThreads(1); // more threads only make a network of this size slower
    session = environment.createSession(Onnx.of(weights), options);
  }

  private static FloatBuffer floats(int count) {
    return ByteBuffer.allocateDirect(count * Float.BYTES).order(ByteOrder.nativeOrder()).asFloatBuffer();
  }

  @Override
  public int pixels() {
    return Weights.PIXELS;
  }

  @Override
  public int classes() {
    return Weights.CLASSES;
  }

  @Override
  public int largestBatch() {
    return largest;
  }

  @Override
  public FloatBuffer input() {
    return input;
  }

  @Override
  public int classify(int images, float[] probabilities) {
    try (OnnxTensor in = OnnxTensor.createTensor(environment, input.duplicate().position(0).limit(images * Weights.PIXELS),
        new long[] {images, Weights.PIXELS});
        OnnxTensor out = OnnxTensor.createTensor(environment, output.duplicate().position(0).limit(images * Weights.CLASSES),
            new long[] {images, Weights.CLASSES});
        OrtSession.Result result = session.run(Map.of("images", in), Map.of("probabilities", out))) {
      output.get(0, probabilities, 0, images * Weights.CLASSES);
      return images;
    } catch (OrtException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public String device() {
    return "ONNX Runtime " + environment.getVersion();
  }

  @Override
  public Memory memory() {
    return new Memory(0, 0);
  }

  @Override
  public void close() {
    try {
      session.close();
    } catch (OrtException e) {
      throw new IllegalStateException(e);
    }
  }
}
