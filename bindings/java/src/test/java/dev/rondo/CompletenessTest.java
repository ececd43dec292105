// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Everything the C interface has, Java has: the description of the interface (docs/abi.md) is compared with the classes. */
class CompletenessTest {
  /** Functions of C that Java does not call, and why. */
  private static final Map<String, String> NOT_CALLED = Map.ofEntries(
      Map.entry("rondo_last_error", "the native methods put it into the exception"),
      Map.entry("rondo_tensor_wait", "Tensor.await is rondo_tensor_wait_for, to look for interrupts"),
      Map.entry("rondo_variable_wait", "Variable.await is rondo_variable_wait_for, to look for interrupts"),
      Map.entry("rondo_engine_wait_all", "Engine.awaitAll is rondo_engine_wait_all_for, to look for interrupts"),
      Map.entry("rondo_device_format", "Device.toString says the same, which a test compares with Device.parse"),
      Map.entry("rondo_status_name", "Status.name() is the same, which a test compares"),
      Map.entry("rondo_dtype_name", "DType.name() is the same, which a test compares"),
      Map.entry("rondo_unary_op_name", "UnaryOp.name() is the same, which a test compares"),
      Map.entry("rondo_binary_op_name", "BinaryOp.name() is the same, which a test compares"),
      Map.entry("rondo_ternary_op_name", "TernaryOp.name() is the same, which a test compares"),
      Map.entry("rondo_reduce_op_name", "ReduceOp.name() is the same, which a test compares"));

  /**
   * What an exchange of the user gets as ExchangeStep and its messages, what Comm.create takes as parameters, and what ProgramWriter has a
   * method for each of.
   */
  private static final Set<String> OTHERWISE = Set.of("rondo_comm_hooks", "rondo_exchange_step", "rondo_message", "rondo_program_save_options",
      "rondo_program_instance_options");

  private static final Path ROOT = Path.of(System.getProperty("rondo.root"));
  private static final Path BUILD = Path.of(System.getProperty("rondo.build"));

  private static JsonObject description() throws IOException {
    return JsonParser.parseString(Files.readString(BUILD.resolve("packaging/abi/abi.json"))).getAsJsonObject();
  }

  private static List<JsonObject> all(JsonObject from, String table) {
    final List<JsonObject> list = new ArrayList<>();
    for (final JsonElement each : from.getAsJsonArray(table)) {
      list.add(each.getAsJsonObject());
    }
    return list;
  }

  private static String text(JsonObject from, String member) {
    return from.get(member).getAsString();
  }

