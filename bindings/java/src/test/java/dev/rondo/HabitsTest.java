// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What users of DJL (1 to 21) and of ONNX Runtime (22 to 28) write in one line, and its line here, which gives what theirs gives. docs/java.md
 * has the table, and what is not there; {@link PeersLinesTest} has the lines that are theirs as written.
 */
class HabitsTest {
  private final Scope scope = Scope.open();
  private final Engine engine = Engine.create();
  private final Device cpu = Device.CPU;
  private final Tensor x = engine.arange(cpu, DType.F32, 12).reshape(3, 4);

  @AfterEach
  void close() {
    scope.close();
  }

  private static void holds(Tensor tensor, float... values) {
    assertArrayEquals(values, tensor.toFloatArray());
  }

  @Test
  void habit01CreateFromAnArrayAndAShape() {
    holds(engine.tensor(cpu, new float[] {1, 2, 3, 4}, 2, 2).get(1), 3, 4);
  }

  @Test
  void habit02ZerosOnesFull() {
    holds(engine.zeros(cpu, 2).add(engine.ones(cpu, 2)).add(engine.full(cpu, DType.F32, 7, 2)), 8, 8);
  }

  @Test
  void habit03Arange() {
    assertArrayEquals(new int[] {0, 1, 2, 3, 4}, engine.arange(cpu, DType.I32, 5).toIntArray());
  }

  @Test
  void habit04LinspaceAndEye() {
    holds(engine.linspace(cpu, 0, 1, 5), 0, 0.25f, 0.5f, 0.75f, 1);
    holds(engine.eye(cpu, 2), 1, 0, 0, 1);
  }

  @Test
  void habit05RandomNumbersOfASeed() {
    engine.seed(7);
    final float[] first = engine.uniform(cpu, -1, 1, 100).toFloatArray();
    engine.seed(7);
    holds(engine.uniform(cpu, -1, 1, 100), first);
    assertEquals(5, engine.normal(cpu, 5, 0.1, 10_000).mean().item(), 0.01);
  }

  @Test
  void habit06ArithmeticBroadcasts() {
    holds(x.mul(2).add(engine.tensor(cpu, new float[] {1, 0, 0, 0})).get(0), 1, 2, 4, 6);
  }

  @Test
  void habit07ArithmeticInPlace() {
    holds(x.subInto(x, x).addInto(3, x).get(0), 3, 3, 3, 3);
  }

  @Test
  void habit08IndexRanges() {
    holds(x.get("1:3, 0"), 4, 8);
    holds(x.get("..., -1"), 3, 7, 11);
    holds(x.get("::2, {}:", 2).copy().flatten(), 2, 3, 10, 11);
  }

  @Test
  void habit09ARowAndAnElement() {
    holds(x.get(2), 8, 9, 10, 11);
    assertEquals(6, x.getFloat(1, 2));
  }

  @Test
  void habit10SetAPart() {
    x.set("0", 5);
    x.set("1:, :2", engine.tensor(cpu, new float[] {-1, -2}));
    holds(x, 5, 5, 5, 5, -1, -2, 6, 7, -1, -2, 10, 11);
  }

  @Test
  void habit11ReduceAndKeepDimensions() {
    assertArrayEquals(new long[] {3, 1}, x.sum(new int[] {1}, true).shape());
    holds(x.max(0), 8, 9, 10, 11);
    assertEquals(5.5, x.mean().item());
  }

  @Test
  void habit12ArgmaxAndSoftmax() {
    assertArrayEquals(new long[] {3, 3, 3}, x.argmax(1).cast(DType.I64).toLongArray());
    holds(x.softmax(-1).sum(1).round(), 1, 1, 1);
  }

  @Test
  void habit13MatrixProduct() {
    holds(x.matmul(engine.ones(cpu, 4, 1)).flatten(), 6, 22, 38);
  }

  @Test
  void habit14ShapesOfViews() {
    assertArrayEquals(new long[] {4, 3}, x.transpose().shape());
    assertArrayEquals(new long[] {1, 3, 4}, x.expandDims(0).shape());
    assertArrayEquals(new long[] {3, 4}, x.expandDims(-1).squeeze().shape());
    assertArrayEquals(new long[] {12}, x.flatten().shape());
    assertEquals(4, x.size(-1));
  }

