// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A program of a test in a process of its own, with options of the virtual machine that this one does not have. */
final class Child {
  private Child() {}

  /** Runs a class with a main method, which must succeed. Returns what it prints. */
  static String run(Class<?> program, List<String> options, String... arguments) throws Exception {
    return run(program.getName(), options, arguments);
  }

  /** The same of the source of a class, in the language of the Java that runs. */
  static String runSource(String name, String source) throws Exception {
    assumeTrue(ModuleLayer.boot().findModule("jdk.compiler").isPresent(), "this Java has no compiler");
    final Path folder = Files.createTempDirectory("rondo-test-");
    final Path file = Files.writeString(folder.resolve(name + ".java"), source);
    try {
      return run(file.toString(), List.of());
    } finally {
      Files.delete(file);
      Files.delete(folder);
    }
  }

  private static String run(String program, List<String> options, String... arguments) throws Exception {
    final String classes = Path.of(System.getProperty("rondo.target"), "classes") + ":" + Path.of(System.getProperty("rondo.target"), "test-classes");
    final List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin/java").toString(),
        "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", // it ends soon
        "-Ddev.rondo.native.path=" + System.getProperty("dev.rondo.native.path"), "-cp", classes));
    if (Runtime.version().feature() >= 22) {
      command.add("--enable-native-access=ALL-UNNAMED"); // else it warns, and a later one refuses
    }
    command.addAll(options);
    command.add(program);
    command.addAll(List.of(arguments));
    final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    final String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), out);
    return out;
  }
}
