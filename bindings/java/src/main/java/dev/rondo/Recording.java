// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

/**
 * An open recording, as {@link Engine#record} hands it to what records. It is a scope as well: tensors made in it are temporaries
 * of the graph and closed at its end, except those that are kept, which are its outputs.
 */
public final class Recording {
  private final Engine engine;
  private final Scope scope;

  Recording(Engine engine, Scope scope) {
    this.engine = engine;
    this.scope = scope;
  }

  /**
   * Makes a tensor an output: each launch of the graph writes it, and it outlives the recording. The caller closes it.
   *
   * @param tensor a tensor made in this recording; another one is not affected
   * @return the tensor
   */
  public Tensor keep(Tensor tensor) {
    return scope.keep(tensor);
  }

  /**
   * The engine that records.
   *
   * @return the engine
   */
  public Engine engine() {
    return engine;
  }
}
