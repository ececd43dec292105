// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The scale of a loss, which keeps gradients within the range of 16-bit floats: steps whose gradients are not finite are skipped and lower
 * it, and enough good ones raise it. All of that is on the device, so a {@linkplain Engine#record recorded} step does it by itself.
 *
 * <pre>{@code
 * Optimizer optimizer = Optimizer.create(new OptimizerOptions(), weight);
 * LossScaler scaler = LossScaler.create(engine, device, new LossScalerOptions());
 * Graph step = engine.record(recording -> {
 *   Tape tape = engine.tape(weight);
 *   Tensor loss;
 *   try (Autocast half = engine.autocast(DType.F16)) {
 *     loss = x.matmul(weight).square().mean();
 *   }
 *   scaler.step(optimizer, tape.gradients(scaler.scale(loss), weight));
 *   scaler.update();
 * });
 * }</pre>
 *
 * <p>Several threads may use it, one after the other; calls wait for each other.
 */
public final class LossScaler extends NativeObject {
  private static final int STATES = 3;

  private final Engine engine;
  private final Object lock = new Object();

  private LossScaler(Engine engine, long address) {
    super("loss scaler", address, engine.gate(), NativeMixedPrecision::lossScalerDestroy);
    this.engine = engine;
    Scope.add(this);
  }

  /**
   * Makes a loss scaler.
   *
   * @param engine the engine it belongs to
   * @param device where losses and gradients are
   * @param options the first scale, and how it changes
   * @return the loss scaler
   * @throws InvalidArgumentException for options out of range
   * @throws InvalidStateException in a recording
   */
  public static LossScaler create(Engine engine, Device device, LossScalerOptions options) {
    Objects.requireNonNull(device, "device");
    Objects.requireNonNull(options, "options");
    final long address = engine.acquire();
    try {
      return made(each -> new LossScaler(engine, each), NativeMixedPrecision::lossScalerDestroy,
          NativeMixedPrecision.lossScalerCreate(address, device, options));
    } finally {
      engine.release();
    }
  }

  /**
   * The engine it belongs to.
   *
   * @return the engine
   */
  public Engine engine() {
    return engine;
  }

  /**
   * The loss times the scale, of which gradients are then asked.
   *
   * @param loss of {@link DType#F32} or {@link DType#F64}
   * @return a new tensor
   * @throws InvalidArgumentException for a loss of another dtype or device
   */
  public Tensor scale(Tensor loss) {
    Objects.requireNonNull(loss, "loss");
    synchronized (lock) {
      final Uses uses = use(this, loss);
      try {
        return Tensor.made(engine, NativeMixedPrecision.lossScalerScale(address(), loss.address(), 0));
      } finally {
        uses.end();
      }
    }
  }

  /**
   * A step of an optimizer with gradients of the scaled loss: they are divided by the scale as they are read, and if any of them is not
   * finite nothing is written.
   *
   * @param optimizer has its parameters on the device of the loss scaler
   * @param gradients as {@link Optimizer#step(List)} takes them
   * @throws InvalidArgumentException where a gradient is not what its parameter needs
   */
  public void step(Optimizer optimizer, List<Tensor> gradients) {
    synchronized (lock) {
      final long address = acquire();
      try {
        final List<Tensor> given = now(gradients);
        final List<NativeObject> used = new ArrayList<>(given);
        used.add(Objects.requireNonNull(optimizer, "optimizer"));
        final Uses uses = use(used.toArray(new NativeObject[0]));
        try {
          optimizer.exclusively(of -> NativeMixedPrecision.lossScalerStep(address, of, Tape.addresses(given)));
        } finally {
          uses.end();
        }
      } finally {
        release();
      }
    }
  }

  /**
   * What a step goes by that is not {@link #step}: of rows of tables ({@link EmbeddingBag#descend}), of an optimizer that others decide for
   * too ({@link Optimizer#step(List, Tensor, Tensor)}), or of your own. It counts as a step: where gradients are not finite, the round is
   * not a good one.
   *
   * @param gradients of the scaled loss, on the device of the loss scaler
   * @return whether they are finite, a bool, and 1 / the scale, an f32, which the step multiplies them by; both on the device
   * @throws InvalidArgumentException where a gradient is not what {@link Operators#allFinite} takes
   */
  public Tensor[] finite(List<Tensor> gradients) {
    synchronized (lock) {
      final List<Tensor> given = now(gradients);
      final List<NativeObject> used = new ArrayList<>(given);
      used.add(this);
      final Uses uses = use(used.toArray(new NativeObject[0]));
      try {
        final long[] results = new long[2];
        NativeMixedPrecision.lossScalerFinite(address(), Tape.addresses(given), results);
        return Tensor.made(engine, results).toArray(new Tensor[0]);
      } finally {
        uses.end();
      }
    }
  }

  /**
   * Ends a round, after its steps: the scale falls if one of them was skipped, and grows after enough rounds without.
   *
   * @throws InvalidStateException where no step was asked for since the last update
   */
  public void update() {
    synchronized (lock) {
      final long address = acquire();
      try {
        NativeMixedPrecision.lossScalerUpdate(address);
      } finally {
        release();
      }
    }
  }

  /**
   * The state, for saving it with {@link ModelFile#write}: tensors that share its memory, by their names.
   *
   * @return the tensors, in an order that stays
   */
  public Map<String, Tensor> states() {
    final Map<String, Tensor> all = new LinkedHashMap<>();
    synchronized (lock) {
      final long address = acquire();
      try {
        for (int i = 0; i < STATES; ++i) {
          final long[] results = new long[2]; // name, tensor
          NativeMixedPrecision.lossScalerState(address, i, results);
          all.put(Memory.text(results[0]), Tensor.made(engine, results[1]));
        }
      } finally {
        release();
      }
    }
    return all;
  }

  /**
   * Loads the state from a file that has all of it.
   *
   * @param file has the tensors under the names of {@link #states}
   * @throws NotFoundException if one is missing
   * @throws InvalidArgumentException if shape or dtype differ
   */
  public void load(ModelFile file) {
    final Map<String, Tensor> all = states();
    try {
      all.forEach(file::loadInto);
    } finally {
      all.values().forEach(Tensor::close);
    }
  }

  @Override
  public String toString() {
    return isClosed() ? "LossScaler[closed]" : "LossScaler[]";
  }
}
