// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Indices as NumPy writes them, "1:3, ..., 0": for each axis a number, which takes the axis away, or start:stop:step. */
final class Indices {
  private static final Pattern NUMBER = Pattern.compile("-?\\d{1,18}");
  private static final Pattern RANGE = Pattern.compile("(-?\\d{1,18})?\\s*:\\s*(-?\\d{1,18})?\\s*(?::\\s*(-?\\d{1,18})?)?");

  /** What is taken of one axis. */
  static final class Part {
    final boolean number;
    final long start;
    final long stop;
    final long step;

    private Part(boolean number, long start, long stop, long step) {
      this.number = number;
      this.start = start;
      this.stop = stop;
      this.step = step;
    }

    boolean isAll() {
      return !number && start == 0 && stop == Long.MAX_VALUE && step == 1;
    }
  }

  private static final Part ALL = new Part(false, 0, Long.MAX_VALUE, 1);

  private Indices() {}

  /** One part for each axis. Each {} stands for the next argument. */
  static List<Part> of(String text, long[] shape, long... arguments) {
    final List<Part> parts = new ArrayList<>();
    final String[] words = fill(text, arguments).split(",", -1);
    final int given = (int) Arrays.stream(words).filter(word -> !word.trim().equals("...")).count();
    if (given > shape.length || words.length - given > 1) {
      throw new InvalidArgumentException("get: the indices '" + text + "' are " + (words.length - given > 1 ? "with more than one '...'"
          : given + " for a tensor of shape " + Arrays.toString(shape)), null);
    }
    for (final String word : words) {
      if (word.trim().equals("...")) {
        for (int i = given; i < shape.length; ++i) {
          parts.add(ALL);
        }
      } else {
        parts.add(part(word.trim(), text, parts.size(), shape));
      }
    }
    while (parts.size() < shape.length) {
      parts.add(ALL);
    }
    return parts;
  }

  private static String fill(String text, long[] arguments) {
    final StringBuilder filled = new StringBuilder();
    int from = 0;
    int used = 0;
    for (int at = text.indexOf("{}"); at >= 0; at = text.indexOf("{}", from)) {
      if (used == arguments.length) {
        throw new InvalidArgumentException("get: '" + text + "' has more {} than the " + used + " numbers given", null);
      }
      filled.append(text, from, at).append(arguments[used++]);
      from = at + 2;
    }
    if (used < arguments.length) {
      throw new InvalidArgumentException("get: '" + text + "' has {} for " + used + " of the " + arguments.length + " numbers given", null);
    }
    return filled.append(text, from, text.length()).toString();
  }

  private static Part part(String word, String text, int axis, long[] shape) {
    if (NUMBER.matcher(word).matches()) {
      final long at = Long.parseLong(word);
      final long size = shape[axis];
      if (at < -size || at >= size) {
        throw new InvalidArgumentException("get: index " + at + " is outside of axis " + axis + ", which has " + size + " elements", null);
      }
      final long start = at < 0 ? at + size : at;
      return new Part(true, start, start + 1, 1);
    }
    final Matcher range = RANGE.matcher(word);
    if (!range.matches()) {
      throw new InvalidArgumentException("get: '" + word + "' in '" + text + "' is none of 2, 1:3, 1:, :, ::2 and ...", null);
    }
    final long step = range.group(3) == null ? 1 : Long.parseLong(range.group(3));
    final long start = range.group(1) != null ? Long.parseLong(range.group(1)) : step < 0 ? -1 : 0;
    final long stop = range.group(2) != null ? Long.parseLong(range.group(2)) : step < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    return new Part(false, start, stop, step);
  }
}
