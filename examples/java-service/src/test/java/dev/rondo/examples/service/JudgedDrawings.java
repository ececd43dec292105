// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import java.awt.BasicStroke;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.geom.Path2D;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Drawings that judge the network for sketches, which was never trained on them: lines and arcs as a writer makes them one after the other, by
 * hands that lean, turn, tremble and draw wider or narrower. No shape and no code is shared with what it was trained on.
 */
final class JudgedDrawings {
  private static final double LONGER = 20; // as page.html draws them
  private static final double PEN = 2.4;
  private static final double SMALLEST = 0.1;
  private static final int SIDE = 28;

  private JudgedDrawings() {}

  /** A way to write something. */
  record Way(String name, Consumer<Pen> draw) {}

  /** Draws strokes in a square from 0 to 1, downwards. */
  static final class Pen {
    private final List<List<double[]>> strokes = new ArrayList<>();

    /** Puts the pen down. */
    Pen at(double x, double y) {
      strokes.add(new ArrayList<>(List.of(new double[] {x, y})));
      return this;
    }

    /** A straight line from where the pen is. */
    Pen to(double x, double y) {
      final List<double[]> stroke = strokes.get(strokes.size() - 1);
      final double[] from = stroke.get(stroke.size() - 1);
      for (int i = 1; i <= 10; ++i) {
        stroke.add(new double[] {from[0] + (x - from[0]) * i / 10, from[1] + (y - from[1]) * i / 10});
      }
      return this;
    }

    /** A straight line to the arc's beginning, then the arc: degrees, 0 is right, 90 down. */
    Pen arc(double x, double y, double wide, double tall, double from, double to) {
      final int steps = Math.max(4, (int) (Math.abs(to - from) / 12));
      for (int i = 0; i <= steps; ++i) {
        final double angle = Math.toRadians(from + (to - from) * i / steps);
        final double[] point = {x + wide * Math.cos(angle), y + tall * Math.sin(angle)};
        if (i == 0 && strokes.get(strokes.size() - 1).get(0)[0] < 0) {
          strokes.get(strokes.size() - 1).set(0, point);
        } else if (i == 0) {
          to(point[0], point[1]);
        } else {
          strokes.get(strokes.size() - 1).add(point);
        }
      }
      return this;
    }

    /** A stroke that is an arc from its beginning on. */
    Pen round(double x, double y, double wide, double tall, double from, double to) {
      return at(-1, -1).arc(x, y, wide, tall, from, to);
    }
  }

  private static Way way(String name, Consumer<Pen> draw) {
    return new Way(name, draw);
  }

