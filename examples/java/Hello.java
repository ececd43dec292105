// The smallest whole program: two tensors, an addition, the same addition recorded and launched twice.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import dev.rondo.BinaryOp;
import dev.rondo.Device;
import dev.rondo.Engine;
import dev.rondo.Graph;
import dev.rondo.Operators;
import dev.rondo.Scope;
import dev.rondo.Tensor;
import java.util.Arrays;

public final class Hello {
  public static void main(String[] arguments) {
    Device device = Device.CPU; // Device.cuda(0): the first GPU; nothing else changes
    try (Engine engine = Engine.create(); Scope scope = Scope.open()) { // the scope closes all that is made in it
      Tensor a = engine.tensor(device, new float[] {1, 1, 1, 1});
      Tensor b = engine.tensor(device, new float[] {0, 1, 2, 3});
      Tensor c = a.add(b); // returns before the work is done

      Graph graph = engine.record(recording -> {
        Operators.binary(BinaryOp.ADD, c, b, c); // kept, not run: c += b
      });
      graph.launch(); // ordered after the first addition, because it reads and writes c
      graph.launch();

      System.out.println(Arrays.toString(c.toFloatArray())); // waits for whatever writes c: 1 + 3 b
    }
  }
}
