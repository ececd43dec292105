// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.Objects;

/**
 * While it is open, operators that its thread calls on tensors of its engine compute in the precision that suits them: products in 16 bits,
 * what would lose too much in {@link DType#F32}. Operands are cast by operators like others, which recordings and tapes see; what was cast
 * once is cast again only if it was written since.
 *
 * <pre>{@code
 * Tensor loss;
 * try (Autocast half = engine.autocast(DType.F16)) {
 *   loss = x.matmul(weight).square().mean();
 * }
 * }</pre>
 *
 * <p>They nest: the innermost counts. Each is closed by the thread that opened it, the last one first.
 */
public final class Autocast implements AutoCloseable {
  private final Thread thread = Thread.currentThread();
  private final Engine engine;
  private boolean closed;

  Autocast(Engine engine, DType dtype) {
    VirtualThreads.refuse("autocast scope");
    this.engine = engine;
    final long address = engine.acquire();
    try {
      NativeMixedPrecision.autocastBegin(address, Objects.requireNonNull(dtype, "dtype"));
    } finally {
      engine.release();
    }
  }

  /**
   * Sets what the scope does with an operator from here on.
   *
   * @param operation the operator's name: "exp", "sum", "matmul", "concat"; or that of an expression which is not closed, for texts of that
   *     name
   * @param precision what it computes in
   * @return this
   * @throws InvalidArgumentException for what is no operator's name
   * @throws InvalidStateException if it is closed, or in another thread
   */
  public Autocast set(String operation, Precision precision) {
    Objects.requireNonNull(operation, "operation");
    Objects.requireNonNull(precision, "precision");
    check();
    if (closed) {
      throw new InvalidStateException("this autocast scope is closed", null);
    }
    final long address = engine.acquire();
    try {
      NativeMixedPrecision.autocastSet(address, operation, precision);
    } finally {
      engine.release();
    }
    return this;
  }

  /**
   * Ends the scope. Closing twice does nothing.
   *
   * @throws InvalidStateException in another thread
   */
  @Override
  public void close() {
    check();
    if (!closed) {
      closed = true;
      if (engine.isClosed()) {
        return; // the scope went with it
      }
      final long address = engine.acquire();
      try {
        NativeMixedPrecision.autocastEnd(address);
      } finally {
        engine.release();
      }
    }
  }

  private void check() {
    if (Thread.currentThread() != thread) {
      throw new InvalidStateException("this autocast scope belongs to the thread " + thread.getName(), null);
    }
  }
}
