// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.lang.reflect.Array;
import java.util.Arrays;

/** Arrays in arrays as one array and a shape. */
final class Nested {
  final long[] shape;
  final HostMemory memory;

  private Nested(long[] shape, HostMemory memory) {
    this.shape = shape;
    this.memory = memory;
  }

  static Nested of(Object[] arrays) {
    Class<?> element = arrays.getClass();
    int ndim = 0;
    for (; element.isArray(); element = element.getComponentType()) {
      ++ndim;
    }
    if (!element.isPrimitive() || element == char.class) {
      throw new InvalidArgumentException("tensor: arrays of " + element.getName() + "; arrays of numbers or booleans are needed", null);
    }
    final long[] shape = new long[ndim];
    Object first = arrays;
    int elements = 1;
    for (int axis = 0; axis < ndim; ++axis) {
      final int length = first == null ? 0 : Array.getLength(first);
      shape[axis] = length;
      elements = Math.multiplyExact(elements, length);
      first = length == 0 || axis == ndim - 1 ? null : Array.get(first, 0);
    }
    final Object flat = Array.newInstance(element, elements);
    copy(arrays, shape, 0, flat, new int[1]);
    return new Nested(shape, element == float.class ? HostMemory.of((float[]) flat) : element == double.class ? HostMemory.of((double[]) flat)
        : element == int.class ? HostMemory.of((int[]) flat) : element == long.class ? HostMemory.of((long[]) flat)
        : element == short.class ? HostMemory.of((short[]) flat) : element == byte.class ? HostMemory.of((byte[]) flat)
        : HostMemory.of((boolean[]) flat));
  }

  private static void copy(Object array, long[] shape, int axis, Object flat, int[] to) {
    if (array == null || Array.getLength(array) != shape[axis]) {
      throw new InvalidArgumentException("tensor: the arrays differ in length: " + (array == null ? "null" : Array.getLength(array)) + " and "
          + shape[axis] + " along axis " + axis + " of " + Arrays.toString(shape), null);
    }
    final int length = (int) shape[axis];
    if (axis == shape.length - 1) {
      System.arraycopy(array, 0, flat, to[0], length);
      to[0] += length;
      return;
    }
    for (int i = 0; i < length; ++i) {
      copy(Array.get(array, i), shape, axis + 1, flat, to);
    }
  }
}
