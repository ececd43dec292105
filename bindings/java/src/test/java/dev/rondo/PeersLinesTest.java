// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static dev.rondo.Devices.fails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Lines of DJL's and ONNX Runtime's users that differ here by the engine and the device alone, each with what it must give. */
class PeersLinesTest {
  private final Scope scope = Scope.open();
  private final Engine e = Engine.create();
  private final Device cpu = Device.CPU;
  private final Tensor x = e.tensor(cpu, new float[] {1, 2, 3, 4, 5, 6}, 2, 3);

  @AfterEach
  void close() {
    scope.close();
  }

  private static boolean near(double a, double b) {
    return Math.abs(a - b) < 1e-3;
  }

  private static boolean is(long[] shape, long... sizes) {
    return Arrays.equals(shape, sizes);
  }

  private boolean set() {
    final Tensor copy = x.duplicate();
    copy.set("0", 0);
    return copy.getFloat(0, 2) == 0 && copy.getFloat(1, 0) == 4;
  }

  private boolean scoped() {
    final Tensor made;
    try (Scope inner = Scope.open()) {
      made = x.add(1);
    }
    return made.isClosed();
  }

  @TestFactory
  Stream<DynamicTest> linesGiveWhatTheyGiveElsewhere() {
    final Map<String, BooleanSupplier> lines = new LinkedHashMap<>();
    lines.put("manager.create(new float[]{1,2,3})", () -> e.tensor(cpu, new float[] {1, 2, 3}).toFloatArray()[2] == 3);
    lines.put("manager.create(5f)", () -> e.tensor(cpu, 5f).getFloat() == 5);
    lines.put("manager.create(data, new Shape(2,3))", () -> e.tensor(cpu, new float[] {1, 2, 3, 4, 5, 6}, 2, 3).getFloat(1, 2) == 6);
    lines.put("manager.zeros(new Shape(2))", () -> e.zeros(cpu, 2).toFloatArray().length == 2);
    lines.put("x.zerosLike()", () -> x.zerosLike().getFloat(0, 0) == 0 && x.onesLike().getFloat(1, 2) == 1);
    lines.put("x.add(y).sub(1).div(2)", () -> x.add(x).sub(1).div(2).getFloat(0, 0) == .5f);
    lines.put("x.addi(1)", () -> x.copy().addi(1).getFloat(0, 0) == 2);
    lines.put("x.neg().abs().sqrt().exp()", () -> x.neg().abs().sqrt().exp().getFloat(0, 0) > 2.7);
    lines.put("x.pow(2)", () -> x.pow(2).getFloat(1, 2) == 36);
    lines.put("x.matMul(y)", () -> x.matMul(x.transpose()).getFloat(0, 0) == 14);
    lines.put("x.sum(new int[]{0})", () -> x.sum(new int[] {0}).toFloatArray()[0] == 5);
    lines.put("x.mean(new int[]{1}, true)", () -> is(x.mean(new int[] {1}, true).shape(), 2, 1));
    lines.put("x.max().getFloat()", () -> x.max().getFloat() == 6);
    lines.put("x.argMax(1).toLongArray()", () -> x.argMax(1).toLongArray()[0] == 2 && x.argMin(1).toLongArray()[1] == 0);
    lines.put("x.reshape(3,-1)", () -> is(x.reshape(3, -1).shape(), 3, 2));
    lines.put("x.getShape()", () -> is(x.getShape(), 2, 3));
    lines.put("x.getDataType()", () -> x.getDataType() == DType.F32 && x.getDevice().equals(cpu));
    lines.put("x.get(\":, 1:\")", () -> x.get(":, 1:").getFloat(0, 0) == 2);
    lines.put("x.set(new NDIndex(\"0\"), 0)", this::set);
    lines.put("x.softmax(1).sum()", () -> near(x.softmax(1).sum().getFloat(), 2));
    lines.put("x.toType(DataType.INT32,false)", () -> x.toType(DType.I32, false).dtype() == DType.I32);
    lines.put("x.concat(y)", () -> is(x.concat(x).shape(), 4, 3) && is(x.concat(x, 0).shape(), 4, 3) && is(x.concat(x, 1).shape(), 2, 6));
    lines.put("x.contentEquals(y)", () -> x.contentEquals(x) && x.contentEquals(x.duplicate()));
    lines.put("x.norm()", () -> near(x.norm().getFloat(), Math.sqrt(91)) && near(x.norm(1).getFloat(0), Math.sqrt(14)));
    lines.put("x.duplicate()", () -> x.duplicate().getFloat(1, 2) == 6);
    lines.put("try (NDManager m = ...)", this::scoped);
    lines.put("OnnxTensor.createTensor(env, float[][])", () -> e.tensor(cpu, new float[][] {{1, 2}, {3, 4}}).getFloat(1, 1) == 4);
    lines.put("(float[][]) t.getValue()", () -> ((float[][]) x.getValue())[1][2] == 6);
    lines.put("OnnxTensor.createTensor(env, FloatBuffer, shape)", () -> e.tensor(cpu, FloatBuffer.wrap(new float[] {1, 2}), 2).getFloat(1) == 2);
    lines.put("t.getInfo().getShape()", () -> is(x.getInfo().getShape(), 2, 3));
    return lines.entrySet().stream().map(line -> DynamicTest.dynamicTest(line.getKey(), () -> assertTrue(line.getValue().getAsBoolean())));
  }

