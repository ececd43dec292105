// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import dev.rondo.Device;
import dev.rondo.RondoException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** Starts the service, and stops it when the process is told to end. */
public final class Main {
  private static final Logger SERVER_LOG = Logger.getLogger("org.eclipse.jetty"); // kept: a logger that nobody holds forgets its level
  private static final int SKETCHES_BATCH = 64;
  private static final int SKETCHES_QUEUE = 1024;
  private static final int PHOTOGRAPHS_BATCH = 4; // a launch of more takes longer, and hardly less each
  private static final int PHOTOGRAPHS_QUEUE = 64;
  private static final Duration HEADERS = Duration.ofSeconds(10); // the longest that a request's header may take
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(30);

  private Main() {}

  public static void main(String[] arguments) throws Exception {
    System.setProperty("java.util.logging.SimpleFormatter.format", "%1$tF %1$tT %4$s %5$s%6$s%n"); // a line each
    SERVER_LOG.setLevel(Level.WARNING);
    try {
      final Options options = Options.parse(arguments);
      if (options.help()) {
        System.out.print(Options.USAGE);
      } else if (options.train() != null) {
        Training.run(Path.of(options.train()), options.chooseDevice(), Training.STEPS);
      } else {
        start(options);
      }
    } catch (IllegalArgumentException e) {
      System.err.println("service: " + Shown.text(e.getMessage()) + " (--help lists the options)");
      System.exit(2);
    } catch (RondoException | IOException e) {
      System.err.println("service: " + Shown.text(e.getMessage()));
      System.exit(1);
    }
  }

  private static void start(Options options) throws Exception {
    final Weights weights = options.model() == null ? null : Weights.read(Path.of(options.model()));
    final Sketches sketches = Sketches.read();
    final Lite0 network = options.photographs() == null ? null : Lite0.read(Path.of(options.photographs()));
    final Device device = options.chooseDevice();
    final QueuedThreadPool threads = new QueuedThreadPool();
    threads.setName("http");
    final Bodies bodies = new Bodies(Duration.ofSeconds(options.patience()));
    final Metrics metrics = new Metrics().watch(bodies);
    final Deque<AutoCloseable> open = new ArrayDeque<>(); // the last first, which is the order of closing
    try {
      Batcher digits = null;
      if (weights != null) {
        digits = batcher(weights, "/classify", device, options.maxBatch(), options.queue(), options, metrics);
        open.push(digits);
      }
      final Map<String, ProgramCalls> programs = new LinkedHashMap<>();
      for (final Map.Entry<String, Options.Served> each : options.programs().entrySet()) {
        final String name = each.getKey();
        final String place = name.isEmpty() ? "" : "/" + name;
        final ProgramCalls program = new ProgramCalls(Path.of(each.getValue().file()), options.trust(), device, each.getValue().batch(),
            metrics.network(name.isEmpty() ? "program" : "program_" + name, "/call" + place), options.programs().size());
        open.push(program);
        programs.put(place, program);
      }
      final Batcher sketched = batcher(sketches, "/sketch", device, Math.min(options.maxBatch(), SKETCHES_BATCH), SKETCHES_QUEUE, options, metrics);
      open.push(sketched);
      Photographs photographs = null;
      if (network != null) {
        final Batcher batcher = batcher(network, "/photograph", device, PHOTOGRAPHS_BATCH, PHOTOGRAPHS_QUEUE, options, metrics);
        open.push(batcher);
        photographs = new Photographs(batcher, network);
        open.push(photographs);
      }
      Sentences sentences = null;
      if (options.sentences() != null) {
        sentences = new Sentences(Path.of(options.sentences()), device, options.cpuWhenLost(), metrics.network("sentences", "/embed"));
        open.push(sentences);
      }
      final Api api = new Api(digits, sketched, sketches.sure(), photographs, sentences, programs, metrics, threads);
      final JettyServer server = new JettyServer(api, bodies, new Connections(options.connections(), HEADERS), options.host(), options.port(), threads, STOP_TIMEOUT);
      open.push(server::stop);
      open.push(api::stopping);
      Runtime.getRuntime().addShutdownHook(new Thread(() -> close(open), "stop"));
      System.out.println("http://" + options.host() + ":" + server.port() + "/ classifies digits " + (network == null ? "" : "and photographs ")
          + (sentences == null ? "" : "and embeds sentences ") + (programs.isEmpty() ? "" : "and calls programs by /call" + String.join(", /call", programs.keySet()) + " ") + "on " + device);
    } catch (IOException | RuntimeException e) {
      close(open);
      throw e;
    }
  }

  private static Batcher batcher(Network network, String path, Device device, int largest, int queue, Options options, Metrics metrics) {
    final Metrics.Batches counts = metrics.network(network.name(), path);
    final Supplier<Model> replacement = options.cpuWhenLost() ? () -> new RondoModel(network, Device.CPU, largest) : null;
    final Batcher batcher = new Batcher(new RondoModel(network, device, largest), queue, Duration.ofNanos(1000L * options.maxWaitMicros()),
        replacement, counts);
    counts.watch(batcher);
    return batcher;
  }

  /** Not ready, then no new requests, then answers to those that came in, then the models. */
  private static void close(Deque<AutoCloseable> open) {
    for (final AutoCloseable each : open) {
      try {
        each.close();
      } catch (Exception e) {
        System.err.println("service: stopping: " + Shown.text(e.toString()));
      }
    }
  }
}