  /** Ways to write each digit. */
  static final List<List<Way>> DIGITS = List.of(
      List.of(way("0 narrow", p -> p.round(.5, .5, .24, .4, -90, -450)), way("0 circle", p -> p.round(.5, .5, .38, .38, -80, 280)),
          way("0 not closed", p -> p.round(.5, .5, .28, .4, -60, -400)),
          way("0 drawn beyond its beginning", p -> p.round(.5, .5, .27, .38, -110, -500)),
          way("0 angular", p -> p.at(.4, .1).to(.22, .3).to(.22, .7).to(.4, .9).to(.62, .9).to(.78, .7).to(.78, .3).to(.62, .1).to(.4, .1))),
      List.of(way("1 bar", p -> p.at(.5, .1).to(.5, .9)), way("1 flag", p -> p.at(.34, .3).to(.54, .1).to(.54, .9)),
          way("1 flag and foot", p -> p.at(.32, .28).to(.52, .1).to(.52, .9).at(.3, .9).to(.74, .9)),
          way("1 long flag", p -> p.at(.2, .5).to(.55, .1).to(.55, .9)),
          way("1 flag and wide foot", p -> p.at(.28, .32).to(.5, .1).to(.5, .9).at(.2, .9).to(.8, .9))),
      List.of(way("2 round", p -> p.round(.5, .33, .24, .23, 190, 385).to(.24, .9).to(.78, .9)),
          way("2 loop", p -> p.round(.48, .32, .25, .22, 200, 400).to(.36, .8).arc(.32, .82, .09, .07, 0, 270).to(.6, .88).to(.8, .84)),
          way("2 angular", p -> p.at(.2, .12).to(.76, .12).to(.22, .9).to(.8, .9)),
          way("2 hook", p -> p.at(.26, .36).arc(.5, .3, .24, .2, 180, 370).to(.22, .9).to(.8, .9)),
          way("2 wave", p -> p.round(.47, .31, .26, .21, 180, 400).to(.2, .88).arc(.35, .93, .15, .09, 200, 330).to(.68, .92).to(.82, .86))),
      List.of(way("3 round", p -> p.round(.46, .3, .24, .2, 205, 440).arc(.46, .7, .27, .21, -85, 155)),
          way("3 flat", p -> p.at(.24, .1).to(.74, .1).to(.46, .42).arc(.46, .66, .28, .25, -80, 150)),
          way("3 angular", p -> p.at(.24, .1).to(.72, .28).to(.44, .48).to(.76, .7).to(.22, .9)),
          way("3 small loop", p -> p.round(.48, .3, .22, .2, 200, 430).arc(.46, .5, .06, .04, 300, 60).arc(.48, .71, .27, .2, -75, 160)),
          way("3 small above large", p -> p.round(.46, .24, .18, .14, 210, 445).arc(.46, .65, .3, .26, -85, 150))),
      List.of(way("4 closed", p -> p.at(.62, .9).to(.62, .1).to(.18, .64).to(.84, .64)),
          way("4 closed, two strokes", p -> p.at(.58, .1).to(.2, .62).to(.82, .62).at(.6, .36).to(.6, .92)),
          way("4 open", p -> p.at(.3, .1).to(.24, .56).to(.82, .56).at(.66, .12).to(.66, .9)),
          way("4 open, slanted", p -> p.at(.42, .1).to(.18, .6).to(.86, .58).at(.68, .34).to(.6, .94)),
          way("4 open, round", p -> p.at(.24, .12).to(.26, .42).arc(.46, .42, .2, .14, 180, 70).to(.72, .5).at(.74, .1).to(.7, .92))),
      List.of(way("5 two strokes", p -> p.at(.32, .1).to(.3, .46).arc(.48, .65, .27, .24, -120, 145).at(.32, .1).to(.76, .1)),
          way("5 one stroke", p -> p.at(.74, .1).to(.34, .1).to(.3, .45).arc(.48, .66, .26, .24, -115, 150)),
          way("5 angular", p -> p.at(.74, .1).to(.28, .1).to(.28, .46).to(.72, .46).to(.72, .9).to(.24, .9)),
          way("5 slender", p -> p.at(.7, .08).to(.42, .1).to(.38, .44).arc(.46, .66, .2, .24, -110, 140)),
          way("5 cap drawn last", p -> p.at(.3, .14).to(.28, .44).arc(.46, .67, .3, .23, -105, 155).at(.28, .12).to(.8, .08))),
      List.of(way("6 curved", p -> p.at(.64, .1).arc(.62, .6, .34, .48, 250, 190).arc(.5, .68, .22, .22, 180, -180)),
          way("6 straight", p -> p.at(.62, .08).to(.3, .64).arc(.5, .7, .21, .2, 190, -170)),
          way("6 upright", p -> p.at(.3, .08).to(.3, .7).arc(.5, .7, .2, .2, 180, -180)),
          way("6 angular", p -> p.at(.66, .1).to(.28, .5).to(.28, .9).to(.72, .9).to(.72, .56).to(.3, .56)),
          way("6 spiral", p -> p.at(.7, .14).arc(.54, .5, .28, .4, 290, 100).arc(.54, .72, .18, .18, 90, -200))),
      List.of(way("7 plain", p -> p.at(.22, .1).to(.78, .1).to(.44, .9)),
          way("7 bar", p -> p.at(.22, .1).to(.78, .1).to(.46, .9).at(.36, .5).to(.74, .5)),
          way("7 hook", p -> p.at(.22, .24).to(.24, .1).to(.78, .1).to(.48, .9)),
          way("7 curved", p -> p.at(.22, .12).to(.76, .12).arc(.98, .72, .46, .62, 240, 168)),
          way("7 hook and bar", p -> p.at(.2, .22).to(.22, .1).to(.8, .1).to(.5, .92).at(.38, .54).to(.76, .48))),
      List.of(way("8 two circles", p -> p.round(.5, .3, .19, .2, -90, 270).round(.5, .7, .22, .2, -90, 270)),
          way("8 two equal circles", p -> p.round(.5, .28, .21, .21, 90, 450).round(.5, .71, .21, .21, -90, 270)),
          way("8 one stroke", p -> p.round(.5, .3, .2, .2, -40, -270).arc(.5, .7, .23, .2, -90, 270).arc(.5, .3, .2, .2, 90, -40)),
          way("8 angular", p -> p.at(.5, .1).to(.3, .3).to(.7, .68).to(.5, .9).to(.28, .7).to(.7, .3).to(.5, .1)),
          way("8 from the middle", p -> p.round(.5, .3, .18, .19, 90, 450).arc(.5, .7, .24, .2, -90, -450))),
      List.of(way("9 straight", p -> p.round(.5, .3, .21, .2, 0, -360).to(.68, .92)),
          way("9 hooked", p -> p.round(.5, .3, .22, .2, 0, -360).to(.72, .66).arc(.5, .7, .22, .2, 0, 130)),
          way("9 upright", p -> p.round(.5, .3, .2, .2, -20, -350).at(.7, .1).to(.7, .92)),
          way("9 slanted", p -> p.round(.5, .3, .22, .2, -10, -360).to(.44, .92)),
          way("9 angular", p -> p.at(.7, .12).to(.3, .12).to(.3, .46).to(.7, .46).at(.7, .1).to(.66, .9))));

