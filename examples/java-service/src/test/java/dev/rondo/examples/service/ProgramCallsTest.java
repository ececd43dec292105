// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import static dev.rondo.examples.service.ServiceProcess.check;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import dev.rondo.DType;
import dev.rondo.Device;
import dev.rondo.Engine;
import dev.rondo.Graph;
import dev.rondo.ProgramWriter;
import dev.rondo.RecordFlags;
import dev.rondo.RecordOptions;
import dev.rondo.Scope;
import dev.rondo.Tensor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Calls of a program file: what the service answers and refuses. */
@Timeout(120)
class ProgramCallsTest {
  @TempDir
  private Path folder;

  /** scale: x times a weight; flip: the opposite of truths, and whole numbers as they are. */
  @SuppressWarnings("try") // the scope is there to be closed
  private Path write(DType dtype) {
    final Path path = folder.resolve("program.safetensors");
    try (Engine engine = Engine.create(); Scope scope = Scope.open()) {
      final Tensor w = engine.tensor(Device.CPU, new float[] {1, 2, -3});
      final RecordOptions options = new RecordOptions().flags(RecordFlags.CALLABLE);
      final Graph scale = engine.record(options, recording -> recording.output(recording.input(Device.CPU, DType.F32, 2, 3).mul(w)));
      final Graph same = engine.record(options, recording -> {
        recording.output(recording.input(Device.CPU, DType.BOOL, 2).copy());
        recording.output(recording.input(Device.CPU, dtype).copy());
      });
      new ProgramWriter().function("scale", scale, List.of("x"), List.of("y")).function("same", same, List.of("truths", "number"), List.of("t", "n"))
          .weight("w", w).metadata("labels", "cat\ndog").write(path);
    }
    return path;
  }

  @Test
  void callsFunctionsByTheirNames() throws Exception {
    try (ServiceProcess service = new ServiceProcess("--device", "cpu", "--program", write(DType.I64).toString())) {
      check(service.get("/readyz"), 200, "\"program\":\"cpu:0\"");
      check(service.get("/program"), 200, "\"name\":\"scale\"", "{\"name\":\"x\",\"dtype\":\"F32\",\"shape\":[2,3]}", "cat\\ndog");
      final JsonObject scaled = ServiceProcess.json(service.post("/call", "{\"function\": \"scale\", \"inputs\": {\"x\": [[1, 2, 3], [4, 5, 0.5]]}}").get());
      assertEquals("{\"y\":[[1.0,4.0,-9.0],[4.0,10.0,-1.5]]}", scaled.get("outputs").toString());
      final var same = service.post("/call", "{\"function\": \"same\", \"inputs\": {\"number\": 9007199254740993, \"truths\": [true, false]}}").get();
      check(same, 200, "\"t\":[true,false]", "\"n\":9007199254740993", "\"device\":\"cpu:0\"");
      assertEquals(2, service.metric("digits_requests_total{path=\"/call\",status=\"200\"}"));
      check(service.post("/classify", "{}").get(), 404, "--model");
      check(service.get("/call"), 405, "POST");
    }
  }

  /** Rows of any number, times a weight. */
  @SuppressWarnings("try") // the scope is there to be closed
  private Path writeRows() {
    final Path path = folder.resolve("rows.safetensors");
    try (Engine engine = Engine.create(); Scope scope = Scope.open()) {
      final Tensor w = engine.tensor(Device.CPU, new float[] {1, 2});
      final RecordOptions options = new RecordOptions().flags(RecordFlags.CALLABLE);
      new ProgramWriter().dim("rows", 1, 8).function("scale",
          sizes -> engine.record(options, recording -> recording.output(recording.input(Device.CPU, DType.F32, sizes[0], 2).mul(w))), List.of("x"),
          List.of("y")).weight("w", w).write(path);
    }
    return path;
  }

