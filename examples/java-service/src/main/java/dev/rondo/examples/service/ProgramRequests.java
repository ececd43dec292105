// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import dev.rondo.DType;
import dev.rondo.Program;
import java.io.IOException;
import java.lang.reflect.Array;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Reads requests for functions of a program file: which one, and its inputs as arrays in arrays, of any sizes that the file allows. Says which of
 * them may be one call. Finds the shapes that the file has.
 */
final class ProgramRequests {
  private static final JsonFactory JSON = new JsonFactory();

  private final List<Program.Function> functions;
  private final List<Program.Dim> dims;

  /** Elements of one input with their shape. */
  record Numbers(Object elements, long[] shape) {}

  record Request(Program.Function function, Map<String, Numbers> inputs) {}

  /**
   * Says which requests may be one call, in which their rows follow each other: those along a dimension that somebody named, for functions whose
   * inputs and outputs all begin with it, and that use no state.
   */
  static final class Batch {
    /** No call is joined with another. */
    static final Batch NONE = new Batch();

    private final int dim; // -1: there is none
    private final long least;
    private final long most;
    private final Set<String> joined; // names of functions

    private Batch() {
      dim = -1;
      least = 0;
      most = 0;
      joined = Set.of();
    }

    /**
     * Looks at the functions.
     *
     * @param file the program's, for messages
     * @param program has them
     * @param name of the dimension
     * @throws IOException if there is no such dimension, or no function whose calls can be joined along it
     */
    Batch(Path file, Program program, String name) throws IOException {
      final List<Program.Dim> dims = program.dims();
      dim = dims.stream().map(Program.Dim::name).toList().indexOf(name);
      if (dim < 0) {
        throw new IOException("--batch: " + file + " has no dimension '" + name + "'; it has " + dims);
      }
      least = dims.get(dim).least();
      most = dims.get(dim).most();
      joined = joined(file, program, name);
    }

    /** The rows of a request that may be one of several in a call; 0: it is called alone, also to say what is wrong with its sizes. */
    long rows(Request request) {
      final Program.Function function = request.function();
      if (!joined.contains(function.name())) {
        return 0;
      }
      final long rows = request.inputs().get(function.inputs().get(0).name()).shape()[0];
      final boolean same = request.inputs().values().stream().allMatch(each -> each.shape()[0] == rows);
      return same && rows >= least ? rows : 0;
    }

    /** Whether one may follow the first in a call that has so many rows then: it is of the same function, and of the same sizes otherwise. */
    boolean joins(Request first, Request other, long rows) {
      if (other.function() != first.function() || rows > most) {
        return false;
      }
      for (final Program.Value each : first.function().inputs()) {
        final long[] one = first.inputs().get(each.name()).shape();
        final long[] two = other.inputs().get(each.name()).shape();
        if (!Arrays.equals(one, 1, one.length, two, 1, two.length)) {
          return false;
        }
      }
      return true;
    }

    /** The functions whose calls are joined, at least one. */
    private Set<String> joined(Path file, Program program, String name) throws IOException {
      final Set<String> stateful = statefulFunctions(program);
      final Set<String> all = new HashSet<>();
      final List<String> reasons = new ArrayList<>();
      for (final Program.Function each : program.functions()) {
        final String reason = stateful.contains(each.name()) ? "uses a state, which each call changes" : apart(each);
        if (reason == null) {
          all.add(each.name());
        } else {
          reasons.add("'" + each.name() + "' " + reason);
        }
      }
      if (all.isEmpty()) {
        throw new IOException("--batch: no function of " + file + " can take several calls at once along '" + name + "': " + String.join("; ", reasons));
      }
      return all;
    }