  /** Letters that have no digit's shape. */
  static final List<Way> LETTERS = List.of(way("A", p -> p.at(.2, .9).to(.5, .1).to(.8, .9).at(.32, .6).to(.68, .6)),
      way("C", p -> p.round(.55, .5, .32, .4, -50, -310)),
      way("D", p -> p.at(.28, .1).to(.28, .9).at(.28, .1).to(.4, .1).arc(.4, .5, .38, .4, -90, 90).to(.28, .9)),
      way("E", p -> p.at(.74, .1).to(.28, .1).to(.28, .9).to(.76, .9).at(.28, .48).to(.66, .48)),
      way("F", p -> p.at(.74, .1).to(.3, .1).to(.3, .9).at(.3, .48).to(.66, .48)),
      way("G", p -> p.round(.54, .5, .3, .4, -50, -330).to(.82, .54).to(.56, .54)),
      way("H", p -> p.at(.24, .1).to(.24, .9).at(.76, .1).to(.76, .9).at(.24, .5).to(.76, .5)),
      way("J", p -> p.at(.64, .1).to(.64, .68).arc(.44, .68, .2, .22, 0, 160)),
      way("K", p -> p.at(.28, .1).to(.28, .9).at(.74, .1).to(.3, .52).to(.76, .9)),
      way("L", p -> p.at(.3, .1).to(.3, .9).to(.76, .9)), way("M", p -> p.at(.16, .9).to(.22, .1).to(.5, .64).to(.78, .1).to(.84, .9)),
      way("N", p -> p.at(.22, .9).to(.22, .1).to(.78, .9).to(.78, .1)),
      way("P", p -> p.at(.3, .1).to(.3, .9).at(.3, .1).to(.5, .1).arc(.5, .3, .22, .2, -90, 90).to(.3, .5)),
      way("Q", p -> p.round(.48, .48, .34, .38, -90, 270).at(.58, .66).to(.86, .94)),
      way("R", p -> p.at(.28, .9).to(.28, .1).to(.5, .1).arc(.5, .29, .22, .19, -90, 90).to(.3, .48).to(.76, .9)),
      way("T", p -> p.at(.18, .1).to(.82, .1).at(.5, .1).to(.5, .9)),
      way("U", p -> p.at(.24, .1).to(.24, .62).arc(.5, .62, .26, .28, 180, 0).to(.76, .1)), way("V", p -> p.at(.2, .1).to(.5, .9).to(.8, .1)),
      way("W", p -> p.at(.1, .1).to(.3, .9).to(.5, .3).to(.7, .9).to(.9, .1)), way("X", p -> p.at(.22, .1).to(.78, .9).at(.78, .1).to(.22, .9)),
      way("Y", p -> p.at(.2, .1).to(.5, .5).at(.8, .1).to(.5, .5).to(.5, .9)),
      way("a", p -> p.round(.46, .66, .22, .22, -30, -350).at(.7, .44).to(.7, .88)),
      way("d", p -> p.round(.46, .68, .22, .2, -30, -350).at(.7, .1).to(.7, .9)),
      way("e", p -> p.at(.26, .64).to(.74, .62).arc(.5, .66, .24, .24, -10, -320)),
      way("f", p -> p.round(.6, .24, .14, .14, -20, -180).to(.46, .9).at(.3, .44).to(.66, .44)),
      way("h", p -> p.at(.28, .1).to(.28, .9).at(.28, .62).arc(.5, .62, .22, .18, 180, 360).to(.72, .9)),
      way("k", p -> p.at(.3, .1).to(.3, .9).at(.68, .4).to(.32, .64).to(.72, .9)),
      way("m", p -> p.at(.14, .4).to(.14, .9).at(.14, .56).arc(.32, .56, .18, .15, 180, 360).to(.5, .9).at(.5, .56)
          .arc(.68, .56, .18, .15, 180, 360).to(.86, .9)),
      way("n", p -> p.at(.26, .3).to(.26, .9).at(.26, .54).arc(.5, .54, .24, .22, 180, 360).to(.74, .9)),
      way("p", p -> p.at(.3, .2).to(.3, .96).round(.52, .42, .22, .2, 180, 540)),
      way("r", p -> p.at(.34, .3).to(.34, .9).at(.34, .54).arc(.54, .5, .2, .18, 190, 310)),
      way("t", p -> p.at(.48, .1).to(.48, .76).arc(.6, .76, .12, .12, 180, 50).at(.28, .34).to(.7, .34)),
      way("u", p -> p.at(.26, .3).to(.26, .66).arc(.48, .66, .22, .22, 180, 10).at(.72, .3).to(.72, .9)),
      way("w", p -> p.at(.12, .3).to(.3, .86).to(.5, .42).to(.7, .86).to(.88, .3)),
      way("x", p -> p.at(.26, .34).to(.74, .88).at(.74, .34).to(.26, .88)),
      way("y", p -> p.at(.26, .2).to(.48, .58).at(.74, .2).to(.34, .94)));

