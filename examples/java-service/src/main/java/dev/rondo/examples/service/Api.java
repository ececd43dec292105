// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the service answers, whatever server brings the requests. */
final class Api {
  private static final String JSON = "application/json";
  private static final Map<String, String> METHODS = Map.of("/", "GET, HEAD", "/classify", "POST", "/sketch", "POST", "/photograph", "POST", "/embed", "POST",
      "/call", "POST", "/program", "GET, HEAD", "/healthz", "GET, HEAD", "/readyz", "GET, HEAD", "/metrics", "GET, HEAD");

  private final Batcher batcher;
  private final Batcher sketches;
  private final float sure;
  private final Photographs photographs;
  private final Sentences sentences;
  private final Map<String, ProgramCalls> programs; // by what follows /call and /program in their paths
  private final Metrics metrics;
  private final Executor executor;
  private final byte[] page;
  private final byte[] programsPage;
  private volatile boolean stopping;

  /** An answer. */
  record Reply(int status, String type, byte[] body, Map<String, String> headers) {
    static Reply of(int status, String type, byte[] body) {
      return new Reply(status, type, body, Map.of());
    }

    /** With when to try again, if that helps. */
    static Reply error(int status, String message) {
      return new Reply(status, JSON, Images.error(message), status == 429 || status == 503 ? Map.of("Retry-After", "1") : Map.of());
    }
  }

  /** The body of a request does not come, or is not taken. */
  static final class RefusedException extends Exception {
    private final int status;

    RefusedException(int status, String message) {
      super(message);
      this.status = status;
    }
  }

