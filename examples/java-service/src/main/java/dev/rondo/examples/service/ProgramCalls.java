// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.rondo.DType;
import dev.rondo.Device;
import dev.rondo.Engine;
import dev.rondo.EngineOptions;
import dev.rondo.InvalidArgumentException;
import dev.rondo.Program;
import dev.rondo.ProgramInstance;
import dev.rondo.RondoException;
import dev.rondo.Status;
import dev.rondo.Tensor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Array;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/**
 * Calls the functions of a program file, whatever they are: inputs and outputs come and go under their names, in a thread of its own.
 *
 * <p>Sizes that vary are those of the arrays in a request. Requests that wait for a function are one call, in which their rows follow each
 * other, along a dimension that whoever starts the service names, since no shape tells whether rows see each other.
 */
final class ProgramCalls implements AutoCloseable {
  private static final int MOST_WAITING = 64; // requests
  private static final int MOST_ELEMENTS = 1 << 22; // of the inputs of a function
  private static final int BYTES = 32; // that a number takes in JSON at most
  private static final List<DType> NUMBERS = List.of(DType.F32, DType.F64, DType.I32, DType.I64, DType.BOOL);

  private final Device device;
  private final Batcher.Listener listener;
  private final Engine engine;
  private final ProgramInstance instance;
  private final List<Program.Function> functions;
  private final byte[] description;
  private final List<Program.Dim> dims;
  private final ProgramRequests requests;
  private final ProgramRequests.Batch batch;
  private final BlockingQueue<Call> waiting = new ArrayBlockingQueue<>(MOST_WAITING);
  private final long mostBytes; // of bodies that are not answered
  private final AtomicLong bytes = new AtomicLong();
  private final Thread thread = new Thread(this::run, "program");
  private Call next; // the thread's: it took it and could not join it
  private volatile boolean stopping;
  private volatile boolean ended; // the thread takes no call any more
  private volatile Batcher.UnavailableException unavailable;

  /** A request that waits. */
  private static final class Call {
    final byte[] body;
    final long arrived = System.nanoTime();
    final CompletableFuture<byte[]> answer = new CompletableFuture<>();
    ProgramRequests.Request request; // once it is read
    long rows; // of the dimension that calls are joined along; 0: this one is not

    Call(byte[] body) {
      this.body = body;
    }
  }

  /**
   * Opens the file and makes an instance.
   *
   * @param file a program file
   * @param trust whether what is compiled for it is kept
   * @param device where it runs
   * @param batch the dimension whose rows do not see each other, along which calls are joined; null: none are
   * @param listener is told of each call
   * @param programs how many there are, which share half of what all bodies may have
   */
  ProgramCalls(Path file, boolean trust, Device device, String batch, Batcher.Listener listener, int programs) throws IOException {
    // Indices come from strangers: one outside is an error of its caller's.
    this(file, trust, device, batch, listener, Engine.create(new EngineOptions().checkIndices(1)), Runtime.getRuntime().maxMemory() / 8 / programs);
  }

  /** The same with an engine, which is closed with it, and with bytes that bodies may have; one body always may. */
  ProgramCalls(Path file, boolean trust, Device device, String batch, Batcher.Listener listener, Engine engine, long mostBytes) throws IOException {
    this.engine = engine;
    this.device = device;
    this.listener = listener;
    try (Program program = Program.open(file)) {
      if (trust) {
        program.trust();
      }
      functions = program.functions();
      dims = program.dims();
      for (final Program.Function each : functions) {
        check(file, each);
      }
      this.batch = batch == null ? ProgramRequests.Batch.NONE : new ProgramRequests.Batch(file, program, batch);
      this.mostBytes = Math.max(mostBytes, longestBody());
      requests = new ProgramRequests(functions, dims);
      description = describe(program.metadata(), ProgramRequests.shapes(program, "inputs"), ProgramRequests.shapes(program, "outputs"));
      instance = program.instance(engine, device);
    } catch (IOException | RuntimeException e) {
      engine.close();
      throw e;
    }
    thread.start();
  }

