// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

/**
 * How much a network's probabilities are worth, from drawings that it was not trained on.
 *
 * @param temperature what its logits have to be divided by, so that of what it gives the probability p the share p is right
 * @param sure the probability from which on it is sure of a digit: of those at least {@link #RIGHT} are right
 */
record Confidence(double temperature, double sure) {
  /** The share of what it is sure of that has to be right. */
  static final double RIGHT = 0.997;

  private static final double LEAST = 0.8;

  /**
   * Finds both.
   *
   * @param logits of {@link Sketches#CLASSES} classes for each drawing
   * @param labels what the drawings are
   */
  static Confidence of(float[] logits, int[] labels) {
    double temperature = 1;
    double least = Double.MAX_VALUE;
    for (double t = 0.5; t < 5; t *= 1.02) {
      double loss = 0;
      for (int i = 0; i < labels.length; ++i) {
        loss -= Math.log(Math.max(probability(logits, i, labels[i], t), 1e-30));
      }
      if (loss < least) {
        least = loss;
        temperature = t;
      }
    }
    for (double sure = LEAST; sure < 0.999; sure += 0.005) {
      int all = 0;
      int wrong = 0;
      for (int i = 0; i < labels.length; ++i) {
        int best = 0;
        for (int c = 1; c < Sketches.CLASSES; ++c) {
          best = logits[i * Sketches.CLASSES + c] > logits[i * Sketches.CLASSES + best] ? c : best;
        }
        if (best != Sketches.NONE && probability(logits, i, best, temperature) >= sure) {
          ++all;
          wrong += best == labels[i] ? 0 : 1;
        }
      }
      if (wrong <= (1 - RIGHT) * all) {
        return new Confidence(temperature, sure);
      }
    }
    return new Confidence(temperature, 0.999);
  }

  private static double probability(float[] logits, int drawing, int label, double temperature) {
    double sum = 0;
    final int at = drawing * Sketches.CLASSES;
    for (int c = 0; c < Sketches.CLASSES; ++c) {
      sum += Math.exp((logits[at + c] - logits[at + label]) / temperature);
    }
    return 1 / sum;
  }
}