  /**
   * Makes it.
   *
   * @param batcher of digits; null: the smaller network for them is not there
   * @param sketches of sketches; null: they are not recognised
   * @param sure the probability from which on the network for sketches is sure
   * @param photographs null: they are not classified
   * @param sentences null: no vectors of sentences are made
   * @param programs by what follows /call in the path of each: "" or "/name"
   * @param executor writes answers, so that the batcher's thread has time for the next batch
   */
  Api(Batcher batcher, Batcher sketches, float sure, Photographs photographs, Sentences sentences, Map<String, ProgramCalls> programs, Metrics metrics,
      Executor executor) {
    this.batcher = batcher;
    this.sketches = sketches;
    this.sure = sure;
    this.photographs = photographs;
    this.sentences = sentences;
    this.programs = Map.copyOf(programs);
    this.metrics = metrics;
    this.executor = executor;
    page = resource("page.html");
    // Names of programs are of letters, digits and _.
    programsPage = new String(resource("programs.html"), StandardCharsets.UTF_8)
        .replace("\"PATHS\"", programs.keySet().stream().sorted().map(each -> '"' + each + '"').collect(Collectors.joining(", "))).getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] resource(String name) {
    try (InputStream in = Api.class.getResourceAsStream(name)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Reply html(byte[] page) {
    return new Reply(200, "text/html; charset=utf-8", page, Map.of("Cache-Control", "no-cache", "Content-Security-Policy",
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; img-src data:"));
  }

  /** The longest body that a request may have, of digits what the largest batch takes with many digits for each pixel; 0: it is not read. */
  int longestBody(String method, String path) {
    if (!method.equals("POST")) {
      return 0;
    }
    final ProgramCalls program = program(path, "/call");
    if (program != null) {
      return program.longestBody();
    }
    return switch (path) {
      case "/classify" -> batcher == null ? 0 : 1024 + batcher.model().largestBatch() * Weights.PIXELS * 24;
      case "/sketch" -> sketches == null ? 0 : 1024 + sketches.model().largestBatch() * Sketches.PIXELS * 24;
      case "/photograph" -> photographs == null ? 0 : Photographs.MOST_BYTES;
      case "/embed" -> sentences == null ? 0 : Sentences.MOST_BYTES;
      default -> 0;
    };
  }

  /** The program that a path is for, if it begins so; null: there is none. */
  private ProgramCalls program(String path, String beginning) {
    return path.startsWith(beginning) ? programs.get(path.substring(beginning.length())) : null;
  }

  /** The methods of a path; null: there is no such path. */
  private String methods(String path) {
    return program(path, "/call") != null ? METHODS.get("/call") : program(path, "/program") != null || path.equals("/programs") ? METHODS.get("/program")
        : METHODS.get(path);
  }

  /** From now on not ready, so that nobody sends new requests, and no request waits for others. */
  void stopping() {
    stopping = true;
    batchers().forEach(Batcher::hurry);
  }

  private List<Batcher> batchers() {
    return Stream.of(batcher, sketches, photographs == null ? null : photographs.batcher()).filter(Objects::nonNull).toList();
  }

  /**
   * Answers a request whose header came in. Does not block.
   *
   * @param method GET, HEAD, POST
   * @param path without the query
   * @param body what will be all of it, or fails with {@link RefusedException}
   * @return the answer; does not fail
   */
  CompletableFuture<Reply> answer(String method, String path, CompletableFuture<byte[]> body) {
    final String known = methods(path) != null ? path : "other"; // a visitor must not invent labels
    metrics.began();
    return body.handle((bytes, thrown) -> {
      final long begin = System.nanoTime(); // a slow visitor does not make the service slow
      CompletableFuture<Reply> reply;
      try {
        reply = thrown == null ? route(method, path, bytes) : CompletableFuture.failedFuture(thrown);
      } catch (RuntimeException | Error e) {
        reply = CompletableFuture.failedFuture(e);
      }
      return reply.exceptionally(Api::failure).whenComplete((done, none) -> metrics.ended(known, done.status(), (System.nanoTime() - begin) * 1e-9));
    }).thenCompose(Function.identity());
  }

  /** Counts a request that never came to {@link #answer}, and says what it gets. */
  Reply refused(int status, String message) {
    metrics.began();
    metrics.ended("other", status, 0);
    return Reply.error(status, message);
  }

  private CompletableFuture<Reply> route(String method, String path, byte[] body) {
    final String right = methods(path);
    final Reply reply;
    if (right == null) {
      reply = Reply.error(404, "there is no " + path + ": try " + String.join(", ", List.of("/", "/classify", "/sketch", "/photograph", "/embed", "/call",
          "/program", "/healthz", "/readyz", "/metrics")));
    } else if (!List.of(right.split(", ")).contains(method)) {
      reply = new Reply(405, JSON, Images.error(path + " takes " + right + ", not " + method), Map.of("Allow", right));
    } else if (path.equals("/classify")) {
      return batcher == null ? missing("digits of 8 x 8 pixels are not classified", "--model") : classify(body, batcher, Weights.SURE);
    } else if (path.equals("/sketch")) {
      return sketches == null ? CompletableFuture.completedFuture(Reply.error(404, "sketches are not recognised here")) : classify(body, sketches, sure);
    } else if (path.equals("/photograph")) {
      return photograph(body);
    } else if (path.equals("/embed")) {
      return embed(body);
    } else if (program(path, "/call") != null) {
      return program(path, "/call").call(body).handle((json, thrown) -> thrown != null ? failure(thrown) : Reply.of(200, JSON, json));
    } else if (program(path, "/program") != null) {
      reply = Reply.of(200, JSON, program(path, "/program").description());
    } else if (path.equals("/programs") && !programs.isEmpty()) {
      reply = html(programsPage);
    } else if (path.equals("/call") || path.equals("/program") || path.equals("/programs")) {
      return programs.isEmpty() ? missing("no program is called", "--program") : CompletableFuture.completedFuture(Reply.error(404,
          "programs have names here: try " + programs.keySet().stream().sorted().map(each -> path + each).collect(Collectors.joining(", "))));
    } else {
      reply = switch (path) {
        case "/" -> html(batcher == null && photographs == null && !programs.isEmpty() ? programsPage : page);
        case "/metrics" -> Reply.of(200, "text/plain; version=0.0.4; charset=utf-8", metrics.text());
        case "/readyz" -> ready();
        default -> Reply.of(200, JSON, Images.object("status", "alive"));
      };
    }
    return CompletableFuture.completedFuture(reply);
  }

  private static CompletableFuture<Reply> missing(String what, String option) {
    return CompletableFuture.completedFuture(Reply.error(404, what + ": the service was started without " + option));
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
    if (sentences != null && !sentences.available()) {
      return Reply.of(503, JSON, Images.object("status", "lost", "cause", String.valueOf(sentences.lost())));
    }
    for (final ProgramCalls each : programs.values()) {
      if (!each.available()) {
        return Reply.of(503, JSON, Images.object("status", "lost", "cause", String.valueOf(each.lost())));
      }
    }
    lost = lost == null && sentences != null ? sentences.lost() : lost;
    final Batcher first = batcher == null ? sketches : batcher;
    final List<String> facts = new ArrayList<>(List.of("status", "ready", "device", first == null ? programs.values().iterator().next().device() : first.model().device()));
    if (!programs.isEmpty()) {
      facts.addAll(List.of("program", programs.values().iterator().next().device())); // all are on one
    }
    if (photographs != null) {
      facts.addAll(List.of("photographs", photographs.batcher().model().device()));
    }
    if (sentences != null) {
      facts.addAll(List.of("sentences", sentences.device()));
    }
    if (lost != null) {
      facts.addAll(List.of("lost", lost));
    }
    return Reply.of(200, JSON, Images.object(facts.toArray(new String[0])));
  }

  private CompletableFuture<Reply> classify(byte[] body, Batcher by, float sureFrom) {
    final Model model = by.model();
    final float[] images;
    try {
      images = Images.parse(body, model.pixels(), model.largestBatch());
    } catch (Images.InvalidException e) {
      return CompletableFuture.completedFuture(Reply.error(400, e.getMessage()));
    }
    return by.submit(images).handleAsync((answer, thrown) -> thrown != null ? failure(thrown)
        : Reply.of(200, JSON, Images.write(answer, model.classes(), sureFrom, by.model().device())), executor);
  }

  private CompletableFuture<Reply> photograph(byte[] body) {
    if (photographs == null) {
      return CompletableFuture.completedFuture(Reply.error(404, "photographs are not classified: the service was started without --photographs"));
    }
    return photographs.classify(body, executor).handle((json, thrown) -> thrown != null ? failure(thrown) : Reply.of(200, JSON, json));
  }

  private CompletableFuture<Reply> embed(byte[] body) {
    if (sentences == null) {
      return CompletableFuture.completedFuture(Reply.error(404, "no vectors of sentences are made: the service was started without --sentences"));
    }
    return sentences.embed(body, executor).handle((json, thrown) -> thrown != null ? failure(thrown) : Reply.of(200, JSON, json));
  }

  private static Reply failure(Throwable thrown) {
    final Throwable cause = thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
    if (cause instanceof RefusedException refused) {
      return Reply.error(refused.status, cause.getMessage());
    }
    if (cause instanceof Images.InvalidException) {
      return Reply.error(400, cause.getMessage());
    }
    if (cause instanceof Batcher.QueueFullException) {
      return Reply.error(429, cause.getMessage());
    }
    if (cause instanceof Batcher.UnavailableException) {
      return Reply.error(503, cause.getMessage());
    }
    return Reply.error(500, cause.toString());
  }
}
