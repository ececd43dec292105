// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.lang.reflect.Array;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A tensor as text: its facts and its values, of large ones the first and last along each axis. Never throws: what cannot be had, or not
 * now, is said instead, since debuggers and logs ask.
 */
final class Shown {
  private static final long ALL_OF = 1000; // so many elements are shown, of more the edges
  private static final long EDGE = 3;
  private static final Duration PATIENCE = Duration.ofSeconds(1);
  private static final String GAP = "...";

  private Shown() {}

  static String of(Tensor tensor) {
    if (tensor.isClosed()) {
      return "Tensor[closed]";
    }
    try {
      final String facts = tensor.dtype() + " " + Arrays.toString(tensor.shape()) + " on " + tensor.device();
      return "Tensor[" + facts + valuesOf(tensor) + "]";
    } catch (RuntimeException e) {
      return "Tensor[" + firstLine(e) + "]";
    }
  }

  private static String valuesOf(Tensor tensor) {
    final ThreadState state = ThreadState.current();
    if (state.recording != null || state.insideCall()) {
      return ""; // nothing can be waited for here
    }
    try {
      if (!tensor.await(PATIENCE)) {
        return ", not computed yet";
      }
      if (VirtualThreads.isCurrent()) { // which has no tapes
        return "\n" + text(tensor);
      }
      final NoGradients constants = NoGradients.open(); // what is computed here is nobody's
      try {
        return "\n" + text(tensor);
      } finally {
        constants.close();
      }
    } catch (InvalidStateException e) {
      return e.getMessage().contains("was never written") ? ", never written" : ", " + firstLine(e);
    } catch (RuntimeException e) {
      return ", " + firstLine(e);
    }
  }

  private static String firstLine(RuntimeException failure) {
    final String message = String.valueOf(failure.getMessage());
    return message.contains("\n") ? message.substring(0, message.indexOf('\n')) : message;
  }

  private static String text(Tensor tensor) {
    final long[] shape = tensor.shape();
    if (tensor.elements() == 0) {
      return "[]"; // whatever the other sizes are
    }
    final boolean[] cut = new boolean[shape.length];
    final List<Tensor> made = new ArrayList<>();
    try {
      Tensor shown = tensor;
      if (tensor.elements() > ALL_OF) {
        for (int axis = 0; axis < shape.length; ++axis) {
          if (shape[axis] > 2 * EDGE) {
            cut[axis] = true;
            final Tensor edges = tensor.engine().tensor(tensor.device(), edges(shape[axis]));
            made.add(edges);
            shown = Operators.take(shown, edges, axis);
            made.add(shown);
          }
        }
      }
      final Object values = elementsOf(shown, made);
      final String[] words = new String[Array.getLength(values)];
      int width = 0;
      for (int i = 0; i < words.length; ++i) {
        words[i] = word(values, i, tensor.dtype());
        width = Math.max(width, words[i].length());
      }
      final StringBuilder text = new StringBuilder();
      write(text, words, width, shown.shape(), cut, 0, new int[1]);
      return text.toString();
    } finally {
      made.forEach(Tensor::close);
    }
  }

  private static long[] edges(long size) {
    final long[] indices = new long[(int) (2 * EDGE)];
    for (int i = 0; i < EDGE; ++i) {
      indices[i] = i;
      indices[(int) EDGE + i] = size - EDGE + i;
    }
    return indices;
  }

  private static Object elementsOf(Tensor shown, List<Tensor> made) {
    switch (shown.dtype()) {
      case F16:
      case BF16:
      case F8_E4M3:
      case F8_E5M2: // which Java has no numbers for
        final Tensor wide = shown.cast(DType.F32);
        made.add(wide);
        return wide.toFloatArray();
      default:
        return shown.toFlatArray();
    }
  }

  private static String word(Object values, int i, DType dtype) {
    switch (dtype) {
      case U8:
        return Integer.toString(Byte.toUnsignedInt(Array.getByte(values, i)));
      case U16:
        return Integer.toString(Short.toUnsignedInt(Array.getShort(values, i)));
      case U32:
        return Integer.toUnsignedString(Array.getInt(values, i));
      case U64:
        return Long.toUnsignedString(Array.getLong(values, i));
      default:
        return Array.get(values, i).toString();
    }
  }

  /** NumPy's brackets: each row in a line, below the first element of the one above. */
  private static void write(StringBuilder text, String[] words, int width, long[] shape, boolean[] cut, int axis, int[] at) {
    if (axis == shape.length) {
      final String word = words[at[0]++];
      text.append(" ".repeat(width - word.length())).append(word);
      return;
    }
    final boolean last = axis == shape.length - 1;
    final String between = last ? ", " : "," + "\n".repeat(shape.length - 1 - axis) + " ".repeat(axis + 1);
    text.append('[');
    for (long i = 0; i < shape[axis]; ++i) {
      text.append(i == 0 ? "" : between).append(cut[axis] && i == EDGE ? GAP + between : "");
      write(text, words, width, shape, cut, axis + 1, at);
    }
    text.append(']');
  }
}
