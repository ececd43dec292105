// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

/**
 * A graph together with what the recorded function returned: the tensors that each launch writes. Made by {@link Engine#record}.
 *
 * <pre>{@code
 * Recorded<Tensor> step = engine.record(() -> x.matmul(w).relu());
 * step.launch();
 * float[] values = step.value().toFloatArray();
 * }</pre>
 *
 * @param <T> what the function returned
 */
public final class Recorded<T> extends Graph {
  private final T value;

  Recorded(Engine engine, long address, T value) {
    super(engine, address);
    this.value = value;
  }

  /**
   * What the recorded function returned. Its tensors are outputs of the graph, belong to the caller and outlive it.
   *
   * @return the tensor, or what holds them
   */
  public T value() {
    return value;
  }
}
