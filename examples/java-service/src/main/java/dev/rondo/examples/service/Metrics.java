// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import dev.rondo.RondoException;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Gauge;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.expositionformats.PrometheusTextFormatWriter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What the service counts, for Prometheus: requests of all paths, and for each network its batches. */
final class Metrics {
  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final PrometheusTextFormatWriter writer = PrometheusTextFormatWriter.create();
  private final Map<String, Batches> networks = new ConcurrentHashMap<>(); // by path

  private final Counter requests = Counter.builder().name("digits_requests_total").help("Requests, by path and status")
      .labelNames("path", "status").register(registry);
  private final Gauge inFlight = Gauge.builder().name("digits_requests_in_flight").help("Requests that came in and are not answered")
      .register(registry);

  /** Adds the memory of bodies. */
  Metrics watch(Bodies bodies) {
    GaugeWithCallback.builder().name("digits_bodies_bytes").help("Memory that bodies of requests take").callback(gauge -> gauge.call(bodies.held()))
        .register(registry);
    return this;
  }

  /** What is counted of one network. */
  final class Batches implements Batcher.Listener {
    private final String name;
    private final Histogram latency;
    private final Histogram batches;
    private final Histogram launches;
    private final Counter replays;
    private final Counter failures;

    private Batches(String name) {
      this.name = name;
      latency = histogram("classify_seconds", "From a request for classification to its answer, of those that were answered", .0002, .0005,
          .001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5);
      batches = histogram("batch_images", "Images of one launch", 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024);
      launches = histogram("launch_seconds", "One launch: write, replay, read", .00002, .00005, .0001, .0002, .0005, .001, .002, .005, .01,
          .02, .05, .1, .2, .5, 1);
      replays = Counter.builder().name(name + "_graph_replays_total").help("Replays, by the batch size of the graph").labelNames("rows")
          .register(registry);
      failures = Counter.builder().name(name + "_launch_failures_total").help("Launches that failed").register(registry);
    }

    private Histogram histogram(String what, String help, double... bounds) {
      return Histogram.builder().name(name + "_" + what).help(help).classicOnly().classicUpperBounds(bounds).register(registry);
    }

    private GaugeWithCallback.Builder gauge(String what, String help) {
      return GaugeWithCallback.builder().name(name + "_" + what).help(help);
    }

    /** Adds what is asked of the batcher when it is wanted. */
    Batches watch(Batcher batcher) {
      gauge("queue_images", "Images that wait for a launch").callback(gauge -> gauge.call(batcher.queued())).register(registry);
      gauge("ready", "1: images are classified").labelNames("device")
          .callback(gauge -> gauge.call(batcher.available() ? 1 : 0, batcher.model().device())).register(registry);
      gauge("device_lost", "1: the first device was lost").callback(gauge -> gauge.call(batcher.lost() == null ? 0 : 1)).register(registry);
      gauge("device_memory_bytes", "Memory of the device that the engine holds").labelNames("device", "state").callback(gauge -> {
        final Model model = batcher.model();
        try {
          final Model.Memory memory = model.memory();
          gauge.call(memory.inUse(), model.device(), "in_use");
          gauge.call(memory.cached(), model.device(), "cached");
        } catch (RondoException e) {
          // Of a lost device nothing is known.
        }
      }).register(registry);
      return this;
    }

    @Override
    public void launched(int images, int rows, double seconds) {
      batches.observe(images);
      launches.observe(seconds);
      replays.labelValues(Integer.toString(rows)).inc();
    }

    @Override
    public void failed(Throwable cause) {
      failures.inc();
    }
  }

  /**
   * Counts for one more network.
   *
   * @param name what its metrics begin with
   * @param path the requests that are for it
   */
  Batches network(String name, String path) {
    return networks.computeIfAbsent(path, ignored -> new Batches(name));
  }

  void began() {
    inFlight.inc();
  }

  void ended(String path, int status, double seconds) {
    inFlight.dec();
    requests.labelValues(path, Integer.toString(status)).inc();
    final Batches network = networks.get(path);
    if (network != null && status == 200) {
      network.latency.observe(seconds);
    }
  }

  byte[] text() {
    final var bytes = new ByteArrayOutputStream();
    try {
      writer.write(bytes, registry.scrape());
    } catch (IOException e) {
      throw new UncheckedIOException(e); // there is none in memory
    }
    return bytes.toByteArray();
  }
}
