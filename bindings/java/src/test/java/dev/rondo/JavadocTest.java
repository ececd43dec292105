// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples in the documentation compile, and those that need no GPU run: a program is made of them, with the names that they use. */
class JavadocTest {
  private static final Path ROOT = Path.of(System.getProperty("rondo.root"), "bindings/java/src/main/java");
  private static final Pattern EXAMPLE = Pattern.compile("<pre>\\{@code\n(.*?)\n *\\* *\\}</pre>", Pattern.DOTALL);
  private static final Pattern NEEDS_A_GPU = Pattern.compile("Device\\.cuda|CudaModule");
  private static final String PROGRAM = "import dev.rondo.*;\nimport java.nio.ByteBuffer;\nimport java.nio.file.Path;\nimport java.util.*;\n"
      + "import java.util.concurrent.CompletableFuture;\n"
      + "// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0\n"
      + "public class Examples {\n"
      + "  static Engine engine = Engine.create(new EngineOptions().mode(EngineMode.ASYNC));\n"
      + "  static Device device = Device.CPU;\n"
      + "  static Path path = Path.of(System.getProperty(\"folder\"), \"model.safetensors\");\n"
      + "  static String text;\n"
      + "  static Tensor x = engine.full(device, DType.F32, 0.5, 4, 4), y = engine.full(device, DType.F32, 2, 4, 4);\n"
      + "  static Tensor w = y, w1 = x, w2 = y, b1 = x, gradient = x, mine, theirs, target;\n"
      + "  static Tensor weight = engine.full(device, DType.F32, 1, 4, 3), bias = engine.full(device, DType.F32, 1, 3);\n"
      + "  static Comm end;\n"
      + "  static int neighbour;\n"
      + "  static Tensor network(Tensor of) { return of.exp(); }\n"
      + "  static CompletableFuture<byte[]> fetch(String name) { return CompletableFuture.supplyAsync(() -> new byte[64]); }\n";

  private static List<String> examples() throws IOException {
    final List<String> found = new ArrayList<>();
    try (Stream<Path> files = Files.walk(ROOT)) {
      for (final Path file : files.filter(path -> path.toString().endsWith(".java")).sorted().collect(Collectors.toList())) {
        for (final Matcher match = EXAMPLE.matcher(Files.readString(file)); match.find();) {
          found.add(match.group(1).replaceAll("(?m)^ *\\* ?", ""));
        }
      }
    }
    return found;
  }

