// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a model's parameters, given their gradients: gradient descent, Adam, AdamW or LAMB. A step is a few kernels however many
 * tensors there are. What changes from step to step, the step counter and the learning rate with its schedule, is in device memory, so a
 * {@linkplain Engine#record recorded} step stays as it is.
 *
 * <pre>{@code
 * Optimizer optimizer = Optimizer.create(new OptimizerOptions().kind(OptimizerKind.ADAMW).rate(1e-3), weight, bias);
 * Graph step = engine.record(recording -> {
 *   Tape tape = engine.tape(weight, bias);
 *   Tensor loss = x.matmul(weight).add(bias).square().mean();
 *   optimizer.step(tape.gradients(loss, weight, bias));
 * });
 * }</pre>
 *
 * <p>Several threads may use it, one after the other; calls wait for each other.
 */
public final class Optimizer extends NativeObject {
  private final Engine engine;
  private final Object lock = new Object();

  private Optimizer(Engine engine, long address) {
    super("optimizer", address, engine.gate(), NativeOptimizer::optimizerDestroy);
    this.engine = engine;
    Scope.add(this);
  }

  /**
   * Makes an optimizer.
   *
   * @param options the rule, the learning rate and its schedule, clipping
   * @param parameters floating-point numbers of 16 bits or more, on one device, each once; their memory is kept. 32-bit weights behind
   *     16-bit ones are made of these now, so parameters are loaded before
   * @return the optimizer; its state is zero
   * @throws InvalidArgumentException for options that do not go together, with what would be right
   * @throws InvalidStateException in a recording
   */
  public static Optimizer create(OptimizerOptions options, Tensor... parameters) {
    Objects.requireNonNull(options, "options");
    final Tensor[] own = parameters.clone();
    final Uses uses = use(own);
    try {
      return made(each -> new Optimizer(Tensor.engineOf(own), each), NativeOptimizer::optimizerDestroy,
          NativeOptimizer.optimizerCreate(uses.addresses(), options));
    } finally {
      uses.end();
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
   * {@link #step(List, Tensor, Tensor)} without a condition and a scale.
   *
   * @param gradients one for each parameter
   */
  public void step(List<Tensor> gradients) {
    step(gradients, null, null);
  }

  /**
   * One step. Does not wait: it is ordered as any operator.
   *
   * @param gradients one for each parameter, in its shape and the same order in memory, of any floating-point dtype of 16 bits or more
   * @param finite null, or a bool as of {@link Operators#allFinite}: where it is false the step writes nothing and does not count
   * @param scale null, or an f32 of one element, which gradients are multiplied by as they are read, before they are clipped
   * @throws InvalidArgumentException where a gradient is not what its parameter needs
   */
  public void step(List<Tensor> gradients, @Nullable Tensor finite, @Nullable Tensor scale) {
    final List<Tensor> given = now(gradients);
    final List<NativeObject> used = new ArrayList<>(given);
    if (finite != null) {
      used.add(finite);
    }
    if (scale != null) {
      used.add(scale);
    }
    used.add(this);
    synchronized (lock) {
      final Uses uses = use(used.toArray(new NativeObject[0]));
      try {
        NativeOptimizer.optimizerStep(address(), Tape.addresses(given), addressOf(finite), addressOf(scale));
      } finally {
        uses.end();
      }
    }
  }

  // Of a call that has it in use: with its address, no other call of it meanwhile.
  void exclusively(LongConsumer call) {
    synchronized (lock) {
      call.accept(address());
    }
  }

  /**
   * Sets the learning rate of later steps, which the schedule multiplies. Graphs that were recorded before go by it too.
   *
   * @param rate the learning rate
   * @throws InvalidArgumentException for one that is negative or not finite
   */
  public void setRate(double rate) {
    synchronized (lock) {
      final long address = acquire();
      try {
        NativeOptimizer.optimizerSetRate(address, rate);
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
        for (int i = 0, n = NativeOptimizer.optimizerQuery(address).states(); i < n; ++i) {
          final long[] results = new long[2]; // name, tensor
          NativeOptimizer.optimizerState(address, i, results);
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

  /**
   * How many tensors there are, and how large its state is.
   *
   * @return the figures
   */
  public OptimizerInfo info() {
    synchronized (lock) {
      final long address = acquire();
      try {
        return NativeOptimizer.optimizerQuery(address);
      } finally {
        release();
      }
    }
  }

  @Override
  public String toString() {
    return isClosed() ? "Optimizer[closed]" : info().toString();
  }
}
