// A classifier that is saved as a program file, and called where nothing but the file is: by this program, or by those named program in
// C, C++ and Rust. They write the same bytes.
// usage: ProgramFile save FILE | call FILE [DEVICE]   "cpu" (without an argument) or "cuda:0"
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import dev.rondo.*;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

public final class ProgramFile {
  private static void save(Path path) {
    try (Engine engine = Engine.create(); Scope scope = Scope.open()) { // the scope closes all that is made in it
      Tensor w = engine.tensor(Device.CPU, new float[] {1, 0, 0, 1, 0.5f, 0.5f}, 3, 2);
      Tensor b = engine.tensor(Device.CPU, new float[] {0, 0.25f});
      // It is called for a few numbers of rows, and the file takes any other.
      SizedFunction record = sizes -> engine.record(new RecordOptions().flags(RecordFlags.CALLABLE), recording -> {
        Tensor x = recording.input(Device.CPU, DType.F32, sizes[0], 3);
        recording.output(x.matmul(w, new MatmulOptions().bias(b)).softmax(1));
      });
      new ProgramWriter()
          .dim("rows", 1, 64)
          .function("classify", record, List.of("pixels"), List.of("scores"))
          .weight("w", w)
          .weight("b", b)
          .metadata("labels", "cat dog")
          .write(path);
    }
  }

  /** pixels [rows, 3] */
  private static String text(Program program, Program.Value value) {
    List<String> sizes = new ArrayList<>();
    for (int d = 0; d < value.info().ndim(); ++d) {
      int dim = value.info().dims()[d];
      sizes.add(dim > 0 ? program.dims().get(dim - 1).name() : Long.toString(value.info().shape()[d]));
    }
    return value.name() + " " + sizes;
  }

  private static void call(Path path, Device device) {
    try (Engine engine = Engine.create(); Scope scope = Scope.open()) {
      Program program = Program.open(path); // says what is in it before any weight is read
      Program.Function function = program.functions().get(0);
      System.out.println(function.name() + ": " + text(program, function.inputs().get(0)) + " -> "
          + text(program, function.outputs().get(0)));
      program.metadata().forEach((key, value) -> System.out.println(key + ": " + value));

      ProgramInstance instance = program.instance(engine, device);
      Tensor x = engine.tensor(device, new float[] {2, 0, 1, 0, 2, 1}, 2, 3);
      float[] scores = instance.call(function.name(), x).get(0).toFloatArray();
      for (int i = 0; i < scores.length; i += 2) System.out.printf(Locale.ROOT, "%.3f %.3f%n", scores[i], scores[i + 1]);
    }
  }

  public static void main(String[] words) {
    if (words.length == 2 && words[0].equals("save")) {
      save(Path.of(words[1]));
    } else if ((words.length == 2 || words.length == 3) && words[0].equals("call")) {
      call(Path.of(words[1]), words.length == 3 ? Device.parse(words[2]) : Device.CPU);
    } else {
      System.err.println("usage: ProgramFile save FILE | call FILE [DEVICE]");
      System.exit(2);
    }
  }
}