  @Test
  void requestsThatWaitAreOneCall() throws Exception {
    final AtomicInteger launches = new AtomicInteger();
    final AtomicInteger answered = new AtomicInteger();
    final Batcher.Listener listener = new Batcher.Listener() {
      @Override
      public void launched(int images, int rows, double seconds) {
        launches.incrementAndGet();
        answered.addAndGet(images);
      }

      @Override
      public void failed(Throwable cause) {}
    };
    try (ProgramCalls calls = new ProgramCalls(writeRows(), Device.CPU, listener)) {
      assertTrue(new String(calls.description(), StandardCharsets.UTF_8).startsWith(
          "{\"dims\":{\"rows\":[1,8]},\"functions\":[{\"name\":\"scale\",\"inputs\":[{\"name\":\"x\",\"dtype\":\"F32\",\"shape\":[\"rows\",2]}]"));
      final List<CompletableFuture<byte[]>> answers = new ArrayList<>();
      for (int i = 0; i < 40; ++i) {
        answers.add(calls.call(("{\"inputs\": {\"x\": " + (i % 2 == 0 ? "[[" + i + ", 1]]" : "[[" + i + ", 1], [0, 3]]") + "}}").getBytes(StandardCharsets.UTF_8)));
      }
      for (int i = 0; i < 40; ++i) {
        final String text = new String(answers.get(i).get(), StandardCharsets.UTF_8);
        assertTrue(text.startsWith("{\"outputs\":{\"y\":[[" + i + ".0,2.0]" + (i % 2 == 0 ? "]" : ",[0.0,6.0]]")), text);
      }
      assertEquals(40, answered.get());
      assertTrue(launches.get() < 40, "requests are joined: " + launches.get());
      for (final String wrong : List.of("[]", "[[1, 2], [3]]", "[[1, 2, 3]]", "[1, 2]", "[[1,1],[1,1],[1,1],[1,1],[1,1],[1,1],[1,1],[1,1],[1,1]]")) {
        final var failure = assertThrows(ExecutionException.class,
            () -> calls.call(("{\"inputs\": {\"x\": " + wrong + "}}").getBytes(StandardCharsets.UTF_8)).get());
        assertTrue(failure.getCause() instanceof Images.InvalidException, () -> failure.toString());
      }
    }
  }

  @Test
  void refusesOtherBodies() throws Exception {
    final String[][] wrong = {{"[]", "must be a JSON object"}, {"{", "JSON"}, {"{}", "there is no \\\"function\\\""},
        {"{\"function\": \"other\"}", "'scale', 'same'"}, {"{\"inputs\": {}}", "comes first"}, {"{\"function\": \"scale\"}", "'x' is missing"},
        {"{\"function\": \"scale\", \"inputs\": {\"z\": 1}}", "no input 'z'"}, {"{\"function\": \"scale\", \"inputs\": {\"x\": [1, 2, 3]}}", "[2, 3]"},
        {"{\"function\": \"scale\", \"inputs\": {\"x\": [[1, 2, 3], [1, 2]]}}", "[2, 3]"},
        {"{\"function\": \"scale\", \"inputs\": {\"x\": [[1, 2, 3], [1, 2, \"3\"]]}}", "element 5"},
        {"{\"function\": \"same\", \"inputs\": {\"truths\": [true, true], \"number\": 3000000000}}", "JSON"},
        {"{\"function\": \"same\", \"inputs\": {\"truths\": [1, 0], \"number\": 3}}", "is BOOL"},
        {"{\"function\": \"scale\", \"more\": 1}", "'more' is unknown"}, {"{\"function\": \"same\"} 1", "behind"}};
    try (ServiceProcess service = new ServiceProcess("--device", "cpu", "--program", write(DType.I32).toString())) {
      for (final String[] each : wrong) {
        check(service.post("/call", each[0]).get(), 400, each[1]);
      }
    }
    try (ServiceProcess service = new ServiceProcess("--device", "cpu")) {
      check(service.post("/call", "{}").get(), 404, "--program");
      check(service.get("/program"), 404, "--program");
    }
  }

  @Test
  void whatJsonDoesNotHaveIsToldAtOnce() {
    final Path file = write(DType.F16);
    final var thrown = assertThrows(IOException.class, () -> new ProgramCalls(file, Device.CPU, new Metrics().network("program", "/call")).close());
    assertTrue(thrown.getMessage().contains("'number' of function 'same' is F16"), thrown.getMessage());
  }
}