  private static void check(Path file, Program.Function function) throws IOException {
    long elements = 0;
    for (final Program.Value each : function.inputs()) {
      elements += Math.min(Arrays.stream(shape(each)).reduce(1, (a, b) -> a * b), MOST_ELEMENTS + 1L);
    }
    if (elements > MOST_ELEMENTS) {
      throw new IOException(file + ": the inputs of function '" + function.name() + "' have more than " + MOST_ELEMENTS + " elements, too many for a request");
    }
    for (final List<Program.Value> all : List.of(function.inputs(), function.outputs())) {
      for (final Program.Value each : all) {
        if (!NUMBERS.contains(each.info().dtype())) {
          throw new IOException(file + ": '" + each.name() + "' of function '" + function.name() + "' is " + each.info().dtype() + "; this service has "
              + NUMBERS);
        }
      }
    }
  }

  static long[] shape(Program.Value value) {
    return Arrays.copyOf(value.info().shape(), value.info().ndim());
  }

  /** The longest body of a request. */
  int longestBody() {
    long elements = 0;
    for (final Program.Function each : functions) {
      elements = Math.max(elements, each.inputs().stream().mapToLong(input -> Arrays.stream(shape(input)).reduce(1, (a, b) -> a * b)).sum());
    }
    return (int) (4096 + elements * BYTES);
  }

  /** Where it runs. */
  String device() {
    return device.toString();
  }

  /** Whether functions are called. */
  boolean available() {
    return unavailable == null && !stopping;
  }

  /** Why no function is called any more; null: they are called, or the service stops. */
  String lost() {
    final Batcher.UnavailableException now = unavailable;
    return now == null ? null : now.getMessage();
  }

  /** Functions with their inputs and outputs, and the author's texts, as JSON. */
  byte[] description() {
    return description.clone();
  }

  /**
   * Calls a function. Does not block.
   *
   * @param body {@code {"function": "name", "inputs": {"x": [[1, 2], ...]}}}; a program of one function needs no name
   * @return the answer as JSON; fails with {@link Images.InvalidException} if the body is not of that form, and as a batcher does
   */
  CompletableFuture<byte[]> call(byte[] body) {
    final Call call = new Call(body);
    final Batcher.UnavailableException lost = unavailable;
    if (lost != null) {
      throw lost;
    }
    if (stopping) {
      throw new Batcher.UnavailableException("the service is stopping", null);
    }
    if (bytes.addAndGet(body.length) > mostBytes) {
      bytes.addAndGet(-body.length);
      throw new Batcher.QueueFullException("calls of the program that are not answered fill the memory for them, " + mostBytes + " bytes");
    }
    if (!waiting.offer(call)) {
      bytes.addAndGet(-body.length);
      throw new Batcher.QueueFullException(MOST_WAITING + " calls of the program wait, and no more may");
    }
    final CompletableFuture<byte[]> answer = call.answer.whenComplete((done, thrown) -> bytes.addAndGet(-body.length));
    if (ended) { // maybe before it could see this one
      refuseWaiting();
    }
    return answer;
  }

