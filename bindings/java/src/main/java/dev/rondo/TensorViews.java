// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.Objects;

/** The views of a tensor, and what is written through indices. */
abstract class TensorViews extends TensorOperators {
  TensorViews(long address, Gate gate, Handle.Destroyer destroyer) {
    super(address, gate, destroyer);
  }

  /**
   * The same elements in row-major order under another shape.
   *
   * @param shape the size of each dimension; one may be -1
   * @return a view
   * @throws InvalidArgumentException if that needs a copy: {@link #copy} first
   */
  public Tensor reshape(long... shape) {
    final long address = acquire();
    try {
      return new Tensor(self().engine(), NativeTensor.tensorReshape(address, Objects.requireNonNull(shape, "shape")));
    } finally {
      release();
    }
  }

  /**
   * A part of one axis, as slices in Python.
   *
   * @param axis which
   * @param start the first element; negative counts from the end
   * @param stop the element that ends it; {@link Long#MAX_VALUE}: to the end
   * @param step from one element to the next; not 0
   * @return a view
   */
  public Tensor slice(int axis, long start, long stop, long step) {
    final long address = acquire();
    try {
      return new Tensor(self().engine(), NativeTensor.tensorSlice(address, axis, start, stop, step));
    } finally {
      release();
    }
  }

  /**
   * Writes values where indices say, as {@link Operators#take} with them then gives; into a
   * {@linkplain #accumulator() view that accumulates} they are added.
   *
   * @param indices of i32 or i64
   * @param values what is written, of this dtype
   * @param axis which
   */
  public void put(Tensor indices, Tensor values, int axis) {
    putInto(indices, values, axis, NativeShapes::put);
  }

  /**
   * Writes values of each line along an axis where its line of the indices says; into a
   * {@linkplain #accumulator() view that accumulates} they are added.
   *
   * @param indices of i32 or i64
   * @param values what is written, of this dtype
   * @param axis which
   */
  public void putAlongAxis(Tensor indices, Tensor values, int axis) {
    putInto(indices, values, axis, NativeShapes::putAlongAxis);
  }

  private interface Put {
    void call(long tensor, long indices, long values, int axis);
  }

  private void putInto(Tensor indices, Tensor values, int axis, Put put) {
    final NativeObject.Uses uses = NativeObject.use(new Tensor[] {self(), indices, values});
    try {
      put.call(uses.addresses()[0], uses.addresses()[1], uses.addresses()[2], axis);
    } finally {
      uses.end();
    }
  }

  /**
   * The elements of some axes in reverse order.
   *
   * @param axes each axis once; none: all of them
   * @return a view
   */
  public Tensor flip(int... axes) {
    final long address = acquire();
    try {
      return new Tensor(self().engine(), NativeTensor.tensorFlip(address, Objects.requireNonNull(axes, "axes")));
    } finally {
      release();
    }
  }

  /**
   * One of so many parts of an axis; the first ones have an element more where it does not divide.
   *
   * @param axis which
   * @param parts how many there are
   * @param part which of them, from 0
   * @return a view
   */
  public Tensor split(int axis, long parts, long part) {
    final long address = acquire();
    try {
      return new Tensor(self().engine(), NativeTensor.tensorSplit(address, axis, parts, part));
    } finally {
      release();
    }
  }

  /**
   * The axes in another order.
   *
   * @param axes each axis once; none: reversed
   * @return a view
   */
  public Tensor transpose(int... axes) {
    final int ndim = self().info().ndim();
    if (axes.length != 0 && axes.length != ndim) { // C takes as many as there are dimensions
      throw new InvalidArgumentException("transpose: " + axes.length + " axes given for a tensor of " + ndim + " dimensions", null);
    }
    final long address = acquire();
    try {
      return new Tensor(self().engine(), NativeTensor.tensorTranspose(address, axes.length == 0 ? null : axes));
    } finally {
      release();
    }
  }

  /**
   * Elements repeated to a shape by NumPy's rules.
   *
   * @param shape the size of each dimension
   * @return a view that can only be read
   */
  public Tensor broadcast(long... shape) {
    final long address = acquire();
    try {
      return new Tensor(self().engine(), NativeTensor.tensorBroadcast(address, Objects.requireNonNull(shape, "shape")));
    } finally {
      release();
    }
  }

  /**
   * A view to which an operator that writes it adds, for gradients that sum.
   *
   * @return a view that can only be an output
   */
  public Tensor accumulator() {
    final long address = acquire();
    try {
      return new Tensor(self().engine(), NativeTensor.tensorAccumulator(address));
    } finally {
      release();
    }
  }
}
