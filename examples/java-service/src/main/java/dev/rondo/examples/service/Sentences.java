// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.rondo.Device;
import dev.rondo.RondoException;
import dev.rondo.Status;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Makes vectors of sentences: takes them apart by the tokenizer of the model's authors, and asks the encoder, in a thread of its own, to
 * which both belong.
 */
final class Sentences implements AutoCloseable {
  /** The longest body of a request. */
  static final int MOST_BYTES = 256 << 10;

  /** The most sentences of a request. */
  static final int MOST_SENTENCES = 64;

  private static final int MOST_WAITING = 64; // requests
  private static final JsonFactory JSON = new JsonFactory();

  private final Path folder;
  private final boolean cpuWhenLost;
  private final Batcher.Listener listener;
  private final HuggingFaceTokenizer tokenizer;
  private final ThreadPoolExecutor thread = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(MOST_WAITING),
      work -> new Thread(work, "sentences"));
  private volatile Encoder encoder;
  private volatile String lost;
  private volatile Batcher.UnavailableException unavailable;

  private record Answer(float[] vectors, int width, String device, long queuedNanos, long ranNanos) {}

  /**
   * Loads both.
   *
   * @param folder has what examples/data/sentences.py fetches: model.safetensors and tokenizer.json
   * @param device where the encoder runs
   * @param cpuWhenLost where the device is lost, the cpu goes on
   * @param listener is told of each launch
   */
  Sentences(Path folder, Device device, boolean cpuWhenLost, Batcher.Listener listener) throws IOException {
    this.folder = folder;
    this.cpuWhenLost = cpuWhenLost;
    this.listener = listener;
    encoder = new Encoder(folder.resolve("model.safetensors"), device);
    try {
      tokenizer = tokenizer(folder.resolve("tokenizer.json"));
      final String last = tokenizer.decode(new long[] {encoder.words() - 1}, false);
      final String behind = tokenizer.decode(new long[] {encoder.words()}, false);
      if (last.isEmpty() || !behind.isEmpty()) {
        throw new IOException(folder.resolve("tokenizer.json") + " does not have the " + encoder.words() + " pieces of words of its encoder");
      }
    } catch (IOException | RuntimeException e) {
      encoder.close();
      throw e;
    }
  }

  /** The library takes what is in its jar, and asks nobody on the network. */
  static HuggingFaceTokenizer tokenizer(Path file) throws IOException {
    System.setProperty("ai.djl.offline", "true");
    System.setProperty("OPT_OUT_TRACKING", "true");
    System.setProperty("RUST_FLAVOR", "cpu");
    if (!Files.isReadable(file)) {
      throw new IOException("there is no file " + file);
    }
    try {
      return HuggingFaceTokenizer.builder().optTokenizerPath(file).optTruncation(false).optPadding(false).build();
    } catch (RuntimeException e) {
      throw new IOException(file + " is no tokenizer: " + e.getMessage(), e);
    }
  }

  /** Where it runs. */
  String device() {
    return encoder.device().toString();
  }

  /** Why the first device was lost; null: it was not. */
  String lost() {
    return lost;
  }

  /** Whether vectors are made. */
  boolean available() {
    return unavailable == null && !thread.isShutdown();
  }

  /**
   * Makes the vectors of a request. Does not block.
   *
   * @param body the JSON
   * @param executor writes the answer
   * @return the answer as JSON; fails with {@link Images.InvalidException} if it is not of that form, and as a batcher does
   */
  CompletableFuture<byte[]> embed(byte[] body, Executor executor) {
    final long arrived = System.nanoTime();
    try {
      return CompletableFuture.supplyAsync(() -> {
        try {
          return answer(pieces(parse(body)), arrived);
        } catch (Images.InvalidException e) {
          throw new CompletionException(e);
        }
      }, thread).thenApplyAsync(Sentences::write, executor);
    } catch (RejectedExecutionException e) {
      throw thread.isShutdown() ? new Batcher.UnavailableException("the service is stopping", e)
          : new Batcher.QueueFullException(MOST_WAITING + " requests for vectors wait, and no more may");
    }
  }

  /** Answers what waits; takes no more. */
  @Override
  public void close() {
    thread.shutdown();
    try {
      thread.awaitTermination(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    tokenizer.close();
    encoder.close();
  }

  /**
   * The sentences of a request, {@code {"sentences": ["...", ...]}} or {@code {"sentence": "..."}}.
   *
   * @throws Images.InvalidException if it is not JSON, or not of that form
   */
  static List<String> parse(byte[] body) throws Images.InvalidException {
    try (JsonParser json = JSON.createParser(body)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new Images.InvalidException("the body must be a JSON object: {\"sentences\": [\"...\", ...]}");
      }
      List<String> sentences = null;
      while (json.nextToken() != JsonToken.END_OBJECT) {
        final String name = json.currentName();
        json.nextToken();
        if (sentences != null) {
          throw new Images.InvalidException("'" + name + "' is one member too many: give either \"sentence\" or \"sentences\", once");
        }
        sentences = switch (name) {
          case "sentence" -> List.of(text(json, "sentence"));
          case "sentences" -> texts(json);
          default -> throw new Images.InvalidException("'" + name + "' is unknown: give \"sentence\" or \"sentences\"");
        };
      }
      if (sentences == null) {
        throw new Images.InvalidException("there is no \"sentence\" and no \"sentences\"");
      }
      if (json.nextToken() != null) {
        throw new Images.InvalidException("there is something behind the JSON object");
      }
      return sentences;
    } catch (JsonProcessingException e) {
      throw Images.notJson(e);
    } catch (IOException e) {
      throw new Images.InvalidException("not JSON: " + e.getMessage());
    }
  }

  private static List<String> texts(JsonParser json) throws IOException, Images.InvalidException {
    if (json.currentToken() != JsonToken.START_ARRAY) {
      throw new Images.InvalidException("\"sentences\" must be an array of texts");
    }
    final List<String> texts = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      if (texts.size() == MOST_SENTENCES) {
        throw new Images.InvalidException("\"sentences\" has more than " + MOST_SENTENCES + " sentences, the most that one request may have");
      }
      texts.add(text(json, "sentences[" + texts.size() + "]"));
    }
    if (texts.isEmpty()) {
      throw new Images.InvalidException("\"sentences\" is empty: give at least one sentence");
    }
    return texts;
  }

  private static String text(JsonParser json, String where) throws IOException, Images.InvalidException {
    if (json.currentToken() != JsonToken.VALUE_STRING) {
      throw new Images.InvalidException("\"" + where + "\" must be a text");
    }
    final String text = json.getText();
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      throw new Images.InvalidException("\"" + where + "\" has half of a surrogate pair, which is no character");
    }
    return text;
  }

  /** The numbers of each sentence's pieces. */
  private List<int[]> pieces(List<String> sentences) throws Images.InvalidException {
    final List<int[]> all = new ArrayList<>();
    for (final String each : sentences) {
      final long[] ids = tokenizer.encode(each).getIds();
      if (ids.length > Encoder.MOST_PIECES) {
        throw new Images.InvalidException("sentence " + all.size() + " has " + ids.length + " pieces of words: at most "
            + Encoder.MOST_PIECES + " are read, about that many short words");
      }
      all.add(Arrays.stream(ids).mapToInt(Math::toIntExact).toArray());
    }
    return all;
  }

  private Answer answer(List<int[]> pieces, long arrived) {
    if (unavailable != null) {
      throw unavailable;
    }
    final long begin = System.nanoTime();
    float[] vectors;
    try {
      vectors = vectors(pieces);
    } catch (RondoException e) {
      listener.failed(e);
      if (e.status() != Status.DEVICE_LOST) {
        throw e;
      }
      replace(e);
      vectors = vectors(pieces);
    }
    return new Answer(vectors, encoder.width(), device(), begin - arrived, System.nanoTime() - begin);
  }

  /** By as many launches as it takes. */
  private float[] vectors(List<int[]> pieces) {
    final float[] all = new float[pieces.size() * encoder.width()];
    for (int first = 0; first < pieces.size(); first += Encoder.MOST_ROWS) {
      final List<int[]> part = pieces.subList(first, Math.min(first + Encoder.MOST_ROWS, pieces.size()));
      final long begin = System.nanoTime();
      final float[] vectors = encoder.vectors(part);
      listener.launched(part.size(), Encoder.rows(part.size()), (System.nanoTime() - begin) * 1e-9);
      System.arraycopy(vectors, 0, all, first * encoder.width(), vectors.length);
    }
    return all;
  }

  /** Goes on on the cpu, or not at all. */
  private void replace(RondoException cause) {
    lost = cause.getMessage();
    if (cpuWhenLost) {
      try {
        final Encoder old = encoder;
        encoder = new Encoder(folder.resolve("model.safetensors"), Device.CPU);
        old.close();
        return;
      } catch (IOException | RuntimeException e) {
        cause.addSuppressed(e);
      }
    }
    unavailable = new Batcher.UnavailableException("the device is lost: " + cause.getMessage(), cause);
    throw unavailable;
  }

  private static byte[] write(Answer answer) {
    final var bytes = new ByteArrayOutputStream(64 + 14 * answer.vectors.length);
    try (JsonGenerator json = JSON.createGenerator(bytes)) {
      json.writeStartObject();
      json.writeArrayFieldStart("vectors");
      for (int i = 0; i < answer.vectors.length; ++i) {
        if (i % answer.width == 0) {
          json.writeStartArray();
        }
        json.writeNumber(answer.vectors[i]);
        if (i % answer.width == answer.width - 1) {
          json.writeEndArray();
        }
      }
      json.writeEndArray();
      json.writeStringField("device", answer.device);
      json.writeNumberField("queued_us", answer.queuedNanos / 1000);
      json.writeNumberField("ran_us", answer.ranNanos / 1000);
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // there is none in memory
    }
    return bytes.toByteArray();
  }
}
