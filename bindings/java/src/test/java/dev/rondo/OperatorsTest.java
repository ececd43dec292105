// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static dev.rondo.Devices.fails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every operator reaches the C function it is named after, with its arguments in their places. */
@Tag("device")
class OperatorsTest {
  private static final double[] A = {0.25, 0.5, 1.5, 2.5};
  private static final double[] B = {0.5, 0.5, 2, 1};

  private final Scope scope = Scope.open();
  private final Engine engine = Engine.create();

  @AfterEach
  void close() {
    scope.close();
  }

  private static double number(boolean value) {
    return value ? 1 : 0;
  }

  private double[] doubles(Tensor tensor) {
    return tensor.cast(DType.F64).toDoubleArray();
  }

  private static double[] map(DoubleUnaryOperator function) {
    final double[] result = new double[A.length];
    for (int i = 0; i < result.length; ++i) {
      result[i] = function.applyAsDouble(A[i]);
    }
    return result;
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void unary(Device device) throws Exception {
    final Map<UnaryOp, DoubleUnaryOperator> expected = new EnumMap<>(UnaryOp.class);
    expected.put(UnaryOp.NEG, x -> -x);
    expected.put(UnaryOp.ABS, Math::abs);
    expected.put(UnaryOp.SIGN, Math::signum);
    expected.put(UnaryOp.SQUARE, x -> x * x);
    expected.put(UnaryOp.LOGICAL_NOT, x -> number(x == 0));
    expected.put(UnaryOp.ISNAN, x -> number(Double.isNaN(x)));
    expected.put(UnaryOp.RELU, x -> Math.max(x, 0));
    expected.put(UnaryOp.FLOOR, Math::floor);
    expected.put(UnaryOp.CEIL, Math::ceil);
    expected.put(UnaryOp.ROUND, Math::rint);
    expected.put(UnaryOp.EXP, Math::exp);
    expected.put(UnaryOp.LOG, Math::log);
    expected.put(UnaryOp.SQRT, Math::sqrt);
    expected.put(UnaryOp.RSQRT, x -> 1 / Math.sqrt(x));
    expected.put(UnaryOp.TANH, Math::tanh);
    expected.put(UnaryOp.SIGMOID, x -> 1 / (1 + Math.exp(-x)));
    expected.put(UnaryOp.RECIPROCAL, x -> 1 / x);
    expected.put(UnaryOp.SIN, Math::sin);
    expected.put(UnaryOp.COS, Math::cos);
    expected.put(UnaryOp.EXPM1, Math::expm1);
    expected.put(UnaryOp.LOG1P, Math::log1p);
    final Tensor a = engine.tensor(device, A);
    for (final Map.Entry<UnaryOp, DoubleUnaryOperator> each : expected.entrySet()) {
      final UnaryOp op = each.getKey();
      assertArrayEquals(map(each.getValue()), doubles(Operators.unary(op, a)), 1e-12, op.name());
      final String method = op == UnaryOp.LOGICAL_NOT ? "logicalNot" : op.name().toLowerCase();
      assertArrayEquals(map(each.getValue()), doubles((Tensor) Tensor.class.getMethod(method).invoke(a)), 1e-12, op.name());
    }
    assertEquals(0.2763263901682369, a.erf().slice(0, 0, 1, 1).item(), 1e-12);
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void binary(Device device) throws Exception {
    final Map<BinaryOp, DoubleBinaryOperator> expected = new EnumMap<>(BinaryOp.class);
    expected.put(BinaryOp.ADD, Double::sum);
    expected.put(BinaryOp.SUB, (x, y) -> x - y);
    expected.put(BinaryOp.MUL, (x, y) -> x * y);
    expected.put(BinaryOp.DIV, (x, y) -> x / y);
    expected.put(BinaryOp.POW, Math::pow);
    expected.put(BinaryOp.MAXIMUM, Math::max);
    expected.put(BinaryOp.MINIMUM, Math::min);
    expected.put(BinaryOp.MOD, (x, y) -> x % y);
    expected.put(BinaryOp.EQ, (x, y) -> number(x == y));
    expected.put(BinaryOp.NE, (x, y) -> number(x != y));
    expected.put(BinaryOp.LT, (x, y) -> number(x < y));
    expected.put(BinaryOp.LE, (x, y) -> number(x <= y));
    expected.put(BinaryOp.GT, (x, y) -> number(x > y));
    expected.put(BinaryOp.GE, (x, y) -> number(x >= y));
    final Tensor a = engine.tensor(device, A);
    final Tensor b = engine.tensor(device, B);
    for (final Map.Entry<BinaryOp, DoubleBinaryOperator> each : expected.entrySet()) {
      final BinaryOp op = each.getKey();
      final double[] want = new double[A.length];
      final double[] wantScalar = new double[A.length];
      final double[] wantReverse = new double[A.length];
      for (int i = 0; i < A.length; ++i) {
        want[i] = each.getValue().applyAsDouble(A[i], B[i]);
        wantScalar[i] = each.getValue().applyAsDouble(A[i], 0.5);
        wantReverse[i] = each.getValue().applyAsDouble(0.5, A[i]);
      }
      assertArrayEquals(want, doubles(Operators.binary(op, a, b)), 1e-12, op.name());
      final String method = op.name().toLowerCase();
      assertArrayEquals(want, doubles((Tensor) Tensor.class.getMethod(method, Tensor.class).invoke(a, b)), 1e-12, op.name());
      assertArrayEquals(wantScalar, doubles((Tensor) Tensor.class.getMethod(method, double.class).invoke(a, 0.5)), 1e-12, op.name());
      assertArrayEquals(wantReverse, doubles(Operators.scalarBinary(op, 0.5, a)), 1e-12, op.name());
    }
    final Tensor yes = engine.tensor(device, new boolean[] {true, true, false});
    final Tensor no = engine.tensor(device, new boolean[] {true, false, false});
    assertArrayEquals(new boolean[] {true, false, false}, yes.logicalAnd(no).toBooleanArray());
    assertArrayEquals(new boolean[] {true, true, false}, yes.logicalOr(no).toBooleanArray());
    assertArrayEquals(new boolean[] {false, true, false}, yes.logicalXor(no).toBooleanArray());
    final long large = (1L << 60) + 1;
    final Tensor longs = engine.tensor(device, new long[] {1, -1});
    assertArrayEquals(new long[] {large + 1, large - 1}, Operators.binaryScalarI64(BinaryOp.ADD, longs, large).toLongArray());
    assertArrayEquals(new long[] {large - 1, large + 1}, Operators.scalarBinaryI64(BinaryOp.SUB, large, longs).toLongArray());
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void parametersAndThreeOperands(Device device) {
    final Tensor a = engine.tensor(device, new float[] {-2, 0.5f, 3});
    assertArrayEquals(new float[] {-1, 0.5f, 2}, a.clip(-1, 2).toFloatArray());
    fails(InvalidArgumentException.class, () -> Operators.unary(UnaryOp.CLIP, a), "Operators.unary");
    assertArrayEquals(new float[] {-0.02f, 0.5f, 3}, a.leakyRelu().toFloatArray());
    assertArrayEquals(new float[] {-1, 0.5f, 3}, a.leakyRelu(0.5).toFloatArray());
    assertArrayEquals(new float[] {-1, 0.5f, 2}, Operators.unaryWith(UnaryOp.CLIP, a, new double[] {-1, 2}).toFloatArray());
    fails(InvalidArgumentException.class, () -> Operators.unaryWith(UnaryOp.CLIP, a, new double[20]), "Tensor.clip");
    final Tensor zero = engine.full(device, DType.F32, 0, 3);
    assertArrayEquals(a.smoothL1(zero).toFloatArray(), a.smoothL1(zero, 1).toFloatArray());
    assertArrayEquals(new float[] {1.5f, 0.125f, 2.5f}, Operators.binaryWith(BinaryOp.SMOOTH_L1, a, zero, new double[] {1}).toFloatArray());
    assertArrayEquals(new float[] {4, 0.25f, 9}, a.fma(a, zero).toFloatArray());
    assertArrayEquals(new float[] {-1, -0.5f, 0}, zero.sub(1).lerp(a.sub(a), engine.tensor(device, new float[] {0, 0.5f, 1})).toFloatArray());
    assertArrayEquals(new float[] {0, 0.5f, 3}, Operators.ternary(TernaryOp.CLAMP, a, zero, a.abs()).toFloatArray());
    assertArrayEquals(new float[] {-6, 1.5f, 9}, Operators.addN(a, a, a).toFloatArray());
    fails(InvalidArgumentException.class, () -> Operators.addN(), "Operators.addN");
    fails(NullPointerException.class, () -> Operators.addN(new Tensor[20]));
    final Tensor[] closed = {a, a.neg()};
    closed[1].close();
    fails(InvalidStateException.class, () -> Operators.addN(closed), "tensor is closed");
    assertArrayEquals(new float[] {-2, 0.5f, 3}, a.toFloatArray());
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void reductions(Device device) {
    final Tensor a = engine.tensor(device, new float[] {3, 1, 2, 6, 5, 4}, 2, 3);
    assertArrayEquals(new float[] {6, 15}, a.sum(1).toFloatArray());
    assertArrayEquals(new float[] {4.5f, 3, 3}, a.mean(0).toFloatArray());
    assertEquals(6, a.max().item());
    assertEquals(1, a.min(0, 1).item());
    assertArrayEquals(new long[] {0, 0}, a.argmax(-1).toLongArray());
    assertArrayEquals(new long[] {1, 2}, a.argmin(-1).toLongArray());
    assertEquals(720, a.prod().item());
    assertEquals(1, a.gt(0).all().item());
    assertEquals(0, a.gt(6).any().item());
    assertArrayEquals(new long[] {2, 1}, Operators.reduce(ReduceOp.SUM, a, new int[] {1}, true).shape());
    assertArrayEquals(new float[] {3, 1, 2, 6, 5, 4}, Operators.reduce(ReduceOp.SUM, a, new int[0], false).toFloatArray(), "over no axis");
    final Tensor out = engine.empty(device, DType.F32, 2);
    assertSame(out, Operators.reduce(ReduceOp.MAX, a, new int[] {1}, false, out));
    assertArrayEquals(new float[] {3, 6}, out.toFloatArray());
    assertArrayEquals(new float[] {1, 1}, a.varWith(1, 1).toFloatArray(), "squares by two less one");
    assertArrayEquals(new float[] {6, 3, 2, 15, 9, 4}, Operators.cumulative(ReduceOp.SUM, a, 1, true).toFloatArray());
    fails(InvalidArgumentException.class, () -> a.sum(2), "Tensor.sum", "axes is 2");
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void formsThatTensorHasUnderOtherNames(Device device) {
    final Tensor x = engine.tensor(device, new float[] {1, 2, 3, 4}, 2, 2);
    assertArrayEquals(new float[] {3, 4, 5, 6}, Operators.binaryScalar(BinaryOp.ADD, x, 2).toFloatArray());
    final Tensor out = engine.empty(Device.CPU, DType.F32, 2, 2);
    assertSame(out, Operators.copyTo(x, Device.CPU, out));
    assertArrayEquals(x.toFloatArray(), out.toFloatArray());
    assertArrayEquals(new float[] {3, 7},
        Operators.reduceWith(ReduceOp.SUM, x, new int[] {1}, false, new double[0]).toFloatArray());
    final MatmulOptions loose = new MatmulOptions().allowTf32(true);
    assertTrue(loose.allowTf32());
    assertArrayEquals(new float[] {7, 10, 15, 22}, Operators.matmul(x, x, loose).toFloatArray(), 0.02f);
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void convolutions(Device device) {
    final Tensor x = engine.tensor(device, new float[] {1, 2, 3, 4, 5, 6}, 1, 2, 3);
    final Tensor w = engine.tensor(device, new float[] {1, 10, 2, 1}, 2, 1, 2);
    final Tensor residual = engine.tensor(device, new float[] {1, 1, 1, 1}, 1, 2, 2);
    final ConvolutionOptions options = new ConvolutionOptions().groups(2).residual(residual).allowTf32(true)
        .scale(engine.tensor(device, new float[] {1, 2})).bias(engine.tensor(device, new float[] {-32, 0}))
        .activation(Activation.RELU).deterministic(true);
    assertArrayEquals(new float[] {0, 1, 27, 33}, Operators.convolution(x, w, options).toFloatArray());
    final ConvolutionOptions wide =
        new ConvolutionOptions().groups(2).stride(2).padding(1).paddingEnd(2).dilation(2);
    assertArrayEquals(new long[] {2}, wide.stride());
    final Tensor y = Operators.convolution(x, w, wide);
    assertArrayEquals(new float[] {20, 2, 5, 10}, y.toFloatArray());
    assertArrayEquals(new float[] {4, 40, 50, 25},
        Operators.convolutionFilterGrad(x, y, new long[] {2}, wide).toFloatArray());
    final ConvolutionOptions back = new ConvolutionOptions().groups(2).stride(2).dilation(2).transposed(true)
        .outputPadding(1);
    assertArrayEquals(new long[] {1, 2, 6}, Operators.convolution(y, w, back).shape());
    fails(InvalidArgumentException.class, () -> Operators.convolution(x, w, null), "Operators.convolution", "groups");
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void matrices(Device device) {
    final Tensor a = engine.tensor(device, new float[] {1, 2, 3, 4, 5, 6}, 2, 3);
    final Tensor b = engine.tensor(device, new float[] {1, 0, 0, 1, 1, -1}, 3, 2);
    assertArrayEquals(new float[] {4, -1, 10, -1}, a.matmul(b).toFloatArray());
    final Tensor bias = engine.tensor(device, new float[] {1, 0});
    final MatmulOptions options = new MatmulOptions().bias(bias).activation(Activation.RELU);
    assertArrayEquals(new float[] {5, 0, 11, 0}, a.matmul(b, options).toFloatArray());
    final MatmulOptions limited = new MatmulOptions().bias(bias).activation(Activation.RELU6);
    assertArrayEquals(new float[] {5, 0, 6, 0}, a.matmul(b, limited).toFloatArray());
    final float below = (float) (-1 / (1 + Math.E)), above = (float) (4 / (1 + Math.exp(-4)));
    assertArrayEquals(new float[] {above, below, (float) (10 / (1 + Math.exp(-10))), below},
        a.matmul(b, new MatmulOptions().activation(Activation.SILU)).toFloatArray(), 1e-5f);
    assertSame(bias, options.bias());
    final MatmulOptions transposed = new MatmulOptions().transposeA(true).transposeB(true);
    assertArrayEquals(new long[] {3, 3}, a.matmul(b, transposed).shape());
    final Tensor out = engine.empty(device, DType.F32, 2, 2);
    assertSame(out, Operators.matmul(a, b, null, out));
    assertArrayEquals(new float[] {4, -1, 10, -1}, out.toFloatArray());
    fails(InvalidArgumentException.class, () -> a.matmul(a), "Tensor.matmul");
    bias.close();
    fails(InvalidStateException.class, () -> a.matmul(b, options), "tensor is closed");
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void softmaxAndLosses(Device device) {
    final double log2 = Math.log(2);
    final Tensor logits = engine.tensor(device, new double[] {log2, 0, 0, log2}, 2, 2);
    final double[] want = {2 / 3.0, 1 / 3.0, 1 / 3.0, 2 / 3.0};
    final Tensor y = logits.softmax(-1);
    assertArrayEquals(want, y.toDoubleArray(), 1e-12);
    assertEquals(Math.log(2 / 3.0), Operators.logSoftmax(logits, 1).slice(1, 0, 1, 1).slice(0, 0, 1, 1).item(), 1e-12);
    final Tensor labels = engine.tensor(device, new int[] {0, 0});
    assertArrayEquals(new double[] {-Math.log(2 / 3.0), -Math.log(1 / 3.0)}, Operators.crossEntropy(logits, labels).toDoubleArray(), 1e-12);
    assertArrayEquals(new double[] {-1 / 3.0, 1 / 3.0, -2 / 3.0, 2 / 3.0}, Operators.crossEntropyGrad(logits, labels, 1).toDoubleArray(), 1e-12);
    final Tensor dy = engine.tensor(device, new double[] {1, 0, 0, 0}, 2, 2);
    assertArrayEquals(y.toDoubleArray(), Operators.softmaxWith(SoftmaxOp.SOFTMAX, logits, 1, 1, null).toDoubleArray());
    final Tensor lengths = engine.tensor(device, new int[] {1, 0});
    assertArrayEquals(new double[] {1, 0, 0, 0}, Operators.softmaxWith(SoftmaxOp.SOFTMIN, logits, 1, 2, lengths).toDoubleArray());
    assertArrayEquals(Operators.softmaxGrad(y, dy, 1).toDoubleArray(),
        Operators.softmaxGradWith(SoftmaxOp.SOFTMAX, y, dy, 1, 1, null).toDoubleArray());
    assertArrayEquals(new double[] {2 / 9.0, -2 / 9.0, 0, 0}, Operators.softmaxGrad(y, dy, 1).toDoubleArray(), 1e-12);
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void normalisedImages(Device device) {
    final Tensor a = engine.tensor(device, new double[] {1, 3, 4, 8}, 1, 2, 2);
    final Tensor mean = engine.tensor(device, new double[] {1, 4});
    final Tensor variance = engine.tensor(device, new double[] {4, 16});
    final NormOptions exact = new NormOptions().epsilon(0);
    assertArrayEquals(new double[] {0, 1, 0, 1}, Operators.batchNorm(a, mean, variance, exact).toDoubleArray(), 1e-12);
    final Tensor[] made = Operators.batchNormTraining(a, mean, variance, 0.5, exact);
    assertArrayEquals(new double[] {-1, 1, -1, 1}, made[0].toDoubleArray(), 1e-12);
    assertArrayEquals(new double[] {2, 6}, made[1].toDoubleArray(), 1e-12);
    assertArrayEquals(new double[] {1, 0.5}, made[2].toDoubleArray(), 1e-12);
    assertArrayEquals(new double[] {1.5, 5}, mean.toDoubleArray(), 1e-12);
    assertArrayEquals(new double[] {3, 12}, variance.toDoubleArray(), 1e-12);
    assertEquals(3, Operators.batchNormTraining(a, null, null, 0, null).length);
    final NormOptions all = new NormOptions().epsilon(0).weight(mean).bias(mean).residual(a).activation(Activation.RELU);
    assertArrayEquals(new double[] {1, 6, 4, 18}, Operators.groupNorm(a, 2, all).toDoubleArray(), 1e-12);
    assertArrayEquals(new double[] {-1, 1, -1, 1}, Operators.instanceNorm(a, exact).toDoubleArray(), 1e-12);
    assertArrayEquals(new double[] {0.5, 1.5, 2, 4}, Operators.localResponseNorm(a, 1, 0, 1, 2).toDoubleArray(), 1e-12);
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void attention(Device device) {
    final Tensor q = engine.tensor(device, new double[] {0, 0}, 1, 2, 1, 1);
    final Tensor v = engine.tensor(device, new double[] {1, 3}, 1, 2, 1, 1);
    final Tensor[] all = Operators.attention(q, q, v, null);
    assertArrayEquals(new double[] {2, 2}, all[0].toDoubleArray(), 1e-12);
    assertArrayEquals(new double[] {Math.log(2), Math.log(2)}, all[1].toDoubleArray(), 1e-12);
    final AttentionOptions causal = new AttentionOptions().causal(true);
    assertArrayEquals(new double[] {1, 2}, Operators.attention(q, q, v, causal)[0].toDoubleArray(), 1e-12);
    final AttentionOptions own = new AttentionOptions().before(0).after(0).softCap(2).alignedLast(true);
    assertArrayEquals(new double[] {1, 3}, Operators.attention(q, q, v, own)[0].toDoubleArray(), 1e-12);
    final Tensor one = engine.tensor(device, new int[] {1});
    final AttentionOptions first = new AttentionOptions().queryLengths(one).keyLengths(one);
    assertArrayEquals(new double[] {1, 0}, Operators.attention(q, q, v, first)[0].toDoubleArray(), 1e-12);
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void rotaryPositions(Device device) {
    final Tensor x = engine.tensor(device, new double[] {1, 0, 1, 0}, 1, 2, 1, 2);
    final double[] turned = {1, 0, Math.cos(1), Math.sin(1)};
    assertArrayEquals(turned, Operators.rotary(x, null).toDoubleArray(), 1e-12);
    final RotaryOptions back =
        new RotaryOptions().positions(engine.tensor(device, new int[] {0})).channels(2).base(7).interleaved(true).inverse(true);
    assertArrayEquals(new double[] {1, 0, Math.cos(1), -Math.sin(1)}, Operators.rotary(x, back).toDoubleArray(), 1e-12);
    assertArrayEquals(turned, Operators.rotary(x, new RotaryOptions().axis(-3)).toDoubleArray(), 1e-12);
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void gatedActivations(Device device) {
    final Tensor x = engine.tensor(device, new double[] {3, 5, -1, 2}, 4);
    final Tensor a = x.slice(0, 0, 2, 1);
    final Tensor gate = x.slice(0, 2, 4, 1);
    assertArrayEquals(new double[] {0, 10}, Operators.gated(UnaryOp.RELU, a, gate).toDoubleArray(), 1e-12);
    assertArrayEquals(new double[] {-3 / (1 + Math.E), 10 / (1 + Math.exp(-2))},
        Operators.gated(UnaryOp.SILU, a, gate).toDoubleArray(), 1e-12);
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void recurrentLayers(Device device) {
    final Tensor x = engine.tensor(device, new double[] {1, 2}, 2, 1, 1);
    final Tensor one = engine.tensor(device, new double[] {1}, 1, 1);
    final Tensor[] plain = Operators.rnn(x, new Tensor[] {one, one}, new RecurrentOptions().relu(true));
    assertArrayEquals(new double[] {1, 3}, plain[0].toDoubleArray(), 1e-12);
    assertArrayEquals(new double[] {3}, plain[1].toDoubleArray(), 1e-12);
    // All sums are 0: half of the state is left at each step, and nothing comes to it.
    final Tensor none = engine.tensor(device, new double[] {0, 0, 0}, 3, 1);
    final Tensor first = engine.tensor(device, new double[] {8}, 1, 1, 1);
    final RecurrentOptions from = new RecurrentOptions().firstH(first);
    assertArrayEquals(new double[] {4, 2}, Operators.gru(x, new Tensor[] {none, none}, from)[0].toDoubleArray(),
        1e-12);
    final Tensor four = engine.tensor(device, new double[] {0, 0, 0, 0}, 4, 1);
    final Tensor length = engine.tensor(device, new int[] {1});
    final RecurrentOptions cells = new RecurrentOptions().firstC(first).lengths(length).layers(1)
        .bidirectional(false).batchFirst(false);
    final Tensor[] made = Operators.lstm(x, new Tensor[] {four, four}, cells);
    assertArrayEquals(new double[] {0.5 * Math.tanh(4), 0}, made[0].toDoubleArray(), 1e-12);
    assertArrayEquals(new double[] {4}, made[2].toDoubleArray(), 1e-12);
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void bagsOfRows(Device device) {
    final Tensor a = engine.tensor(device, new float[] {1, 2, 3, 4}, 2, 2);
    final Tensor b = engine.tensor(device, new float[] {10, 20}, 1, 2);
    final Tensor[] tables = {a, b};
    final Tensor indices = engine.tensor(device, new int[] {0, 1, 0, 7}, 2, 1, 2);
    final Tensor bags = Operators.embeddingBag(tables, indices, null, BagMode.SUM);
    assertArrayEquals(new float[] {4, 6, 10, 20}, bags.toFloatArray());
    final Tensor list = engine.tensor(device, new int[] {1, -1, 0});
    final Tensor offsets = engine.tensor(device, new int[] {0, 2, 3});
    assertArrayEquals(new float[] {3, 4, 10, 20}, Operators.embeddingBag(tables, list, offsets, BagMode.MEAN).toFloatArray());
    final Tensor gradient = engine.tensor(device, new float[] {1, 1, 1, 2}, 1, 2, 2);
    final Tensor rate = engine.tensor(device, new float[] {0.5f});
    EmbeddingBag.descend(List.of(tables), indices, null, BagMode.SUM, gradient, rate);
    assertArrayEquals(new float[] {0.5f, 1.5f, 2.5f, 3.5f}, a.toFloatArray());
    assertArrayEquals(new float[] {9.5f, 19}, b.toFloatArray());
    EmbeddingBag.descend(List.of(tables), list, offsets, BagMode.MEAN, gradient, rate);
    assertArrayEquals(new float[] {2, 3}, Arrays.copyOfRange(a.toFloatArray(), 2, 4));
    final Tensor one = engine.tensor(device, new int[] {0, 0}, 2, 1, 1);
    final Tensor broken = engine.tensor(device, new float[] {1, 1, Float.NaN, 2}, 1, 2, 2);
    final float[] before = b.toFloatArray();
    final Tensor quarter = engine.tensor(device, new float[] {0.25f});
    EmbeddingBag.descend(List.of(tables), one, null, BagMode.SUM, broken, rate,
        new DescendOptions().finite(Operators.allFinite(broken)).scale(quarter));
    assertArrayEquals(before, b.toFloatArray());
    EmbeddingBag.descend(List.of(tables), one, null, BagMode.SUM, gradient, rate,
        new DescendOptions().finite(Operators.allFinite(gradient)).scale(quarter));
    assertArrayEquals(new float[] {before[0] - 0.125f, before[1] - 0.25f}, b.toFloatArray());
    fails(InvalidArgumentException.class, () -> EmbeddingBag.descend(List.of(tables), one, null, BagMode.SUM, gradient, rate,
        new DescendOptions().finite(quarter)), "EmbeddingBag.descend", "one element of bool is needed");
    fails(InvalidArgumentException.class,
        () -> EmbeddingBag.descend(List.of(a, a), indices, null, BagMode.SUM, gradient, rate), "EmbeddingBag.descend", "share memory");
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void productsOfWholeNumbers(Device device) {
    final Tensor a = engine.tensor(device, new float[] {3, -4, 5, 6}, 2, 2).cast(DType.I8);
    final Tensor one = engine.full(device, DType.I8, 1, 1);
    assertArrayEquals(new int[] {-11, -36, 45, 16}, Operators.matmulInteger(a, a, null, null).toIntArray());
    assertArrayEquals(new int[] {-16, -35, 28, 5}, Operators.matmulInteger(a, a, one, one).toIntArray());
    fails(InvalidArgumentException.class, () -> Operators.matmulInteger(a, engine.tensor(device, new float[] {1, 2}, 2, 1), null, null),
        "Operators.matmulInteger", "u8 or i8 is needed");
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void productsOfPairs(Device device) {
    final Tensor x = engine.tensor(device, new float[] {1, 2, 3, 4, 5, 6}, 1, 3, 2);
    assertArrayEquals(new float[] {11, 17, 39}, Operators.dotInteraction(x, false).toFloatArray());
    assertArrayEquals(new float[] {1, 2, 11, 17, 39}, Operators.dotInteraction(x, true).toFloatArray());
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void pooling(Device device) {
    final Tensor a = engine.tensor(device, new double[] {1, 3, 4, 8}, 1, 2, 2);
    final long[] two = {2};
    final long[] one = {1};
    assertArrayEquals(new double[] {3, 8}, Operators.maxPool(a, two, null).toDoubleArray());
    final PoolOptions wide = new PoolOptions().stride(1).padding(1).paddingEnd(0).dilation(1).countIncludePad(false);
    assertArrayEquals(new double[] {1, 2, 4, 6}, Operators.avgPool(a, two, wide).toDoubleArray());
    assertArrayEquals(new long[] {1, 2, 1}, Operators.avgPool(a, two, new PoolOptions().ceilMode(true)).shape());
    assertArrayEquals(new double[] {3, 8}, Operators.adaptiveMaxPool(a, one).toDoubleArray());
    assertArrayEquals(new double[] {2, 6}, Operators.adaptiveAvgPool(a, one).toDoubleArray());
    assertArrayEquals(new double[] {1, 2, 3, 4, 6, 8}, Operators
        .resize(a, new long[] {3}, ResizeMode.LINEAR, ResizeOrigin.ALIGN_CORNERS).toDoubleArray(), 1e-12);
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void normalisations(Device device) {
    final Tensor a = engine.tensor(device, new double[] {1, 3, -2, 2}, 2, 2);
    final Tensor weight = engine.tensor(device, new double[] {1, 10});
    assertArrayEquals(new double[] {-1, 1, -1, 1}, Operators.layerNorm(a, -1, null, null, 0).toDoubleArray(), 1e-12);
    assertArrayEquals(new double[] {0, 20, 0, 20}, Operators.layerNorm(a, 1, weight, weight, 0).toDoubleArray(), 1e-12);
    assertArrayEquals(new double[] {1 / Math.sqrt(5), 30 / Math.sqrt(5), -1, 10},
        Operators.rmsNorm(a, 1, weight, 0).toDoubleArray(), 1e-12);
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void choosingAndIndexing(Device device) {
    final Tensor condition = engine.tensor(device, new boolean[] {true, false});
    final Tensor a = engine.tensor(device, new float[] {1, 2});
    final Tensor b = engine.tensor(device, new float[] {8, 9});
    assertArrayEquals(new float[] {1, 9}, Operators.where(condition, a, b).toFloatArray());
    final Tensor indices = engine.tensor(device, new int[] {1, 0});
    assertArrayEquals(new float[] {0, 1, 0, 1, 0, 0}, Operators.oneHot(indices, 3, DType.F32).toFloatArray());
    final Tensor table = engine.tensor(device, new float[] {1, 2, 3, 4}, 2, 2);
    assertArrayEquals(new float[] {3, 4, 1, 2}, Operators.gatherRows(table, indices).toFloatArray());
    assertArrayEquals(new float[] {1, 3, 2, 4}, table.transpose().copy().toFloatArray());
    assertEquals(Device.CPU, table.to(Device.CPU).device());
    assertArrayEquals(new int[] {1, 2}, a.cast(DType.I32).toIntArray());
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void movingElements(Device device) {
    final Tensor a = engine.tensor(device, new float[] {3, 1, 2, 4}, 2, 2);
    final Tensor[] twice = {a, a};
    assertArrayEquals(new float[] {3, 1, 3, 1, 2, 4, 2, 4}, Operators.concat(twice, 1).toFloatArray());
    assertArrayEquals(new float[] {3, 1, 2, 4, 3, 1, 2, 4}, Operators.stack(twice, 0).toFloatArray());
    assertArrayEquals(new float[] {3, 3, 1, 2, 2, 4}, Operators.pad(a, PadMode.EDGE, new long[] {0, 0, 1, 0}, 0).toFloatArray());
    assertArrayEquals(new float[] {3, 1, 2, 4, 3, 1, 2, 4}, Operators.tile(a, new long[] {2, 1}).toFloatArray());
    assertArrayEquals(new float[] {3, 1, 3, 1, 2, 4, 2, 4}, Operators.repeat(a, 2, 0).toFloatArray());
    assertArrayEquals(new float[] {1, 3, 4, 2}, Operators.roll(a, new long[] {0, 1}).toFloatArray());
    assertArrayEquals(new float[] {3, 0, 2, 4}, Operators.tril(a, 0).toFloatArray());
    assertArrayEquals(new float[] {3, 1, 0, 4}, Operators.triu(a, 0).toFloatArray());
    assertArrayEquals(new float[] {0, 1}, Operators.eye(engine, device, DType.F32, 1, 2, 1).toFloatArray());
    final Tensor last = engine.tensor(device, new long[] {-1}, 1, 1);
    assertArrayEquals(new float[] {1, 4}, Operators.take(a, last, 1).toFloatArray());
    assertArrayEquals(new float[] {1, 4}, Operators.takeAlongAxis(a, last, 1).toFloatArray());
    assertArrayEquals(new float[] {1, 3, 2, 4}, Operators.sort(a, 1, false).toFloatArray());
    assertArrayEquals(new long[] {0, 1, 1, 0}, Operators.argsort(a, 1, true).toLongArray());
    final Tensor[] top = Operators.topk(a, 1, 1, true);
    assertArrayEquals(new float[] {3, 4}, top[0].toFloatArray());
    assertArrayEquals(new long[] {0, 1}, top[1].toLongArray());
    final Tensor large = Operators.binaryScalar(BinaryOp.GT, a, 2);
    assertArrayEquals(new long[] {0, 0, 1, 1}, Operators.nonzero(large).toLongArray());
    final Tensor[] places = Operators.nonzeroLimit(large, 3, -1);
    assertArrayEquals(new long[] {0, 0, 1, 1, -1, -1}, places[0].toLongArray());
    assertArrayEquals(new long[] {2}, places[1].toLongArray());
    assertArrayEquals(new float[] {3, 4}, Operators.select(a, large).toFloatArray());
    final Tensor[] chosen = Operators.selectLimit(a, large, 3, 7);
    assertArrayEquals(new float[] {3, 4, 7}, chosen[0].toFloatArray());
    assertArrayEquals(new long[] {2}, chosen[1].toLongArray());
    assertArrayEquals(new long[] {0}, Operators.randomPermutation(engine, device, DType.I64, 1).toLongArray());
    assertArrayEquals(new float[] {1, 3, 4, 2}, a.flip(1).copy().toFloatArray());
    final Tensor b = a.copy();
    b.put(last.reshape(1), engine.tensor(device, new float[] {8, 9}, 2, 1), 1);
    assertArrayEquals(new float[] {3, 8, 2, 9}, b.toFloatArray());
    b.accumulator().putAlongAxis(last, engine.tensor(device, new float[] {1}), 0);
    assertArrayEquals(new float[] {3, 8, 3, 10}, b.toFloatArray());
    assertArrayEquals(new float[] {1, 1.5f}, Operators.arange(engine, device, DType.F32, 1, 2, 0.5).toFloatArray());
    assertArrayEquals(new long[] {5, 3}, Operators.arangeI64(engine, device, DType.I64, 5, 1, -2).toLongArray());
    assertArrayEquals(new float[] {1, 2}, Operators.linspace(engine, device, DType.F32, 1, 2, 2, true).toFloatArray());
    assertArrayEquals(new float[] {2, 4}, a.split(0, 2, 1).toFloatArray());
  }

  @ParameterizedTest
  @MethodSource("dev.rondo.Devices#all")
  void dropout(Device device) {
    final Tensor a = engine.full(device, DType.F32, 1, 1000);
    try (Dropout dropout = a.dropout(0.5)) {
      final byte[] mask = dropout.mask().toByteArray();
      final float[] out = dropout.out().toFloatArray();
      int left = 0;
      for (int i = 0; i < out.length; ++i) {
        assertEquals(2.0f * mask[i], out[i]);
        left += mask[i];
      }
      assertTrue(left > 400 && left < 600, left + " left");
      assertArrayEquals(out, Operators.dropoutGrad(a, dropout.mask(), 0.5).toFloatArray());
      final Tensor into = engine.empty(device, DType.F32, 1000);
      final Tensor[] results = Operators.dropout(a, 0, into, dropout.mask());
      assertSame(into, results[0]);
      assertSame(dropout.mask(), results[1]);
      assertArrayEquals(a.toFloatArray(), into.toFloatArray());
    }
  }

  @Test
  void operandsMustFit() {
    final Tensor a = engine.tensor(Device.CPU, new float[] {1, 2});
    fails(InvalidArgumentException.class, () -> a.add(engine.tensor(Device.CPU, new float[] {1, 2, 3})), "Tensor.add");
    fails(InvalidArgumentException.class, () -> a.cast(DType.I32).add(0.5), "Tensor.add");
    fails(NullPointerException.class, () -> a.add(null));
    try (Engine other = Engine.create(); Tensor foreign = other.tensor(Device.CPU, new float[] {1, 2})) {
      fails(InvalidArgumentException.class, () -> a.add(foreign), "engine");
    }
  }
}