  /** The way that is called so. */
  static Way way(String name) {
    return Stream.concat(DIGITS.stream().flatMap(List::stream), LETTERS.stream()).filter(each -> each.name.equals(name)).findFirst().orElseThrow();
  }

  /** Strokes of a way as a hand draws them, somewhere on the board. */
  static List<List<double[]>> drawn(Way way, Random hand) {
    final Pen pen = new Pen();
    way.draw.accept(pen);
    final double lean = -0.12 + 0.36 * hand.nextDouble();
    final double turn = Math.toRadians(-7 + 14 * hand.nextDouble());
    final double wide = 0.75 + 0.5 * hand.nextDouble();
    final double size = 0.3 + 0.65 * hand.nextDouble();
    final double left = hand.nextDouble() * (1 - size);
    final double top = hand.nextDouble() * (1 - size);
    final double tremble = 0.008 * hand.nextDouble();
    final List<List<double[]>> all = new ArrayList<>();
    for (final List<double[]> stroke : pen.strokes) {
      final double right = 0.012 * hand.nextGaussian(); // no stroke begins quite where it should
      final double down = 0.012 * hand.nextGaussian();
      final List<double[]> points = new ArrayList<>();
      for (final double[] point : stroke) {
        final double v = point[1] - 0.5 + down;
        final double u = (point[0] - 0.5 + right) * wide - lean * v;
        points.add(new double[] {left + size * (0.5 + u * Math.cos(turn) - v * Math.sin(turn) + tremble * hand.nextGaussian()),
            top + size * (0.5 + u * Math.sin(turn) + v * Math.cos(turn) + tremble * hand.nextGaussian())});
      }
      all.add(points);
    }
    return all;
  }

