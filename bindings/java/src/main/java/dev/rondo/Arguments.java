// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.List;

/** Arguments in arrays, as the native part takes them. Tensors must be in use. */
final class Arguments {
  final byte[][] names;
  final int[] kinds;
  final double[] scalars;
  final long[] words; // a tensor's address, or the integer

  Arguments(Argument[] arguments) {
    names = new byte[arguments.length][];
    kinds = new int[arguments.length];
    scalars = new double[arguments.length];
    words = new long[arguments.length];
    for (int i = 0; i < arguments.length; ++i) {
      final Argument each = arguments[i];
      names[i] = Memory.bytes(each.name());
      kinds[i] = each.kind().value();
      scalars[i] = each.scalar();
      words[i] = each.tensor() == null ? each.integer() : each.tensor().address();
    }
  }

  static void addTensors(Argument[] arguments, List<NativeObject> to) {
    for (final Argument each : arguments) {
      if (each.tensor() != null) {
        to.add(each.tensor());
      }
    }
  }
}
