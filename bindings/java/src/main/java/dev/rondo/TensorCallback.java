// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Where the native part enters Java for a function of the user's that makes tensors of tensors: a gradient, or a graph function. What it
 * throws ends here.
 */
final class TensorCallback {
  private final Engine engine;
  private final CustomGradient function;
  private final String expected;

  /** expected: format of the exception's text, for another number of tensors than is wanted. */
  TensorCallback(Engine engine, CustomGradient function, String expected) {
    this.engine = engine;
    this.function = function;
    this.expected = expected;
  }

  /** Fills the addresses of what the function makes, 0 for null. Called by the native part, below a call of Java's; returns a status. */
  static int run(TensorCallback body, long[] given, long[] made) {
    final ThreadState state = ThreadState.current();
    ++state.calls;
    try {
      body.fill(given, made);
      return Status.OK.value();
    } catch (Throwable e) { // whatever it is, it must not go on into C
      for (final long each : made) {
        NativeTensor.tensorDestroy(each); // 0 is allowed
      }
      state.callbackFailure = e;
      return e instanceof RondoException ? ((RondoException) e).status().value() : Status.USER_ERROR.value();
    } finally {
      --state.calls;
    }
  }

  private void fill(long[] given, long[] made) throws Exception {
    Sites.begun(); // a graph function may be recorded
    final Scope scope = Scope.open();
    try (scope) {
      final List<Tensor> borrowed = new ArrayList<>();
      for (final long each : given) {
        borrowed.add(Tensor.made(engine, view(each))); // of its own, which the last use gives back: another thread may be in a call with it
      }
      final List<Tensor> results = NativeObject.now(function.gradients(Collections.unmodifiableList(borrowed)));
      if (results.size() != made.length) {
        throw new InvalidArgumentException(String.format(Locale.ROOT, expected, results.size(), made.length), null);
      }
      for (int i = 0; i < made.length; ++i) {
        made[i] = results.get(i) == null ? 0 : handleOf(results.get(i));
      }
    }
  }

  /** Another handle of the same view, for C to own: the user may close this one, or keep it. */
  private static long handleOf(Tensor tensor) {
    final long address = tensor.acquire();
    try {
      return view(address);
    } finally {
      tensor.release();
    }
  }

  /** A handle of the same view. */
  static long view(long address) {
    return NativeTensor.tensorTranspose(address, IntStream.range(0, NativeTensor.tensorQuery(address).ndim()).toArray());
  }
}
