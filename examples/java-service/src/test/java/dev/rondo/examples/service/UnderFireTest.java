// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import static dev.rondo.examples.service.ServiceProcess.check;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two thousand connections, of which most are well, and others broken or slow; then SIGTERM. */
@Timeout(240)
class UnderFireTest {
  private static final int WELL = 1200;
  private static final int EACH = 200; // of four kinds that are not
  private static final String BODY = "{\"image\":" + ImagesTest.image("0.5", 64) + "}";

  private static void awaitMetric(ServiceProcess service, String name, double value) throws Exception {
    while (service.metric(name) != value) {
      Thread.sleep(20);
    }
  }

  /** Until nobody is let in any more. */
  private static void awaitRefusal(ServiceProcess service) throws Exception {
    for (boolean listens = true; listens; ) {
      try {
        final int status = service.get("/healthz").statusCode();
        assertTrue(status == 200 || status == 503, "status " + status);
        Thread.sleep(10);
      } catch (ConnectException e) {
        listens = false;
      } catch (IOException e) {
        Thread.sleep(10); // the system had taken its connection, which the server closed before it saw it
      }
    }
  }

  @Test
  void everyWholeRequestIsAnsweredAndNoneBreaksIt() throws Exception {
    final long files = ((UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getMaxFileDescriptorCount();
    assumeTrue(files > 2500, () -> "a process may have " + files + " files open here");
    final List<Visitor> half = new ArrayList<>();
    final List<Visitor> slow = new ArrayList<>();
    try (ServiceProcess service = ServiceProcess.withHeap("256m", "--device", "cpu", "--patience", "120", "--connections", "4096");
        Load load = new Load(service.port(), WELL, i -> BODY)) {
      final String header = Visitor.post("/classify", BODY.length());
      for (int i = 0; i < EACH; ++i) {
        half.add(new Visitor(service.port()).send(header + BODY.substring(0, i % BODY.length())));
        half.add(new Visitor(service.port()).send(header));
        slow.add(new Visitor(service.port()).send(header + "{"));
        try (Visitor rubbish = new Visitor(service.port())) {
          final String reply = rubbish.send("rubbish " + i + "\n\n").all();
          assertTrue(reply.startsWith("HTTP/1.1 400 "), reply);
        }
      }
      awaitMetric(service, "digits_requests_in_flight", WELL + 3 * EACH + 1); // with the one that asks
      for (int i = 0; i < half.size(); ++i) {
        if (i % 2 == 0) {
          half.get(i).reset();
        } else {
          final String reply = half.get(i).end().all();
          assertTrue(reply.startsWith("HTTP/1.1 400 "), reply);
        }
      }
      for (final Visitor each : slow) {
        each.send(BODY.substring(1, 2));
      }
      check(service.get("/healthz"), 200, "alive");
      awaitMetric(service, "digits_requests_total{path=\"/classify\",status=\"400\"}", 2 * EACH);
      assertEquals(EACH, service.metric("digits_requests_total{path=\"other\",status=\"400\"}"));
      assertEquals(WELL + EACH + 1, service.metric("digits_requests_in_flight"));
      final String metrics = service.get("/metrics").body();
      assertTrue(metrics.lines().noneMatch(line -> line.contains("status=\"5")), metrics);

      service.terminate();
      awaitRefusal(service);
      for (final Visitor each : slow) {
        each.send(BODY.substring(2));
      }
      for (final Load.Reply each : load.finish()) {
        assertEquals(200, each.status(), each.body());
      }
      for (final Visitor each : slow) {
        final String reply = each.header();
        assertTrue(reply.startsWith("HTTP/1.1 200 "), reply);
      }
      assertTrue(service.process.waitFor(60, TimeUnit.SECONDS));
      assertEquals(128 + 15, service.process.exitValue());
      final List<String> log = service.log();
      assertEquals(2 * EACH, log.size(), () -> String.join("\n", log));
      assertTrue(log.stream().allMatch(line -> line.contains("the body is cut short")), () -> String.join("\n", log));
    } finally {
      for (final Visitor each : half) {
        each.close();
      }
      for (final Visitor each : slow) {
        each.close();
      }
    }
  }
}
