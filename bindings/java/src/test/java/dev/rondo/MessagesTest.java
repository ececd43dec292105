// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static dev.rondo.Devices.fails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Messages name what Java has: methods, constants, fields. */
class MessagesTest {
  @Test
  void everyWordIsThere() throws Exception {
    assertTrue(Words.WORDS.size() > 350);
    for (final Map.Entry<String, String> word : Words.WORDS.entrySet()) {
      final String[] parts = word.getValue().split("\\.", 2);
      if (word.getValue().startsWith("-D")) {
        continue;
      }
      final Class<?> found = Class.forName("dev.rondo." + parts[0]);
      assertTrue(parts.length == 1 || Arrays.stream(found.getMethods()).anyMatch(method -> method.getName().equals(parts[1]))
          || Arrays.stream(found.getFields()).anyMatch(field -> field.getName().equals(parts[1])), word.toString());
    }
  }

  @Test
  void wordsOfCAreReplaced() {
    assertEquals("Tensor.add: b has 2 of DType.F16; cast one with Tensor.cast", Messages.inJava(
        "rondo_binary(add): b has 2 of RONDO_F16; cast one with rondo_cast"));
    assertEquals("Engine.create: options.memoryLimit is -1, out is null",
        Messages.inJava("rondo_engine_create: options->memory_limit is -1, out is NULL"));
    assertEquals("set RONDO_CACHE to 'x$1\\'", Messages.inJava("set RONDO_CACHE to 'x$1\\'"), "settings are called the same in every language");
  }

  @Test
  void exceptionsSpeakJava() {
    try (Engine engine = Engine.create(); Tensor x = engine.empty(Device.CPU, DType.F32, 2)) {
      for (final RondoException failure : new RondoException[] {
          fails(InvalidStateException.class, x::toFloatArray, "Tensor.read", "Tensor.accept"),
          fails(InvalidArgumentException.class, () -> x.reshape(3), "Tensor.reshape"),
          fails(InvalidArgumentException.class, () -> engine.ones(Device.CPU, 2).add(engine.ones(Device.CPU, 3)), "Tensor.add"),
          fails(InvalidArgumentException.class, () -> engine.setMemoryLimit(Device.CPU, -1), "Engine.setMemoryLimit")}) {
        assertFalse(failure.getMessage().contains("rondo_") || failure.getMessage().contains("->"), failure.getMessage());
      }
    }
  }
}
