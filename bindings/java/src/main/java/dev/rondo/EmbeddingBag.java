// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What is done with tables besides {@linkplain Operators#embeddingBag looking up} their rows. */
public final class EmbeddingBag {
  private EmbeddingBag() {}

  /**
   * A step of gradient descent of the rows that {@link Operators#embeddingBag} read, and of no others, with the bits of the dense gradient and
   * a step of an {@link Optimizer} over all rows. Memory and time go by the indices, not by the rows.
   *
   * <pre>{@code
   * Tensor indices = engine.tensor(device, new int[] {0, 3, 1, 1}, 1, 2, 2); // of one table two bags of two
   * Tensor rate = engine.tensor(device, new float[] {0.1f});
   * Tensor bags = Operators.embeddingBag(new Tensor[] {weight}, indices, null, BagMode.SUM);
   * try (Tape tape = engine.tape(bags)) {
   *   Tensor loss = bags.square().mean();
   *   EmbeddingBag.descend(List.of(weight), indices, null, BagMode.SUM, tape.gradient(loss, bags), rate);
   * }
   * }</pre>
   *
   * @param tables whose rows are stepped; they share no memory
   * @param indices as they were looked up
   * @param offsets null, or as they were looked up
   * @param mode as it was
   * @param gradient that of the result
   * @param rate how far, an f32 or f64 of one element on the device, so that a graph goes by what it holds then
   * @throws InvalidArgumentException where an argument does not fit
   */
  public static void descend(List<Tensor> tables, Tensor indices, @Nullable Tensor offsets, BagMode mode, Tensor gradient, Tensor rate) {
    descend(tables, indices, offsets, mode, gradient, rate, new DescendOptions());
  }

  /**
   * {@link #descend(List, Tensor, Tensor, BagMode, Tensor, Tensor)} that writes nothing where gradients are not finite, or multiplies them, as
   * {@link Optimizer#step(List, Tensor, Tensor)} does.
   *
   * @param tables whose rows are stepped; they share no memory
   * @param indices as they were looked up
   * @param offsets null, or as they were looked up
   * @param mode as it was
   * @param gradient that of the result
   * @param rate how far, an f32 or f64 of one element on the device, so that a graph goes by what it holds then
   * @param options whether the step is taken, and what gradients are multiplied by, both on the device too
   * @throws InvalidArgumentException where an argument does not fit
   */
  public static void descend(List<Tensor> tables, Tensor indices, @Nullable Tensor offsets, BagMode mode, Tensor gradient, Tensor rate,
      DescendOptions options) {
    final List<Tensor> own = NativeObject.now(tables);
    final DescendOptions set = new DescendOptions(options); // what is in use is what C gets, whatever another thread sets meanwhile
    final List<NativeObject> used = new ArrayList<>(own);
    used.addAll(List.of(indices, gradient, rate));
    for (Tensor each : new Tensor[] {offsets, set.finite(), set.scale()}) {
      if (each != null) {
        used.add(each);
      }
    }
    Objects.requireNonNull(mode, "mode");
    final NativeObject.Uses uses = NativeObject.use(used.toArray(new NativeObject[0]));
    try {
      NativeRecommender.embeddingBagDescend(Tape.addresses(own), indices.address(), NativeObject.addressOf(offsets), mode,
          gradient.address(), rate.address(), set);
    } finally {
      uses.end();
    }
  }
}
