// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the service says of digits that nobody showed it before, and of what is no digit. */
@Timeout(120)
class DrawingsTest {
  /** Scale, right, down, pen. */
  private static final double[][] HANDS = {{1, 0, 0, 1.2}, {.9, 0, 0, 1.2}, {.8, 0, 0, 1.2}, {1.05, 0, 0, 1.5}, {.95, .6, 0, 1.2},
      {.95, -.6, 0, 1.2}, {.95, 0, .5, 1.2}, {.95, 0, -.5, 1.2}, {1, 0, 0, 1.7}, {1, 0, 0, .9}};

  private static ServiceProcess service;

  @BeforeAll
  static void start() throws Exception {
    service = new ServiceProcess("--device", "cpu");
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  private record Said(int digit, boolean sure) {}

  private static List<Said> ask(List<float[]> images) throws Exception {
    final List<Said> all = new ArrayList<>();
    for (int at = 0; at < images.size(); at += 200) {
      final String body = ServiceProcess.body(images.subList(at, Math.min(at + 200, images.size())));
      final JsonArray results = ServiceProcess.json(service.post(body).get()).getAsJsonArray("results");
      for (int i = 0; i < results.size(); ++i) {
        final JsonObject result = results.get(i).getAsJsonObject();
        all.add(new Said(result.get("digit").getAsInt(), result.get("sure").getAsBoolean()));
      }
    }
    return all;
  }

  private static List<float[]> drawn(List<List<double[]>> strokes) {
    return Arrays.stream(HANDS).map(hand -> Drawings.image(strokes, hand[0], hand[1], hand[2], hand[3])).toList();
  }

  @Test
  void tenDrawingsOfEachDigit() throws Exception {
    int right = 0;
    for (int digit = 0; digit < Weights.CLASSES; ++digit) {
      final List<Said> all = ask(drawn(Drawings.strokes(digit)));
      int ofThis = 0;
      for (final Said each : all) {
        assertTrue(each.digit == digit || !each.sure, "of a drawing of " + digit + " it is sure, wrongly: " + all);
        ofThis += each.digit == digit ? 1 : 0;
      }
      assertTrue(ofThis >= 8, "drawings of " + digit + ": " + all);
      right += ofThis;
    }
    assertTrue(right >= 96, right + " of 100");
  }

  @Test
  void twoPlainCirclesAreAnEight() throws Exception {
    final List<Said> all = ask(drawn(Drawings.circles()));
    assertTrue(all.stream().allMatch(each -> each.digit == 8), all::toString);
    assertTrue(all.stream().filter(Said::sure).count() >= 9, all::toString);
  }

  /** The last fifth of the images, which augment_digits.py leaves out. */
  @Test
  void itIsSureOfMostAndThenRight() throws Exception {
    final byte[] file = Files.readAllBytes(Path.of(System.getProperty("service.data")));
    final List<float[]> images = ServiceProcess.digits();
    final int first = images.size() - images.size() / 5;
    final List<Said> all = ask(images.subList(first, images.size()));
    int right = 0;
    int sure = 0;
    int surelyRight = 0;
    for (int i = 0; i < all.size(); ++i) {
      final boolean so = all.get(i).digit == file[16 + 65 * (first + i) + 64];
      right += so ? 1 : 0;
      sure += all.get(i).sure ? 1 : 0;
      surelyRight += so && all.get(i).sure ? 1 : 0;
    }
    final String what = right + " of " + all.size() + " right, " + sure + " sure, " + surelyRight + " of them right";
    assertTrue(right >= 0.94 * all.size() && sure >= 0.88 * all.size() && surelyRight >= 0.97 * sure, what);
  }

  @Test
  void itIsNotSureOfWhatIsNoDigit() throws Exception {
    final List<float[]> images = new ArrayList<>();
    for (final float ink : new float[] {0, 0.5f, 1}) {
      final float[] even = new float[Weights.PIXELS];
      Arrays.fill(even, ink);
      images.add(even);
    }
    final Random chance = new Random(1);
    for (int i = 0; i < 20; ++i) {
      final float[] noise = new float[Weights.PIXELS];
      for (int p = 0; p < noise.length; ++p) {
        noise[p] = chance.nextFloat();
      }
      images.add(noise);
    }
    for (final Said each : ask(images)) {
      assertFalse(each.sure);
    }
  }
}
