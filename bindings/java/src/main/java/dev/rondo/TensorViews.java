// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/** The views of a tensor, and what is written through indices. */
abstract class TensorViews extends TensorOperators {
  TensorViews(long address, Gate gate, Handle.Destroyer destroyer) {
    super(address, gate, destroyer);
  }

  /**
   * The same elements in row-major order under another shape: a view where the strides allow it, else a copy. {@link #view} is never a copy.
   *
   * @param shape the size of each dimension; one may be -1
   * @return a view, or a new tensor
   */
  public Tensor reshape(long... shape) {
    final long[] sizes = Objects.requireNonNull(shape, "shape").clone();
    try {
      return shaped(sizes);
    } catch (InvalidArgumentException e) {
      if (self().info().contiguous()) {
        throw e;
      }
      try (Tensor whole = self().copy()) {
        return ((TensorViews) whole).shaped(sizes); // which says what is wrong with a shape of other elements
      }
    }
  }

  /**
   * The same elements in row-major order under another shape, without a copy: what is written into the view is written into this tensor.
   *
   * @param shape the size of each dimension; one may be -1
   * @return a view
   * @throws InvalidArgumentException if that needs a copy, as {@link #reshape} makes
   */
  public Tensor view(long... shape) {
    try {
      return shaped(Objects.requireNonNull(shape, "shape"));
    } catch (InvalidArgumentException e) {
      throw new InvalidArgumentException(e.getMessage().replace("Tensor.reshape:", "Tensor.view:"), e);
    }
  }

  private Tensor shaped(long[] shape) {
    final long address = acquire();
    try {
      return Tensor.made(self().engine(), NativeTensor.tensorReshape(address, shape));
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
      return Tensor.made(self().engine(), NativeTensor.tensorSlice(address, axis, start, stop, step));
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
      return Tensor.made(self().engine(), NativeTensor.tensorFlip(address, Objects.requireNonNull(axes, "axes")));
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
      return Tensor.made(self().engine(), NativeTensor.tensorSplit(address, axis, parts, part));
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
      return Tensor.made(self().engine(), NativeTensor.tensorTranspose(address, axes.length == 0 ? null : axes));
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
      return Tensor.made(self().engine(), NativeTensor.tensorBroadcast(address, Objects.requireNonNull(shape, "shape")));
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
      return Tensor.made(self().engine(), NativeTensor.tensorAccumulator(address));
    } finally {
      release();
    }
  }

  /**
   * A part, by indices as NumPy writes them: for each axis a number, which takes the axis away, or {@code start:stop:step}; {@code ...}
   * stands for the axes between.
   *
   * <pre>{@code
   * x.get("1:3, 0"); // of rows 1 and 2 the first column
   * x.get("..., ::-1"); // the last axis reversed
   * x.get("{}:", 2); // from row 2 on
   * }</pre>
   *
   * @param indices of the first axes; the others are taken whole
   * @param arguments what stands for each {@code {}}
   * @return a view
   * @throws InvalidArgumentException for a number outside of its axis, too many indices, or what is none
   * @see "DJL: NDIndex"
   */
  public Tensor get(String indices, long... arguments) {
    return part(Indices.of(Objects.requireNonNull(indices, "indices"), self().shape(), Objects.requireNonNull(arguments, "arguments")));
  }

  /**
   * A part, by a number for each of the first axes, which takes it away: a row of a matrix.
   *
   * @param index the numbers; negative counts from the end; none: the whole
   * @return a view
   * @throws InvalidArgumentException for a number outside of its axis, or too many
   */
  public Tensor get(long... index) {
    return get(index.length == 0 ? "..." : "{}" + ", {}".repeat(index.length - 1), index);
  }

  private Tensor part(List<Indices.Part> parts) {
    final long[] shape = self().shape();
    Tensor view = sameAs(shape.length);
    for (int axis = 0; axis < shape.length; ++axis) {
      final Indices.Part part = parts.get(axis);
      if (!part.isAll()) {
        try (Tensor whole = view) {
          view = whole.slice(axis, part.start, part.stop, part.step);
        }
      }
    }
    try (Tensor sliced = view) {
      final long[] sizes = sliced.shape();
      return sliced.view(IntStream.range(0, sizes.length).filter(axis -> !parts.get(axis).number).mapToLong(axis -> sizes[axis]).toArray());
    }
  }

  /** Another handle of the same view. */
  private Tensor sameAs(int ndim) {
    return ndim == 0 ? view() : transpose(IntStream.range(0, ndim).toArray());
  }

  /**
   * Writes a number into a part.
   *
   * @param indices as {@link #get(String, long...)} takes them
   * @param value the value; it takes the tensor's dtype
   */
  public void set(String indices, double value) {
    try (Tensor part = get(indices)) {
      part.fill(value);
    }
  }

  /**
   * Writes a tensor into a part.
   *
   * @param indices as {@link #get(String, long...)} takes them
   * @param values what is written, of this dtype; it is broadcast
   */
  public void set(String indices, Tensor values) {
    try (Tensor part = get(indices); Tensor wide = values.broadcast(part.shape())) {
      Operators.copy(wide, part);
    }
  }

  /**
   * Without axes of one element.
   *
   * @param axes which; negative counts from the end; none: all that have one element
   * @return a view
   * @throws InvalidArgumentException for an axis of more elements
   */
  public Tensor squeeze(int... axes) {
    final long[] shape = self().shape();
    final boolean[] gone = new boolean[shape.length];
    for (final int axis : axes) {
      if (self().size(axis) != 1) {
        throw new InvalidArgumentException("squeeze: axis " + axis + " has " + self().size(axis) + " elements, not one", null);
      }
      gone[axis < 0 ? axis + shape.length : axis] = true;
    }
    return view(IntStream.range(0, shape.length).filter(axis -> axes.length == 0 ? shape[axis] != 1 : !gone[axis])
        .mapToLong(axis -> shape[axis]).toArray());
  }

  /**
   * With an axis of one element more.
   *
   * @param axis where; negative counts from the end of what is made
   * @return a view
   */
  public Tensor expandDims(int axis) {
    final long[] shape = self().shape();
    final int at = axis < 0 ? axis + shape.length + 1 : axis;
    if (at < 0 || at > shape.length) {
      throw new InvalidArgumentException("expandDims: axis " + axis + " of a tensor of " + shape.length + " dimensions", null);
    }
    return view(IntStream.rangeClosed(0, shape.length).mapToLong(i -> i == at ? 1 : shape[i < at ? i : i - 1]).toArray());
  }

  /**
   * All elements along one axis, as {@link #reshape} gives them.
   *
   * @return a view, or a new tensor
   */
  public Tensor flatten() {
    return reshape(-1);
  }

  /**
   * The parts of an axis, as {@link #split(int, long, long)} gives each.
   *
   * @param axis which
   * @param parts how many there are
   * @return the views, in order
   */
  public List<Tensor> split(int axis, int parts) {
    if (self().size(axis) >= 0 && parts < 1) {
      throw new InvalidArgumentException("split: parts is " + parts + "; 1 or more is needed", null);
    }
    final List<Tensor> made = new ArrayList<>();
    for (int part = 0; part < parts; ++part) {
      made.add(split(axis, parts, part));
    }
    return made;
  }
}
