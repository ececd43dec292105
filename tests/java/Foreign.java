// The C interface through Java's foreign-function interface (Java 22 and later), without any native code in between and with nothing
// but its description: every function can be linked, every struct lies as described, and a program made of them computes.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import static java.lang.foreign.SymbolLookup.*;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

public final class Foreign {
  private static final Map<String, MemoryLayout> NUMBERS = Map.of("int32_t", ValueLayout.JAVA_INT, "uint32_t", ValueLayout.JAVA_INT,
      "int64_t", ValueLayout.JAVA_LONG, "uint64_t", ValueLayout.JAVA_LONG, "size_t", ValueLayout.JAVA_LONG, "double",
      ValueLayout.JAVA_DOUBLE, "float", ValueLayout.JAVA_FLOAT, "char", ValueLayout.JAVA_BYTE);
  private static final AddressLayout ADDRESS = ValueLayout.ADDRESS;

  private final Map<String, StructLayout> structs = new HashMap<>();
  private final Map<String, MethodHandle> functions = new LinkedHashMap<>();
  private final Map<String, Integer> constants = new HashMap<>();
  private final Arena arena = Arena.ofShared();

  public static void main(String[] arguments) throws Throwable {
    final Foreign foreign = new Foreign(new Json(Files.readString(Path.of(arguments[0]))).map(), Path.of(arguments[1]));
    foreign.compute();
    foreign.callBack();
    System.out.println(foreign.functions.size() + " functions linked, " + foreign.structs.size() + " structs");
  }

  private static void check(boolean condition, String what) {
    if (!condition) {
      throw new AssertionError(what);
    }
  }

  // --- what the description says

  private MemoryLayout layout(Map<?, ?> type) {
    if (((Number) type.get("pointers")).intValue() > 0 || type.get("kind").equals("callback")) {
      return ADDRESS;
    }
    final MemoryLayout number = NUMBERS.get(type.get("base"));
    return number != null ? number : type.get("kind").equals("enum") ? ValueLayout.JAVA_INT : structs.get(type.get("base"));
  }

  private static List<Map<?, ?>> list(Object value) {
    final List<Map<?, ?>> maps = new ArrayList<>();
    ((List<?>) value).forEach(each -> maps.add((Map<?, ?>) each));
    return maps;
  }

  private Foreign(Map<?, ?> description, Path library) {
    for (final Map<?, ?> struct : list(description.get("structs"))) {
      final List<MemoryLayout> members = new ArrayList<>();
      long end = 0;
      for (final Map<?, ?> field : list(struct.get("fields"))) {
        final long offset = ((Number) field.get("offset")).longValue();
        if (offset > end) {
          members.add(MemoryLayout.paddingLayout(offset - end));
        }
        MemoryLayout member = layout(field);
        if (field.get("count") != null) {
          member = MemoryLayout.sequenceLayout(((Number) field.get("count")).longValue(), member);
        }
        check(member.byteSize() == ((Number) field.get("size")).longValue(), struct.get("name") + "." + field.get("name") + " has another size");
        members.add(member.withName((String) field.get("name")));
        end = offset + member.byteSize();
      }
      final long size = ((Number) struct.get("size")).longValue();
      if (size > end) {
        members.add(MemoryLayout.paddingLayout(size - end));
      }
      final StructLayout layout = MemoryLayout.structLayout(members.toArray(new MemoryLayout[0])); // refuses a wrong alignment
      check(layout.byteSize() == size, struct.get("name") + " has another size");
      structs.put((String) struct.get("name"), layout);
    }
    for (final Map<?, ?> each : list(description.get("enums"))) {
      list(each.get("values")).forEach(value -> constants.put((String) value.get("name"), ((Number) value.get("value")).intValue()));
    }
    final SymbolLookup symbols = libraryLookup(library, arena);
    for (final Map<?, ?> function : list(description.get("functions"))) {
      final MemoryLayout[] parameters = list(function.get("parameters")).stream().map(this::layout).toArray(MemoryLayout[]::new);
      final Map<?, ?> returns = (Map<?, ?>) function.get("returns");
      final FunctionDescriptor descriptor = returns.get("kind").equals("none") ? FunctionDescriptor.ofVoid(parameters)
          : FunctionDescriptor.of(layout(returns), parameters);
      final String name = (String) function.get("name");
      final MemorySegment symbol = symbols.find(name).orElseThrow(() -> new AssertionError(name + " is not in the library"));
      functions.put(name, Linker.nativeLinker().downcallHandle(symbol, descriptor));
    }
  }

  // --- programs

  private Object call(String name, Object... arguments) throws Throwable {
    return functions.get(name).invokeWithArguments(arguments);
  }

  private String lastError() throws Throwable {
    return ((MemorySegment) call("rondo_last_error")).reinterpret(1 << 20).getString(0);
  }

  private void ok(String name, Object... arguments) throws Throwable {
    check((int) call(name, arguments) == 0, name + ": " + lastError());
  }

  private MemorySegment made(MemorySegment out) {
    return out.get(ADDRESS, 0);
  }

  private MemorySegment cpu() {
    return arena.allocate(structs.get("rondo_device")); // {RONDO_CPU, 0}
  }

  private MemorySegment tensor(MemorySegment engine, float... data) throws Throwable {
    final MemorySegment out = arena.allocate(ADDRESS);
    ok("rondo_tensor_from_host", engine, cpu(), constants.get("RONDO_F32"), 1, arena.allocateFrom(ValueLayout.JAVA_LONG, data.length),
        arena.allocateFrom(ValueLayout.JAVA_FLOAT, data), out);
    return made(out);
  }

