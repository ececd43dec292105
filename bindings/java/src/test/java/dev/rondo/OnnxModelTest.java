// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static dev.rondo.Devices.fails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** ONNX models: converted and opened in one call, as a file, with sizes and constants; what is refused. */
class OnnxModelTest {
  @TempDir private Path folder;

  @BeforeAll
  static void loadConverter() {
    NativeLibrary.load();
    System.load(Path.of(System.getProperty("rondo.build"), "src/onnx/librondo_onnx.so.0").toAbsolutePath().toString());
  }

  /** A field of a message of protobuf: its length, and what is in it. */
  private static byte[] field(int tag, byte[]... parts) throws IOException {
    final ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (final byte[] part : parts) {
      content.write(part);
    }
    final ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(tag << 3 | 2);
    out.write(content.size() & 127 | 128);
    out.write(content.size() >> 7);
    content.writeTo(out);
    return out.toByteArray();
  }

  private static byte[] text(int tag, String text) throws IOException {
    return field(tag, text.getBytes(StandardCharsets.UTF_8));
  }

  private static byte[] number(int tag, int value) {
    return new byte[] {(byte) (tag << 3), (byte) value};
  }

  private static byte[] value(int tag, String name, byte[] dimension) throws IOException {
    return field(tag, text(1, name), field(2, field(1, number(1, 1), field(2, field(1, dimension)))));
  }

  /** A model of one node, y = operator(x, by), whose inputs have n elements and 1. */
  private Path model(String operator) throws IOException {
    final byte[] node = field(1, text(1, "x"), text(1, "by"), text(2, "y"), text(4, operator));
    final byte[] graph = field(7, node, text(2, "graph"), value(11, "x", text(2, "n")), value(11, "by", number(1, 1)),
        value(12, "y", text(2, "n")));
    final Path path = folder.resolve(operator + ".onnx");
    try (java.io.OutputStream out = Files.newOutputStream(path)) {
      out.write(number(1, 8));
      out.write(graph);
      out.write(field(8, number(2, 17)));
    }
    return path;
  }

  private static float[] called(Program program, String function) {
    try (Engine engine = Engine.create(); ProgramInstance instance = program.instance(engine, Device.CPU); Scope scope = Scope.open()) {
      return instance.call(function, engine.tensor(Device.CPU, new float[] {1, 2, 4})).get(0).toFloatArray();
    }
  }

  @Test
  void modelsAreConvertedAndOpened() throws IOException {
    try (Program program = new OnnxModel(model("Mul")).size("n", 3).input("by", 2).function("double").open()) {
      assertEquals("double", program.functions().get(0).name());
      assertArrayEquals(new float[] {2, 4, 8}, called(program, "double"));
    }
  }

  @Test
  void modelsBecomeFiles() throws IOException {
    final Path file = folder.resolve("program.safetensors");
    new OnnxModel(model("Mul")).size("n", 3).input("by", 0.5).fewerRoundings(true).patterns(false).memoryLimit(1 << 20).convert(file);
    try (Program program = Program.open(file)) {
      assertArrayEquals(new float[] {0.5f, 1, 2}, called(program, "main"));
    }
  }

  @Test
  void sizesVaryBetweenBounds() throws IOException {
    try (Program program = new OnnxModel(model("Mul")).dim("n", 1, 100).input("by", 2).open()) {
      assertArrayEquals(new float[] {2, 4, 8}, called(program, "main"));
    }
    final OnnxModel limited = new OnnxModel(model("Mul")).size("n", 3).limit("NonZero", 4);
    fails(InvalidArgumentException.class, limited::open, "'NonZero'");
    final OnnxModel equal = new OnnxModel(model("Mul")).dim("n", 3, 3);
    fails(InvalidArgumentException.class, equal::open, "from 3 to 3");
  }

  @Test
  void sizesMayBeMultiplesOfAStep() throws IOException {
    try (Program program = new OnnxModel(model("Mul")).dim("n", 3, 99, 3).input("by", 2).open()) {
      assertArrayEquals(new float[] {2, 4, 8}, called(program, "main"));
      assertEquals("[n: 1 to 33]", program.dims().toString());
    }
    try (Program program = new OnnxModel(model("Mul")).dim("n", 4, 100, 4).input("by", 2).open()) {
      fails(InvalidArgumentException.class, () -> called(program, "main"), "a multiple of 4 is needed");
    }
    final OnnxModel uneven = new OnnxModel(model("Mul")).dim("n", 4, 10, 4);
    fails(InvalidArgumentException.class, uneven::open, "the step of 'n' is 4");
  }

  @Test
  void whatIsWrongIsTold() throws IOException {
    final OnnxModel model = new OnnxModel(model("Mul"));
    final OnnxModel unknown = new OnnxModel(model("Fancy")).size("n", 3);
    fails(InvalidArgumentException.class, model::open, "'n'");
    fails(NotFoundException.class, () -> new OnnxModel(folder.resolve("missing.onnx")).open(), "missing.onnx");
    fails(UnsupportedException.class, unknown::open, "Fancy");
    fails(OutOfMemoryException.class, () -> model.size("n", 3).memoryLimit(1).open(), "bytes");
    fails(InvalidArgumentException.class, () -> unknown.size("n", 4).convert(folder.resolve("out")), "'n' is given twice");
    assertTrue(model.toString().contains("Mul.onnx"));
  }
}