  @Test
  void habit15ConcatStackSplit() {
    assertArrayEquals(new long[] {3, 8}, Operators.concat(new Tensor[] {x, x}, 1).shape());
    assertArrayEquals(new long[] {2, 3, 4}, Operators.stack(new Tensor[] {x, x}, 0).shape());
    holds(x.split(1, 2).get(1).get(0), 2, 3);
  }

  @Test
  void habit16ToAnotherType() {
    assertArrayEquals(new double[] {0, 1, 2, 3}, x.get(0).cast(DType.F64).toDoubleArray());
  }

  @Test
  void habit17ComparisonsWhereAndMasks() {
    holds(Operators.where(x.gt(5), x, x.neg()).get(1), -4, -5, 6, 7);
    holds(Operators.select(x, x.gt(8)), 9, 10, 11);
    holds(x.clip(2, 4).get(0), 2, 2, 2, 3);
  }

  @Test
  void habit18PrintsItsValues() {
    assertTrue(x.toString().contains("[[ 0.0,  1.0,  2.0,  3.0],\n [ 4.0,  5.0"), x.toString());
  }

  @Test
  void habit19SortTopKCumulativeSums() {
    holds(Operators.topk(x, 2, -1, true)[0].get(0), 3, 2);
    holds(Operators.sort(x, -1, true).get(2), 11, 10, 9, 8);
    holds(Operators.cumulative(ReduceOp.SUM, x, 1, false).get(0), 0, 1, 3, 6);
    holds(Operators.oneHot(engine.tensor(cpu, new int[] {1}), 3, DType.F32).flatten(), 0, 1, 0);
  }

  @Test
  void habit20AScopeFreesWhatIsMadeInIt() {
    final Tensor kept;
    try (Scope inner = Scope.open()) {
      kept = inner.keep(x.add(1).mul(2));
    }
    holds(kept.get(0), 2, 4, 6, 8);
  }

  @Test
  void habit21Gradients() {
    try (Tape tape = engine.tape(x)) {
      holds(tape.gradient(x.square().sum(), x).get(0), 0, 2, 4, 6);
    }
  }

  @Test
  void habit22CreateFromNestedArrays() {
    holds(engine.tensor(cpu, new float[][] {{1, 2}, {3, 4}}).get(1), 3, 4);
    assertEquals(DType.I64, engine.tensor(cpu, new long[][][] {{{1}, {2}}}).dtype());
  }

  @Test
  void habit23CreateFromABuffer() {
    holds(engine.tensor(cpu, DType.F32, HostMemory.of(FloatBuffer.wrap(new float[] {1, 2, 3, 4})), 2, 2).get(0), 1, 2);
  }

  @Test
  void habit24ValuesAsNestedArrays() {
    assertArrayEquals(new float[][] {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}}, (float[][]) x.toArray());
    assertEquals(66f, x.sum().toArray());
  }

  @Test
  void habit25ValuesInABuffer() {
    final FloatBuffer buffer = FloatBuffer.allocate(12);
    x.read(HostMemory.of(buffer));
    assertEquals(11, buffer.get(11));
  }

  @Test
  void habit26WhatATensorIs() {
    assertArrayEquals(new long[] {3, 4}, x.info().shape());
    assertEquals(DType.F32, x.info().dtype());
    assertTrue(x.info().toString().contains("shape=[3, 4]"), x.info().toString());
  }

  @Test
  void habit27RunAgainWithOtherInputs() {
    final Recorded<Tensor> session = engine.record(() -> x.mul(2).max(1));
    session.launch();
    holds(session.value(), 6, 14, 22);
    x.fill(1);
    session.launch();
    holds(session.value(), 2, 2, 2);
  }

  @Test
  void habit28NamedTensorsInAFile(@TempDir Path folder) {
    ModelFile.write(folder.resolve("m.safetensors"), Map.of("w", x));
    try (ModelFile file = ModelFile.open(folder.resolve("m.safetensors"))) {
      holds(file.load("w", engine, cpu).get(0), 0, 1, 2, 3);
      assertEquals(List.of("w"), file.tensors().stream().map(ModelFile.Entry::name).collect(java.util.stream.Collectors.toList()));
    }
  }
}