  @Test
  void scalarsAndBuffersHaveTheDtypeOfTheirPrimitive() {
    assertEquals(DType.F64, e.tensor(cpu, 5.0).dtype());
    assertEquals(DType.I32, e.tensor(cpu, 5).dtype());
    assertEquals(Long.MAX_VALUE, e.tensor(cpu, Long.MAX_VALUE).getLong());
    assertTrue(e.tensor(cpu, true).getBoolean());
    assertArrayEquals(new long[] {}, e.tensor(cpu, 5f).shape());
    assertEquals(DType.F64, e.tensor(cpu, DoubleBuffer.allocate(2)).dtype());
    assertEquals(DType.I16, e.tensor(cpu, ShortBuffer.allocate(2)).dtype());
    assertEquals(DType.I32, e.tensor(cpu, IntBuffer.allocate(2)).dtype());
    assertEquals(DType.I64, e.tensor(cpu, LongBuffer.allocate(2)).dtype());
    assertEquals(DType.U8, e.tensor(cpu, ByteBuffer.allocateDirect(2)).dtype());
    final FloatBuffer part = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder()).asFloatBuffer().put(2, 7).position(1);
    assertArrayEquals(new float[] {0, 7, 0}, e.tensor(cpu, part).toFloatArray());
    fails(InvalidArgumentException.class, () -> e.tensor(cpu, CharBuffer.allocate(2)), "CharBuffer");
    fails(InvalidArgumentException.class, () -> e.tensor(cpu, part, 2), "8 bytes", "12");
  }

  @Test
  void inPlaceOperatorsGiveTheTensorThatTheyWrite() {
    final Tensor y = x.duplicate();
    assertSame(y, y.addi(x).subi(1).muli(2).divi(2).modi(4).powi(2));
    assertArrayEquals(new float[] {1, 9, 1, 9, 1, 9}, y.toFloatArray());
    assertArrayEquals(new float[] {0, 0, 0}, y.subi(y).muli(x).divi(x).modi(x).powi(x).get(0).toFloatArray());
    fails(InvalidArgumentException.class, () -> y.addi(e.ones(cpu, 4, 2, 3)), "Tensor.add");
  }

  @Test
  void contentIsEqualInShapeTypeAndElements() {
    assertFalse(x.contentEquals(x.reshape(3, 2)));
    assertFalse(x.contentEquals(x.cast(DType.F64)));
    assertFalse(x.contentEquals(x.duplicate().addi(1)));
    assertTrue(e.tensor(cpu, new float[0]).contentEquals(e.tensor(cpu, new float[0])));
    final Tensor none = e.tensor(cpu, new float[] {Float.NaN});
    assertFalse(none.contentEquals(none));
  }

  @Test
  void theSameTypeIsAViewUnlessACopyIsAskedFor() {
    final Tensor y = x.duplicate();
    final Tensor view = y.toType(DType.F32, false);
    assertNotSame(y, view);
    view.close();
    assertFalse(y.isClosed());
    y.toType(DType.F32, false).fill(3);
    y.toType(DType.F32, true).fill(4);
    assertEquals(3, y.getFloat(1, 1));
  }
}
