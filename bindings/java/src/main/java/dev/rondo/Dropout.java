// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

/** The two results of {@link Tensor#dropout}. */
public final class Dropout implements AutoCloseable {
  private final Tensor out;
  private final Tensor mask;

  Dropout(Tensor out, Tensor mask) {
    this.out = out;
    this.mask = mask;
  }

  /**
   * What is left of the operand, scaled.
   *
   * @return the tensor
   */
  public Tensor out() {
    return out;
  }

  /**
   * Which elements are left: 1 or 0 each, for {@link Operators#dropoutGrad(Tensor, Tensor, double)}.
   *
   * @return a tensor of {@link DType#U8}
   */
  public Tensor mask() {
    return mask;
  }

  /** Closes both. */
  @Override
  public void close() {
    out.close();
    mask.close();
  }
}