    /** Why the rows of calls cannot follow each other, by its shapes; null: they can. */
    private String apart(Program.Function function) {
      if (function.inputs().isEmpty()) {
        return "has no input";
      }
      for (final List<Program.Value> all : List.of(function.inputs(), function.outputs())) {
        for (final Program.Value each : all) {
          final int[] axes = Arrays.copyOf(each.info().dims(), each.info().ndim());
          if (axes.length == 0 || axes[0] != dim + 1) {
            return "has '" + each.name() + "', whose first axis is something else";
          }
          for (int d = 1; d < axes.length; ++d) {
            if (axes[d] == dim + 1 || axes[d] < 0) {
              return "has '" + each.name() + "', whose axis " + d + " has that size too, or one that is computed";
            }
          }
        }
      }
      return null;
    }

    /** Functions that use a state, which is what the functions of a file may write. */
    private static Set<String> statefulFunctions(Program program) throws IOException {
      final List<Program.Value> weights = program.weights();
      final Set<String> all = new HashSet<>();
      if (weights.stream().noneMatch(each -> each.info().state())) {
        return all;
      }
      readFunctions(program, json -> {
        final String function = statefulFunction(json, weights);
        if (function != null) {
          all.add(function);
        }
      });
      return all;
    }

    /** The name of the function that comes, if it uses a state; null: it uses none. */
    private static String statefulFunction(JsonParser json, List<Program.Value> weights) throws IOException {
      String name = null;
      boolean uses = false;
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        final String member = json.currentName();
        json.nextToken();
        if (member.equals("name")) {
          name = json.getText();
        } else if (member.equals("weights")) {
          while (json.nextToken() != JsonToken.END_ARRAY) {
            uses |= weights.get(json.getIntValue()).info().state();
          }
        } else {
          json.skipChildren();
        }
      }
      return uses ? name : null;
    }
  }

  ProgramRequests(List<Program.Function> functions, List<Program.Dim> dims) {
    this.functions = functions;
    this.dims = dims;
  }

  /**
   * Reads a request.
   *
   * @param body {@code {"function": "name", "inputs": {"x": [[1, 2], ...]}}}; a program of one function needs no name
   * @return its function, and all inputs of that
   * @throws Images.InvalidException if the body is not of that form
   */
  Request parse(byte[] body) throws Images.InvalidException {
    try (JsonParser json = JSON.createParser(body)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new Images.InvalidException("the body must be a JSON object: {\"function\": \"...\", \"inputs\": {\"...\": [...]}}");
      }
      Program.Function function = functions.size() == 1 ? functions.get(0) : null;
      boolean named = false;
      Map<String, Numbers> inputs = null;
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
      for (final Program.Value each : function.inputs()) {
        if (inputs == null || !inputs.containsKey(each.name())) {
          throw new Images.InvalidException("the input '" + each.name() + "' is missing");
        }
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

  private Map<String, Numbers> inputs(JsonParser json, Program.Function function) throws IOException, Images.InvalidException {
    if (json.currentToken() != JsonToken.START_OBJECT) {
      throw new Images.InvalidException("\"inputs\" must be an object of arrays by their names");
    }
    final Map<String, Numbers> all = new HashMap<>();
    while (json.nextToken() != JsonToken.END_OBJECT) {
      final String name = json.currentName();
      final Program.Value input = function.inputs().stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow(() ->
          new Images.InvalidException("the function '" + function.name() + "' has no input '" + name + "'; it has " + function.inputs()));
      json.nextToken();
      if (all.put(name, new Reader(json, input).read()) != null) {
        throw new Images.InvalidException("the input '" + name + "' comes twice");
      }
    }
    return all;
  }

  /** Reads one input: arrays in arrays, whose lengths are the sizes of axes that vary. */
  private final class Reader {
    private final JsonParser json;
    private final Program.Value input;
    private final long[] shape;
    private final boolean[] known; // of each axis, whether its size is
    private Object elements;
    private int count;

    Reader(JsonParser json, Program.Value input) {
      this.json = json;
      this.input = input;
      shape = ProgramCalls.shape(input);
      known = new boolean[shape.length];
      for (int d = 0; d < shape.length; ++d) {
        known[d] = input.info().dims()[d] == 0;
      }
      elements = room(16);
    }

    Numbers read() throws IOException, Images.InvalidException {
      read(0);
      for (int d = 0; d < shape.length; ++d) {
        shape[d] = known[d] ? shape[d] : 0; // an axis outside of it has no element
      }
      final Object exact = room(count);
      System.arraycopy(elements, 0, exact, 0, count);
      return new Numbers(exact, shape);
    }

    private Object room(int size) {
      return switch (input.info().dtype()) {
        case F32, F64 -> new double[size];
        case I32, I64 -> new long[size];
        default -> new boolean[size];
      };
    }

    private void read(int axis) throws IOException, Images.InvalidException {
      if (axis == shape.length) {
        if (count == Array.getLength(elements)) {
          final Object larger = room(2 * count);
          System.arraycopy(elements, 0, larger, 0, count);
          elements = larger;
        }
        element(json, input, elements, count++);
        return;
      }
      if (json.currentToken() != JsonToken.START_ARRAY) {
        throw wrong();
      }
      long length = 0;
      for (; json.nextToken() != JsonToken.END_ARRAY; ++length) {
        if (known[axis] && length == shape[axis] || length == limit(axis)) {
          throw wrong();
        }
        read(axis + 1);
      }
      if (known[axis] && length != shape[axis]) {
        throw wrong();
      }
      known[axis] = true;
      shape[axis] = length;
    }

    /** The most that an axis may have. */
    private long limit(int axis) {
      return input.info().shape()[axis];
    }

    private Images.InvalidException wrong() {
      return new Images.InvalidException("'" + input.name() + "' must have the shape " + sizes(input) + ", as arrays in arrays");
    }
  }

  /**
   * The sizes of inputs or outputs as the text of the program has them, by the function, the value and the axis: those that vary are expressions of
   * its dimensions, such as 32*height.
   *
   * @param program has them
   * @param what is "inputs" or "outputs"
   */
  static List<List<List<String>>> shapes(Program program, String what) throws IOException {
    final List<List<List<String>>> all = new ArrayList<>();
    readFunctions(program, json -> all.add(shapesOfFunction(json, what)));
    return all;
  }

  /** Reads one function of a program's text, from behind its first brace to its last. */
  private interface FunctionReader {
    void read(JsonParser json) throws IOException;
  }

  /** Gives the functions of a program's text to a reader, one after the other. */
  private static void readFunctions(Program program, FunctionReader reader) throws IOException {
    try (JsonParser json = JSON.createParser(program.text())) {
      json.nextToken();
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        final boolean there = json.currentName().equals("functions");
        json.nextToken();
        while (there && json.nextToken() == JsonToken.START_OBJECT) {
          reader.read(json);
        }
        json.skipChildren();
      }
    }
  }

  private static List<List<String>> shapesOfFunction(JsonParser json, String what) throws IOException {
    final List<List<String>> shapes = new ArrayList<>();
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      final boolean there = json.currentName().equals(what);
      json.nextToken();
      while (there && json.nextToken() == JsonToken.START_ARRAY) {
        while (json.nextToken() != JsonToken.END_ARRAY) { // the shape is the array among the members of a value
          if (json.currentToken() == JsonToken.START_ARRAY) {
            shapes.add(texts(json));
          }
        }
      }
      json.skipChildren();
    }
    return shapes;
  }

  private static List<String> texts(JsonParser json) throws IOException {
    final List<String> texts = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      texts.add(json.getText());
    }
    return texts;
  }

  /** "[2, 3]", and with the names of dimensions "[rows, 3]". */
  private String sizes(Program.Value value) {
    final List<String> all = new ArrayList<>();
    for (int d = 0; d < value.info().ndim(); ++d) {
      final int dim = value.info().dims()[d];
      final long size = value.info().shape()[d];
      all.add(dim > 0 ? dims.get(dim - 1).name() : dim < 0 ? "at most " + size : Long.toString(size));
    }
    return all.toString();
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
}
