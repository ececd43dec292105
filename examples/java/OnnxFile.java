// An ONNX model that is converted and called: it says what the model takes and gives, and what it gives for inputs of ones.
// usage: OnnxFile MODEL.onnx [NAME=SIZE]...   sizes of dimensions that the model names
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import dev.rondo.*;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

public final class OnnxFile {
  private static String text(Program.Value value) {
    return value.name() + " " + Arrays.toString(value.info().shape());
  }

  public static void main(String[] words) {
    if (words.length == 0) {
      System.err.println("usage: OnnxFile MODEL.onnx [NAME=SIZE]...");
      System.exit(2);
    }
    OnnxModel model = new OnnxModel(Path.of(words[0]));
    for (int i = 1; i < words.length; ++i) {
      int sign = words[i].lastIndexOf('=');
      model.size(words[i].substring(0, sign), Long.parseLong(words[i].substring(sign + 1)));
    }
    try (Engine engine = Engine.create(); Scope scope = Scope.open()) { // the scope closes all that is made in it
      Program program = model.open();
      Program.Function main = program.function("main");
      program.metadata().forEach((key, value) -> System.out.println(key + ": " + value));
      ProgramInstance instance = program.instance(engine, Device.CPU);
      Tensor[] ones = main.inputs().stream().map(each -> {
        System.out.println("takes " + text(each));
        return engine.full(Device.CPU, each.info().dtype(), 1, each.info().shape());
      }).toArray(Tensor[]::new);
      var results = instance.call("main", ones);
      for (int i = 0; i < results.size(); ++i) {
        System.out.printf(Locale.ROOT, "gives %s, %.4f in the mean%n", text(main.outputs().get(i)),
            results.get(i).cast(DType.F32).mean().item());
      }
    }
  }
}
