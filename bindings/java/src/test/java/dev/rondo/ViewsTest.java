// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static dev.rondo.Devices.fails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Index ranges, elements, writes of every primitive, nested arrays, and operators that write into a tensor. */
@Tag("device")
class ViewsTest {
  private final Scope scope = Scope.open();
  private final Engine engine = Engine.create();

  @AfterEach
  void close() {
    scope.close();
  }

  private static void is(Tensor tensor, long[] shape, float... values) {
    assertArrayEquals(shape, tensor.shape());
    assertArrayEquals(values, tensor.toFloatArray());
  }

  private static long[] shape(long... sizes) {
    return sizes;
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void partsByIndices(Device device) {
    final Tensor x = engine.arange(device, DType.F32, 12).reshape(3, 4);
    is(x.get("1"), shape(4), 4, 5, 6, 7);
    is(x.get("-1, 1:3"), shape(2), 9, 10);
    is(x.get("1:, 0"), shape(2), 4, 8);
    is(x.get(" : , -1 "), shape(3), 3, 7, 11);
    is(x.get("..., 0"), shape(3), 0, 4, 8);
    is(x.get("0, ..."), shape(4), 0, 1, 2, 3);
    is(x.get("::2, ::-2"), shape(2, 2), 3, 1, 11, 9);
    is(x.get("{}:{}, {}", 0, 2, 3), shape(2), 3, 7);
    is(x.get("2, 3"), shape(), 11);
    is(x.get(2, 3), shape(), 11);
    is(x.get(-1), shape(4), 8, 9, 10, 11);
    is(x.get("5:"), shape(0, 4));
    is(x.get(), shape(3, 4), x.toFloatArray());
    is(x.reshape(1, 3, 2, 2).get("0, ..., 1"), shape(3, 2), 1, 3, 5, 7, 9, 11);
    is(engine.full(device, DType.F32, 3).get("..."), shape(), 3);
    is(x.transpose().get("1:3, 2"), shape(2), 9, 10);
    x.get("1, :2").fill(-1);
    is(x.get(1), shape(4), -1, -1, 6, 7);
    x.set("::2", engine.tensor(device, new float[] {1, 2, 3, 4}));
    x.set("1, -1", 9);
    is(x, shape(3, 4), 1, 2, 3, 4, -1, -1, 6, 9, 1, 2, 3, 4);
    assertEquals(9, x.getFloat(1, -1));
    fails(InvalidArgumentException.class, () -> x.get("3"), "index 3", "axis 0", "3 elements");
    fails(InvalidArgumentException.class, () -> x.get(0, -5), "index -5", "axis 1");
    fails(InvalidArgumentException.class, () -> x.get("1, 2, 3"), "3", "[3, 4]");
    fails(InvalidArgumentException.class, () -> x.get("..., ..."), "more than one");
    fails(InvalidArgumentException.class, () -> x.get("1.5"), "1.5", "1:3");
    fails(InvalidArgumentException.class, () -> x.get("1,"), "''");
    fails(InvalidArgumentException.class, () -> x.get("{}, {}", 1), "more {}");
    fails(InvalidArgumentException.class, () -> x.get("{}", 1, 2), "{}");
    fails(InvalidArgumentException.class, () -> x.get("0:1:0"), "step");
    fails(InvalidArgumentException.class, () -> x.getFloat(1), "2 dimensions");
    fails(InvalidArgumentException.class, () -> x.getLong(1, 1), "F32", "I64");
    fails(NullPointerException.class, () -> x.get((String) null), "indices");
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void reshapeCopiesWhereItMustAndViewRefuses(Device device) {
    final Tensor x = engine.arange(device, DType.F32, 6).reshape(2, 3);
    final Tensor across = x.transpose();
    is(across.reshape(2, 3), shape(2, 3), 0, 3, 1, 4, 2, 5);
    is(across.flatten(), shape(6), 0, 3, 1, 4, 2, 5);
    is(x.get("0").broadcast(2, 3).reshape(3, -1), shape(3, 2), 0, 1, 2, 0, 1, 2);
    fails(InvalidArgumentException.class, () -> across.view(2, 3), "Tensor.view:", "Tensor.copy");
    fails(InvalidArgumentException.class, () -> x.reshape(4), "Tensor.reshape:");
    fails(InvalidArgumentException.class, () -> across.reshape(4), "Tensor.reshape:");
    fails(InvalidArgumentException.class, () -> across.view(4), "Tensor.view:");
    across.view(3, 1, 2).fill(1);
    x.reshape(6).fill(2); // a view, as the strides allow it
    across.reshape(6).fill(3); // a copy
    is(x, shape(2, 3), 2, 2, 2, 2, 2, 2);
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void aReshapeThatCopiesHasItsGradient(Device device) {
    final Tensor x = engine.arange(device, DType.F32, 6).reshape(2, 3);
    final Tensor weights = engine.arange(device, DType.F32, 6);
    try (Tape tape = engine.tape(x)) {
      is(tape.gradient(x.transpose().reshape(6).mul(weights).sum(), x), shape(2, 3), 0, 2, 4, 1, 3, 5);
    }
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void aReshapeThatCopiesIsRecorded(Device device) {
    final Tensor x = engine.arange(device, DType.F32, 6).reshape(2, 3);
    final Recorded<Tensor> copied = engine.record(() -> x.transpose().reshape(6));
    final Recorded<Tensor> added = engine.record(() -> x.transpose().reshape(2, 3).add(1));
    for (int i = 0; i < 2; ++i) {
      copied.launch();
      added.launch();
      is(copied.value(), shape(6), i, i + 3, i + 1, i + 4, i + 2, i + 5);
      is(added.value(), shape(2, 3), i + 1, i + 4, i + 2, i + 5, i + 3, i + 6);
      x.addInto(1, x);
    }
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void axesOfOneElement(Device device) {
    final Tensor x = engine.ones(device, 1, 3, 1);
    assertArrayEquals(shape(3), x.squeeze().shape());
    assertArrayEquals(shape(1, 3), x.squeeze(-1).shape());
    assertArrayEquals(shape(3, 1), x.squeeze(0).shape());
    assertArrayEquals(shape(1, 3, 1, 1), x.expandDims(-1).shape());
    assertArrayEquals(shape(1, 1, 3, 1), x.expandDims(1).shape());
    fails(InvalidArgumentException.class, () -> x.squeeze(1), "axis 1 has 3");
    fails(InvalidArgumentException.class, () -> x.expandDims(5), "axis 5");
    fails(InvalidArgumentException.class, () -> x.size(3), "axis 3");
    assertEquals(3, x.flatten().size(0));
    assertEquals(2, engine.arange(device, DType.F32, 5).split(0, 2).get(1).size(0));
    fails(InvalidArgumentException.class, () -> x.split(0, 0), "parts is 0");
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void everyPrimitiveIsWritten(Device device) {
    final Tensor f32 = engine.zeros(device, 2);
    f32.write(1, 2);
    assertArrayEquals(new float[] {1, 2}, f32.toFloatArray());
    f32.write(0.5, 1e-3);
    assertArrayEquals(new float[] {0.5f, 1e-3f}, f32.toFloatArray());
    final Tensor f64 = engine.full(device, DType.F64, 0, 2);
    f64.write(1.5f, 2f);
    f64.write(0.1, 0.2);
    assertArrayEquals(new double[] {0.1, 0.2}, f64.toDoubleArray());
    assertEquals(0.2, f64.getDouble(1));
    final Tensor i64 = engine.full(device, DType.I64, 0, 2);
    i64.write(1, 2);
    assertEquals(2, i64.getLong(1));
    i64.write(1L << 40, 2L);
    assertArrayEquals(new long[] {1L << 40, 2}, i64.toLongArray());
    final Tensor i32 = engine.full(device, DType.I32, 0, 2);
    i32.write(7, 8);
    assertEquals(8, i32.getInt(-1));
    fails(InvalidArgumentException.class, () -> i32.write(0.5, 1), "double", "I32");
    fails(InvalidArgumentException.class, () -> i32.write(1L, 1L), "long", "I32");
    fails(InvalidArgumentException.class, () -> f32.write(1, 2, 3), "Tensor.write", "12");
    final Tensor i16 = engine.full(device, DType.I16, 0, 1);
    i16.write((short) -3);
    assertArrayEquals(new short[] {-3}, i16.toShortArray());
    final Tensor u8 = engine.full(device, DType.U8, 0, 2);
    u8.write((byte) 1, (byte) -1);
    assertArrayEquals(new byte[] {1, -1}, u8.toByteArray());
    final Tensor bool = engine.full(device, DType.BOOL, 0, 2);
    bool.write(true, false);
    assertTrue(bool.getBoolean(0) && !bool.getBoolean(1));
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void nestedArraysGoInAndOut(Device device) {
    for (final Object[] nested : new Object[][] {{new float[] {1, 2}, new float[] {3, 4}}}) {
      fails(InvalidArgumentException.class, () -> engine.tensor(device, nested), "java.lang.Object");
    }
    final int[][][] ints = {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};
    assertTrue(Arrays.deepEquals(ints, (int[][][]) engine.tensor(device, ints).toArray()));
    final boolean[][] booleans = {{true}, {false}};
    assertTrue(Arrays.deepEquals(booleans, (boolean[][]) engine.tensor(device, booleans).toArray()));
    for (final Object[] each : new Object[][] {new double[][] {{1}}, new long[][] {{1}}, new short[][] {{1}}, new byte[][] {{1}}, new float[0][3]}) {
      assertTrue(Arrays.deepEquals(each, (Object[]) engine.tensor(device, each).toArray()) || each.length == 0);
    }
    assertEquals(7, engine.full(device, DType.I32, 7).toArray());
    fails(InvalidArgumentException.class, () -> engine.tensor(device, new float[][] {{1}, {1, 2}}), "differ", "axis 1");
    fails(InvalidArgumentException.class, () -> engine.tensor(device, new float[][] {{1}, null}), "differ", "null");
    fails(InvalidArgumentException.class, () -> engine.tensor(device, new String[] {"a"}), "java.lang.String");
    fails(InvalidArgumentException.class, () -> engine.tensor(device, new char[][] {{'a'}}), "char");
  }

  /** Of each operation that writes into a tensor there is the one that makes one, and both say the same. */
  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void operatorsWriteInto(Device device) throws Exception {
    final Tensor x = engine.tensor(device, new float[] {0.25f, 0.5f, 0.75f});
    final Tensor y = engine.tensor(device, new float[] {0.5f, 0.125f, 1});
    int seen = 0;
    for (final Method method : TensorOperators.class.getDeclaredMethods()) {
      final Class<?>[] types = method.getParameterTypes();
      if (!method.getName().endsWith("Into") || method.getName().matches("(bit|shift|gcd|lcm).*")) {
        continue;
      }
      final Class<?>[] without = Arrays.copyOf(types, types.length - 1);
      final Object[] arguments = new Object[without.length];
      for (int i = 0; i < arguments.length; ++i) {
        arguments[i] = without[i] == double.class ? (Object) 0.5 : y;
      }
      final Method plain = TensorOperators.class.getDeclaredMethod(method.getName().replace("Into", ""), without);
      final Tensor made = (Tensor) plain.invoke(x, arguments);
      final Tensor out = engine.full(device, made.dtype(), 0, made.shape());
      final Object[] with = Arrays.copyOf(arguments, types.length);
      with[arguments.length] = out;
      assertSame(out, method.invoke(x, with));
      assertTrue(Arrays.deepEquals(new Object[] {made.toArray()}, new Object[] {out.toArray()}), method.toString());
      ++seen;
    }
    assertTrue(seen > 130, seen + " operations");
    is(x.subInto(y, x).mulInto(2, x), shape(3), -0.5f, 0.75f, -0.5f);
  }

  @Test
  void whatIsMadeOfNumbers() {
    assertArrayEquals(new double[] {1, 1.5}, engine.arange(Device.CPU, DType.F64, 1, 2, 0.5).toDoubleArray());
    fails(InvalidArgumentException.class, () -> engine.uniform(Device.CPU, 2, 1, 3), "low");
  }
}
