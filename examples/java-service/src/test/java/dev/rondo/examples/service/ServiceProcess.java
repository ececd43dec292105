// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The service as its users start it, in a process of its own, and what a client asks of it. */
final class ServiceProcess implements AutoCloseable {
  private static final Pattern READY = Pattern.compile("(http://[^/]+)/ classifies digits (?:and photographs )?(?:and embeds sentences )?(?:and calls programs by /call\\S*(?: /call\\S*)* )?on (\\S+)");
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  final Process process;
  final String url;
  final String device;
  private final Path log;

  ServiceProcess(String... options) throws IOException {
    this(Map.of(), options);
  }

  /**
   * Starts it and waits until it listens.
   *
   * @param environment added to this process's
   */
  ServiceProcess(Map<String, String> environment, String... options) throws IOException {
    this("512m", environment, options);
  }

  private ServiceProcess(String heap, Map<String, String> environment, String... options) throws IOException {
    final List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + "/bin/java"));
    command.addAll(Stream.of(System.getProperty("service.vm", "").split(" ")).filter(option -> !option.isEmpty()).toList());
    command.addAll(List.of("-ea", "-Xmx" + heap, "-Ddev.rondo.native.path=" + System.getProperty("dev.rondo.native.path"), "-cp",
        System.getProperty("java.class.path"), Main.class.getName(), "--port", "0"));
    if (!List.of(options).contains("--program")) {
      command.addAll(List.of("--model", System.getProperty("service.model")));
    }
    command.addAll(List.of(options));
    log = Files.createTempFile("service", ".log");
    final ProcessBuilder builder = new ProcessBuilder(command).redirectError(log.toFile());
    builder.environment().putAll(environment);
    process = builder.start();
    final BufferedReader out = process.inputReader();
    Matcher ready = null;
    for (String line = out.readLine(); line != null && (ready == null || !ready.matches()); ) {
      ready = READY.matcher(line);
      line = ready.matches() ? line : out.readLine();
    }
    if (ready == null || !ready.matches()) {
      process.destroyForcibly();
      throw new IOException("the service did not start: " + log());
    }
    url = ready.group(1);
    device = ready.group(2);
  }

  static ServiceProcess withHeap(String heap, String... options) throws IOException {
    return new ServiceProcess(heap, Map.of(), options);
  }

  /** The lines of its log. */
  List<String> log() throws IOException {
    return Files.readAllLines(log);
  }

  int port() {
    return URI.create(url).getPort();
  }

  HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return CLIENT.send(HttpRequest.newBuilder(URI.create(url + path)).build(), HttpResponse.BodyHandlers.ofString());
  }

  CompletableFuture<HttpResponse<String>> post(String body) {
    return post("/classify", body);
  }

  CompletableFuture<HttpResponse<String>> post(String path, String body) {
    final HttpRequest request = HttpRequest.newBuilder(URI.create(url + path)).POST(HttpRequest.BodyPublishers.ofString(body)).build();
    return CLIENT.sendAsync(request, HttpResponse.BodyHandlers.ofString());
  }

  HttpResponse<String> postPhotograph(byte[] file) throws IOException, InterruptedException {
    final HttpRequest request = HttpRequest.newBuilder(URI.create(url + "/photograph")).POST(HttpRequest.BodyPublishers.ofByteArray(file)).build();
    return CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
  }

  /** The status of an answer, and what its body must contain. */
  static void check(HttpResponse<String> reply, int status, String... words) {
    assertEquals(status, reply.statusCode(), reply::body);
    for (final String word : words) {
      assertTrue(reply.body().contains(word), () -> "'" + word + "' is not in: " + reply.body());
    }
  }

  /** The value of a metric; 0: it is not there. */
  double metric(String name) throws IOException, InterruptedException {
    return get("/metrics").body().lines().filter(line -> line.startsWith(name + " ")).mapToDouble(line ->
        Double.parseDouble(line.substring(name.length() + 1))).findFirst().orElse(0);
  }

  static JsonObject json(HttpResponse<String> reply) {
    return new Gson().fromJson(reply.body(), JsonObject.class);
  }

  /** The probabilities of an answer, of all its images. */
  static float[] probabilities(JsonObject answer) {
    final JsonArray results = answer.getAsJsonArray("results");
    assertNotNull(results, answer::toString);
    final float[] all = new float[results.size() * Weights.CLASSES];
    for (int i = 0; i < all.length; ++i) {
      all[i] = results.get(i / Weights.CLASSES).getAsJsonObject().getAsJsonArray("probabilities").get(i % Weights.CLASSES).getAsFloat();
    }
    return all;
  }

  /** The images of the example, pixels from 0 to 1. */
  static List<float[]> digits() throws IOException {
    final byte[] file = Files.readAllBytes(Path.of(System.getProperty("service.data")));
    final List<float[]> images = new ArrayList<>();
    for (int at = 16; at + Weights.PIXELS < file.length; at += Weights.PIXELS + 1) {
      final float[] image = new float[Weights.PIXELS];
      for (int i = 0; i < Weights.PIXELS; ++i) {
        image[i] = file[at + i] / 16f;
      }
      images.add(image);
    }
    return images;
  }

  /** A request for images. */
  static String body(List<float[]> images) {
    return new Gson().toJson(Map.of("images", images));
  }

  /** SIGTERM. */
  void terminate() {
    process.destroy();
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(20, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IllegalStateException("the service does not stop");
      }
      Files.deleteIfExists(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
