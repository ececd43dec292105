// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import static dev.rondo.examples.service.ServiceProcess.check;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import dev.rondo.Device;
import java.io.IOException;
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
import org.junit.jupiter.api.io.TempDir;

/** What the network says of drawings that it was not trained on, and that it can be trained again. */
@Timeout(300)
class SketchesTest {
  private static final int HANDS = 4; // of each way to write a digit: 200 drawings
  private static final int SCRIBBLES = 100;
  private static final int SHORT = 600; // steps of a training whose network is worse, and does already

  @TempDir
  private static Path folder;

  private static ServiceProcess service;

  @BeforeAll
  static void start() throws Exception {
    service = new ServiceProcess("--device", "cpu");
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  /** What is drawn, and what the network says: a digit, or none. */
  private record Said(String drawn, int label, int digit, boolean sure) {}

  /** Drawings and what they are. */
  private static final class Judged {
    private final Random hand = new Random(2026);
    private final List<String> names = new ArrayList<>();
    private final List<Integer> labels = new ArrayList<>();
    private final List<float[]> pictures = new ArrayList<>();

    void add(String name, int label, List<List<double[]>> strokes) {
      names.add(name);
      labels.add(label);
      pictures.add(JudgedDrawings.picture(strokes));
    }

    static Judged digits() {
      final Judged judged = new Judged();
      for (int digit = 0; digit < Weights.CLASSES; ++digit) {
        for (final JudgedDrawings.Way way : JudgedDrawings.DIGITS.get(digit)) {
          for (int i = 0; i < HANDS; ++i) {
            judged.add(way.name(), digit, JudgedDrawings.drawn(way, judged.hand));
          }
        }
      }
      return judged;
    }

    static Judged others() {
      final Judged judged = new Judged();
      for (final JudgedDrawings.Way way : JudgedDrawings.LETTERS) {
        for (int i = 0; i < HANDS; ++i) {
          judged.add(way.name(), Sketches.NONE, JudgedDrawings.drawn(way, judged.hand));
        }
      }
      for (int i = 0; i < SCRIBBLES; ++i) {
        judged.add("scribble", Sketches.NONE, JudgedDrawings.scribbled(judged.hand));
      }
      return judged;
    }

    List<Said> ask() throws Exception {
      final List<Said> all = new ArrayList<>();
      for (int at = 0; at < pictures.size(); at += 64) {
        final JsonArray results = ServiceProcess.json(service.post("/sketch", ServiceProcess.body(pictures.subList(at, Math.min(at + 64, pictures.size()))))
            .get()).getAsJsonArray("results");
        for (int i = 0; i < results.size(); ++i) {
          final JsonObject result = results.get(i).getAsJsonObject();
          all.add(new Said(names.get(at + i), labels.get(at + i), result.get("digit").isJsonNull() ? Sketches.NONE : result.get("digit").getAsInt(),
              result.get("sure").getAsBoolean()));
        }
      }
      return all;
    }

    /** Without a service, by a network of this file. */
    List<Said> ask(Path file) throws Exception {
      final Sketches network = Sketches.read(file);
      final List<Said> all = new ArrayList<>();
      try (Model model = new RondoModel(network, Device.CPU, 1)) {
        final float[] answer = new float[Sketches.CLASSES];
        for (int i = 0; i < pictures.size(); ++i) {
          model.input().put(0, pictures.get(i));
          model.classify(1, answer);
          int best = 0;
          for (int c = 1; c < answer.length; ++c) {
            best = answer[c] > answer[best] ? c : best;
          }
          all.add(new Said(names.get(i), labels.get(i), best, best != Sketches.NONE && answer[best] >= network.sure()));
        }
      }
      return all;
    }
  }

  private static void assertRecognised(List<Said> digits, List<Said> others, double right, double sureOf, double surelyRight,
      double rejected) {
    final long ofDigits = digits.stream().filter(each -> each.digit == each.label).count();
    final long sure = digits.stream().filter(Said::sure).count();
    final long ofSure = digits.stream().filter(each -> each.sure && each.digit == each.label).count();
    final long ofOthers = others.stream().filter(each -> !each.sure).count();
    final String what = ofDigits + " of " + digits.size() + " digits right; of " + sure + " it is sure, " + ofSure + " of them right; of " + ofOthers
        + " of " + others.size() + " others it is not sure";
    System.out.println(what);
    assertTrue(ofDigits >= right * digits.size(), () -> what + "; wrong: " + digits.stream().filter(each -> each.digit != each.label).toList());
    assertTrue(ofSure >= surelyRight * sure && sure >= sureOf * digits.size(), () -> what + "; surely wrong: "
        + digits.stream().filter(each -> each.sure && each.digit != each.label).toList());
    assertTrue(ofOthers >= rejected * others.size(), () -> what + "; sure: " + others.stream().filter(Said::sure).toList());
  }

  @Test
  void drawingsItWasNotTrainedOnAreRecognised() throws Exception {
    assertRecognised(Judged.digits().ask(), Judged.others().ask(), 0.97, 0.95, 0.99, 0.95);
  }

  /** As the file was made that is shipped, but shorter. */
  @Test
  void shortTrainingRecognisesMost() throws Exception {
    final Path file = folder.resolve("sketches.safetensors");
    Training.run(file, Device.CPU, SHORT);
    assertRecognised(Judged.digits().ask(file), Judged.others().ask(file), 0.95, 0.25, 0.99, 0.9);
  }

  @Test
  void pathSketchAnswersAndRefuses() throws Exception {
    final float[] paper = new float[Sketches.PIXELS];
    final var reply = service.post("/sketch", ServiceProcess.body(List.of(paper))).get();
    check(reply, 200, "\"none\":", "\"digit\":null", "\"sure\":false", "\"device\":\"cpu:0\"");
    assertEquals(10, ServiceProcess.json(reply).getAsJsonArray("results").get(0).getAsJsonObject().getAsJsonArray("probabilities").size());
    check(service.post("/sketch", "{\"image\": [0.5, 1]}").get(), 400, "has 2 numbers: an image has 784");
    check(service.post("/sketch", ServiceProcess.body(ServiceProcess.digits().subList(0, 1))).get(), 400, "has 64 numbers: an image has 784");
    check(service.get("/sketch"), 405, "POST");
    assertFalse(service.get("/").body().contains("\"classify\""));
  }

  @Test
  void otherFileIsNoNetworkForSketches() throws Exception {
    final IOException thrown = assertThrows(IOException.class, () -> Sketches.read(Path.of(System.getProperty("service.model"))));
    assertTrue(thrown.getMessage().contains("not a file of the network for sketches"), thrown.getMessage());
    final Path cut = folder.resolve("cut.safetensors");
    final byte[] whole = Sketches.class.getResourceAsStream("sketches.safetensors").readAllBytes();
    Files.write(cut, Arrays.copyOf(whole, whole.length / 2));
    assertThrows(RuntimeException.class, () -> Sketches.read(cut));
  }
}