  private float[] read(MemorySegment tensor, int count) throws Throwable {
    final MemorySegment data = arena.allocate(ValueLayout.JAVA_FLOAT, count);
    ok("rondo_tensor_read", tensor, data, data.byteSize());
    return data.toArray(ValueLayout.JAVA_FLOAT);
  }

  private MemorySegment engine() throws Throwable {
    final MemorySegment out = arena.allocate(ADDRESS);
    ok("rondo_engine_create", MemorySegment.NULL, out);
    return made(out);
  }

  private void compute() throws Throwable {
    final MemorySegment engine = engine();
    final MemorySegment a = tensor(engine, 1, 1, 1, 1);
    final MemorySegment b = tensor(engine, 0, 1, 2, 3);
    final MemorySegment c = arena.allocate(ADDRESS);
    ok("rondo_binary", constants.get("RONDO_ADD"), a, b, c);
    ok("rondo_record_begin", engine, MemorySegment.NULL);
    ok("rondo_binary", constants.get("RONDO_ADD"), made(c), b, c);
    final MemorySegment graph = arena.allocate(ADDRESS);
    ok("rondo_record_end", engine, graph);
    ok("rondo_graph_launch", made(graph));
    ok("rondo_graph_launch", made(graph));
    check(Arrays.equals(new float[] {1, 4, 7, 10}, read(made(c), 4)), "1 + 3 b");

    final StructLayout layout = structs.get("rondo_graph_info");
    final MemorySegment info = arena.allocate(layout);
    info.set(ValueLayout.JAVA_LONG, 0, layout.byteSize());
    ok("rondo_graph_query", made(graph), info);
    check(info.get(ValueLayout.JAVA_LONG, layout.byteOffset(MemoryLayout.PathElement.groupElement("launches"))) == 2, "launches");

    final int status = (int) call("rondo_tensor_reshape", a, 1, arena.allocateFrom(ValueLayout.JAVA_LONG, 3), arena.allocate(ADDRESS));
    check(status == constants.get("RONDO_INVALID_ARGUMENT") && lastError().startsWith("rondo_tensor_reshape: "), lastError());
    call("rondo_graph_destroy", made(graph));
    for (final MemorySegment tensor : List.of(a, b, made(c), MemorySegment.NULL)) {
      call("rondo_tensor_destroy", tensor);
    }
    call("rondo_engine_destroy", engine);
  }

  private static int calls;

  /** A rondo_task_fn. */
  @SuppressWarnings("unused")
  private int task(MemorySegment argument, MemorySegment context) {
    ++calls;
    try {
      call("rondo_task_fail", context, arena.allocateFrom("failed in Java"));
    } catch (Throwable e) {
      return constants.get("RONDO_INTERNAL");
    }
    return constants.get("RONDO_USER_ERROR");
  }

  private void callBack() throws Throwable {
    final MemorySegment engine = engine();
    final MemorySegment variable = arena.allocate(ADDRESS);
    ok("rondo_variable_create", engine, variable);
    final MethodHandle method = MethodHandles.lookup().bind(this, "task",
        MethodType.methodType(int.class, MemorySegment.class, MemorySegment.class));
    final MemorySegment stub = Linker.nativeLinker().upcallStub(method, FunctionDescriptor.of(ValueLayout.JAVA_INT, ADDRESS, ADDRESS), arena);
    ok("rondo_engine_push", engine, stub, MemorySegment.NULL, MemorySegment.NULL, MemorySegment.NULL, 0L, variable, 1L, MemorySegment.NULL);
    check((int) call("rondo_variable_wait", made(variable)) == constants.get("RONDO_USER_ERROR"), "the task's status");
    check(lastError().endsWith("failed in Java") && calls == 1, lastError());
    call("rondo_variable_destroy", made(variable));
    call("rondo_engine_destroy", engine);
  }

  /** As much JSON as the description has. */
  private static final class Json {
    private final String text;
    private int at;

    Json(String text) {
      this.text = text;
    }

    Map<?, ?> map() {
      return (Map<?, ?>) value();
    }

    private char next() {
      while (Character.isWhitespace(text.charAt(at))) {
        ++at;
      }
      return text.charAt(at);
    }

    private boolean more(char end) {
      if (next() == ',') {
        ++at;
      }
      if (next() == end) {
        ++at;
        return false;
      }
      return true;
    }

    private Object value() {
      final char first = next();
      if (first == '{') {
        ++at;
        final Map<String, Object> map = new LinkedHashMap<>();
        while (more('}')) {
          final String key = (String) value();
          check(next() == ':', "a colon at " + at);
          ++at;
          map.put(key, value());
        }
        return map;
      }
      if (first == '[') {
        ++at;
        final List<Object> list = new ArrayList<>();
        while (more(']')) {
          list.add(value());
        }
        return list;
      }
      if (first == '"') {
        return string();
      }
      final int start = at;
      while (",]}".indexOf(text.charAt(at)) < 0 && !Character.isWhitespace(text.charAt(at))) {
        ++at;
      }
      final String word = text.substring(start, at);
      return switch (word) {
        case "null" -> null;
        case "true" -> Boolean.TRUE;
        case "false" -> Boolean.FALSE;
        default -> Double.valueOf(word);
      };
    }

    private String string() {
      final StringBuilder built = new StringBuilder();
      for (++at; text.charAt(at) != '"'; ++at) {
        if (text.charAt(at) != '\\') {
          built.append(text.charAt(at));
        } else if (text.charAt(++at) == 'u') {
          built.append((char) Integer.parseInt(text.substring(at + 1, at + 5), 16));
          at += 4;
        } else {
          built.append("nrtbf".indexOf(text.charAt(at)) < 0 ? text.charAt(at) : "\n\r\t\b\f".charAt("nrtbf".indexOf(text.charAt(at))));
        }
      }
      ++at;
      return built.toString();
    }
  }
}
