// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One argument of an {@link Expression} or of a kernel of a {@link CudaModule}: a tensor or a number, with its name. */
public final class Argument {
  private final String name;
  private final ArgumentKind kind;
  private final @Nullable Tensor tensor;
  private final double scalar;
  private final long integer;

  private Argument(String name, ArgumentKind kind, @Nullable Tensor tensor, double scalar, long integer) {
    this.name = Objects.requireNonNull(name, "name");
    this.kind = kind;
    this.tensor = tensor;
    this.scalar = scalar;
    this.integer = integer;
  }

  /**
   * A tensor.
   *
   * @param name of the operand
   * @param tensor the tensor
   * @return the argument
   */
  public static Argument of(String name, Tensor tensor) {
    return new Argument(name, ArgumentKind.TENSOR, Objects.requireNonNull(tensor, "tensor"), 0, 0);
  }

  /**
   * A number, which takes the dtype of what it meets.
   *
   * @param name of the operand
   * @param scalar the number
   * @return the argument
   */
  public static Argument of(String name, double scalar) {
    return new Argument(name, ArgumentKind.SCALAR, null, scalar, 0);
  }

  /**
   * A whole number, exact to 64 bits.
   *
   * @param name of the operand
   * @param integer the number
   * @return the argument
   */
  public static Argument of(String name, long integer) {
    return new Argument(name, ArgumentKind.INTEGER, null, 0, integer);
  }

  /**
   * The name of the operand.
   *
   * @return the name
   */
  public String name() {
    return name;
  }

  /**
   * What the argument is.
   *
   * @return the kind
   */
  public ArgumentKind kind() {
    return kind;
  }

  /**
   * The tensor; null for a number.
   *
   * @return the tensor
   */
  public @Nullable Tensor tensor() {
    return tensor;
  }

  /**
   * The number of an argument of {@link ArgumentKind#SCALAR}.
   *
   * @return the number
   */
  public double scalar() {
    return scalar;
  }

  /**
   * The number of an argument of {@link ArgumentKind#INTEGER}.
   *
   * @return the number
   */
  public long integer() {
    return integer;
  }
}
