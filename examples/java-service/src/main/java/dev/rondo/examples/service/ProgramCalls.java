// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.rondo.DType;
import dev.rondo.Device;
import dev.rondo.Engine;
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
import java.util.stream.Collectors;

/**
 * Calls the functions of a program file, whatever they are: inputs and outputs come and go under their names, in a thread of its own.
 *
 * <p>Sizes that vary are those of the arrays in a request. Where the first axis of all inputs and outputs of a function is one dimension, and
 * nothing else is, requests that wait for the function are one call: their rows follow each other.
 */
final class ProgramCalls implements AutoCloseable {
  private static final int MOST_WAITING = 64; // requests
  private static final int MOST_ELEMENTS = 1 << 22; // of the inputs of a function
  private static final int BYTES = 32; // that a number takes in JSON at most
  private static final List<DType> NUMBERS = List.of(DType.F32, DType.F64, DType.I32, DType.I64, DType.BOOL);
  private static final JsonFactory JSON = new JsonFactory();

  private final Device device;
  private final Batcher.Listener listener;
  private final Engine engine = Engine.create();
  private final ProgramInstance instance;
  private final List<Program.Function> functions;
  private final byte[] description;
  private final List<Program.Dim> dims;
  private final ProgramRequests requests;
  private final BlockingQueue<Call> waiting = new ArrayBlockingQueue<>(MOST_WAITING);
  private final Thread thread = new Thread(this::run, "program");
  private volatile boolean stopping;
  private volatile Batcher.UnavailableException unavailable;

  /** A request that waits. */
  private static final class Call {
    final byte[] body;
    final long arrived = System.nanoTime();
    final CompletableFuture<byte[]> answer = new CompletableFuture<>();
    ProgramRequests.Request request; // once it is read
    long rows; // of the dimension that calls are joined along; 0: they are not

    Call(byte[] body) {
      this.body = body;
    }
  }

  /**
   * Opens the file and makes an instance.
   *
   * @param file a program file
   * @param device where it runs
   * @param listener is told of each call
   */
  ProgramCalls(Path file, Device device, Batcher.Listener listener) throws IOException {
    this.device = device;
    this.listener = listener;
    try (Program program = Program.open(file)) {
      functions = program.functions();
      dims = program.dims();
      for (final Program.Function each : functions) {
        check(file, each);
      }
      requests = new ProgramRequests(functions, dims);
      description = describe(program.metadata());
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
    if (stopping) {
      throw new Batcher.UnavailableException("the service is stopping", null);
    }
    if (!waiting.offer(call)) {
      throw new Batcher.QueueFullException(MOST_WAITING + " calls of the program wait, and no more may");
    }
    return call.answer;
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
    Call next = null;
    while (next != null || !stopping || !waiting.isEmpty()) {
      try {
        final Call first = next != null ? next : waiting.poll(10, TimeUnit.MILLISECONDS);
        next = null;
        if (first == null || !read(first)) {
          continue;
        }
        final List<Call> together = new ArrayList<>(List.of(first));
        long rows = first.rows;
        while (first.rows > 0 && next == null) {
          final Call other = waiting.poll();
          if (other == null) {
            break;
          }
          if (!read(other)) {
            continue;
          }
          if (joins(first, other, rows)) {
            together.add(other);
            rows += other.rows;
          } else {
            next = other;
          }
        }
        answer(together);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  /** False: the request is wrong, and its caller knows. */
  private boolean read(Call call) {
    if (call.request != null) {
      return true;
    }
    try {
      call.request = requests.parse(call.body);
      call.rows = joined(call.request.function()) < 0 ? 0 : call.request.inputs().get(call.request.function().inputs().get(0).name()).shape()[0];
      return true;
    } catch (Images.InvalidException | RuntimeException e) {
      call.answer.completeExceptionally(e);
      return false;
    }
  }

  /** The dimension that is the first axis of all inputs and outputs of a function, and nothing else in them; -1: there is none. */
  private int joined(Program.Function function) {
    int dim = -1;
    for (final List<Program.Value> all : List.of(function.inputs(), function.outputs())) {
      for (final Program.Value each : all) {
        final int[] axes = each.info().dims();
        if (axes.length == 0 || axes[0] < 1 || (dim >= 0 && axes[0] != dim + 1)) {
          return -1;
        }
        dim = axes[0] - 1;
        for (int d = 1; d < axes.length; ++d) {
          if (axes[d] == dim + 1 || axes[d] < 0) {
            return -1;
          }
        }
      }
    }
    return dim;
  }

  /** Whether a call may follow others in one: it is of the same function and sizes, and there is room for its rows. */
  private boolean joins(Call first, Call other, long rows) {
    if (other.request.function() != first.request.function() || other.rows == 0
        || rows + other.rows > dims.get(joined(first.request.function())).most()) {
      return false;
    }
    for (final Program.Value each : first.request.function().inputs()) {
      final long[] one = first.request.inputs().get(each.name()).shape();
      final long[] two = other.request.inputs().get(each.name()).shape();
      if (!Arrays.equals(one, 1, one.length, two, 1, two.length)) {
        return false;
      }
    }
    return true;
  }

  /** Calls the function once for all of them, which join. */
  private void answer(List<Call> calls) {
    final Program.Function function = calls.get(0).request.function();
    final long begin = System.nanoTime();
    final List<Program.Value> inputs = function.inputs();
    final Tensor[] given = new Tensor[inputs.size()];
    List<Tensor> results = List.of();
    try {
      if (unavailable != null) {
        throw unavailable;
      }
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
    } catch (RuntimeException e) {
      if (e instanceof RondoException failure) {
        listener.failed(failure);
        if (failure.status() == Status.DEVICE_LOST) {
          unavailable = new Batcher.UnavailableException("the device is lost: " + e.getMessage(), e);
        }
      }
      final Throwable told = unavailable != null ? unavailable
          : e instanceof InvalidArgumentException ? new Images.InvalidException(e.getMessage()) : e;
      calls.forEach(each -> each.answer.completeExceptionally(told));
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

  private byte[] describe(Map<String, String> texts) {
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
      for (final Program.Function each : functions) {
        json.writeStartObject();
        json.writeStringField("name", each.name());
        describe(json, "inputs", each.inputs());
        describe(json, "outputs", each.outputs());
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

  private void describe(JsonGenerator json, String what, List<Program.Value> values) throws IOException {
    json.writeArrayFieldStart(what);
    for (final Program.Value each : values) {
      json.writeStartObject();
      json.writeStringField("name", each.name());
      json.writeStringField("dtype", each.info().dtype().toString());
      json.writeArrayFieldStart("shape"); // a size that varies is its dimension's name, or null where it is another expression
      for (int d = 0; d < each.info().ndim(); ++d) {
        final int dim = each.info().dims()[d];
        if (dim == 0) {
          json.writeNumber(each.info().shape()[d]);
        } else {
          json.writeString(dim > 0 ? dims.get(dim - 1).name() : null);
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
    try (JsonGenerator json = JSON.createGenerator(bytes)) {
      json.writeStartObject();
      members.write(json);
      json.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // there is none in memory
    }
    return bytes.toByteArray();
  }
}
