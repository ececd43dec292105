// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import static dev.rondo.examples.service.ServiceProcess.check;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rondo.Device;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Visitors that do not finish what they begin, do not speak HTTP, or send more than there is room for. */
@Timeout(120)
class BrokenVisitorsTest {
  private static void awaitMetric(ServiceProcess service, String name, double value) throws Exception {
    while (service.metric(name) != value) {
      Thread.sleep(10);
    }
  }

  @Test
  void anUploadCutShortIsA400AndOneLine() throws Exception {
    try (ServiceProcess service = new ServiceProcess("--device", "cpu")) {
      try (Visitor visitor = new Visitor(service.port())) {
        final String reply = visitor.send(Visitor.post("/classify", 100) + "{").end().all();
        assertTrue(reply.startsWith("HTTP/1.1 400 "), reply);
        assertTrue(reply.endsWith("{\"error\":\"the body is cut short: 1 of 100 bytes came\"}"), reply);
      }
      try (Visitor visitor = new Visitor(service.port())) {
        visitor.send(Visitor.post("/classify", 100) + "{\"");
        awaitMetric(service, "digits_requests_in_flight", 2); // with the one that asks
        visitor.reset();
      }
      awaitMetric(service, "digits_requests_total{path=\"/classify\",status=\"400\"}", 2);
      assertEquals(1, service.metric("digits_requests_in_flight"));
      assertEquals(0, service.metric("digits_bodies_bytes"));
      final List<String> log = service.log();
      assertEquals(2, log.size(), log::toString);
      assertTrue(log.get(0).endsWith("POST /classify from 127.0.0.1: the body is cut short: 1 of 100 bytes came"), log::toString);
    }
  }

  /** In this process, where patience can be short. */
  @Test
  void aBodyThatDripsIsA408() throws Exception {
    final Metrics metrics = new Metrics();
    final QueuedThreadPool threads = new QueuedThreadPool();
    try (Batcher batcher = new Batcher(new RondoModel(Weights.read(Path.of(System.getProperty("service.model"))), Device.CPU, 1), 1, Duration.ZERO,
        null, metrics.network("digits", "/classify"))) {
      final Bodies bodies = new Bodies(Duration.ofMillis(300));
      final JettyServer server = new JettyServer(new Api(batcher, null, 0, null, null, Map.of(), metrics, threads), bodies,
          new Connections(8, Duration.ofSeconds(10)), "127.0.0.1", 0, threads, Duration.ofSeconds(5));
      try (Visitor visitor = new Visitor(server.port())) {
        visitor.send(Visitor.post("/classify", 1000));
        drip(visitor);
        final String reply = visitor.until("}");
        assertTrue(reply.startsWith("HTTP/1.1 408 ") && reply.contains(" of 1000 bytes came in time"), reply);
      } finally {
        server.stop();
      }
      assertEquals(0, bodies.held());
      assertTrue(new String(metrics.text()).contains("digits_requests_total{path=\"/classify\",status=\"408\"} 1"));
    }
  }

  /** A service in this process, with limits that are short. */
  private interface Visit {
    void to(JettyServer server, Bodies bodies) throws Exception;
  }

  private static void serve(Connections connections, Visit visit) throws Exception {
    final Metrics metrics = new Metrics();
    final QueuedThreadPool threads = new QueuedThreadPool();
    try (Batcher batcher = new Batcher(new RondoModel(Weights.read(Path.of(System.getProperty("service.model"))), Device.CPU, 4096), 4096, Duration.ZERO,
        null, metrics.network("digits", "/classify"))) {
      final Bodies bodies = new Bodies(Duration.ofSeconds(30));
      final JettyServer server = new JettyServer(new Api(batcher, null, 0, null, null, Map.of(), metrics, threads), bodies, connections, "127.0.0.1", 0, threads,
          Duration.ofSeconds(5));
      try {
        visit.to(server, bodies);
      } finally {
        server.stop();
      }
    }
  }

