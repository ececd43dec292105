// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;

/** What the service answers, whatever server brings the requests. */
final class Api {
  private static final String JSON = "application/json";
  private static final Map<String, String> METHODS = Map.of("/", "GET", "/classify", "POST", "/photograph", "POST", "/healthz",
      "GET", "/readyz", "GET", "/metrics", "GET");

  private final Batcher batcher;
  private final Photographs photographs;
  private final Metrics metrics;
  private final Executor executor;
  private final byte[] page;
  private volatile boolean stopping;

  /** An answer. */
  record Reply(int status, String type, byte[] body, Map<String, String> headers) {
    static Reply of(int status, String type, byte[] body) {
      return new Reply(status, type, body, Map.of());
    }

    static Reply error(int status, String message) {
      return of(status, JSON, Images.error(message));
    }
  }

  /**
   * Makes it.
   *
   * @param batcher of digits
   * @param photographs null: they are not classified
   * @param executor writes answers, so that the batcher's thread has time for the next batch
   */
  Api(Batcher batcher, Photographs photographs, Metrics metrics, Executor executor) {
    this.batcher = batcher;
    this.photographs = photographs;
    this.metrics = metrics;
    this.executor = executor;
    try (InputStream in = Api.class.getResourceAsStream("page.html")) {
      page = in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The longest body that a request may have: of digits what the largest batch takes with many digits for each pixel. */
  int longestBody(String path) {
    return path.equals("/photograph") ? Photographs.MOST_BYTES : 1024 + batcher.model().largestBatch() * Weights.PIXELS * 24;
  }

  /** From now on not ready, so that nobody sends new requests, and no request waits for others. */
  void stopping() {
    stopping = true;
    batchers().forEach(Batcher::hurry);
  }

  private List<Batcher> batchers() {
    return photographs == null ? List.of(batcher) : List.of(batcher, photographs.batcher());
  }

  /**
   * Answers a request whose header came in. Does not block.
   *
   * @param method GET, POST
   * @param path without the query
   * @param body what will be all of it; null: it is longer than {@link #longestBody}
   * @return the answer; fails only where the body does
   */
  CompletableFuture<Reply> answer(String method, String path, CompletableFuture<byte[]> body) {
    final String known = METHODS.containsKey(path) ? path : "other"; // a visitor must not invent labels
    metrics.began();
    return body.whenComplete((bytes, thrown) -> {
      if (thrown != null) {
        metrics.abandoned();
      }
    }).thenCompose(bytes -> {
      final long begin = System.nanoTime(); // a slow visitor does not make the service slow
      CompletableFuture<Reply> reply;
      try {
        reply = route(method, path, bytes);
      } catch (RuntimeException e) {
        reply = CompletableFuture.completedFuture(failure(e));
      }
      return reply.whenComplete((done, thrown) -> metrics.ended(known, done.status(), (System.nanoTime() - begin) * 1e-9));
    });
  }

  private CompletableFuture<Reply> route(String method, String path, byte[] body) {
    final String right = METHODS.get(path);
    final Reply reply;
    if (right == null) {
      reply = Reply.error(404, "there is no " + path + ": try " + String.join(", ", List.of("/", "/classify", "/photograph", "/healthz", "/readyz",
          "/metrics")));
    } else if (!method.equals(right)) {
      reply = new Reply(405, JSON, Images.error(path + " takes " + right + ", not " + method), Map.of("Allow", right));
    } else if (body == null) {
      reply = Reply.error(413, "the body is longer than " + longestBody(path) + " bytes");
    } else if (path.equals("/classify")) {
      return classify(body);
    } else if (path.equals("/photograph")) {
      return photograph(body);
    } else {
      reply = switch (path) {
        case "/" -> new Reply(200, "text/html; charset=utf-8", page, Map.of("Cache-Control", "no-cache", "Content-Security-Policy",
            "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:"));
        case "/metrics" -> Reply.of(200, "text/plain; version=0.0.4; charset=utf-8", metrics.text());
        case "/readyz" -> ready();
        default -> Reply.of(200, JSON, Images.object("status", "alive"));
      };
    }
    return CompletableFuture.completedFuture(reply);
  }

  private Reply ready() {
    if (stopping) {
      return Reply.of(503, JSON, Images.object("status", "stopping"));
    }
    String lost = null;
    for (final Batcher each : batchers()) {
      if (!each.available()) {
        return Reply.of(503, JSON, Images.object("status", "lost", "cause", each.lost()));
      }
      lost = lost == null ? each.lost() : lost;
    }
    final List<String> facts = new ArrayList<>(List.of("status", "ready", "device", batcher.model().device()));
    if (photographs != null) {
      facts.addAll(List.of("photographs", photographs.batcher().model().device()));
    }
    if (lost != null) {
      facts.addAll(List.of("lost", lost));
    }
    return Reply.of(200, JSON, Images.object(facts.toArray(new String[0])));
  }

  private CompletableFuture<Reply> classify(byte[] body) {
    final float[] images;
    try {
      images = Images.parse(body, batcher.model().largestBatch());
    } catch (Images.InvalidException e) {
      return CompletableFuture.completedFuture(Reply.error(400, e.getMessage()));
    }
    return batcher.submit(images).handleAsync((answer, thrown) -> thrown != null ? failure(thrown)
        : Reply.of(200, JSON, Images.write(answer, batcher.model().device())), executor);
  }

  private CompletableFuture<Reply> photograph(byte[] body) {
    if (photographs == null) {
      return CompletableFuture.completedFuture(Reply.error(404, "photographs are not classified: the service was started without --photographs"));
    }
    return photographs.classify(body, executor).handle((json, thrown) -> thrown != null ? failure(thrown) : Reply.of(200, JSON, json));
  }

  private static Reply failure(Throwable thrown) {
    final Throwable cause = thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
    if (cause instanceof Images.InvalidException) {
      return Reply.error(400, cause.getMessage());
    }
    if (cause instanceof Batcher.QueueFullException) {
      return new Reply(429, JSON, Images.error(cause.getMessage()), Map.of("Retry-After", "1"));
    }
    if (cause instanceof Batcher.UnavailableException) {
      return Reply.error(503, cause.getMessage());
    }
    return Reply.error(500, cause.toString());
  }
}
