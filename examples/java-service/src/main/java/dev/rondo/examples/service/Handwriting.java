// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Draws digits as many people write them, and what is no digit, to train {@link Sketches} on: the shapes of shapes.txt with points moved, corners
 * round or curves angular, strokes that end early or late, leaning, narrow, wide, turned and bent, by a steady hand or not, with thin and thick
 * pens; besides them scribbles, two digits at a time, dots and noise. The same seed draws the same.
 */
final class Handwriting {
  private static final int DIGITS = 10;
  private static final double OF_NONE = 0.25; // the share of what is no digit
  private static final List<List<Shape>> SHAPES = read();

  private final Random chance;
  private final double hand;

  /** Strokes of parts; a part is a smooth line, and where the next one begins is a corner. */
  private record Shape(double often, List<List<double[][]>> strokes) {}

  /** A picture and what it is: a digit, or {@link Sketches#NONE}. */
  record Example(float[] picture, int label) {}

  /**
   * Begins.
   *
   * @param seed of all that is by chance
   * @param hand how careless it is; 1 for training
   */
  Handwriting(long seed, double hand) {
    chance = new Random(seed);
    this.hand = hand;
  }

  private static List<List<Shape>> read() {
    final List<List<Shape>> shapes = new ArrayList<>();
    for (int i = 0; i <= DIGITS; ++i) {
      shapes.add(new ArrayList<>());
    }
    try (BufferedReader lines = new BufferedReader(new InputStreamReader(Handwriting.class.getResourceAsStream("shapes.txt"), StandardCharsets.UTF_8))) {
      lines.lines().filter(line -> !line.isBlank() && !line.startsWith("#")).forEach(line -> {
        final int label = line.charAt(0) == '-' ? DIGITS : line.charAt(0) - '0';
        final String[] words = line.substring(1).strip().split(" ", 2);
        final boolean weighed = words[0].startsWith("*");
        final List<List<double[][]>> strokes = new ArrayList<>();
        for (final String stroke : (weighed ? words[1] : line.substring(1)).split("\\|")) {
          final List<double[][]> parts = new ArrayList<>();
          double[] corner = null;
          for (final String part : stroke.split("/")) {
            final String[] numbers = part.strip().split(" ");
            final List<double[]> points = new ArrayList<>();
            if (corner != null) {
              points.add(corner);
            }
            for (int i = 0; i < numbers.length; i += 2) {
              points.add(corner = new double[] {Double.parseDouble(numbers[i]) / 100, Double.parseDouble(numbers[i + 1]) / 100});
            }
            if (points.size() > 1) {
              parts.add(points.toArray(new double[0][]));
            }
          }
          strokes.add(parts);
        }
        shapes.get(label).add(new Shape(weighed ? Double.parseDouble(words[0].substring(1)) : 1, strokes));
      });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return shapes;
  }

  private double between(double low, double high) {
    return low + (high - low) * chance.nextDouble();
  }

  private boolean sometimes(double share) {
    return chance.nextDouble() < share;
  }

  private double normal(double deviation) {
    return deviation * Math.min(Math.max(chance.nextGaussian(), -2.5), 2.5);
  }

  /** The next one. */
  Example next() {
    final int label = sometimes(OF_NONE) ? Sketches.NONE : chance.nextInt(DIGITS);
    if (label == Sketches.NONE && sometimes(0.03)) {
      return new Example(noise(), label);
    }
    final double kind = chance.nextDouble();
    final List<double[][]> strokes = label != Sketches.NONE || kind < 0.6 ? written(label) : kind < 0.7 ? two() : kind < 0.78 ? lying() : scribble();
    final boolean usual = sometimes(0.7); // as the page places it
    final double dot = label == Sketches.NONE && sometimes(0.02) ? between(0, 0.4) : 1; // a small mark
    final double pen = sometimes(0.5) ? between(2, 3) : between(1.3, 5);
    final double longer = Ink.LONGER * dot * (usual ? between(0.96, 1.04) : between(0.6, 1.2));
    final double room = usual ? 0.6 : Math.max((Ink.SIDE - longer - pen) / 2, 0.5);
    Ink.place(strokes, longer, between(-room, room), between(-room, room));
    final float[] picture = Ink.draw(strokes, pen, between(0.8, 1.6));
    if (sometimes(0.15)) { // pale ink
      final float ink = (float) between(0.6, 1);
      for (int i = 0; i < picture.length; ++i) {
        picture[i] *= ink;
      }
    }
    return new Example(picture, label);
  }

  private float[] noise() {
    final float[] picture = new float[Ink.SIDE * Ink.SIDE];
    final boolean even = sometimes(0.4);
    final float ink = chance.nextInt(3) == 0 ? 0 : chance.nextFloat();
    final double share = chance.nextDouble();
    for (int i = 0; i < picture.length; ++i) {
      picture[i] = even ? ink : sometimes(share) ? chance.nextFloat() : 0;
    }
    return picture;
  }

  /** A shape as somebody writes it. */
  private List<double[][]> written(int label) {
    final List<Shape> shapes = SHAPES.get(label);
    double at = chance.nextDouble() * shapes.stream().mapToDouble(Shape::often).sum();
    int chosen = 0;
    while (chosen < shapes.size() - 1 && (at -= shapes.get(chosen).often) >= 0) {
      ++chosen;
    }
    final double careless = hand * between(0.3, 1.7);
    final boolean round = sometimes(0.2);
    final boolean angular = !round && sometimes(0.12);
    final List<List<double[][]>> parts = shapes.get(chosen).strokes;
    final List<double[][]> strokes = new ArrayList<>();
    for (final List<double[][]> each : parts) {
      strokes.add(stroke(each, careless, round, angular, parts.size() > 1));
    }
    bend(strokes, label == Sketches.NONE);
    return strokes;
  }

  private double[][] stroke(List<double[][]> parts, double careless, boolean round, boolean angular, boolean oneOfMany) {
    final double right = oneOfMany ? normal(0.025 * careless) : 0;
    final double down = oneOfMany ? normal(0.025 * careless) : 0;
    final List<List<double[]>> lines = new ArrayList<>();
    for (final double[][] part : parts) {
      List<double[]> line = new ArrayList<>();
      if (!lines.isEmpty()) {
        final List<double[]> before = lines.get(lines.size() - 1);
        if (round) {
          line = before;
        } else {
          line.add(before.get(before.size() - 1));
        }
      }
      for (int i = lines.isEmpty() ? 0 : 1; i < part.length; ++i) {
        line.add(new double[] {part[i][0] + right + normal(0.03 * careless), part[i][1] + down + normal(0.03 * careless)});
      }
      if (lines.isEmpty() || !round) {
        lines.add(line);
      }
    }
    final List<double[]> points = new ArrayList<>();
    for (final List<double[]> line : lines) {
      final List<double[]> drawn = angular ? dense(line) : smooth(line);
      points.addAll(points.isEmpty() ? drawn : drawn.subList(1, drawn.size()));
    }
    return ended(points);
  }

  /** Ends a little early or late, at both ends. */
  private double[][] ended(List<double[]> points) {
    final int from = points.size() > 12 && sometimes(0.3) ? chance.nextInt(points.size() / 12 + 1) : 0;
    final int to = points.size() - (points.size() > 12 && sometimes(0.3) ? chance.nextInt(points.size() / 12 + 1) : 0);
    final List<double[]> kept = new ArrayList<>(points.subList(from, to));
    if (kept.size() > 3 && sometimes(0.2)) {
      final double[] last = kept.get(kept.size() - 1);
      final double[] before = kept.get(kept.size() - 3);
      final double far = between(0, 3);
      kept.add(new double[] {last[0] + far * (last[0] - before[0]), last[1] + far * (last[1] - before[1])});
    }
    return kept.toArray(new double[0][]);
  }

  /** Straight from point to point. */
  private static List<double[]> dense(List<double[]> through) {
    final List<double[]> points = new ArrayList<>(List.of(through.get(0).clone()));
    for (int i = 1; i < through.size(); ++i) {
      final double[] from = through.get(i - 1);
      final double[] to = through.get(i);
      final int steps = steps(from, to);
      for (int step = 1; step <= steps; ++step) {
        final double t = (double) step / steps;
        points.add(new double[] {from[0] + t * (to[0] - from[0]), from[1] + t * (to[1] - from[1])});
      }
    }
    return points;
  }

  /** A curve through the points, whose direction at each one is that from the one before to the one behind. */
  private static List<double[]> smooth(List<double[]> through) {
    if (through.size() < 3) {
      return dense(through);
    }
    final List<double[]> points = new ArrayList<>(List.of(through.get(0).clone()));
    for (int i = 1; i < through.size(); ++i) {
      final double[] from = through.get(i - 1);
      final double[] to = through.get(i);
      final double[] before = through.get(Math.max(i - 2, 0));
      final double[] behind = through.get(Math.min(i + 1, through.size() - 1));
      final int steps = steps(from, to);
      for (int step = 1; step <= steps; ++step) {
        final double t = (double) step / steps;
        final double[] point = new double[2];
        for (int axis = 0; axis < 2; ++axis) {
          final double leaves = (to[axis] - before[axis]) / 2;
          final double arrives = (behind[axis] - from[axis]) / 2;
          point[axis] = from[axis] * (1 + t * t * (2 * t - 3)) + to[axis] * t * t * (3 - 2 * t) + leaves * t * (1 - t) * (1 - t) - arrives * t * t * (1 - t);
        }
        points.add(point);
      }
    }
    return points;
  }

  private static int steps(double[] from, double[] to) {
    return Math.max(2, (int) (Math.hypot(to[0] - from[0], to[1] - from[1]) / 0.04));
  }

  /** All strokes of a drawing by one hand, in place. */
  private void bend(List<double[][]> strokes, boolean little) {
    final double wide = Math.exp(normal(0.3)) * (little ? 1 : 0.9);
    final double lean = sometimes(0.8) ? between(-0.25, 0.4) : between(-0.45, 0.85);
    final double turn = normal(little ? 0.06 : 0.11);
    final double taper = hand * normal(0.16);
    final double waist = normal(0.22);
    final double bow = hand * normal(0.08);
    final double arch = hand * normal(0.06);
    final double shake = sometimes(0.6) ? between(0, 0.012) : 0;
    for (final double[][] stroke : strokes) {
      final double[] phase = {between(0, 6.3), between(0, 6.3), between(0.2, 0.9), between(0.2, 0.9)};
      for (int i = 0; i < stroke.length; ++i) {
        final double u = stroke[i][0] - 0.5;
        final double v = stroke[i][1] - 0.5;
        final double y = v + waist * (0.25 - v * v) + arch * u * u;
        final double x = wide * (u * (1 + taper * v) + bow * (v * v - 0.25)) - lean * y;
        stroke[i][0] = x * Math.cos(turn) - y * Math.sin(turn) + shake * Math.sin(phase[0] + phase[2] * i);
        stroke[i][1] = x * Math.sin(turn) + y * Math.cos(turn) + shake * Math.sin(phase[1] + phase[3] * i);
      }
    }
  }

  /** Two digits, one beside the other or one over the other. */
  private List<double[][]> two() {
    final List<double[][]> strokes = new ArrayList<>();
    final double apart = sometimes(0.7) ? between(0.75, 1.3) : between(0, 0.5);
    for (int i = 0; i < 2; ++i) {
      for (final double[][] stroke : written(chance.nextInt(DIGITS))) {
        for (final double[] point : stroke) {
          point[0] += i * apart;
          point[1] += apart < 0.6 ? i * 0.3 : 0;
        }
        strokes.add(stroke);
      }
    }
    return strokes;
  }

  /** A digit that lies on its side. */
  private List<double[][]> lying() {
    final int[] some = {1, 2, 3, 4, 5, 7, 8};
    final List<double[][]> strokes = written(some[chance.nextInt(some.length)]);
    final double side = sometimes(0.5) ? 1 : -1;
    for (final double[][] stroke : strokes) {
      for (final double[] point : stroke) {
        final double x = point[0];
        point[0] = side * point[1];
        point[1] = -side * x;
      }
    }
    return strokes;
  }

  private List<double[][]> scribble() {
    final List<double[][]> strokes = new ArrayList<>();
    final int kind = chance.nextInt(6);
    final int count = kind < 2 ? 1 + chance.nextInt(2) : kind == 2 ? 3 + chance.nextInt(5) : 1;
    for (int n = 0; n < count; ++n) {
      final List<double[]> points = new ArrayList<>();
      if (kind < 3) { // here and there
        final int length = kind == 2 ? 2 : 5 + chance.nextInt(12);
        for (int i = 0; i < length; ++i) {
          points.add(new double[] {chance.nextDouble(), chance.nextDouble()});
        }
      } else if (kind == 3) { // to and fro
        final int length = 4 + chance.nextInt(14);
        for (int i = 0; i < length; ++i) {
          points.add(new double[] {(i % 2 == 0 ? between(0, 0.3) : between(0.7, 1)), i * between(0.8, 1.2) / length});
        }
      } else { // round and round, in place or on its way
        final double turns = between(2.2, 6) * (sometimes(0.5) ? 1 : -1);
        final double way = kind == 4 ? 0 : between(0.3, 1.5);
        final double shrinks = kind == 4 ? between(0.3, 1) : between(0, 0.4);
        final int length = (int) (8 * Math.abs(turns));
        for (int i = 0; i <= length; ++i) {
          final double t = (double) i / length;
          final double radius = 0.5 * (1 - shrinks * t) * between(0.85, 1.15);
          points.add(new double[] {way * t + radius * Math.cos(6.283 * turns * t), radius * Math.sin(6.283 * turns * t)});
        }
      }
      strokes.add((kind == 0 || kind > 3 || kind == 3 && sometimes(0.5) ? smooth(points) : dense(points)).toArray(new double[0][]));
    }
    final double turn = between(0, 6.283);
    for (final double[][] stroke : strokes) {
      for (final double[] point : stroke) {
        final double x = point[0];
        point[0] = x * Math.cos(turn) - point[1] * Math.sin(turn);
        point[1] = x * Math.sin(turn) + point[1] * Math.cos(turn);
      }
    }
    return strokes;
  }
}
