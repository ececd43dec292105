// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The gradient of a piece of work, as {@link Tape#customGradient} takes it. */
@FunctionalInterface
public interface CustomGradient {
  /**
   * Submits what makes the gradients of the inputs of those of the outputs. Called in the thread that asks for gradients. It is a
   * scope as well: what is made inside is closed at its end, and results go on to Rondo.
   *
   * @param outputGradients one per output, of its shape and dtype; zeros where none came. They are closed when this returns
   * @return one per input, of its shape and dtype, null for zero; may be those that were given
   * @throws Exception whatever it likes: {@link Tape#gradients(List, List, List, List)} throws a {@link RondoException} with it as
   *     cause
   */
  List<@Nullable Tensor> gradients(List<Tensor> outputGradients) throws Exception;
}
