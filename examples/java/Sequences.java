// Calls what the example sequences in C++ has saved: a layer of LSTM, and a loop that makes words one by one, with keys and values of
// those before in a cache, which is a state of the instance.
// usage: Sequences call FILE [DEVICE]   "cpu" (without an argument) or "cuda:0"
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import dev.rondo.*;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

public final class Sequences {
  private static void call(Path path, Device device) {
    try (Engine engine = Engine.create(); Scope scope = Scope.open()) { // the scope closes all that is made in it
      ProgramInstance instance = Program.open(path).instance(engine, device);
      float[] halves = new float[15];
      Arrays.fill(halves, 0.5f);
      float[] y = instance.call("layer", engine.tensor(device, halves, 5, 1, 3)).get(0).toFloatArray();
      for (int i = 0; i < y.length; i += 4) {
        System.out.printf(Locale.ROOT, "%.3f %.3f %.3f %.3f%n", y[i], y[i + 1], y[i + 2], y[i + 3]);
      }
      Tensor count = engine.tensor(device, new long[] {6}, 1);
      for (long first : new long[] {1, 4}) {
        long[] words = instance.call("generate", engine.tensor(device, new long[] {first}, 1), count).get(0).toLongArray();
        System.out.println(Arrays.stream(words).mapToObj(Long::toString).collect(Collectors.joining(" ")));
      }
    }
  }

  public static void main(String[] words) {
    if ((words.length == 2 || words.length == 3) && words[0].equals("call")) {
      call(Path.of(words[1]), words.length == 3 ? Device.parse(words[2]) : Device.CPU);
    } else {
      System.err.println("usage: Sequences call FILE [DEVICE]");
      System.exit(2);
    }
  }
}
