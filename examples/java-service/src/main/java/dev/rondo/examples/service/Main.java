// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import dev.rondo.Device;
import dev.rondo.RondoException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** Starts the service, and stops it when the process is told to end. */
public final class Main {
  private static final Logger SERVER_LOG = Logger.getLogger("org.eclipse.jetty"); // kept: a logger that nobody holds forgets its level
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(30);

  private Main() {}

  public static void main(String[] arguments) throws Exception {
    SERVER_LOG.setLevel(Level.WARNING);
    try {
      final Options options = Options.parse(arguments);
      if (options.help()) {
        System.out.print(Options.USAGE);
      } else {
        start(options);
      }
    } catch (IllegalArgumentException e) {
      System.err.println("service: " + e.getMessage() + " (--help lists the options)");
      System.exit(2);
    } catch (RondoException | IOException e) {
      System.err.println("service: " + e.getMessage());
      System.exit(1);
    }
  }

  private static void start(Options options) throws Exception {
    final Weights weights = Weights.read(Path.of(options.model()));
    final Device device = options.chooseDevice();
    final Supplier<Model> replacement = options.cpuWhenLost() ? () -> new RondoModel(weights, Device.CPU, options.maxBatch()) : null;
    final QueuedThreadPool threads = new QueuedThreadPool();
    threads.setName("http");
    final Metrics metrics = new Metrics();
    final Batcher batcher = new Batcher(new RondoModel(weights, device, options.maxBatch()), options.queue(),
        Duration.ofNanos(1000L * options.maxWaitMicros()), replacement, metrics);
    final Api api = new Api(batcher, metrics, threads);
    final JettyServer server;
    try {
      server = new JettyServer(api, options.host(), options.port(), threads, STOP_TIMEOUT);
    } catch (IOException e) {
      batcher.close();
      throw e;
    }
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(api, server, batcher), "stop"));
    System.out.println("http://" + options.host() + ":" + server.port() + "/ classifies digits on " + device);
  }

  /** Not ready, then no new requests, then answers to those that came in, then the model. */
  private static void stop(Api api, JettyServer server, Batcher batcher) {
    api.stopping();
    try {
      server.stop();
    } catch (Exception e) {
      System.err.println("service: stopping: " + e);
    } finally {
      batcher.close();
    }
  }
}
