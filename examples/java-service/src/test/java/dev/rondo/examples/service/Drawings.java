// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import java.awt.BasicStroke;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.geom.Path2D;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.List;

/** Digits as strokes, and what the network gets of them. */
final class Drawings {
  private static final int SIDE = 8;
  private static final int FINE = 8; // a pixel is counted in FINE x FINE parts

  private Drawings() {}

  /** Strokes in a square from 0 to 1, as a hand draws them. */
  static List<List<double[]>> strokes(int digit) {
    return switch (digit) {
      case 0 -> List.of(arc(.5, .5, .26, .4, -90, 270));
      case 1 -> List.of(lines(.38, .25, .52, .1, .52, .9));
      case 2 -> List.of(join(arc(.48, .32, .24, .22, 180, 385), lines(.66, .46, .24, .9, .8, .9)));
      case 3 -> List.of(join(arc(.46, .3, .24, .2, 200, 440), arc(.46, .7, .27, .2, -80, 160)));
      case 4 -> List.of(lines(.56, .08, .22, .62, .8, .62), lines(.62, .36, .62, .94));
      case 5 -> List.of(join(lines(.74, .1, .32, .1, .3, .45), arc(.46, .65, .26, .25, -115, 150)));
      case 6 -> List.of(join(lines(.62, .08, .4, .36, .3, .6), arc(.5, .7, .2, .2, 180, 540)));
      case 7 -> List.of(lines(.24, .1, .76, .1, .44, .92), lines(.34, .5, .72, .5));
      case 8 -> List.of(loops());
      case 9 -> List.of(join(arc(.5, .3, .22, .21, 0, 360), lines(.72, .3, .68, .6, .5, .93)));
      default -> throw new IllegalArgumentException("no strokes for " + digit);
    };
  }

  private static List<double[]> lines(double... xy) {
    final List<double[]> points = new ArrayList<>();
    for (int i = 0; i + 3 < xy.length; i += 2) {
      for (int step = 0; step <= 8; ++step) {
        points.add(new double[] {xy[i] + (xy[i + 2] - xy[i]) * step / 8, xy[i + 1] + (xy[i + 3] - xy[i + 1]) * step / 8});
      }
    }
    return points;
  }

  private static List<double[]> arc(double x, double y, double width, double height, int from, int to) {
    final List<double[]> points = new ArrayList<>();
    for (int step = 0; step <= 20; ++step) {
      final double angle = Math.toRadians(from + (to - from) * step / 20.0);
      points.add(new double[] {x + width * Math.cos(angle), y + height * Math.sin(angle)});
    }
    return points;
  }

  /** An 8 in one stroke, which crosses itself in the middle. */
  private static List<double[]> loops() {
    final List<double[]> points = new ArrayList<>();
    for (int step = 0; step <= 40; ++step) {
      final double angle = 2 * Math.PI * step / 40;
      points.add(new double[] {.5 + .2 * Math.sin(2 * angle), .5 - .4 * Math.cos(angle)});
    }
    return points;
  }

  private static List<double[]> join(List<double[]> first, List<double[]> second) {
    final List<double[]> points = new ArrayList<>(first);
    points.addAll(second);
    return points;
  }

  /** An 8 as two plain circles, one above the other. */
  static List<List<double[]>> circles() {
    return List.of(arc(.5, .29, .2, .2, 0, 360), arc(.5, .71, .2, .2, 0, 360));
  }

  /**
   * An image of strokes.
   *
   * @param scale 1: the square is all of the image
   * @param right pixels of 8 that it is moved
   * @param down the same downwards
   * @param pen the width in pixels of 8
   */
  static float[] image(List<List<double[]>> strokes, double scale, double right, double down, double pen) {
    final int side = SIDE * FINE;
    final BufferedImage sheet = new BufferedImage(side, side, BufferedImage.TYPE_BYTE_GRAY);
    final Graphics2D graphics = sheet.createGraphics();
    graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
    graphics.setStroke(new BasicStroke((float) (pen * FINE), BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND));
    for (final List<double[]> stroke : strokes) {
      final Path2D path = new Path2D.Double();
      for (final double[] point : stroke) {
        final double x = ((point[0] - 0.5) * scale + 0.5) * side + right * FINE;
        final double y = ((point[1] - 0.5) * scale + 0.5) * side + down * FINE;
        if (path.getCurrentPoint() == null) {
          path.moveTo(x, y);
        } else {
          path.lineTo(x, y);
        }
      }
      graphics.draw(path);
    }
    graphics.dispose();
    final float[] image = new float[SIDE * SIDE];
    for (int at = 0; at < side * side; ++at) {
      image[at / side / FINE * SIDE + at % side / FINE] += sheet.getRaster().getSample(at % side, at / side, 0) / 255f / (FINE * FINE);
    }
    for (int at = 0; at < image.length; ++at) {
      image[at] = Math.min(image[at], 1);
    }
    return image;
  }
}
