// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.List;

/** A function of tensors, as {@link Engine#graphFunction} takes it. */
@FunctionalInterface
public interface TensorFunction {
  /**
   * Submits what makes its results of its inputs. Called in a recording, once for each signature of inputs. It is a scope as well:
   * what is made inside is closed at its end, and results go on to Rondo.
   *
   * @param inputs only to be read; they are closed when this returns
   * @return as many tensors as the graph function was made with
   * @throws Exception whatever it likes: {@link GraphFunction#call} throws a {@link RondoException} with it as cause
   */
  List<Tensor> call(List<Tensor> inputs) throws Exception;
}
