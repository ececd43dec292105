// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.sun.management.UnixOperatingSystemMXBean;
import dev.rondo.Device;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.ConnectException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Thousands of requests at the same time, each with an image of its own: every answer is that of a single call. */
@Timeout(120)
class LoadTest {
  private static final int REQUESTS = 10_000;

  private static List<float[]> images;
  private static List<float[]> expected; // what the model says of each image alone, in this process

  @BeforeAll
  static void references() throws Exception {
    final List<float[]> digits = ServiceProcess.digits();
    images = new ArrayList<>();
    expected = new ArrayList<>();
    final Set<List<Long>> different = new HashSet<>();
    try (Model model = new RondoModel(Weights.read(Path.of(System.getProperty("service.model"))), Device.CPU, 1)) {
      for (int i = 0; i < REQUESTS; ++i) {
        final float share = 0.05f + 0.07f * (i / digits.size()); // of another digit: no two images are the same
        final float[] one = digits.get(i % digits.size());
        final float[] other = digits.get((7 * i + 13) % digits.size());
        final float[] image = new float[Weights.PIXELS];
        for (int p = 0; p < image.length; ++p) {
          image[p] = (1 - share) * one[p] + share * other[p];
        }
        final float[] answer = new float[Weights.CLASSES];
        model.input().put(0, image);
        model.classify(1, answer);
        images.add(image);
        expected.add(answer);
        different.add(logarithms(answer).stream().map(value -> Math.round(value * 100)).toList());
      }
    }
    assertEquals(REQUESTS, different.size(), "images whose answers can be told apart");
  }

  /** Of probabilities, so that small ones count as much as large ones. */
  private static List<Double> logarithms(float[] probabilities) {
    final List<Double> all = new ArrayList<>();
    for (final float each : probabilities) {
      all.add(Math.log(each));
    }
    return all;
  }

  private static String body(int i) {
    return "{\"image\":" + Arrays.toString(images.get(i)) + "}";
  }

  private static void check(List<Load.Reply> replies) {
    int together = 0;
    for (int i = 0; i < replies.size(); ++i) {
      final Load.Reply reply = replies.get(i);
      assertEquals(200, reply.status(), reply.body());
      final JsonObject answer = new Gson().fromJson(reply.body(), JsonObject.class);
      final List<Double> found = logarithms(ServiceProcess.probabilities(answer));
      final List<Double> wanted = logarithms(expected.get(i));
      for (int c = 0; c < Weights.CLASSES; ++c) {
        assertEquals(wanted.get(c), found.get(c), 2e-3, "request " + i + ", digit " + c);
      }
      together = Math.max(together, answer.get("batch").getAsInt());
    }
    assertTrue(together > 1, "no two requests were in one launch");
  }

  private static void needsFiles(int count) {
    final long most = ((UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getMaxFileDescriptorCount();
    assumeTrue(most > count + 500, () -> "a process may have " + most + " files open here, and " + count + " connections are wanted");
  }

  private static void awaitInFlight(ServiceProcess service, int count) throws Exception {
    while (service.metric("digits_requests_in_flight") <= count) { // the one that asks is in flight too
      Thread.sleep(20);
    }
  }

  @Test
  void tenThousandAtOnce() throws Exception {
    needsFiles(REQUESTS);
    try (ServiceProcess service = new ServiceProcess("--device", "cpu", "--patience", "120", "--connections", "12000");
        Load load = new Load(service.port(), REQUESTS, LoadTest::body)) {
      awaitInFlight(service, REQUESTS);
      check(load.finish());
      assertEquals(REQUESTS, service.metric("digits_requests_total{path=\"/classify\",status=\"200\"}"));
      assertEquals(REQUESTS, service.metric("digits_batch_images_sum"));
      final double launches = service.metric("digits_batch_images_count");
      assertTrue(launches < REQUESTS / 2.0, () -> launches + " launches");
    }
  }

  /** Requests that came in before the signal are answered, those too that were not complete by then. */
  @Test
  void stopsUnderLoad() throws Exception {
    try (ServiceProcess service = new ServiceProcess("--device", "cpu", "--patience", "120", "--connections", "12000");
        Load load = new Load(service.port(), 1000, LoadTest::body)) {
      awaitInFlight(service, 1000);
      service.terminate();
      boolean listens = true;
      while (listens) {
        try {
          service.get("/healthz");
          Thread.sleep(10);
        } catch (ConnectException e) {
          listens = false;
        } catch (IOException e) {
          Thread.sleep(10); // the system had taken its connection, which the server closed before it saw it
        }
      }
      assertTrue(service.process.isAlive(), "it waits for the requests");
      check(load.finish());
      assertTrue(service.process.waitFor(20, TimeUnit.SECONDS));
      assertEquals(128 + 15, service.process.exitValue());
      assertThrows(ConnectException.class, () -> service.get("/healthz"));
    }
  }
}
