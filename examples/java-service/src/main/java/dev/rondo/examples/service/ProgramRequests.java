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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Reads requests for functions of a program file: which one, and its inputs as arrays in arrays, of any sizes that the file allows. */
final class ProgramRequests {
  private static final JsonFactory JSON = new JsonFactory();

  private final List<Program.Function> functions;
  private final List<Program.Dim> dims;

  /** Elements of one input with their shape. */
  record Numbers(Object elements, long[] shape) {}

  record Request(Program.Function function, Map<String, Numbers> inputs) {}

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
