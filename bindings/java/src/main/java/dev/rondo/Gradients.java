// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/** Where the native part enters Java for a gradient of the user. What it throws ends here. */
final class Gradients {
  private final Engine engine;
  private final CustomGradient gradient;

  Gradients(Engine engine, CustomGradient gradient) {
    this.engine = engine;
    this.gradient = gradient;
  }

  /** Fills the addresses of the inputs' gradients, 0 for zero. Called by the native part, below Tape.gradients; returns a status. */
  static int run(Gradients body, long[] given, long[] made) {
    final ThreadState state = ThreadState.current();
    ++state.calls;
    try {
      body.fill(given, made);
      return Status.OK.value();
    } catch (Throwable e) { // whatever it is, it must not go on into C
      for (final long each : made) {
        NativeTensor.tensorDestroy(each); // 0 is allowed
      }
      state.gradientFailure = e;
      return e instanceof RondoException ? ((RondoException) e).status().value() : Status.USER_ERROR.value();
    } finally {
      --state.calls;
    }
  }

  private void fill(long[] given, long[] made) throws Exception {
    final Scope scope = Scope.open();
    try (scope) {
      final List<Tensor> borrowed = new ArrayList<>();
      for (final long each : given) {
        borrowed.add(Tensor.borrowed(engine, each));
      }
      final List<Tensor> results = gradient.gradients(Collections.unmodifiableList(borrowed));
      if (results.size() != made.length) {
        throw new InvalidArgumentException("the custom gradient gives " + results.size() + " tensors for " + made.length
            + " inputs; one for each is needed, null for zero", null);
      }
      for (int i = 0; i < made.length; ++i) {
        made[i] = results.get(i) == null ? 0 : handleOf(results.get(i));
      }
    }
  }

  /** Another handle of the same view, for C to own: the user may close this one, or keep it. */
  private static long handleOf(Tensor tensor) {
    final int ndim = tensor.info().ndim();
    final long address = tensor.acquire();
    try {
      return NativeTensor.tensorTranspose(address, IntStream.range(0, ndim).toArray());
    } finally {
      tensor.release();
    }
  }
}
