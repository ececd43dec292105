// The smallest whole program: two tensors, an addition, the same addition recorded and launched twice.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import dev.rondo.*;

public final class Hello {
  public static void main(String[] arguments) {
    Device device = Device.CPU; // Device.cuda(0): the first GPU; nothing else changes
    try (Engine engine = Engine.create(); Scope scope = Scope.open()) { // the scope closes all that is made in it
      Tensor a = engine.ones(device, 4);
      Tensor b = engine.arange(device, DType.F32, 4);
      Tensor c = a.add(b); // returns before the work is done

      Graph graph = engine.record(() -> c.addInto(b, c)); // kept, not run: c += b
      graph.launch(); // ordered after the first addition, because it reads and writes c
      graph.launch();

      System.out.println(c); // waits for whatever writes c: 1 + 3 b
    }
  }
}
