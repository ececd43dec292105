// Calls functions of any program file, one after the other, on tensors of a safetensors file, and writes what the last one gives.
// States are the instance's, so a step of training that is named three times is three steps.
// usage: RunFile DEVICE PROGRAM INPUTS OUTPUTS FUNCTION...
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import dev.rondo.*;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

public final class RunFile {
  public static void main(String[] words) {
    if (words.length < 5) {
      System.err.println("usage: RunFile DEVICE PROGRAM INPUTS OUTPUTS FUNCTION...");
      System.exit(2);
    }
    Device device = Device.parse(words[0]);
    try (Engine engine = Engine.create(); Scope scope = Scope.open()) { // the scope closes all that is made in it
      Program program = Program.open(Path.of(words[1]));
      ProgramInstance instance = program.instance(engine, device);
      ModelFile given = ModelFile.open(Path.of(words[2]));
      Map<String, Tensor> outputs = new LinkedHashMap<>();
      for (String name : List.of(words).subList(4, words.length)) {
        Program.Function function = program.function(name);
        Tensor[] inputs = function.inputs().stream().map(each -> given.load(each.name(), engine, device)).toArray(Tensor[]::new);
        List<Tensor> made = instance.call(name, inputs);
        outputs.clear();
        for (int i = 0; i < made.size(); ++i) {
          outputs.put(function.outputs().get(i).name(), made.get(i));
        }
      }
      ModelFile.write(Path.of(words[3]), outputs);
    }
  }
}
