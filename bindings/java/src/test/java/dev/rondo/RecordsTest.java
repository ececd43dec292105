// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;

/** Records as what a recording returns. The tests are compiled for Java 11, so a program of its own has the records. */
class RecordsTest {
  private static final String PROGRAM = String.join("\n",
      "import dev.rondo.*;",
      "import java.util.List;",
      "public class Program {",
      "  private record Part(String name, List<Tensor> values) {}",
      "  record Step(Tensor y, int number, Part part, Tensor none) {}",
      "  public static void main(String[] arguments) {",
      "    try (Engine engine = Engine.create(); Tensor x = engine.tensor(Device.CPU, new float[] {1, 2})) {",
      "      record Own(Step step) {}",
      "      Recorded<Own> graph = engine.record(() -> {",
      "        Tensor y = x.mul(2);",
      "        return new Own(new Step(y.add(1), 7, new Part(\"sums\", List.of(y.sum())), null));",
      "      });",
      "      graph.launch();",
      "      Step step = graph.value().step();",
      "      System.out.println(step.y().getFloat(1) + \" \" + step.number() + \" \" + step.part().values().get(0).getFloat());",
      "    }",
      "  }",
      "}");

  @Test
  void tensorsInARecordAreWrittenByEachLaunch() throws Exception {
    assumeTrue(Runtime.version().feature() >= 16, "this version of Java has no records");
    assertEquals("5.0 7 6.0\n", Child.runSource("Program", PROGRAM));
  }
}
