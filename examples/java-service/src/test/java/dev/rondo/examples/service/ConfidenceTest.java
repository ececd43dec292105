// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** What a network's probabilities are worth: of one that boasts they shrink, and it is sure of what it is nearly always right about. */
class ConfidenceTest {
  private static final int DRAWINGS = 20_000;

  /** Logits that are too large by a factor, of labels that follow the probabilities without it. */
  private static Confidence of(double boasts) {
    final Random chance = new Random(7);
    final float[] logits = new float[DRAWINGS * Sketches.CLASSES];
    final int[] labels = new int[DRAWINGS];
    for (int i = 0; i < DRAWINGS; ++i) {
      final double[] shares = new double[Sketches.CLASSES];
      double all = 0;
      for (int c = 0; c < Sketches.CLASSES; ++c) {
        final double logit = 4 * chance.nextGaussian();
        logits[i * Sketches.CLASSES + c] = (float) (boasts * logit);
        shares[c] = Math.exp(logit);
        all += shares[c];
      }
      double at = all * chance.nextDouble();
      while (labels[i] < Sketches.NONE && (at -= shares[labels[i]]) >= 0) {
        ++labels[i];
      }
    }
    return Confidence.of(logits, labels);
  }

  @Test
  void boastingIsTakenBack() {
    assertEquals(1, of(1).temperature(), 0.05);
    assertEquals(2.5, of(2.5).temperature(), 0.1);
    assertEquals(of(1).sure(), of(2.5).sure(), 0.02);
  }

  /** If probabilities are right, those from p on are right in more than p of the cases, so less than that is needed. */
  @Test
  void sureIsNearlyAlwaysRight() {
    final double sure = of(1).sure();
    assertTrue(sure > 0.95 && sure < 0.999, () -> "sure from " + sure + " on");
  }

  @Test
  void trainingNeedsAFolderForItsFile() {
    for (final String file : new String[] {"/no/such/folder/sketches.safetensors", "/"}) {
      final var thrown = assertThrows(IllegalArgumentException.class, () -> Options.parse("--train", file));
      assertEquals("--train must name a file in a folder that is there, not '" + file + "'", thrown.getMessage());
    }
    assertEquals("sketches.safetensors", Options.parse("--train", "sketches.safetensors").train());
  }
}