  private static String sources(Path folder, String suffix) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      final StringBuilder all = new StringBuilder();
      for (final Path file : files.filter(path -> path.toString().endsWith(suffix)).collect(Collectors.toList())) {
        all.append(Files.readString(file));
      }
      return all.toString();
    }
  }

  /** rondo_engine_options: EngineOptions. */
  private static Class<?> classOf(String name) throws ClassNotFoundException {
    final String words = name.equals("rondo_dtype") ? "DType" : name.equals("rondo_task_flags") ? "TaskFlag"
        : Arrays.stream(name.replace("rondo_callable", "rondo_graph_function").substring("rondo_".length()).split("_"))
            .map(word -> word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1)).collect(Collectors.joining());
    return Class.forName("dev.rondo." + words);
  }

  private static String camel(String name) {
    final String[] words = name.split("_");
    return words[0] + Arrays.stream(words).skip(1).map(word -> word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1))
        .collect(Collectors.joining());
  }

  @Test
  void everyFunctionIsReached() throws Exception {
    final String java = sources(ROOT.resolve("bindings/java/src/main/java"), ".java");
    final String c = sources(ROOT.resolve("bindings/java/src/main/native"), ".c");
    final Set<String> described = new TreeSet<>();
    final Set<String> missing = new TreeSet<>();
    for (final JsonObject function : all(description(), "functions")) {
      described.add(text(function, "name"));
    }
    final Set<String> seen = new TreeSet<>();
    for (final String line : Files.readAllLines(BUILD.resolve("bindings/java/generated/functions.txt"))) {
      final String[] words = line.split(" ");
      seen.add(words[0]);
      final boolean reached;
      if (words[1].equals("operator")) {
        final String name = camel(words[0].substring("rondo_".length()));
        reached = Arrays.stream(Operators.class.getMethods()).anyMatch(method -> method.getName().equals(name));
      } else if (words[1].equals("by")) {
        reached = c.contains(words[0] + "(");
      } else {
        reached = java.contains(words[1] + "(") || java.contains(words[1].replace(".", "::"));
      }
      if (reached == NOT_CALLED.getOrDefault(words[0], "").length() > 0) {
        missing.add(line + (reached ? ": is called, and listed as not called" : ": is not called, and not listed with a reason"));
      }
    }
    assertEquals(Set.of(), missing);
    assertEquals(described, seen);
  }

  @Test
  void everyEnumAgrees() throws Exception {
    for (final JsonObject c : all(description(), "enums")) {
      final Object[] java = classOf(text(c, "name")).getEnumConstants();
      final List<JsonObject> values = all(c, "values");
      assertEquals(values.size(), java.length, text(c, "name"));
      for (int i = 0; i < java.length; ++i) {
        assertTrue(text(values.get(i), "name").endsWith("_" + java[i]), () -> c + ": " + Arrays.toString(java));
        assertEquals(values.get(i).get("value").getAsInt(), java[i].getClass().getMethod("value").invoke(java[i]));
      }
    }
  }

  @Test
  void everyFieldOfEveryStructIsThere() throws Exception {
    for (final JsonObject struct : all(description(), "structs")) {
      if (OTHERWISE.contains(text(struct, "name"))) {
        continue;
      }
      final Class<?> java = classOf(text(struct, "name"));
      for (final JsonObject field : all(struct, "fields")) {
        final String name = text(field, "name");
        final boolean options = text(struct, "name").endsWith("_options");
        if (!name.equals("size") && !(options && name.equals("reserved"))) {
          final Method get = java.getMethod(camel(name));
          assertNotNull(get, name);
          if (options) {
            assertTrue(Arrays.stream(java.getMethods()).anyMatch(set -> set.getName().equals(camel(name)) && set.getParameterCount() == 1), name);
          }
        }
      }
    }
  }

  /**
   * A public method that no test names is one that nobody has seen work. Of facts FactsTest calls all there are; the operators are made
   * from the description, one body for each kind of signature, and OperatorsTest calls some of each.
   */
  @Test
  void everyPublicMethodIsCalledByATest() throws Exception {
    final String tests = sources(ROOT.resolve("bindings/java/src/test/java"), ".java");
    final Set<String> facts = FactsTest.KINDS.stream().map(Class::getSimpleName).collect(Collectors.toSet());
    final Set<String> missing = new TreeSet<>();
    for (final Path folder : List.of(ROOT.resolve("bindings/java/src/main/java/dev/rondo"), BUILD.resolve("bindings/java/generated/dev/rondo"))) {
      try (Stream<Path> files = Files.list(folder)) {
        for (final Path file : files.collect(Collectors.toList())) {
          final String name = file.getFileName().toString().replace(".java", "");
          if (Files.isRegularFile(file) && !name.endsWith("-info") && !facts.contains(name) && !name.equals("Operators")) {
            Arrays.stream(Class.forName("dev.rondo." + name).getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()) && isSeen(method.getDeclaringClass()))
                .filter(method -> !method.isSynthetic() && !method.getName().equals("toString"))
                .filter(method -> !tests.contains(method.getName() + "(") && !tests.contains("::" + method.getName()))
                .forEach(method -> missing.add(name + "." + method.getName()));
          }
        }
      }
    }
    assertEquals(Set.of(), missing);
  }

  /** Public, or there for what is public to have its methods; those of TensorOperators are made of the enums. */
  private static boolean isSeen(Class<?> kind) {
    return Modifier.isPublic(kind.getModifiers()) || List.of(EngineTensors.class, TensorAliases.class, TensorContents.class, TensorViews.class).contains(kind);
  }

  /** The native part has the sizes of structs that the C compiler gave: it was made from this very description. */
  @Test
  void theNativePartIsMadeFromTheSameHeaders() {
    Rondo.version();
    assertTrue(Fingerprint.is(Memory.bytes(Fingerprint.VALUE)));
    assertFalse(Fingerprint.is(Memory.bytes(Fingerprint.VALUE + "0")));
  }

  /** A program that imports all of a package of Java's and all of dev.rondo finds each class. */
  @Test
  void noClassHasANameOfJavas() throws Exception {
    final Set<String> taken = new TreeSet<>();
    for (final Path folder : List.of(ROOT.resolve("bindings/java/src/main/java/dev/rondo"), BUILD.resolve("bindings/java/generated/dev/rondo"))) {
      try (Stream<Path> files = Files.list(folder)) {
        for (final Path file : files.filter(path -> path.toString().endsWith(".java")).collect(Collectors.toList())) {
          final String name = file.getFileName().toString().replace(".java", "");
          for (final String of : List.of("java.lang.", "java.io.", "java.nio.", "java.nio.file.", "java.time.", "java.util.",
              "java.util.concurrent.", "java.util.concurrent.atomic.", "java.util.function.", "java.util.stream.")) {
            if (!name.endsWith("-info") && isPublic("dev.rondo." + name) && isPublic(of + name)) {
              taken.add(of + name);
            }
          }
        }
      }
    }
    assertEquals(Set.of(), taken);
  }

  private static boolean isPublic(String name) {
    try {
      return Modifier.isPublic(Class.forName(name, false, CompletenessTest.class.getClassLoader()).getModifiers());
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  @Test
  void everyElementwiseOperationAndReductionIsAMethod() {
    final Set<String> methods = Arrays.stream(Tensor.class.getMethods()).map(Method::getName).collect(Collectors.toSet());
    for (final Enum<?>[] values : new Enum<?>[][] {UnaryOp.values(), BinaryOp.values(), TernaryOp.values(), ReduceOp.values()}) {
      for (final Enum<?> value : values) {
        assertTrue(methods.contains(camel(value.name().toLowerCase(Locale.ROOT))), value.name());
      }
    }
  }

  /** Javadoc is complete (the compiler's doclint sees to it); nothing public but what is meant to be. */
  @Test
  void theModuleExportsOnePackage() {
    assertEquals(Set.of("dev.rondo"), Set.of(Tensor.class.getPackageName()));
    for (final Class<?> hidden : List.of(NativeOps.class, NativeObject.class, Handle.class, Memory.class, Fingerprint.class)) {
      assertFalse(Modifier.isPublic(hidden.getModifiers()), hidden.getName());
    }
  }
}
