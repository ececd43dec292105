// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import static dev.rondo.examples.service.ServiceProcess.check;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.ConnectException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The service over HTTP: what it answers, what it refuses, and how it stops. */
@Timeout(60)
class ServiceTest {
  @Test
  void answersAndRefuses() throws Exception {
    final List<float[]> digits = ServiceProcess.digits();
    try (ServiceProcess service = new ServiceProcess("--device", "cpu", "--max-batch", "64")) {
      check(service.get("/healthz"), 200, "alive");
      check(service.get("/readyz"), 200, "ready", "cpu:0");
      check(service.get("/"), 200, "<canvas");
      check(service.get("/nothing"), 404, "/classify");
      check(service.get("/classify"), 405, "POST");

      final HttpResponse<String> reply = service.post(ServiceProcess.body(digits.subList(0, 50))).get();
      check(reply, 200, "\"digit\":");
      final float[] together = ServiceProcess.probabilities(ServiceProcess.json(reply));
      for (int i = 0; i < 50; i += 7) {
        final float[] alone = ServiceProcess.probabilities(ServiceProcess.json(service.post(ServiceProcess.body(digits.subList(i, i + 1))).get()));
        final float[] same = new float[Weights.CLASSES];
        System.arraycopy(together, i * Weights.CLASSES, same, 0, same.length);
        assertArrayEquals(alone, same, 1e-5f);
      }

      check(service.post("{").get(), 400, "not JSON");
      check(service.post("{\"image\": [0.5, 1]}").get(), 400, "has 2 numbers: an image has 64");
      check(service.post(ServiceProcess.body(digits.subList(0, 65))).get(), 400, "more than 64 images");
      check(service.post(" ".repeat(200_000)).get(), 413, "longer than");
      try (Visitor visitor = new Visitor(service.port())) {
        final String came = visitor.send(Visitor.post("/classify", 200_000) + " ").all();
        assertTrue(came.startsWith("HTTP/1.1 413 ") && came.contains("\r\nConnection: close\r\n"), came); // or it would be used again
      }
      try (Visitor visitor = new Visitor(service.port())) { // sends all of it before it looks for an answer, which is not lost
        visitor.send(Visitor.post("/classify", 16 << 20));
        for (int i = 0; i < 16; ++i) {
          visitor.send(" ".repeat(1 << 20));
          Thread.sleep(10);
        }
        assertTrue(visitor.all().startsWith("HTTP/1.1 413 "));
      }
      try (Visitor visitor = new Visitor(service.port())) { // the same to a path that takes no body
        visitor.send(Visitor.post("/nowhere", 16 << 20)).send(" ".repeat(8 << 20));
        Thread.sleep(100);
        assertTrue(visitor.send(" ".repeat(8 << 20)).all().startsWith("HTTP/1.1 404 "));
      }
      assertEquals(3, service.metric("digits_requests_total{path=\"/classify\",status=\"400\"}"));
      assertEquals(9, service.metric("digits_requests_total{path=\"/classify\",status=\"200\"}"));
      assertEquals(2, service.metric("digits_requests_total{path=\"other\",status=\"404\"}"));
      assertEquals(1, service.metric("digits_graph_replays_total{rows=\"64\"}"));
      assertEquals(8, service.metric("digits_graph_replays_total{rows=\"1\"}"));
      assertEquals(58, service.metric("digits_batch_images_sum"));
      assertEquals(9, service.metric("digits_classify_seconds_count"));
      assertEquals(0, service.metric("digits_queue_images"));
      assertTrue(service.metric("digits_device_memory_bytes{device=\"cpu:0\",state=\"in_use\"}") > 9610 * 4);
      check(service.get("/metrics"), 200, "# TYPE digits_classify_seconds histogram");
    }
  }

  @Test
  void moreThanTheQueueHoldsIsRefused() throws Exception {
    final List<float[]> digits = ServiceProcess.digits();
    try (ServiceProcess service = new ServiceProcess("--device", "cpu", "--max-batch", "4", "--queue", "4", "--max-wait", "10000000")) {
      final var waits = service.post(ServiceProcess.body(digits.subList(0, 3)));
      while (service.metric("digits_queue_images") < 3) {
        Thread.sleep(10);
      }
      final HttpResponse<String> refused = service.post(ServiceProcess.body(digits.subList(0, 2))).get();
      check(refused, 429, "3 images wait, and at most 4 may");
      assertEquals("1", refused.headers().firstValue("Retry-After").orElse(""));
      final HttpResponse<String> fits = service.post(ServiceProcess.body(digits.subList(3, 4))).get();
      check(fits, 200, "\"batch\":4"); // and so it starts
      check(waits.get(), 200, "\"batch\":4");
    }
  }

  /** Requests that came in before the signal are answered, and wait for no others; none comes in after. */
  @Test
  void stopsWhenEveryRequestIsAnswered() throws Exception {
    final List<float[]> digits = ServiceProcess.digits();
    try (ServiceProcess service = new ServiceProcess("--device", "cpu", "--max-wait", "10000000")) {
      final List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
      for (int i = 0; i < 20; ++i) {
        answers.add(service.post(ServiceProcess.body(digits.subList(i, i + 1))));
      }
      while (service.metric("digits_queue_images") < 20) {
        Thread.sleep(10);
      }
      service.terminate();
      for (final var answer : answers) {
        check(answer.get(60, TimeUnit.SECONDS), 200, "\"batch\":20");
      }
      assertTrue(service.process.waitFor(60, TimeUnit.SECONDS));
      assertEquals(128 + 15, service.process.exitValue());
      assertThrows(ConnectException.class, () -> service.get("/healthz"));
    }
  }

  /** Of these only the ones that are answered have somebody who waits. */
  @Test
  void doesNotWaitForConnectionsThatAreKept() throws Exception {
    final List<float[]> digits = ServiceProcess.digits();
    try (ServiceProcess service = new ServiceProcess("--device", "cpu", "--max-wait", "10000000");
        Socket silent = new Socket("127.0.0.1", service.port()); Visitor told = new Visitor(service.port())) {
      check(service.get("/healthz"), 200, "alive"); // over a connection that the client keeps
      final String header = told.send(Visitor.post("/classify", 1, "Expect: 100-continue")).header(); // was told to go on: two answers to one request
      assertTrue(header.startsWith("HTTP/1.1 100 "), header);
      assertTrue(told.send("{").until("}").startsWith("HTTP/1.1 400 "));
      final var answer = service.post(ServiceProcess.body(digits.subList(0, 1)));
      while (service.metric("digits_queue_images") < 1) {
        Thread.sleep(10);
      }
      final long begin = System.nanoTime();
      service.terminate();
      check(answer.get(60, TimeUnit.SECONDS), 200, "\"batch\":1");
      assertTrue(service.process.waitFor(60, TimeUnit.SECONDS));
      final double took = (System.nanoTime() - begin) * 1e-9;
      assertTrue(took < 4, () -> "it stops after " + took + " s");
      assertEquals(-1, silent.getInputStream().read());
    }
  }
}
