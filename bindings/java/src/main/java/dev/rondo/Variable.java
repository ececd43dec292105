// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Something tasks read or write that is not a tensor: it carries order, version and error, no data. */
public final class Variable extends NativeObject implements Dependency {
  private final Engine engine;

  Variable(Engine engine, long address) {
    super("variable", address, engine.gate(), NativeEngine::variableDestroy);
    this.engine = engine;
    Scope.add(this);
  }

  /**
   * The engine it belongs to.
   *
   * @return the engine
   */
  public Engine engine() {
    return engine;
  }

  /**
   * The number of completed or issued writes. Does not block.
   *
   * @return the number
   */
  public long version() {
    final long address = acquire();
    try {
      return NativeEngine.variableVersion(address);
    } finally {
      release();
    }
  }

  @Override
  public void await() {
    final long address = acquire();
    try {
      Waits.await(limit -> NativeEngine.variableWaitFor(address, limit), () -> Engine.watch(this));
    } finally {
      release();
    }
  }

  @Override
  public boolean await(Duration limit) {
    final long address = acquire();
    try {
      return Waits.await(milliseconds -> NativeEngine.variableWaitFor(address, milliseconds), () -> Engine.watch(this), limit);
    } finally {
      release();
    }
  }

  @Override
  public String toString() {
    return isClosed() ? "Variable[closed]" : "Variable[version=" + version() + "]";
  }

  /**
   * Waits without blocking. What is chained to the future runs on threads for that, unless it is given an executor ({@code
   * thenRunAsync} and the like); there it may wait for other futures, and holds up no other wait.
   *
   * @return completed when every task submitted before that uses this variable has finished; exceptionally with a {@link
   *     RondoException} if the variable is poisoned
   */
  public CompletableFuture<Void> awaitAsync() {
    return Continuations.of(Engine.watch(this));
  }
}