  @Test
  void itsExamplesRun(@TempDir Path folder) throws Exception {
    final StringBuilder program = new StringBuilder(PROGRAM);
    final StringBuilder calls = new StringBuilder();
    final List<String> examples = examples();
    for (int i = 0; i < examples.size(); ++i) {
      program.append("  static Object example").append(i).append("() throws Exception {\n    if (true) {\n").append(examples.get(i))
          .append("\n    }\n    return null;\n  }\n");
      if (!NEEDS_A_GPU.matcher(examples.get(i)).find()) {
        calls.append("      for (int rank = 0; rank < 2; ++rank) {\n        end = ends.get(rank);\n        neighbour = 1 - rank;\n"
            + "        mine = engine.full(device, DType.F32, rank, 4);\n        theirs = engine.full(device, DType.F32, 0, 4);\n        example")
            .append(i).append("();\n      }\n"); // one after the other: each rank's part of it, before anything waits
      }
    }
    program.append("  public static void main(String[] arguments) throws Exception {\n"
        + "    try (Scope scope = Scope.open()) {\n"
        + "      List<Comm> ends = Comm.createAll(engine, device, device);\n").append(calls)
        .append("      engine.awaitAll();\n    }\n    engine.close();\n    System.out.println(\"all of them\");\n  }\n}\n");
    final Path file = Files.writeString(folder.resolve("Examples.java"), program);
    assumeTrue(ModuleLayer.boot().findModule("jdk.compiler").isPresent(), "this Java has no compiler");
    final Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin/java").toString(), "-cp",
        Path.of(System.getProperty("rondo.target"), "classes").toString(), "-Ddev.rondo.native.path=" + System.getProperty("dev.rondo.native.path"),
        "-Dfolder=" + folder, file.toString()).redirectErrorStream(true).redirectOutput(folder.resolve("out").toFile()).start();
    final boolean ended = process.waitFor(200, TimeUnit.SECONDS);
    process.destroyForcibly().waitFor();
    final String out = Files.readString(folder.resolve("out"));
    assertTrue(ended && process.exitValue() == 0, out);
    assertTrue(out.endsWith("all of them\n"), out);
    assertTrue(examples.size() >= 12, "there are " + examples.size());
  }

  /** Who searches for what DJL or ONNX Runtime calls it finds what Rondo has. */
  @Test
  void namesOfOtherLibrariesAreFound() throws Exception {
    final StringBuilder seen = new StringBuilder();
    for (final Path folder : List.of(ROOT, Path.of(System.getProperty("rondo.build"), "bindings/java/generated"))) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (final Path file : files.filter(path -> path.toString().endsWith(".java")).collect(Collectors.toList())) {
          Files.readAllLines(file).stream().filter(line -> line.contains("@see \"") || line.contains("  public ")).forEach(seen::append);
        }
      }
    }
    for (final String name : List.of("create", "randomUniform", "randomNormal", "dot", "matMul", "argMax", "topK", "sort", "argSort", "cumSum",
        "cumProd", "booleanMask", "oneHot", "stack", "concat", "where", "take", "toType", "toDevice", "NDManager", "newGradientCollector", "NDIndex",
        "createTensor", "getValue", "getInfo", "getFloatBuffer", "OrtSession", "zerosLike", "duplicate", "contentEquals", "norm")) {
      assertTrue(Pattern.compile("\\b" + name + "\\b").matcher(seen).find(), name);
    }
  }

  /** Where the documentation says null, the declaration does, for compilers that look for it. */
  @Test
  void nullIsWhereAnAnnotationSaysSo() throws Exception {
    final Pattern declared = Pattern.compile("/\\*\\*((?:(?!\\*/).)*)\\*/\\s*((?:public|void|List|@)[^;{]*)[;{]", Pattern.DOTALL);
    final Pattern says = Pattern.compile("@(?:param|return)(?:(?!\\* @).)*\\bnull\\b", Pattern.DOTALL);
    int found = 0;
    for (final Path folder : List.of(ROOT.resolve("dev/rondo"), Path.of(System.getProperty("rondo.build"), "bindings/java/generated/dev/rondo"))) {
      try (Stream<Path> files = Files.list(folder)) {
        for (final Path file : files.filter(path -> path.toString().endsWith(".java")).collect(Collectors.toList())) {
          for (final Matcher match = declared.matcher(Files.readString(file)); match.find();) {
            if (says.matcher(match.group(1)).find()) {
              assertTrue(match.group(2).contains("Nullable"), () -> file.getFileName() + ": " + match.group(2));
              ++found;
            }
          }
        }
      }
    }
    assertTrue(found > 90, found + " declarations");
  }

  /** What is made from the headers' texts says what Java has in place of functions, structs and constants of C. */
  @Test
  void itNamesWhatJavaHas() throws Exception {
    final Pattern ofC = Pattern.compile("(?<!\\{@code )\\brondo_\\w|\\bNULL\\b|RONDO_MAX|RONDO_\\w+_INIT");
    final Path folder = Path.of(System.getProperty("rondo.build"), "bindings/java/generated/dev/rondo");
    try (Stream<Path> files = Files.list(folder)) {
      for (final Path file : files.filter(path -> !path.getFileName().toString().startsWith("Native")).collect(Collectors.toList())) {
        for (final String line : Files.readAllLines(file)) {
          assertFalse(line.trim().startsWith("*") && ofC.matcher(line).find(), () -> file.getFileName() + ": " + line);
        }
      }
    }
  }
}
