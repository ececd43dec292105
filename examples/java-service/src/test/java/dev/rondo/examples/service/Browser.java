// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A headless Chromium, driven by its DevTools protocol: one page, a mouse, screenshots. */
final class Browser implements AutoCloseable {
  private static final String LISTENING = "DevTools listening on ";
  private static final int SECONDS = 30;

  private final Gson gson = new Gson();
  private final Process process;
  private final Path profile;
  private final WebSocket socket;
  private final Map<Integer, CompletableFuture<JsonObject>> replies = new ConcurrentHashMap<>();
  private int calls;
  private String session;

  /** Where Chromium is, if it is. */
  static Optional<Path> find() {
    return Stream.of(System.getenv("PATH").split(":")).flatMap(folder -> Stream.of("chromium", "chromium-browser", "google-chrome")
        .map(name -> Path.of(folder, name))).filter(Files::isExecutable).findFirst();
  }

  /** Starts it with an empty page of this size. */
  Browser(Path program, int width, int height) throws Exception {
    profile = Files.createTempDirectory("browser");
    process = new ProcessBuilder(program.toString(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--remote-debugging-port=0", "--user-data-dir=" + profile,
        "--window-size=" + width + "," + height, "about:blank").redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
    final BufferedReader says = process.errorReader();
    String line = says.readLine();
    while (line != null && !line.startsWith(LISTENING)) {
      line = says.readLine();
    }
    if (line == null) {
      close();
      throw new IOException(program + " ends without a port for DevTools");
    }
    final Thread drain = new Thread(() -> says.lines().forEach(ignored -> {}), "browser"); // a full pipe would stop it
    drain.setDaemon(true);
    drain.start();
    socket = HttpClient.newHttpClient().newWebSocketBuilder().buildAsync(URI.create(line.substring(LISTENING.length())), new Replies())
        .get(SECONDS, TimeUnit.SECONDS);
    final String target = call("Target.createTarget", Map.of("url", "about:blank")).get("targetId").getAsString();
    session = call("Target.attachToTarget", Map.of("targetId", target, "flatten", true)).get("sessionId").getAsString();
    call("Emulation.setDeviceMetricsOverride", Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
  }

  /** Puts texts that come in parts together and hands them to whoever waits. */
  private final class Replies implements WebSocket.Listener {
    private final StringBuilder text = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
      text.append(data);
      if (last) {
        final JsonObject message = gson.fromJson(text.toString(), JsonObject.class);
        text.setLength(0);
        if (message.has("id")) {
          replies.remove(message.get("id").getAsInt()).complete(message);
        }
      }
      from.request(1);
      return null;
    }
  }

  private JsonObject call(String method, Map<String, ?> parameters) throws Exception {
    final int id = ++calls;
    final CompletableFuture<JsonObject> reply = new CompletableFuture<>();
    replies.put(id, reply);
    final JsonObject message = new JsonObject();
    message.addProperty("id", id);
    message.addProperty("method", method);
    message.add("params", gson.toJsonTree(parameters));
    if (session != null) {
      message.addProperty("sessionId", session);
    }
    socket.sendText(message.toString(), true).get(SECONDS, TimeUnit.SECONDS);
    final JsonObject done = reply.get(SECONDS, TimeUnit.SECONDS);
    if (!done.has("result")) {
      throw new IOException(method + ": " + done);
    }
    return done.getAsJsonObject("result");
  }

  /** Opens an address and waits until the page is there. */
  void open(String url) throws Exception {
    call("Page.navigate", Map.of("url", url));
    await("document.readyState === 'complete' && location.href.startsWith('" + url + "')");
  }

  /** The value of an expression of JavaScript. */
  JsonElement evaluate(String expression) throws Exception {
    return call("Runtime.evaluate", Map.of("expression", expression, "returnByValue", true, "awaitPromise", true)).getAsJsonObject("result")
        .get("value");
  }

  /** Waits until an expression is true. */
  void await(String condition) throws Exception {
    final long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    while (!evaluate("Boolean(" + condition + ")").getAsBoolean()) {
      if (System.nanoTime() > until) {
        throw new IOException("the page does not come to " + condition + ": " + evaluate("document.body.innerText"));
      }
      Thread.sleep(20);
    }
  }

  /** Draws one stroke with the mouse: points in the page. */
  void stroke(List<double[]> points) throws Exception {
    mouse("mouseMoved", points.get(0), 0);
    mouse("mousePressed", points.get(0), 1);
    for (final double[] point : points) {
      mouse("mouseMoved", point, 1);
    }
    mouse("mouseReleased", points.get(points.size() - 1), 0);
  }

  private void mouse(String type, double[] point, int buttons) throws Exception {
    call("Input.dispatchMouseEvent", Map.of("type", type, "x", point[0], "y", point[1], "button", type.equals("mouseMoved") && buttons == 0
        ? "none" : "left", "buttons", buttons, "clickCount", 1));
  }

  void screenshot(Path file) throws Exception {
    Files.write(file, Base64.getDecoder().decode(call("Page.captureScreenshot", Map.of("format", "png")).get("data").getAsString()));
  }

  /** Whether visitors prefer dark colours, and how large their windows are. */
  void look(boolean dark, int width, int height) throws Exception {
    call("Emulation.setEmulatedMedia", Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
    call("Emulation.setDeviceMetricsOverride", Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
  }

  @Override
  public void close() throws IOException {
    final List<ProcessHandle> helpers = process.descendants().toList(); // they may outlive it, and go on writing to the profile
    process.destroy();
    try {
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    helpers.forEach(ProcessHandle::destroyForcibly);
    Files.walkFileTree(profile, new Deleting());
  }

  /** Deletes what is there. What goes by itself meanwhile is gone too. */
  private static final class Deleting extends SimpleFileVisitor<Path> {
    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      file.toFile().delete();
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException problem) {
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path directory, IOException problem) {
      directory.toFile().delete();
      return FileVisitResult.CONTINUE;
    }
  }
}
