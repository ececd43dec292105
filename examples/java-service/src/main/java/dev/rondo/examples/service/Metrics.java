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

/** What the service counts, for Prometheus. */
final class Metrics implements Batcher.Listener {
  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final PrometheusTextFormatWriter writer = PrometheusTextFormatWriter.create();

  private final Counter requests = Counter.builder().name("digits_requests_total").help("Requests, by path and status")
      .labelNames("path", "status").register(registry);
  private final Gauge inFlight = Gauge.builder().name("digits_requests_in_flight").help("Requests that came in and are not answered")
      .register(registry);
  private final Histogram latency = Histogram.builder().name("digits_classify_seconds")
      .help("From a request for classification to its answer, of those that were answered").classicOnly()
      .classicUpperBounds(.0002, .0005, .001, .002, .005, .01, .02, .05, .1, .2, .5, 1, 2, 5).register(registry);
  private final Histogram batches = Histogram.builder().name("digits_batch_images").help("Images of one launch").classicOnly()
      .classicUpperBounds(1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024).register(registry);
  private final Histogram launches = Histogram.builder().name("digits_launch_seconds").help("One launch: write, replay, read")
      .classicOnly().classicUpperBounds(.00002, .00005, .0001, .0002, .0005, .001, .002, .005, .01, .1).register(registry);
  private final Counter replays = Counter.builder().name("digits_graph_replays_total").help("Replays, by the batch size of the graph")
      .labelNames("rows").register(registry);
  private final Counter failures = Counter.builder().name("digits_launch_failures_total").help("Launches that failed").register(registry);

  /** Adds what is asked of the batcher when it is wanted. */
  void watch(Batcher batcher) {
    GaugeWithCallback.builder().name("digits_queue_images").help("Images that wait for a launch")
        .callback(gauge -> gauge.call(batcher.queued())).register(registry);
    GaugeWithCallback.builder().name("digits_ready").help("1: images are classified").labelNames("device")
        .callback(gauge -> gauge.call(batcher.available() ? 1 : 0, batcher.model().device())).register(registry);
    GaugeWithCallback.builder().name("digits_device_lost").help("1: the first device was lost")
        .callback(gauge -> gauge.call(batcher.lost() == null ? 0 : 1)).register(registry);
    GaugeWithCallback.builder().name("digits_device_memory_bytes").help("Memory of the device that the engine holds")
        .labelNames("device", "state").callback(gauge -> {
          final Model model = batcher.model();
          try {
            final Model.Memory memory = model.memory();
            gauge.call(memory.inUse(), model.device(), "in_use");
            gauge.call(memory.cached(), model.device(), "cached");
          } catch (RondoException e) {
            // Of a lost device nothing is known.
          }
        }).register(registry);
  }

  void began() {
    inFlight.inc();
  }

  /** The visitor went before the request was complete. */
  void abandoned() {
    inFlight.dec();
  }

  void ended(String path, int status, double seconds) {
    inFlight.dec();
    requests.labelValues(path, Integer.toString(status)).inc();
    if (path.equals("/classify") && status == 200) {
      latency.observe(seconds);
    }
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
