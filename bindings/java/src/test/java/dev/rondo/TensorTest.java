// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static dev.rondo.Devices.fails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tensors: what goes in comes out, in every form; facts, views. */
@Tag("device")
class TensorTest {
  private final Scope scope = Scope.open();
  private final Engine engine = Engine.create();

  @AfterEach
  void close() {
    scope.close();
    assertTrue(engine.isClosed());
  }

  @Test
  void whatWasNeverWrittenIsReadOnceItIsAccepted() {
    final Tensor fresh = engine.empty(Device.CPU, DType.F32, 3);
    fails(InvalidStateException.class, fresh::toFloatArray, "never written");
    assertArrayEquals(new float[3], fresh.accept().toFloatArray());
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void arraysOfEveryKindComeBack(Device device) {
    final float[] floats = {1, -2.5f, Float.NaN, Float.NEGATIVE_INFINITY};
    assertArrayEquals(floats, engine.tensor(device, floats).toFloatArray());
    final double[] doubles = {1e300, -0.0};
    assertArrayEquals(doubles, engine.tensor(device, doubles).toDoubleArray());
    final int[] ints = {Integer.MIN_VALUE, 0, 7};
    assertArrayEquals(ints, engine.tensor(device, ints).toIntArray());
    final long[] longs = {Long.MAX_VALUE, -1};
    assertArrayEquals(longs, engine.tensor(device, longs).toLongArray());
    final byte[] bytes = {-1, 0, 1};
    assertArrayEquals(bytes, engine.tensor(device, bytes).toByteArray());
    final boolean[] booleans = {true, false, true};
    assertArrayEquals(booleans, engine.tensor(device, booleans).toBooleanArray());
    final short[] halves = {0x3c00, (short) 0xc000}; // 1 and -2
    final Tensor half = engine.tensor(device, DType.F16, HostMemory.of(halves), 2);
    assertArrayEquals(halves, half.toShortArray());
    final short[] back = new short[2];
    half.read(HostMemory.of(back));
    assertArrayEquals(halves, back);
    assertArrayEquals(new float[] {1, -2}, half.cast(DType.F32).toFloatArray());
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void largeArraysComeBackWhole(Device device) {
    final int[] data = new int[(3 << 20) / 4 + 17]; // several pieces of the copy
    for (int i = 0; i < data.length; ++i) {
      data[i] = i * 31;
    }
    assertArrayEquals(data, engine.tensor(device, data).toIntArray());
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void buffersOfEveryKindComeBack(Device device) {
    final ByteBuffer direct = ByteBuffer.allocateDirect(20).order(ByteOrder.nativeOrder());
    final FloatBuffer view = direct.asFloatBuffer();
    view.put(new float[] {9, 1, 2, 3, 9}).position(1).limit(4);
    for (final Buffer buffer : List.of(view, view.asReadOnlyBuffer(), FloatBuffer.wrap(new float[] {9, 1, 2, 3, 9}, 1, 3),
        FloatBuffer.wrap(new float[] {1, 2, 3}).asReadOnlyBuffer(), FloatBuffer.wrap(new float[] {9, 1, 2, 3}, 1, 3).slice())) {
      final Tensor tensor = engine.tensor(device, DType.F32, HostMemory.of(buffer), 3);
      assertArrayEquals(new float[] {1, 2, 3}, tensor.toFloatArray(), buffer.toString());
      assertEquals(3, buffer.remaining());
    }
    final Tensor tensor = engine.tensor(device, new float[] {5, 6, 7});
    tensor.read(HostMemory.of(view));
    assertEquals(5, view.get(1));
    assertEquals(9, view.get(4 - 4), "before the position");
    final FloatBuffer heap = FloatBuffer.allocate(5).position(1).limit(4);
    tensor.read(HostMemory.of(heap));
    assertArrayEquals(new float[] {0, 5, 6, 7, 0}, heap.array());
    tensor.read(HostMemory.of(direct.duplicate().limit(12))); // bytes fit every dtype
    assertEquals(7, direct.getFloat(8));
  }

  /** A view of a buffer of bytes in the heap has no array, and is no copy all the same. */
  @Test
  void viewsInTheHeapAreReadAndFilled() {
    final ByteBuffer bytes = ByteBuffer.allocate(40).order(ByteOrder.nativeOrder());
    final Map<DType, Buffer> views = Map.of(DType.F32, bytes.asFloatBuffer(), DType.F64, bytes.asDoubleBuffer(), DType.I32, bytes.asIntBuffer(),
        DType.I64, bytes.asLongBuffer(), DType.I16, bytes.asShortBuffer());
    views.forEach((dtype, view) -> {
      final HostMemory memory = HostMemory.of(view.position(1).limit(4));
      for (final int value : new int[] {5, 7}) {
        engine.full(Device.CPU, dtype, value, 3).read(memory);
        assertEquals(3 * value, engine.tensor(Device.CPU, dtype, memory, 3).sum().item(), dtype.toString());
        assertEquals(0, bytes.get(0), "before the position");
      }
      assertEquals(3, view.remaining());
      java.util.Arrays.fill(bytes.array(), (byte) 0);
    });
  }

  /** By reflection: the tests are compiled for Java 11. */
  @Test
  void memorySegmentsAreUsedWhereTheyAre() throws Exception {
    assumeTrue(Runtime.version().feature() >= 22, "memory segments are there from Java 22 on");
    final Class<?> type = Class.forName("java.lang.foreign.MemorySegment");
    final Class<?> arenaType = Class.forName("java.lang.foreign.Arena");
    final Object arena = arenaType.getMethod("ofAuto").invoke(null);
    final Object segment = arenaType.getMethod("allocate", long.class, long.class).invoke(arena, 12L, 8L);
    final ByteBuffer bytes = ((ByteBuffer) type.getMethod("asByteBuffer").invoke(segment)).order(ByteOrder.nativeOrder());
    bytes.asFloatBuffer().put(new float[] {1, 2, 3});
    final HostMemory memory = HostMemory.ofSegment(segment);
    assertEquals(12, memory.bytes());
    final Tensor tensor = engine.tensor(Device.CPU, DType.F32, memory, 3);
    assertArrayEquals(new float[] {1, 2, 3}, tensor.toFloatArray());
    tensor.add(1).read(memory);
    assertEquals(4, bytes.getFloat(8));
    final Object readOnly = type.getMethod("asReadOnly").invoke(segment);
    fails(InvalidArgumentException.class, () -> tensor.read(HostMemory.ofSegment(readOnly)), "read-only");
    final Object heap = type.getMethod("ofArray", byte[].class).invoke(null, (Object) new byte[12]);
    fails(InvalidArgumentException.class, () -> HostMemory.ofSegment(heap), "asByteBuffer");
  }

  @Test
  void memorySegmentsOfClosedArenasAreRefused() throws Exception {
    assumeTrue(Runtime.version().feature() >= 22, "memory segments are there from Java 22 on");
    final Class<?> arenaType = Class.forName("java.lang.foreign.Arena");
    final Object arena = arenaType.getMethod("ofConfined").invoke(null);
    final Object segment = arenaType.getMethod("allocate", long.class, long.class).invoke(arena, 256L, 8L);
    final HostMemory memory = HostMemory.ofSegment(segment);
    arenaType.getMethod("close").invoke(arena);
    final Tensor tensor = engine.ones(Device.CPU, 64);
    fails(InvalidStateException.class, () -> tensor.read(memory));
    fails(InvalidStateException.class, () -> engine.tensor(Device.CPU, DType.F32, memory, 64));
    fails(InvalidStateException.class, () -> HostMemory.ofSegment(segment));
  }

  @Test
  void memoryThatDoesNotFitIsRefused() {
    final Tensor tensor = engine.tensor(Device.CPU, new float[] {1, 2});
    fails(InvalidArgumentException.class, () -> tensor.read(HostMemory.of(new int[2])), "int", "F32");
    fails(InvalidArgumentException.class, () -> tensor.read(HostMemory.of(new float[3])), "Tensor.read", "12");
    fails(InvalidArgumentException.class, () -> tensor.read(HostMemory.of(FloatBuffer.allocate(2).asReadOnlyBuffer())), "read-only");
    fails(InvalidArgumentException.class, () -> tensor.write(1, 2, 3), "Tensor.write", "12");
    fails(InvalidArgumentException.class, () -> HostMemory.of(ByteBuffer.allocateDirect(8).order(ByteOrder.BIG_ENDIAN).asIntBuffer()), "order");
    fails(InvalidArgumentException.class, () -> HostMemory.of(CharBuffer.allocate(1)), "CharBuffer");
    fails(InvalidArgumentException.class, () -> HostMemory.of((Buffer) null), "null");
    fails(InvalidArgumentException.class, () -> engine.tensor(Device.CPU, new float[] {1, 2, 3}, 2, 2), "16 bytes", "12");
    fails(InvalidArgumentException.class, () -> engine.tensor(Device.CPU, new float[] {1}, -1), "Engine.tensor", "-1");
    fails(InvalidArgumentException.class, () -> engine.tensor(Device.CPU, new float[0], Long.MAX_VALUE, 2), "Engine.tensor");
    fails(InvalidArgumentException.class, tensor::toIntArray, "F32", "I32");
    fails(InvalidArgumentException.class, tensor::item, "2 elements");
    fails(InvalidArgumentException.class, () -> HostMemory.ofSegment("text"), "MemorySegment");
    assertArrayEquals(new float[] {1, 2}, tensor.toFloatArray(), "nothing was changed");
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void factsAreRight(Device device) {
    final Tensor tensor = engine.empty(device, DType.I64, 2, 3, 4);
    assertSame(engine, tensor.engine());
    assertEquals(DType.I64, tensor.dtype());
    assertEquals(device, tensor.device());
    assertArrayEquals(new long[] {2, 3, 4}, tensor.shape());
    assertNotSame(tensor.shape(), tensor.shape());
    assertEquals(24, tensor.elements());
    assertEquals(192, tensor.info().bytes());
    assertTrue(tensor.info().contiguous());
    assertEquals(12, tensor.info().strides()[0]);
    assertEquals("Tensor[I64 [2, 3, 4] on " + device + ", never written]", tensor.toString());
    assertEquals(1, engine.empty(device, DType.F32).elements());
    assertEquals(0, engine.empty(device, DType.F32, 0, 5).toFloatArray().length);
    assertEquals(4, Rondo.elementSize(DType.F32));
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void viewsShareMemory(Device device) {
    final Tensor tensor = engine.tensor(device, new float[] {0, 1, 2, 3, 4, 5}, 2, 3);
    assertArrayEquals(new float[] {0, 3, 1, 4, 2, 5}, tensor.transpose().toFloatArray());
    assertArrayEquals(new long[] {3, 2}, tensor.transpose(1, 0).shape());
    assertArrayEquals(new float[] {2, 1, 0, 5, 4, 3}, tensor.slice(1, -1, Long.MIN_VALUE, -1).toFloatArray());
    assertArrayEquals(new float[] {3, 4, 5}, tensor.slice(0, 1, Long.MAX_VALUE, 1).reshape(-1).toFloatArray());
    assertArrayEquals(new long[] {4, 2, 3}, tensor.broadcast(4, 2, 3).shape());
    tensor.slice(1, 0, 1, 1).fill(9);
    assertArrayEquals(new float[] {9, 1, 2, 9, 4, 5}, tensor.toFloatArray());
    final Tensor sum = tensor.accumulator();
    assertSame(sum, Operators.unary(UnaryOp.NEG, tensor, sum));
    assertArrayEquals(new float[6], tensor.toFloatArray());
    tensor.write(1, 2, 3, 4, 5, 6);
    assertEquals(21, tensor.sum().item());
    fails(InvalidArgumentException.class, () -> tensor.transpose(0), "1 axes", "2 dimensions");
    fails(InvalidArgumentException.class, () -> tensor.transpose(0, 0), "Tensor.transpose");
    fails(InvalidArgumentException.class, () -> tensor.reshape(4), "Tensor.reshape");
    fails(InvalidArgumentException.class, () -> tensor.slice(0, 0, 1, 0), "step");
    fails(InvalidArgumentException.class, () -> tensor.broadcast(5), "Tensor.broadcast");
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void unsignedElementsAreTheirBits(Device device) {
    final short[] shorts = {0, -1, Short.MIN_VALUE, 7};
    assertArrayEquals(shorts, engine.tensor(device, shorts).toShortArray());
    final Tensor u16 = engine.tensor(device, DType.U16, HostMemory.of(shorts), 4);
    assertArrayEquals(shorts, u16.toShortArray());
    assertArrayEquals(new int[] {0, 65535, 32768, 7}, u16.cast(DType.I32).toIntArray());
    final int[] ints = {-1, Integer.MIN_VALUE};
    final Tensor u32 = engine.tensor(device, DType.U32, HostMemory.of(ints), 2);
    assertArrayEquals(ints, u32.toIntArray());
    assertArrayEquals(new long[] {4294967295L, 2147483648L}, u32.cast(DType.I64).toLongArray());
    final long[] longs = {-1, Long.MIN_VALUE, 3};
    final Tensor u64 = engine.tensor(device, DType.U64, HostMemory.of(longs), 3);
    assertArrayEquals(longs, u64.toLongArray());
    assertEquals("18446744073709551615", Long.toUnsignedString(u64.max().toLongArray()[0]));
    fails(InvalidArgumentException.class, u64::toShortArray, "U64", "I16");
    fails(InvalidArgumentException.class, () -> engine.tensor(device, DType.U64, HostMemory.of(ints), 2), "int", "U64");
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void eightBitFloatsAreCastAndNotComputedWith(Device device) {
    final Tensor wide = engine.tensor(device, new float[] {1, 1.0625f, -500, Float.POSITIVE_INFINITY, Float.NaN});
    final byte[] e4m3 = {0x38, 0x38, (byte) 0xfe, 0x7e, 0x7f};
    final byte[] e5m2 = {0x3c, 0x3c, (byte) 0xe0, 0x7b, 0x7f};
    assertArrayEquals(e4m3, wide.cast(DType.F8_E4M3).toByteArray());
    assertArrayEquals(e5m2, wide.cast(DType.F8_E5M2).toByteArray());
    final Tensor codes = engine.tensor(device, DType.F8_E5M2, HostMemory.of(e5m2), 5);
    assertArrayEquals(new float[] {1, 1, -512, 57344, Float.NaN}, codes.cast(DType.F32).toFloatArray());
    fails(InvalidArgumentException.class, () -> codes.add(codes), "Tensor.add", "f8_e5m2", "Tensor.cast");
    fails(InvalidArgumentException.class, () -> engine.tensor(device, DType.F8_E5M2, HostMemory.of(new int[5]), 5), "int", "F8_E5M2");
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void oneElementOfEveryDtype(Device device) {
    for (final DType dtype : DType.values()) {
      assertEquals(1, engine.full(device, dtype, 1, 1).item(), dtype.name());
    }
    assertArrayEquals(new int[] {3, 3}, engine.full(device, DType.I32, 3, 2).toIntArray());
    fails(InvalidArgumentException.class, () -> engine.full(device, DType.I32, 0.5, 2), "Engine.full");
    assertArrayEquals(new long[] {(1L << 53) + 1}, engine.full(device, DType.I64, 0, 1).fill((1L << 53) + 1).toLongArray());
    assertEquals(IntBuffer.wrap(new int[] {7, 7}), IntBuffer.wrap(engine.full(device, DType.F32, 7.9, 2).cast(DType.I32).toIntArray()));
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void dlpackGoesOutAndComesIn(Device device) {
    final Tensor tensor = engine.tensor(device, new float[] {1, 2, 3});
    final Tensor same = engine.fromDlpack(tensor.toDlpack(0), 0);
    assertArrayEquals(new float[] {1, 2, 3}, same.toFloatArray());
    assertEquals(tensor.data(), same.data());
    final Tensor old = engine.fromDlpackV0(tensor.toDlpackV0(0), 0);
    old.fill(5);
    old.await();
    assertArrayEquals(new float[] {5, 5, 5}, same.toFloatArray());
    fails(InvalidArgumentException.class, () -> engine.fromDlpack(0, 0), "managed");
  }
}
