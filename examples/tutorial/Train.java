// Trains a small network to tell exclusive or: ten steps as they are called, then the same step as a graph. The weights go to
// the file xor.safetensors. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import dev.rondo.*;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;

public final class Train {
  private final Engine engine;
  private final Tensor x;
  private final Tensor labels;
  private final Tensor hidden;
  private final Tensor last;
  private final Optimizer optimizer;

  private Train(Engine engine, Device device) {
    this.engine = engine;
    x = engine.tensor(device, new float[] {0, 0, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1}, 4, 3); // two bits, and 1 for the bias
    labels = engine.tensor(device, new long[] {0, 1, 1, 0});
    hidden = engine.normal(device, 0, 1, 3, 8);
    last = engine.normal(device, 0, 1, 8, 2);
    optimizer = Optimizer.create(new OptimizerOptions().kind(OptimizerKind.ADAM).rate(0.05), hidden, last);
  }

  /** One step: forward, gradients, update. Gives the loss. */
  private Tensor step() {
    Tape tape = engine.tape(hidden, last);
    Tensor logits = x.matmul(hidden).tanh().matmul(last);
    Tensor loss = Operators.crossEntropy(logits, labels).mean();
    optimizer.step(tape.gradients(loss, hidden, last));
    return loss;
  }

  public static void main(String[] arguments) {
    Device device = Device.CPU; // Device.cuda(0): the first GPU
    try (Engine engine = Engine.create(); Scope scope = Scope.open()) { // the scope closes all that is made in it
      engine.seed(1);
      Train net = new Train(engine, device);
      for (int i = 0; i < 9; ++i) net.step(); // returns before the work is done
      System.out.printf(Locale.ROOT, "after 10 steps the loss is %.4f%n", net.step().toFloatArray()[0]); // waits for the step

      Recorded<Tensor> graph = engine.record(net::step); // kept, not run
      for (int i = 0; i < 190; ++i) graph.launch();
      System.out.printf(Locale.ROOT, "after 190 launches of the graph it is %.4f%n", graph.value().toFloatArray()[0]);
      ModelFile.write(Path.of("xor.safetensors"), Map.of("hidden", net.hidden, "last", net.last));
    }
  }
}
