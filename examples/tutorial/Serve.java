// Asks the network that Train.java has trained, from four threads at once: a callable is a graph that any thread calls with
// tensors of its own. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import dev.rondo.*;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

public final class Serve {
  public static void main(String[] arguments) {
    Device device = Device.CPU; // Device.cuda(0): the first GPU
    try (Engine engine = Engine.create(); Scope scope = Scope.open()) { // the scope closes all that is made in it
      ModelFile file = ModelFile.open(Path.of("xor.safetensors"));
      Tensor hidden = file.load("hidden", engine, device);
      Tensor last = file.load("last", engine, device);

      // What the network makes of bits. It is recorded at the first call of a shape.
      GraphFunction network = engine.graphFunction(1, in -> List.of(in.get(0).matmul(hidden).tanh().matmul(last).argmax(1)));

      List<CompletableFuture<Long>> answers = IntStream.range(0, 4)
          .mapToObj(i -> CompletableFuture.supplyAsync(() -> ask(engine, device, network, i / 2, i % 2)))
          .collect(Collectors.toList());
      for (int i = 0; i < 4; ++i) System.out.println(i / 2 + " xor " + i % 2 + " = " + answers.get(i).join());
    }
  }

  private static long ask(Engine engine, Device device, GraphFunction network, int a, int b) {
    try (Scope scope = Scope.open()) {
      Tensor x = engine.tensor(device, new float[] {a, b, 1}, 1, 3); // 1 for the bias
      return network.call(x).get(0).toLongArray()[0]; // waits for this answer alone
    }
  }
}
