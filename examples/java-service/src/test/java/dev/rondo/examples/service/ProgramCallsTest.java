// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import static dev.rondo.examples.service.ServiceProcess.check;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import dev.rondo.BinaryOp;
import dev.rondo.DType;
import dev.rondo.Device;
import dev.rondo.Engine;
import dev.rondo.Graph;
import dev.rondo.Operators;
import dev.rondo.ProgramWriter;
import dev.rondo.RecordFlags;
import dev.rondo.RecordOptions;
import dev.rondo.ReduceOp;
import dev.rondo.Scope;
import dev.rondo.Tensor;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
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

  private static ProgramCalls open(Path file, String batch, Batcher.Listener listener) throws IOException {
    return new ProgramCalls(file, false, Device.CPU, batch, listener, 1);
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
      check(service.get("/"), 200, "const paths = [\"\"]", "<title>Programs</title>");
      assertEquals(service.get("/").body(), service.get("/programs").body());
      check(service.post("/programs", "{}").get(), 405, "GET, HEAD");
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
  @SuppressWarnings("try") // the scope is there to be closed
  void sizesThatAreComputedAreDescribedAsExpressions() throws Exception {
    final Path path = folder.resolve("pairs.safetensors");
    try (Engine engine = Engine.create(); Scope scope = Scope.open()) {
      final RecordOptions options = new RecordOptions().flags(RecordFlags.CALLABLE);
      new ProgramWriter().dim("pairs", 1, 8).function("twice",
          sizes -> engine.record(options, recording -> recording.output(recording.input(Device.CPU, DType.F32, 2 * sizes[0], 3).mul(2))), List.of("x"),
          List.of("y")).write(path);
    }
    try (ProgramCalls calls = open(path, null, null)) {
      final String text = new String(calls.description(), StandardCharsets.UTF_8);
      assertTrue(text.contains("{\"name\":\"x\",\"dtype\":\"F32\",\"shape\":[\"2*pairs\",3]}"), text);
      assertTrue(text.contains("{\"name\":\"y\",\"dtype\":\"F32\",\"shape\":[\"2*pairs\",3]}"), text);
    }
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
    try (ProgramCalls calls = open(writeRows(), "rows", listener)) {
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

  /** Holds the program's thread in its first launch, so that what is asked meanwhile waits together. */
  private static final class Held implements Batcher.Listener {
    final CountDownLatch begun = new CountDownLatch(1);
    final CountDownLatch released = new CountDownLatch(1);
    final List<Integer> launches = Collections.synchronizedList(new ArrayList<>()); // how many requests each one answers

    @Override
    public void launched(int images, int rows, double seconds) {
      launches.add(images);
      begun.countDown();
      try {
        released.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void failed(Throwable cause) {}

    /** What these get, which wait together behind the first one: outputs, or why there are none. */
    List<String> ask(ProgramCalls calls, String... inputs) throws Exception {
      final List<CompletableFuture<byte[]>> answers = new ArrayList<>();
      for (final String each : inputs) {
        answers.add(calls.call(body(each)));
        begun.await();
      }
      released.countDown();
      final List<String> all = new ArrayList<>();
      for (final CompletableFuture<byte[]> each : answers) {
        all.add(outcome(each));
      }
      return all;
    }
  }

  private static byte[] body(String inputs) {
    return ("{\"inputs\": {" + inputs + "}}").getBytes(StandardCharsets.UTF_8);
  }

  private static String outcome(CompletableFuture<byte[]> answer) throws Exception {
    try {
      return new String(answer.get(20, TimeUnit.SECONDS), StandardCharsets.UTF_8).replaceFirst(",\"device\".*", "}");
    } catch (ExecutionException e) {
      return e.getCause().getClass().getSimpleName() + ": " + e.getCause().getMessage();
    }
  }

  /** What a function of rows does with its inputs. */
  private interface Rows {
    Tensor of(List<Tensor> inputs);
  }

  /** A function of any number of rows, of the inputs a and b, or of a alone. */
  private Path writeRows(Engine engine, DType dtype, long[] row, int inputs, Rows rows) {
    final Path path = folder.resolve("function.safetensors");
    final RecordOptions options = new RecordOptions().flags(RecordFlags.CALLABLE);
    new ProgramWriter().dim("rows", 1, 8).function("f", sizes -> engine.record(options, recording -> {
      final List<Tensor> given = new ArrayList<>();
      for (int i = 0; i < inputs; ++i) {
        given.add(recording.input(Device.CPU, dtype, LongStream.concat(LongStream.of(sizes[0]), LongStream.of(row)).toArray()));
      }
      recording.output(rows.of(given));
    }), List.of("a", "b").subList(0, inputs), List.of("y")).write(path);
    return path;
  }

  @Test
  @SuppressWarnings("try") // the scope is there to be closed
  void requestsAreNotJoinedUnasked() throws Exception {
    try (Engine engine = Engine.create(); Scope scope = Scope.open()) {
      final Path path = writeRows(engine, DType.F32, new long[] {2}, 1, in -> Operators.cumulative(ReduceOp.SUM, in.get(0), 0, false));
      final Held held = new Held();
      try (ProgramCalls calls = open(path, null, held)) {
        assertEquals(List.of("{\"outputs\":{\"y\":[[1.0,1.0]]}}", "{\"outputs\":{\"y\":[[1.0,2.0],[4.0,6.0]]}}", "{\"outputs\":{\"y\":[[5.0,6.0],[12.0,14.0]]}}"),
            held.ask(calls, "\"a\": [[1, 1]]", "\"a\": [[1, 2], [3, 4]]", "\"a\": [[5, 6], [7, 8]]"));
        assertEquals(List.of(1, 1, 1), held.launches);
      }
    }
  }

  @Test
  @SuppressWarnings("try") // the scope is there to be closed
  void functionsOfStatesAreNotJoined() throws Exception {
    final Path path = folder.resolve("states.safetensors");
    try (Engine engine = Engine.create(); Scope scope = Scope.open()) {
      final Tensor calls = engine.tensor(Device.CPU, new float[] {0});
      final Tensor one = engine.tensor(Device.CPU, new float[] {1});
      final RecordOptions options = new RecordOptions().flags(RecordFlags.CALLABLE);
      new ProgramWriter().dim("rows", 1, 8).function("count", sizes -> engine.record(options, recording -> {
        final Tensor x = recording.input(Device.CPU, DType.F32, sizes[0], 1);
        Operators.binary(BinaryOp.ADD, calls, one, calls);
        recording.output(x.add(calls));
      }), List.of("a"), List.of("y")).function("scale",
          sizes -> engine.record(options, recording -> recording.output(recording.input(Device.CPU, DType.F32, sizes[0], 1).mul(one))), List.of("a"),
          List.of("y")).weight("calls", calls).weight("one", one).write(path);
    }
    final Held held = new Held();
    try (ProgramCalls calls = open(path, "rows", held)) {
      final List<CompletableFuture<byte[]>> answers = new ArrayList<>();
      for (final String name : List.of("count", "count", "count", "scale", "scale")) {
        answers.add(calls.call(("{\"function\": \"" + name + "\", \"inputs\": {\"a\": [[10]]}}").getBytes(StandardCharsets.UTF_8)));
        held.begun.await();
      }
      held.released.countDown();
      final double[] right = {11, 12, 13, 10, 10};
      for (int i = 0; i < right.length; ++i) {
        assertEquals("{\"outputs\":{\"y\":[[" + right[i] + "]]}}", outcome(answers.get(i)));
      }
      assertEquals(List.of(1, 1, 1, 2), held.launches);
    }
  }

  @Test
  @SuppressWarnings("try") // the scope is there to be closed
  void oneCallersBadValueFailsThatCallerAlone() throws Exception {
    try (Engine engine = Engine.create(); Scope scope = Scope.open()) {
      final Tensor table = engine.tensor(Device.CPU, new float[] {0, 10, 20, 30}, 4, 1);
      final Path path = writeRows(engine, DType.I64, new long[0], 1, in -> Operators.gatherRows(table, in.get(0)));
      final Held held = new Held();
      try (ProgramCalls calls = open(path, "rows", held)) {
        final List<String> said = held.ask(calls, "\"a\": [0]", "\"a\": [1]", "\"a\": [2, 99]", "\"a\": [3]");
        assertEquals("{\"outputs\":{\"y\":[[10.0]]}}", said.get(1));
        assertTrue(said.get(2).startsWith("InvalidException") && said.get(2).contains("99"), said.get(2));
        assertEquals("{\"outputs\":{\"y\":[[30.0]]}}", said.get(3));
        assertEquals(List.of(1, 1, 1), held.launches);
      }
    }
  }

  @Test
  @SuppressWarnings("try") // the scope is there to be closed
  void inputsOfDifferentRowsAreRefusedTogetherToo() throws Exception {
    try (Engine engine = Engine.create(); Scope scope = Scope.open()) {
      final Path path = writeRows(engine, DType.F32, new long[0], 2, in -> in.get(0).add(in.get(1)));
      final Held held = new Held();
      try (ProgramCalls calls = open(path, "rows", held)) {
        final List<String> said = held.ask(calls, "\"a\": [0], \"b\": [0]", "\"a\": [1, 2], \"b\": [3]", "\"a\": [4], \"b\": [5, 6]", "\"a\": [7], \"b\": [8]");
        assertTrue(said.get(1).startsWith("InvalidException"), said.get(1));
        assertTrue(said.get(2).startsWith("InvalidException"), said.get(2));
        assertEquals("{\"outputs\":{\"y\":[15.0]}}", said.get(3));
      }
    }
  }

  @Test
  @SuppressWarnings("try") // the scope is there to be closed
  void batchIsADimensionThatFunctionsCanBeJoinedAlong() throws Exception {
    try (Engine engine = Engine.create(); Scope scope = Scope.open()) {
      final Path path = writeRows(engine, DType.F32, new long[] {2}, 1, in -> in.get(0).sum(0));
      final Path fixed = write(DType.I64);
      for (final String[] each : new String[][] {{path.toString(), "columns", "no dimension 'columns'; it has [rows: 1 to 8]"},
          {path.toString(), "rows", "'f' has 'y', whose first axis is something else"}, {fixed.toString(), "rows", "no dimension 'rows'"}}) {
        final var thrown = assertThrows(IOException.class, () -> open(Path.of(each[0]), each[1], new Held()).close());
        assertTrue(thrown.getMessage().startsWith("--batch: ") && thrown.getMessage().contains(each[2]), thrown.getMessage());
      }
    }
    final var thrown = assertThrows(IllegalArgumentException.class, () -> Options.parse("--model", "m", "--batch", "rows"));
    assertTrue(thrown.getMessage().contains("--program FILE is missing"), thrown.getMessage());
    assertTrue(Options.parse("--program", "p", "--trust", "yes").trust());
    assertFalse(Options.parse("--program", "p").trust());
    final var unsaid = assertThrows(IllegalArgumentException.class, () -> Options.parse("--program", "p", "--trust", "maybe"));
    assertTrue(unsaid.getMessage().contains("--trust must be no or yes, not 'maybe'"), unsaid.getMessage());
    assertEquals(Map.of("", new Options.Served("p", "rows")), Options.parse("--program", "p", "--batch", "rows").programs());
  }

  @Test
  void programsHaveNamesWhereThereAreSeveral() {
    final Map<String, Options.Served> all = Options.parse("--program", "a=x.safetensors", "--program", "./b=y", "--batch", "a=rows", "--program", "c=d=e").programs();
    assertEquals(Map.of("a", new Options.Served("x.safetensors", "rows"), "", new Options.Served("./b=y", null), "c", new Options.Served("d=e", null)), all);
    for (final String[] each : new String[][] {{"of several programs each needs a name", "--program", "p", "--program", "q"},
        {"--program is given twice for 'a'", "--program", "a=p", "--program", "a=q"}, {"--program a=FILE is missing", "--program", "p", "--batch", "a=rows"},
        {"--program FILE is missing", "--program", "a=p", "--batch", "rows"}, {"--batch is given twice for 'a'", "--program", "a=p", "--batch", "a=r", "--batch", "a=s"},
        {"nothing behind the name", "--program", "a="}}) {
      final var thrown = assertThrows(IllegalArgumentException.class, () -> Options.parse(Arrays.copyOfRange(each, 1, each.length)));
      assertTrue(thrown.getMessage().contains(each[0]), thrown.getMessage());
    }
  }

  @Test
  void eachProgramHasItsPathBatchAndMetrics() throws Exception {
    final Path rows = writeRows();
    final Path other = write(DType.I64);
    try (ServiceProcess service = new ServiceProcess("--device", "cpu", "--program", "rows=" + rows, "--program", "other=" + other, "--batch", "rows=rows")) {
      final List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
      for (int i = 0; i < 40; ++i) {
        answers.add(i % 2 == 0 ? service.post("/call/rows", "{\"inputs\": {\"x\": [[" + i + ", 1]]}}")
            : service.post("/call/other", "{\"function\": \"scale\", \"inputs\": {\"x\": [[" + i + ", 1, 1], [0, 0, 0]]}}"));
      }
      for (int i = 0; i < 40; ++i) {
        check(answers.get(i).get(), 200, i % 2 == 0 ? "{\"y\":[[" + i + ".0,2.0]]}" : "{\"y\":[[" + i + ".0,2.0,-3.0],");
      }
      check(service.get("/programs"), 200, "const paths = [\"/other\", \"/rows\"]");
      for (final String each : List.of("rows", "other")) {
        assertEquals(20, service.metric("digits_requests_total{path=\"/call/" + each + "\",status=\"200\"}"));
        assertEquals(20, service.metric("program_" + each + "_classify_seconds_count"));
        assertEquals(20, service.metric("program_" + each + "_batch_images_sum"));
      }
      assertEquals(20, service.metric("program_other_launch_seconds_count"));
      check(service.get("/program/rows"), 200, "\"dims\":{\"rows\":[1,8]}");
      check(service.get("/program/other"), 200, "\"name\":\"same\"");
      check(service.post("/call", "{}").get(), 404, "try /call/other, /call/rows");
      check(service.get("/program"), 404, "try /program/other, /program/rows");
      check(service.post("/call/none", "{}").get(), 404, "there is no /call/none");
      check(service.get("/call/rows"), 405, "POST");
      check(service.get("/readyz"), 200, "\"program\":\"cpu:0\"");
    }
  }

  @Test
  void anErrorEndsItsCallAlone() throws Exception {
    final AtomicInteger launches = new AtomicInteger();
    final Batcher.Listener listener = new Batcher.Listener() {
      @Override
      public void launched(int images, int rows, double seconds) {
        if (launches.incrementAndGet() == 1) {
          throw new LinkageError("a class is missing");
        }
      }

      @Override
      public void failed(Throwable cause) {
        throw new AssertionError("what is told of a failure fails itself");
      }
    };
    try (ProgramCalls calls = open(writeRows(), "rows", listener)) {
      assertEquals("LinkageError: a class is missing", outcome(calls.call(body("\"x\": [[1, 1]]"))));
      assertTrue(outcome(calls.call(body("\"x\": [[1]]"))).startsWith("InvalidException"));
      assertEquals("{\"outputs\":{\"y\":[[1.0,2.0]]}}", outcome(calls.call(body("\"x\": [[1, 1]]"))));
      assertTrue(calls.available());
    }
  }

  @Test
  void bodiesThatWaitHaveABound() throws Exception {
    final Held held = new Held();
    try (ProgramCalls calls = new ProgramCalls(writeRows(), true, Device.CPU, null, held, Engine.create(), 0)) {
      final byte[] large = body("\"x\": [[1, 1]]" + " ".repeat(2000));
      final List<CompletableFuture<byte[]>> answers = new ArrayList<>(List.of(calls.call(large)));
      held.begun.await();
      answers.add(calls.call(large));
      final var refused = assertThrows(Batcher.QueueFullException.class, () -> calls.call(large));
      assertTrue(refused.getMessage().contains(calls.longestBody() + " bytes"), refused.getMessage());
      held.released.countDown();
      for (final CompletableFuture<byte[]> each : answers) {
        assertEquals("{\"outputs\":{\"y\":[[1.0,2.0]]}}", outcome(each));
      }
      for (int i = 0; i < 5; ++i) { // what is answered takes no room, nor does what is refused
        assertEquals("{\"outputs\":{\"y\":[[1.0,2.0]]}}", outcome(calls.call(large)));
        assertTrue(outcome(calls.call(new byte[3000])).startsWith("InvalidException"));
      }
    }
  }

  @Test
  void aThreadThatEndsLeavesNobodyWaiting() throws Exception {
    try (ProgramCalls calls = open(writeRows(), "rows", new Held())) {
      final CompletableFuture<byte[]> running = calls.call(body("\"x\": [[1, 1]]"));
      final CompletableFuture<byte[]> waiting = calls.call(body("\"x\": [[1, 1]]"));
      final Thread thread = Thread.getAllStackTraces().keySet().stream().filter(each -> each.getName().equals("program") && each.isAlive()).findFirst()
          .orElseThrow();
      thread.interrupt();
      thread.join();
      assertFalse(calls.available());
      assertTrue(running.isDone() && waiting.isDone());
      assertThrows(Batcher.UnavailableException.class, () -> calls.call(body("\"x\": [[1, 1]]")));
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

  /** "f", what turns the text behind it, a tag that nobody sees, and a letter and a picture that are what they seem. */
  private static final String TURNING = "f\u202eé\udb40\udc41🙂";

  @Test
  @SuppressWarnings("try") // the scope is there to be closed
  void namesThatTurnTheTextAreShownByTheirCodes() throws Exception {
    final Path path = folder.resolve("names.safetensors");
    try (Engine engine = Engine.create(); Scope scope = Scope.open()) {
      final Graph graph = engine.record(new RecordOptions().flags(RecordFlags.CALLABLE),
          recording -> recording.output(recording.input(Device.CPU, DType.F32, 1).mul(2)));
      new ProgramWriter().function(TURNING, graph, List.of(TURNING), List.of(TURNING)).metadata(TURNING, TURNING + "\u0007").write(path);
    }
    try (ServiceProcess service = new ServiceProcess("--device", "cpu", "--program", path.toString())) {
      for (final var each : List.of(service.get("/program"), service.post("/call", "{\"inputs\": {\"" + TURNING + "\": [4]}}").get())) {
        check(each, 200, "f\\u202eé\\udb40\\udc41");
        assertTrue(each.body().codePoints().noneMatch(c -> Character.getType(c) == Character.FORMAT), each.body());
        assertTrue(String.valueOf(ServiceProcess.json(each)).contains(TURNING), each.body()); // a program gets the name as it is
      }
      final var wrong = service.post("/call", "{}").get();
      check(wrong, 400, "'f\\\\u202eé\\\\u{e0041}");
      assertTrue(ServiceProcess.json(wrong).get("error").getAsString().contains("'f\\u202eé\\u{e0041}🙂'"), wrong.body());
      final var metrics = service.get("/metrics"); // are named by the command, not by the file
      check(metrics, 200, "program_graph_replays_total");
      assertFalse(metrics.body().contains("\u202e"), metrics.body());
    }
    final var failed = assertThrows(IOException.class, () -> new ServiceProcess("--device", "cpu", "--program", path.toString(), "--batch", "rows\u202e"));
    assertTrue(failed.getMessage().contains("'rows\\u202e'"), failed.getMessage());
  }

  @Test
  void whatJsonDoesNotHaveIsToldAtOnce() {
    final Path file = write(DType.F16);
    final var thrown = assertThrows(IOException.class, () -> new ProgramCalls(file, false, Device.CPU, null, new Metrics().network("program", "/call"), 1).close());
    assertTrue(thrown.getMessage().contains("'number' of function 'same' is F16"), thrown.getMessage());
  }
}
