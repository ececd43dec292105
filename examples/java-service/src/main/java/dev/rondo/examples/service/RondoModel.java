// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import dev.rondo.DType;
import dev.rondo.Device;
import dev.rondo.Engine;
import dev.rondo.Graph;
import dev.rondo.HostMemory;
import dev.rondo.MemoryInfo;
import dev.rondo.RecordOptions;
import dev.rondo.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A network on a device: one recorded graph for each of a few batch sizes, all with the same weights. A batch is put into the
 * smallest that holds it; rows beyond its images keep what was there before, which no other row sees.
 */
final class RondoModel implements Model {
  private static final int STEP = 4; // from one batch size to the next

  private final Network network;
  private final Device device;
  private final Engine engine;
  private final List<Tensor> weights = new ArrayList<>();
  private final List<Bucket> buckets = new ArrayList<>();
  private final FloatBuffer input;

  /** A graph with its input and output, and where the output is read to. */
  private record Bucket(int rows, Tensor input, Tensor output, Graph graph, FloatBuffer answers) {}

  /**
   * Records the graphs.
   *
   * @param network the trained network
   * @param device where it runs
   * @param largest the most images of a batch
   */
  RondoModel(Network network, Device device, int largest) {
    this.network = network;
    this.device = device;
    input = floats(largest * pixels());
    engine = Engine.create();
    try {
      weights.addAll(network.upload(engine, device));
      for (int rows = 1; rows < largest; rows *= STEP) {
        buckets.add(record(rows));
      }
      buckets.add(record(largest));
      for (final Bucket bucket : buckets) { // nothing is slow the first time any more, and what does not work is known now
        classify(bucket.rows, new float[bucket.rows * classes()]);
      }
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private Bucket record(int rows) {
    final Tensor images = engine.full(device, DType.F32, 0, rows, pixels());
    final Tensor[] probabilities = new Tensor[1];
    final Graph graph = engine.record(new RecordOptions().name(network.name() + rows),
        recording -> probabilities[0] = recording.keep(network.probabilities(weights, images)));
    return new Bucket(rows, images, probabilities[0], graph, floats(rows * classes()));
  }

  private static FloatBuffer floats(int count) {
    return ByteBuffer.allocateDirect(count * Float.BYTES).order(ByteOrder.nativeOrder()).asFloatBuffer();
  }

  @Override
  public int pixels() {
    return network.pixels();
  }

  @Override
  public int classes() {
    return network.classes();
  }

  @Override
  public int largestBatch() {
    return buckets.get(buckets.size() - 1).rows;
  }

  @Override
  public FloatBuffer input() {
    return input;
  }

  @Override
  public int classify(int images, float[] probabilities) {
    final Bucket bucket = buckets.stream().filter(each -> each.rows >= images).findFirst().orElseThrow();
    // Three steps that only this thread takes with these tensors, so nothing comes between them.
    bucket.input.write(HostMemory.of(input.duplicate().position(0).limit(bucket.rows * pixels())));
    bucket.graph.launch();
    bucket.output.read(HostMemory.of(bucket.answers));
    bucket.answers.get(0, probabilities, 0, images * classes());
    return bucket.rows;
  }

  @Override
  public String device() {
    return device.toString();
  }

  @Override
  public Memory memory() {
    final MemoryInfo info = engine.memory(device);
    return new Memory(info.inUse(), info.cached());
  }

  /** Of a lost device too: it is not waited for. */
  @Override
  public void close() {
    for (final Bucket bucket : buckets) {
      bucket.graph.close();
      bucket.output.close();
      bucket.input.close();
    }
    weights.forEach(Tensor::close);
    engine.close();
  }
}
