// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.rondo.DType;
import dev.rondo.Device;
import dev.rondo.Engine;
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
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Calls the functions of a program file, whatever they are: inputs and outputs come and go under their names, in a thread of its own. */
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
  private final ThreadPoolExecutor thread = new ThreadPoolExecutor(1, 1, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(MOST_WAITING),
      work -> new Thread(work, "program"));
  private volatile Batcher.UnavailableException unavailable;

  private record Request(Program.Function function, Map<String, Object> inputs) {}

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
      for (final Program.Function each : functions) {
        check(file, each);
      }
      description = describe(functions, program.metadata());
      instance = program.instance(engine, device);
    } catch (IOException | RuntimeException e) {
      engine.close();
      throw e;
    }
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

  private static long[] shape(Program.Value value) {
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
    return unavailable == null && !thread.isShutdown();
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
    final long arrived = System.nanoTime();
    try {
      return CompletableFuture.supplyAsync(() -> {
        try {
          return answer(parse(body), arrived);
        } catch (Images.InvalidException e) {
          throw new CompletionException(e);
        }
      }, thread);
    } catch (RejectedExecutionException e) {
      throw thread.isShutdown() ? new Batcher.UnavailableException("the service is stopping", e)
          : new Batcher.QueueFullException(MOST_WAITING + " calls of the program wait, and no more may");
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
    instance.close();
    engine.close();
  }

  private byte[] answer(Request request, long arrived) throws Images.InvalidException {
    if (unavailable != null) {
      throw unavailable;
    }
    final long begin = System.nanoTime();
    final List<Program.Value> inputs = request.function.inputs();
    final Tensor[] given = new Tensor[inputs.size()];
    List<Tensor> results = List.of();
    try {
      for (int i = 0; i < given.length; ++i) {
        given[i] = tensor(inputs.get(i), request.inputs.get(inputs.get(i).name()));
      }
      results = instance.call(request.function.name(), given);
      final Object[] arrays = results.stream().map(Tensor::toArray).toArray();
      listener.launched(1, 1, (System.nanoTime() - begin) * 1e-9);
      return write(request.function.outputs(), arrays, begin - arrived, System.nanoTime() - begin);
    } catch (RondoException e) {
      listener.failed(e);
      if (e.status() == Status.DEVICE_LOST) {
        unavailable = new Batcher.UnavailableException("the device is lost: " + e.getMessage(), e);
        throw unavailable;
      }
      throw e;
    } finally {
      results.forEach(Tensor::close);
      for (final Tensor each : given) {
        if (each != null) {
          each.close();
        }
      }
    }
  }

  private Tensor tensor(Program.Value input, Object numbers) throws Images.InvalidException {
    if (numbers == null) {
      throw new Images.InvalidException("the input '" + input.name() + "' is missing");
    }
    final long[] shape = shape(input);
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

  private Request parse(byte[] body) throws Images.InvalidException {
    try (JsonParser json = JSON.createParser(body)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new Images.InvalidException("the body must be a JSON object: {\"function\": \"...\", \"inputs\": {\"...\": [...]}}");
      }
      Program.Function function = functions.size() == 1 ? functions.get(0) : null;
      boolean named = false;
      Map<String, Object> inputs = null;
      while (json.nextToken() != JsonToken.END_OBJECT) {
        final String name = json.currentName();
        json.nextToken();
        if (name.equals("function") && !named && inputs == null) {
          function = function(json);
          named = true;
        } else if (name.equals("inputs") && inputs == null) {
          if (function == null) {
            throw new Images.InvalidException("\"function\" comes first: one of " + names());
          }
          inputs = inputs(json, function);
        } else {
          throw new Images.InvalidException("'" + name + "' is unknown, comes twice, or is in the wrong place: give \"function\", then \"inputs\"");
        }
      }
      if (function == null) {
        throw new Images.InvalidException("there is no \"function\": give one of " + names());
      }
      if (json.nextToken() != null) {
        throw new Images.InvalidException("there is something behind the JSON object");
      }
      return new Request(function, inputs == null ? Map.of() : inputs);
    } catch (JsonProcessingException e) {
      throw Images.notJson(e);
    } catch (IOException e) {
      throw new Images.InvalidException("not JSON: " + e.getMessage());
    }
  }

  private String names() {
    return functions.stream().map(Program.Function::name).collect(Collectors.joining("', '", "'", "'"));
  }

  private Program.Function function(JsonParser json) throws IOException, Images.InvalidException {
    for (final Program.Function each : functions) {
      if (json.currentToken() == JsonToken.VALUE_STRING && each.name().equals(json.getText())) {
        return each;
      }
    }
    throw new Images.InvalidException("\"function\" must be one of " + names());
  }

  private static Map<String, Object> inputs(JsonParser json, Program.Function function) throws IOException, Images.InvalidException {
    if (json.currentToken() != JsonToken.START_OBJECT) {
      throw new Images.InvalidException("\"inputs\" must be an object of arrays by their names");
    }
    final Map<String, Object> all = new HashMap<>();
    while (json.nextToken() != JsonToken.END_OBJECT) {
      final String name = json.currentName();
      final Program.Value input = function.inputs().stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow(() ->
          new Images.InvalidException("the function '" + function.name() + "' has no input '" + name + "'; it has " + function.inputs()));
      json.nextToken();
      final int count = Math.toIntExact(Arrays.stream(shape(input)).reduce(1, (a, b) -> a * b));
      final Object numbers = switch (input.info().dtype()) {
        case F32, F64 -> new double[count];
        case I32, I64 -> new long[count];
        default -> new boolean[count];
      };
      read(json, input, numbers, 0, new int[1]);
      if (all.put(name, numbers) != null) {
        throw new Images.InvalidException("the input '" + name + "' comes twice");
      }
    }
    return all;
  }

  private static void read(JsonParser json, Program.Value input, Object numbers, int axis, int[] at) throws IOException, Images.InvalidException {
    if (axis == input.info().ndim()) {
      element(json, input, numbers, at[0]++);
      return;
    }
    final String wrong = "'" + input.name() + "' must have the shape " + Arrays.toString(shape(input)) + ", as arrays in arrays";
    if (json.currentToken() != JsonToken.START_ARRAY) {
      throw new Images.InvalidException(wrong);
    }
    long count = 0;
    for (; json.nextToken() != JsonToken.END_ARRAY; ++count) {
      if (count == shape(input)[axis]) {
        throw new Images.InvalidException(wrong);
      }
      read(json, input, numbers, axis + 1, at);
    }
    if (count != shape(input)[axis]) {
      throw new Images.InvalidException(wrong);
    }
  }

  private static void element(JsonParser json, Program.Value input, Object numbers, int at) throws IOException, Images.InvalidException {
    final DType dtype = input.info().dtype();
    final JsonToken token = json.currentToken();
    if (numbers instanceof double[] reals && (token == JsonToken.VALUE_NUMBER_INT || token == JsonToken.VALUE_NUMBER_FLOAT)) {
      reals[at] = json.getDoubleValue();
    } else if (numbers instanceof long[] wholes && token == JsonToken.VALUE_NUMBER_INT) {
      wholes[at] = dtype == DType.I32 ? json.getIntValue() : json.getLongValue(); // out of range: an exception that says so
    } else if (numbers instanceof boolean[] truths && (token == JsonToken.VALUE_TRUE || token == JsonToken.VALUE_FALSE)) {
      truths[at] = token == JsonToken.VALUE_TRUE;
    } else {
      throw new Images.InvalidException("'" + input.name() + "' is " + dtype + ": element " + at + " is something else");
    }
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

  private static byte[] describe(List<Program.Function> functions, Map<String, String> texts) {
    return json(json -> {
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

  private static void describe(JsonGenerator json, String what, List<Program.Value> values) throws IOException {
    json.writeArrayFieldStart(what);
    for (final Program.Value each : values) {
      json.writeStartObject();
      json.writeStringField("name", each.name());
      json.writeStringField("dtype", each.info().dtype().toString());
      json.writeFieldName("shape");
      nested(json, shape(each));
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
