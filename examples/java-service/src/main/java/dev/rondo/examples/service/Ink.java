// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import java.util.List;

/** Pictures of strokes, as the page makes them: the longer side of what is drawn is {@link #LONGER} pixels, in the middle of the picture. */
final class Ink {
  /** Rows, and pixels of a row. */
  static final int SIDE = 28;

  /** From one end of the lines' middles to the other. */
  static final double LONGER = 20;

  private Ink() {}

  /**
   * Moves strokes to where they are in a picture.
   *
   * @param strokes lines through points, x and y
   * @param longer what the longer side becomes
   * @param right how far from the middle
   * @param down the same downwards
   */
  static void place(List<double[][]> strokes, double longer, double right, double down) {
    final double[] low = {Double.MAX_VALUE, Double.MAX_VALUE};
    final double[] high = {-Double.MAX_VALUE, -Double.MAX_VALUE};
    for (final double[][] stroke : strokes) {
      for (final double[] point : stroke) {
        for (int axis = 0; axis < 2; ++axis) {
          low[axis] = Math.min(low[axis], point[axis]);
          high[axis] = Math.max(high[axis], point[axis]);
        }
      }
    }
    final double scale = longer / Math.max(Math.max(high[0] - low[0], high[1] - low[1]), 1e-6);
    for (final double[][] stroke : strokes) {
      for (final double[] point : stroke) {
        point[0] = SIDE / 2.0 + right + (point[0] - (low[0] + high[0]) / 2) * scale;
        point[1] = SIDE / 2.0 + down + (point[1] - (low[1] + high[1]) / 2) * scale;
      }
    }
  }

  /**
   * Draws strokes that were placed.
   *
   * @param pen the width of the lines
   * @param soft how wide their edges are; 1 is about what a canvas does
   * @return pixels from 0 (paper) to 1 (ink), row by row
   */
  static float[] draw(List<double[][]> strokes, double pen, double soft) {
    final float[] picture = new float[SIDE * SIDE];
    for (final double[][] stroke : strokes) {
      for (int i = 0; i < Math.max(stroke.length - 1, 1); ++i) {
        line(picture, stroke[i], stroke[Math.min(i + 1, stroke.length - 1)], pen / 2, soft);
      }
    }
    return picture;
  }

  /** With round ends. */
  private static void line(float[] picture, double[] from, double[] to, double radius, double soft) {
    final double x = to[0] - from[0];
    final double y = to[1] - from[1];
    final double square = Math.max(x * x + y * y, 1e-12);
    final double reach = radius + soft / 2 + 0.5;
    final int top = Math.max(0, (int) (Math.min(from[1], to[1]) - reach));
    final int bottom = Math.min(SIDE - 1, (int) (Math.max(from[1], to[1]) + reach));
    final int left = Math.max(0, (int) (Math.min(from[0], to[0]) - reach));
    final int right = Math.min(SIDE - 1, (int) (Math.max(from[0], to[0]) + reach));
    for (int row = top; row <= bottom; ++row) {
      for (int column = left; column <= right; ++column) {
        final double dx = column + 0.5 - from[0];
        final double dy = row + 0.5 - from[1];
        final double along = Math.min(Math.max((dx * x + dy * y) / square, 0), 1);
        final double away = Math.sqrt((dx - along * x) * (dx - along * x) + (dy - along * y) * (dy - along * y));
        final double ink = Math.min(Math.max((radius - away) / soft + 0.5, 0), 1);
        picture[row * SIDE + column] = Math.max(picture[row * SIDE + column], (float) ink);
      }
    }
  }
}