  @Test
  void aHeaderThatDripsEndsItsConnection() throws Exception {
    serve(new Connections(8, Duration.ofMillis(500)), (server, bodies) -> {
      try (Visitor silent = new Visitor(server.port()); Visitor drips = new Visitor(server.port()); Visitor kept = new Visitor(server.port())) {
        assertTrue(kept.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").until("alive").startsWith("HTTP/1.1 200 "));
        drips.send("GET /healthz HTTP/1.1\r\nX: ");
        assertEquals("", drips.untilClosed("x", 20));
        assertEquals("", silent.all());
        assertTrue(kept.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").until("alive").contains("HTTP/1.1 200 "), "no header is on its way");
        kept.untilClosed("G", 20);
      }
    });
  }

  @Test
  void connectionsBeyondTheMostGet503() throws Exception {
    serve(new Connections(4, Duration.ofSeconds(10)), (server, bodies) -> {
      final List<Visitor> held = new ArrayList<>();
      for (int i = 0; i < 4; ++i) {
        final Visitor each = new Visitor(server.port()).send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
        each.until("alive");
        held.add(each);
      }
      for (int i = 0; i < 100; ++i) {
        try (Visitor late = new Visitor(server.port())) {
          final String reply = late.all();
          assertTrue(reply.startsWith("HTTP/1.1 503 ") && reply.contains("\r\nRetry-After: 1\r\n") && reply.endsWith("}"), reply);
        }
      }
      held.get(0).close();
      String reply = "";
      while (!reply.startsWith("HTTP/1.1 200 ")) {
        try (Visitor again = new Visitor(server.port())) {
          reply = again.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").header();
        } catch (SocketException closed) {
          reply = ""; // refused before it had sent its request
        }
      }
      for (final Visitor each : held) {
        each.close();
      }
    });
  }

  /** Of more than the system keeps for a connection. */
  @Test
  void anAnswerThatNobodyReadsCountsAmongTheBodies() throws Exception {
    final String images = "{\"images\": [" + String.join(",", java.util.Collections.nCopies(4096, ImagesTest.image("0.5", 64))) + "]}";
    serve(new Connections(64, Duration.ofSeconds(10)), (server, bodies) -> {
      final List<Visitor> held = new ArrayList<>();
      for (int i = 0; i < 16 && bodies.held() == 0; ++i) {
        final Visitor each = new Visitor(server.port(), 4096).send(Visitor.post("/classify", images.length()) + images);
        held.add(each);
        each.until("HTTP/1.1 200 ");
        Thread.sleep(200);
      }
      assertTrue(bodies.held() > 16 << 10, () -> bodies.held() + " bytes of answers count");
      assertTrue(bodies.held() < held.size() * (long) images.length(), "the requests' bodies are given back");
      for (final Visitor each : held) {
        each.reset();
      }
      while (bodies.held() != 0) {
        Thread.sleep(10);
      }
    });
  }

  /** Until there is an answer; the service may close the connection between two drops. */
  private static void drip(Visitor visitor) throws Exception {
    try {
      while (visitor.socket.getInputStream().available() == 0) {
        visitor.send(" ");
        Thread.sleep(20);
      }
    } catch (final SocketException closed) {
      // What the service has answered can be read all the same.
    }
  }

  /** A visitor who asks whether it may send its body is told at once. */
  @Test
  void bodiesHaveACommonBound() throws Exception {
    final String image = "{\"image\": " + ImagesTest.image("0.5", 64) + "}";
    final int length = 6_000_000; // 60 of them are more than the heap
    final String expect = "Expect: 100-continue";
    final String almost = image + " ".repeat(length - image.length() - 1);
    final List<Visitor> held = new ArrayList<>();
    try (ServiceProcess service = ServiceProcess.withHeap("256m", "--device", "cpu", "--max-batch", "4096")) {
      int refused = 0;
      for (int i = 0; i < 60; ++i) {
        final Visitor visitor = new Visitor(service.port()).send(Visitor.post("/classify", length, expect));
        final String header = visitor.header();
        if (header.startsWith("HTTP/1.1 100 ")) {
          held.add(visitor.send(almost));
        } else {
          assertTrue(header.startsWith("HTTP/1.1 503 ") && header.contains("\r\nRetry-After: 1\r\n"), header);
          ++refused;
          visitor.close();
        }
        check(service.get("/healthz"), 200, "alive");
      }
      assertTrue(held.size() >= 5 && refused >= 40, () -> held.size() + " may send");
      assertEquals(length * (double) held.size(), service.metric("digits_bodies_bytes"));
      for (final Visitor each : held) {
        final String reply = each.send(" ").header();
        assertTrue(reply.startsWith("HTTP/1.1 200 "), reply);
      }
      awaitMetric(service, "digits_bodies_bytes", 0);
      assertEquals(refused, service.metric("digits_requests_total{path=\"/classify\",status=\"503\"}"));
      try (Visitor again = new Visitor(service.port()).send(Visitor.post("/classify", length, expect))) {
        assertTrue(again.header().startsWith("HTTP/1.1 100 "));
        assertTrue(again.send(almost + " ").header().startsWith("HTTP/1.1 200 "));
      }
    } finally {
      for (final Visitor each : held) {
        each.close();
      }
    }
  }

  @Test
  void whatIsNotHttpIsAnsweredWithJson() throws Exception {
    final List<String> requests = List.of("GET /healthz HTTP/1.1\nHost: localhost\n\n", "GET /healthz HTTP/1.1\r\nHost: localhost\n\r\n",
        "\u0016\u0003\u0001\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "GET /%00 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    try (ServiceProcess service = new ServiceProcess("--device", "cpu")) {
      for (final String each : requests) {
        try (Visitor visitor = new Visitor(service.port())) {
          final String reply = visitor.send(each).all();
          assertTrue(reply.startsWith("HTTP/1.1 400 ") && reply.contains("\r\nContent-Type: application/json\r\n"), reply);
          assertTrue(reply.substring(reply.indexOf("\r\n\r\n") + 4).matches("\\{\"error\":\"[^<]+\"}"), reply);
        }
      }
      assertEquals(requests.size(), service.metric("digits_requests_total{path=\"other\",status=\"400\"}"));
      assertEquals(List.of(), service.log());
    }
  }

  @Test
  void headIsGetWithoutItsBody() throws Exception {
    try (ServiceProcess service = new ServiceProcess("--device", "cpu")) {
      for (final String path : List.of("/", "/healthz", "/readyz", "/metrics")) {
        try (Visitor visitor = new Visitor(service.port())) {
          final String reply = visitor.send("HEAD " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").all();
          assertTrue(reply.startsWith("HTTP/1.1 200 ") && reply.endsWith("\r\n\r\n"), reply);
          assertFalse(reply.contains("Content-Length: 0"), reply);
        }
      }
      check(service.post("/", "").get(), 405, "/ takes GET, HEAD, not POST");
    }
  }
}
