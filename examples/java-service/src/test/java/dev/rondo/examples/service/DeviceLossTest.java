// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.Gson;
import dev.rondo.Device;
import dev.rondo.DeviceKind;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A device that is lost while requests wait for it: the simulated driver loses it in the launch that it is told. */
@Tag("device")
@Timeout(120)
class DeviceLossTest {
  private static final String[] OPTIONS = {"--device", "cuda:0", "--max-batch", "16", "--max-wait", "300000"};
  private static final int GRAPHS = 6; // of 1, 4 and 16 rows, for digits and for sketches, each launched once before the service is ready

  /** The device is lost in the second launch of requests: 700 is an illegal address. */
  private static final Map<String, String> LOSS = Map.of("SIMCUDA_FAULT", "cuGraphLaunch:" + (GRAPHS + 2) + ":700");

  @BeforeEach
  void needsTheSimulatedDriver() {
    assumeTrue(System.getenv("SIMCUDA_CACHE") != null && Device.count(DeviceKind.CUDA) > 0, "no simulated driver");
  }

  private static List<CompletableFuture<HttpResponse<String>>> ask(ServiceProcess service, List<float[]> digits, int from, int to) {
    final List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
    for (int i = from; i < to; ++i) {
      answers.add(service.post(ServiceProcess.body(digits.subList(i, i + 1))));
    }
    return answers;
  }

  @Test
  void isNotReadyAnyMore() throws Exception {
    final List<float[]> digits = ServiceProcess.digits();
    try (ServiceProcess service = new ServiceProcess(LOSS, OPTIONS)) {
      assertEquals("cuda:0", service.device);
      assertEquals(200, ask(service, digits, 0, 1).get(0).get().statusCode());
      assertEquals(200, service.get("/readyz").statusCode());
      for (final var answer : ask(service, digits, 0, 10)) { // those of the launch, and all that come after
        assertEquals(503, answer.get().statusCode());
        assertTrue(answer.get().body().contains("CUDA_ERROR_ILLEGAL_ADDRESS"), answer.get().body());
      }
      final var ready = service.get("/readyz");
      assertEquals(503, ready.statusCode());
      assertTrue(ready.body().contains("\"lost\"") && ready.body().contains("CUDA_ERROR_ILLEGAL_ADDRESS"), ready.body());
      assertEquals(200, service.get("/healthz").statusCode());
      assertEquals(503, ask(service, digits, 0, 1).get(0).get().statusCode());
      assertEquals(1, service.metric("digits_device_lost"));
      assertEquals(0, service.metric("digits_ready{device=\"cuda:0\"}"));
    }
  }

  @Test
  void goesOnOnTheCpu() throws Exception {
    final List<float[]> digits = ServiceProcess.digits();
    final List<float[]> reference = new ArrayList<>();
    final String[] options = List.of(OPTIONS).toArray(new String[OPTIONS.length + 2]);
    options[OPTIONS.length] = "--when-lost";
    options[OPTIONS.length + 1] = "cpu";
    try (ServiceProcess service = new ServiceProcess(LOSS, options)) {
      for (int round = 0; round < 3; ++round) { // on the device, in its last launch, on the cpu
        final var answers = ask(service, digits, 0, 16);
        for (int i = 0; i < 16; ++i) {
          assertEquals(200, answers.get(i).get().statusCode(), answers.get(i).get()::body);
          final float[] probabilities = ServiceProcess.probabilities(ServiceProcess.json(answers.get(i).get()));
          if (round == 0) {
            reference.add(probabilities);
          }
          assertArrayEquals(reference.get(i), probabilities, 1e-5f);
        }
      }
      final var ready = service.get("/readyz");
      assertEquals(200, ready.statusCode());
      assertTrue(ready.body().contains("\"device\":\"cpu:0\"") && ready.body().contains("CUDA_ERROR_ILLEGAL_ADDRESS"), ready.body());
      assertEquals(1, service.metric("digits_device_lost"));
      assertEquals(1, service.metric("digits_ready{device=\"cpu:0\"}"));
    }
  }

  /** Of sentences: the second request meets the loss, behind the launches that come before the service is ready. */
  @Test
  void sentencesGetStatus503OrGoOnOnTheCpu(@TempDir Path folder) throws Exception {
    SentenceFiles.write(folder);
    final Map<String, String> loss = Map.of("SIMCUDA_FAULT", "cuGraphLaunch:9:700"); // one graph of digits, one of sketches, five of sentences
    final String request = "{\"sentence\": \"the cat sat\"}";
    for (final String when : new String[] {"fail", "cpu"}) {
      try (ServiceProcess service = new ServiceProcess(loss, "--device", "cuda:0", "--max-batch", "1", "--when-lost", when, "--sentences",
          folder.toString())) {
        final var first = service.post("/embed", request).get();
        ServiceProcess.check(first, 200, "\"device\":\"cuda:0\"");
        final var second = service.post("/embed", request).get();
        if (when.equals("fail")) {
          ServiceProcess.check(second, 503, "CUDA_ERROR_ILLEGAL_ADDRESS");
          ServiceProcess.check(service.post("/embed", request).get(), 503, "the device is lost");
          ServiceProcess.check(service.get("/readyz"), 503, "\"lost\"", "CUDA_ERROR_ILLEGAL_ADDRESS");
        } else {
          ServiceProcess.check(second, 200, "\"device\":\"cpu:0\"");
          assertArrayEquals(vector(first), vector(second), 1e-5f);
          ServiceProcess.check(service.get("/readyz"), 200, "\"sentences\":\"cpu:0\"", "CUDA_ERROR_ILLEGAL_ADDRESS");
        }
        assertEquals(1, service.metric("sentences_launch_failures_total"));
      }
    }
  }

  private static float[] vector(HttpResponse<String> reply) {
    return new Gson().fromJson(ServiceProcess.json(reply).getAsJsonArray("vectors").get(0), float[].class);
  }
}