  /** Answers what waits; takes no more. */
  @Override
  public void close() {
    stopping = true;
    try {
      thread.join(10_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    instance.close();
    engine.close();
  }

  private void run() {
    try {
      while (next != null || !stopping || !waiting.isEmpty()) {
        step();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      if (!stopping && unavailable == null) {
        unavailable = new Batcher.UnavailableException("the thread that calls the program has ended", null);
      }
      ended = true;
      if (next != null) {
        refuse(next);
      }
      refuseWaiting();
    }
  }

  /** Answers one call, and those that join it. Whatever is thrown is the answer of those alone. */
  private void step() throws InterruptedException {
    final List<Call> together = new ArrayList<>();
    try {
      gather(together);
      if (!together.isEmpty()) {
        answer(together);
      }
    } catch (RuntimeException | Error e) {
      together.forEach(each -> each.answer.completeExceptionally(e));
    }
  }

  private void gather(List<Call> together) throws InterruptedException {
    final Call first = next != null ? next : waiting.poll(10, TimeUnit.MILLISECONDS);
    next = null;
    if (first == null) {
      return;
    }
    together.add(first);
    if (!read(first)) {
      together.clear();
      return;
    }
    long rows = first.rows;
    while (first.rows > 0 && next == null) {
      final Call other = waiting.poll();
      if (other == null) {
        return;
      }
      if (!read(other)) {
        continue;
      }
      if (other.rows > 0 && batch.joins(first.request, other.request, rows + other.rows)) {
        together.add(other);
        rows += other.rows;
      } else {
        next = other;
      }
    }
  }

  /** No call waits for a thread that is not there. */
  private void refuseWaiting() {
    for (Call each = waiting.poll(); each != null; each = waiting.poll()) {
      refuse(each);
    }
  }

  private void refuse(Call call) {
    final Batcher.UnavailableException lost = unavailable;
    call.answer.completeExceptionally(lost != null ? lost : new Batcher.UnavailableException("the service is stopping", null));
  }

  /** False: the request is wrong, and its caller knows. */
  private boolean read(Call call) {
    if (call.request != null) {
      return true;
    }
    try {
      call.request = requests.parse(call.body);
      call.rows = batch.rows(call.request);
      return true;
    } catch (Images.InvalidException | RuntimeException | Error e) {
      call.answer.completeExceptionally(e);
      return false;
    }
  }

  /** Calls the function once for all of them, which join; where that fails, once for each, so that nobody is told of another's mistake. */
  private void answer(List<Call> calls) {
    try {
      launch(calls);
    } catch (RuntimeException | Error e) {
      if (e instanceof RondoException failure) {
        if (failure.status() == Status.DEVICE_LOST) {
          unavailable = new Batcher.UnavailableException("the device is lost: " + e.getMessage(), e);
        }
        listener.failed(failure);
      }
      final Throwable told = unavailable != null ? unavailable
          : e instanceof InvalidArgumentException ? new Images.InvalidException(e.getMessage()) : e;
      if (calls.size() > 1 && unavailable == null) {
        calls.stream().filter(each -> !each.answer.isDone()).forEach(each -> answer(List.of(each)));
      } else {
        calls.forEach(each -> each.answer.completeExceptionally(told));
      }
    }
  }

  private void launch(List<Call> calls) {
    if (unavailable != null) {
      throw unavailable;
    }
    final Program.Function function = calls.get(0).request.function();
    final long begin = System.nanoTime();
    final List<Program.Value> inputs = function.inputs();
    final Tensor[] given = new Tensor[inputs.size()];
    List<Tensor> results = List.of();
    try {
      for (int i = 0; i < given.length; ++i) {
        final String name = inputs.get(i).name();
        given[i] = tensor(inputs.get(i), calls.stream().map(each -> each.request.inputs().get(name)).collect(Collectors.toList()));
      }
      results = instance.call(function.name(), given);
      final Object[] arrays = results.stream().map(Tensor::toArray).toArray();
      final long ran = System.nanoTime() - begin;
      listener.launched(calls.size(), calls.size(), ran * 1e-9);
      int row = 0;
      for (final Call each : calls) {
        final int to = row + (int) each.rows;
        final int from = row;
        final Object[] own = calls.size() == 1 ? arrays : Arrays.stream(arrays).map(all -> rows(all, from, to)).toArray();
        row = to;
        each.answer.complete(write(function.outputs(), own, begin - each.arrived, ran));
      }
    } finally {
      results.forEach(Tensor::close);
      for (final Tensor each : given) {
        if (each != null) {
          each.close();
        }
      }
    }
  }

  private static Object rows(Object all, int from, int to) {
    final Object own = Array.newInstance(all.getClass().getComponentType(), to - from);
    System.arraycopy(all, from, own, 0, to - from);
    return own;
  }

  /** Of the elements of all calls, one after the other. */
  private Tensor tensor(Program.Value input, List<ProgramRequests.Numbers> calls) {
    final long[] shape = calls.get(0).shape().clone();
    Object numbers = calls.get(0).elements();
    if (calls.size() > 1) {
      int count = 0;
      shape[0] = 0;
      for (final ProgramRequests.Numbers each : calls) {
        count += Array.getLength(each.elements());
        shape[0] += each.shape()[0];
      }
      numbers = Array.newInstance(numbers.getClass().getComponentType(), count);
      int at = 0;
      for (final ProgramRequests.Numbers each : calls) {
        final int length = Array.getLength(each.elements());
        System.arraycopy(each.elements(), 0, numbers, at, length);
        at += length;
      }
    }
    if (shape.length == 0) {
      return switch (input.info().dtype()) {
        case F32 -> engine.tensor(device, (float) ((double[]) numbers)[0]);
        case F64 -> engine.tensor(device, ((double[]) numbers)[0]);
        case I32 -> engine.tensor(device, (int) ((long[]) numbers)[0]);
        case I64 -> engine.tensor(device, ((long[]) numbers)[0]);
        default -> engine.tensor(device, ((boolean[]) numbers)[0]);
      };
    }
    return switch (input.info().dtype()) {
      case F32 -> engine.tensor(device, floats((double[]) numbers), shape);
      case F64 -> engine.tensor(device, (double[]) numbers, shape);
      case I32 -> engine.tensor(device, Arrays.stream((long[]) numbers).mapToInt(each -> (int) each).toArray(), shape);
      case I64 -> engine.tensor(device, (long[]) numbers, shape);
      default -> engine.tensor(device, (boolean[]) numbers, shape);
    };
  }

  private static float[] floats(double[] numbers) {
    final float[] all = new float[numbers.length];
    for (int i = 0; i < all.length; ++i) {
      all[i] = (float) numbers[i];
    }
    return all;
  }

  private byte[] write(List<Program.Value> outputs, Object[] arrays, long queuedNanos, long ranNanos) {
    return json(json -> {
      json.writeObjectFieldStart("outputs");
      for (int i = 0; i < arrays.length; ++i) {
        json.writeFieldName(outputs.get(i).name());
        nested(json, arrays[i]);
      }
      json.writeEndObject();
      json.writeStringField("device", device());
      json.writeNumberField("queued_us", queuedNanos / 1000);
      json.writeNumberField("ran_us", ranNanos / 1000);
    });
  }

  private static void nested(JsonGenerator json, Object value) throws IOException {
    if (value.getClass().isArray()) {
      json.writeStartArray();
      for (int i = 0; i < Array.getLength(value); ++i) {
        nested(json, Array.get(value, i));
      }
      json.writeEndArray();
    } else if (value instanceof Boolean truth) {
      json.writeBoolean(truth);
    } else if (value instanceof Float number) {
      json.writeNumber(number);
    } else if (value instanceof Double number) {
      json.writeNumber(number);
    } else {
      json.writeNumber(((Number) value).longValue());
    }
  }

  private byte[] describe(Map<String, String> texts, List<List<List<String>>> inputs, List<List<List<String>>> outputs) {
    return json(json -> {
      if (!dims.isEmpty()) {
        json.writeObjectFieldStart("dims");
        for (final Program.Dim each : dims) {
          json.writeFieldName(each.name());
          nested(json, new long[] {each.least(), each.most()});
        }
        json.writeEndObject();
      }
      json.writeArrayFieldStart("functions");
      for (int i = 0; i < functions.size(); ++i) {
        json.writeStartObject();
        json.writeStringField("name", functions.get(i).name());
        describe(json, "inputs", functions.get(i).inputs(), inputs.get(i));
        describe(json, "outputs", functions.get(i).outputs(), outputs.get(i));
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeObjectFieldStart("texts");
      for (final Map.Entry<String, String> each : texts.entrySet()) {
        json.writeStringField(each.getKey(), each.getValue());
      }
      json.writeEndObject();
    });
  }

  private void describe(JsonGenerator json, String what, List<Program.Value> values, List<List<String>> shapes) throws IOException {
    json.writeArrayFieldStart(what);
    for (int i = 0; i < values.size(); ++i) {
      final Program.Value each = values.get(i);
      json.writeStartObject();
      json.writeStringField("name", each.name());
      json.writeStringField("dtype", each.info().dtype().toString());
      json.writeArrayFieldStart("shape"); // a size that varies is an expression of dimensions, mostly the name of one
      for (int d = 0; d < each.info().ndim(); ++d) {
        if (each.info().dims()[d] == 0) {
          json.writeNumber(each.info().shape()[d]);
        } else {
          json.writeString(shapes.get(i).get(d));
        }
      }
      json.writeEndArray();
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  private interface Writer {
    void write(JsonGenerator json) throws IOException;
  }

  private static byte[] json(Writer members) {
    final var bytes = new ByteArrayOutputStream();
    try (JsonGenerator json = Shown.JSON.createGenerator(bytes)) {
      json.writeStartObject();
      members.write(json);
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // there is none in memory
    }
    return bytes.toByteArray();
  }
}