  /** Nobody knows what it is. */
  static List<List<double[]>> scribbled(Random hand) {
    final List<List<double[]>> all = new ArrayList<>();
    final int kind = hand.nextInt(4);
    final Pen pen = new Pen();
    if (kind == 0) { // a walk that turns now and then
      double x = 0.3 + 0.4 * hand.nextDouble();
      double y = 0.3 + 0.4 * hand.nextDouble();
      double direction = 6.28 * hand.nextDouble();
      double bends = 0;
      pen.at(x, y);
      for (int i = 0; i < 90; ++i) {
        bends = 0.8 * bends + 0.35 * hand.nextGaussian();
        direction += bends;
        x = Math.min(Math.max(x + 0.06 * Math.cos(direction), 0.05), 0.95);
        y = Math.min(Math.max(y + 0.06 * Math.sin(direction), 0.05), 0.95);
        pen.to(x, y);
      }
    } else if (kind == 1) { // hatching
      final int lines = 6 + hand.nextInt(8);
      pen.at(0.1, 0.1);
      for (int i = 0; i < lines; ++i) {
        pen.to(i % 2 == 0 ? 0.75 + 0.2 * hand.nextDouble() : 0.05 + 0.2 * hand.nextDouble(), 0.1 + 0.8 * (i + hand.nextDouble()) / lines);
      }
    } else if (kind == 2) { // strokes that cross
      final int lines = 5 + hand.nextInt(5);
      for (int i = 0; i < lines; ++i) {
        pen.at(hand.nextDouble(), hand.nextDouble()).to(hand.nextDouble(), hand.nextDouble());
      }
    } else { // loops on their way
      pen.at(0.1, 0.5);
      final double turns = 3 + 4 * hand.nextDouble();
      for (int i = 0; i <= 80; ++i) {
        final double angle = 6.28 * turns * i / 80;
        pen.to(0.2 + 0.6 * i / 80 + 0.16 * Math.cos(angle), 0.5 + (0.2 + 0.06 * hand.nextGaussian()) * Math.sin(angle));
      }
    }
    all.addAll(pen.strokes);
    return all;
  }

  /** What the page sends of strokes: `pixels` in page.html. */
  static float[] picture(List<List<double[]>> strokes) {
    final double[] xs = strokes.stream().flatMap(List::stream).mapToDouble(point -> point[0]).toArray();
    final double[] ys = strokes.stream().flatMap(List::stream).mapToDouble(point -> point[1]).toArray();
    final double left = Arrays.stream(xs).min().orElseThrow();
    final double right = Arrays.stream(xs).max().orElseThrow();
    final double top = Arrays.stream(ys).min().orElseThrow();
    final double bottom = Arrays.stream(ys).max().orElseThrow();
    final double scale = LONGER / Math.max(Math.max(right - left, bottom - top), SMALLEST);
    final BufferedImage sheet = new BufferedImage(SIDE, SIDE, BufferedImage.TYPE_BYTE_GRAY);
    final Graphics2D graphics = sheet.createGraphics();
    graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
    graphics.setRenderingHint(RenderingHints.KEY_STROKE_CONTROL, RenderingHints.VALUE_STROKE_PURE);
    graphics.setStroke(new BasicStroke((float) PEN, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND));
    for (final List<double[]> stroke : strokes) {
      final Path2D path = new Path2D.Double();
      for (final double[] point : stroke) {
        final double x = SIDE / 2.0 + (point[0] - (left + right) / 2) * scale;
        final double y = SIDE / 2.0 + (point[1] - (top + bottom) / 2) * scale;
        if (path.getCurrentPoint() == null) {
          path.moveTo(x, y);
        } else {
          path.lineTo(x, y);
        }
      }
      graphics.draw(path);
    }
    graphics.dispose();
    final float[] picture = new float[SIDE * SIDE];
    for (int i = 0; i < picture.length; ++i) {
      picture[i] = Math.round(100 * sheet.getRaster().getSample(i % SIDE, i / SIDE, 0) / 255f) / 100f;
    }
    return picture;
  }
}
