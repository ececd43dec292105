// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

/** What users of DJL and of ONNX Runtime write, by their names; docs/java.md has the list. */
abstract class TensorAliases extends TensorContents {
  TensorAliases(long address, Gate gate, Handle.Destroyer destroyer) {
    super(address, gate, destroyer);
  }

  // --- facts

  /**
   * {@link Tensor#shape()}.
   *
   * @return a new array
   */
  public long[] getShape() {
    return self().shape();
  }

  /**
   * {@link Tensor#dtype()}.
   *
   * @return the dtype
   */
  public DType getDataType() {
    return self().dtype();
  }

  /**
   * {@link Tensor#device()}.
   *
   * @return the device
   */
  public Device getDevice() {
    return self().device();
  }

  /**
   * {@link Tensor#info()}.
   *
   * @return the facts
   */
  public TensorInfo getInfo() {
    return self().info();
  }

  /**
   * {@link #toArray()}.
   *
   * @return a new array, or a number
   */
  public Object getValue() {
    return toArray();
  }

  /**
   * Whether another tensor has this one's shape and dtype, and equal elements; NaN equals nothing. Waits for both.
   *
   * @param other of the same device
   * @return true if so
   */
  public boolean contentEquals(Tensor other) {
    if (other.dtype() != self().dtype() || !java.util.Arrays.equals(other.shape(), self().shape())) {
      return false;
    }
    try (Tensor equal = eq(other); Tensor all = equal.all()) {
      return all.getBoolean();
    }
  }

  // --- others like this one

  /**
   * A tensor of zeros with this one's device, dtype and shape.
   *
   * @return a new tensor
   */
  public Tensor zerosLike() {
    return self().engine().full(self().device(), self().dtype(), 0, self().shape());
  }

  /**
   * A tensor of ones with this one's device, dtype and shape.
   *
   * @return a new tensor
   */
  public Tensor onesLike() {
    return self().engine().full(self().device(), self().dtype(), 1, self().shape());
  }

  /**
   * {@link Tensor#copy()}.
   *
   * @return a new tensor
   */
  public Tensor duplicate() {
    return self().copy();
  }

  /**
   * {@link Tensor#cast}, or where the dtype is this tensor's and no copy is asked for, a view.
   *
   * @param dtype which
   * @param copy whether to copy what has the dtype already
   * @return a new tensor, which is closed by itself
   */
  public Tensor toType(DType dtype, boolean copy) {
    return dtype != self().dtype() ? self().cast(dtype) : copy ? self().copy() : view(self().shape());
  }

  // --- operators

  /**
   * {@link Tensor#matmul(Tensor)}.
   *
   * @param other the second operand
   * @return a new tensor
   */
  public Tensor matMul(Tensor other) {
    return self().matmul(other);
  }

  /**
   * {@link #argmax(int...)} over one axis.
   *
   * @param axis which; negative counts from the end
   * @return a new tensor, of {@link DType#I64}
   */
  public Tensor argMax(int axis) {
    return argmax(axis);
  }

  /**
   * {@link #argmin(int...)} over one axis.
   *
   * @param axis which; negative counts from the end
   * @return a new tensor, of {@link DType#I64}
   */
  public Tensor argMin(int axis) {
    return argmin(axis);
  }

  /**
   * {@link #l2Norm(int...)}: the root of the sum of squares.
   *
   * @param axes which; negative counts from the end; none: all
   * @return a new tensor
   */
  public Tensor norm(int... axes) {
    return l2Norm(axes);
  }

  /**
   * This tensor and another, one after the other along the first axis.
   *
   * @param other the second part
   * @return a new tensor
   */
  public Tensor concat(Tensor other) {
    return concat(other, 0);
  }

  /**
   * This tensor and another, one after the other along an axis; of more, {@link Operators#concat}.
   *
   * @param other the second part
   * @param axis which; negative counts from the end
   * @return a new tensor
   */
  public Tensor concat(Tensor other, int axis) {
    return Operators.concat(new Tensor[] {self(), other}, axis);
  }

  // --- in place

  /**
   * {@link TensorOperators#add(double) add} written into this tensor.
   *
   * @param number the second operand; it takes this tensor's dtype
   * @return this tensor
   */
  public Tensor addi(double number) {
    return addInto(number, self());
  }

  /**
   * {@link TensorOperators#add(Tensor) add} written into this tensor.
   *
   * @param other the second operand, broadcast to this tensor
   * @return this tensor
   */
  public Tensor addi(Tensor other) {
    return addInto(other, self());
  }

  /**
   * {@link TensorOperators#sub(double) sub} written into this tensor.
   *
   * @param number the second operand; it takes this tensor's dtype
   * @return this tensor
   */
  public Tensor subi(double number) {
    return subInto(number, self());
  }

  /**
   * {@link TensorOperators#sub(Tensor) sub} written into this tensor.
   *
   * @param other the second operand, broadcast to this tensor
   * @return this tensor
   */
  public Tensor subi(Tensor other) {
    return subInto(other, self());
  }

  /**
   * {@link TensorOperators#mul(double) mul} written into this tensor.
   *
   * @param number the second operand; it takes this tensor's dtype
   * @return this tensor
   */
  public Tensor muli(double number) {
    return mulInto(number, self());
  }

  /**
   * {@link TensorOperators#mul(Tensor) mul} written into this tensor.
   *
   * @param other the second operand, broadcast to this tensor
   * @return this tensor
   */
  public Tensor muli(Tensor other) {
    return mulInto(other, self());
  }

  /**
   * {@link TensorOperators#div(double) div} written into this tensor.
   *
   * @param number the second operand; it takes this tensor's dtype
   * @return this tensor
   */
  public Tensor divi(double number) {
    return divInto(number, self());
  }

  /**
   * {@link TensorOperators#div(Tensor) div} written into this tensor.
   *
   * @param other the second operand, broadcast to this tensor
   * @return this tensor
   */
  public Tensor divi(Tensor other) {
    return divInto(other, self());
  }

  /**
   * {@link TensorOperators#mod(double) mod} written into this tensor.
   *
   * @param number the second operand; it takes this tensor's dtype
   * @return this tensor
   */
  public Tensor modi(double number) {
    return modInto(number, self());
  }

  /**
   * {@link TensorOperators#mod(Tensor) mod} written into this tensor.
   *
   * @param other the second operand, broadcast to this tensor
   * @return this tensor
   */
  public Tensor modi(Tensor other) {
    return modInto(other, self());
  }

  /**
   * {@link TensorOperators#pow(double) pow} written into this tensor.
   *
   * @param number the second operand; it takes this tensor's dtype
   * @return this tensor
   */
  public Tensor powi(double number) {
    return powInto(number, self());
  }

  /**
   * {@link TensorOperators#pow(Tensor) pow} written into this tensor.
   *
   * @param other the second operand, broadcast to this tensor
   * @return this tensor
   */
  public Tensor powi(Tensor other) {
    return powInto(other, self());
  }
}
