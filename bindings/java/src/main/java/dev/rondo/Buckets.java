// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Gradients of data-parallel training: every rank computes those of its part of a batch, and all end with their mean. They are kept in
 * buckets, blocks of memory that are reduced as a whole over all ranks, each as soon as the last of its gradients is submitted, beside
 * the rest of the way back. In a {@linkplain Engine#record recording} the whole step is one graph.
 *
 * <pre>{@code
 * Buckets buckets = Buckets.create(end, weight, bias);
 * Graph step = engine.record(recording -> {
 *   Tape tape = engine.tape(weight, bias);
 *   Tensor loss = x.matmul(weight).add(bias).square().mean();
 *   buckets.reduce(tape, loss);
 *   Operators.binary(BinaryOp.SUB, weight, buckets.gradient(0).mul(0.1), weight);
 *   Operators.binary(BinaryOp.SUB, bias, buckets.gradient(1).mul(0.1), bias);
 * });
 * }</pre>
 *
 * <p>Several threads may use it, one after the other; calls wait for each other.
 */
public final class Buckets extends NativeObject {
  private final Engine engine;
  private final Object lock = new Object();

  private Buckets(Engine engine, long address) {
    super("buckets", address, engine.gate(), NativeDataParallel::bucketsDestroy);
    this.engine = engine;
    Scope.add(this);
  }

  /**
   * Makes buckets with the default options.
   *
   * @param comm the end of this rank; kept
   * @param parameters as of {@link #create(Comm, BucketsOptions, Tensor...)}
   * @return the buckets; all gradients are zero
   */
  public static Buckets create(Comm comm, Tensor... parameters) {
    return create(comm, new BucketsOptions(), parameters);
  }

  /**
   * Makes buckets.
   *
   * @param comm the end of this rank; kept
   * @param options sizes, sum instead of mean
   * @param parameters in the order in which the model uses them, each once, the same on every rank; floating-point numbers, contiguous
   * @return the buckets; all gradients are zero
   * @throws InvalidStateException in a recording
   */
  public static Buckets create(Comm comm, BucketsOptions options, Tensor... parameters) {
    Objects.requireNonNull(options, "options");
    final Uses uses = use(parameters);
    try {
      final long address = comm.acquire();
      try {
        return made(each -> new Buckets(comm.engine(), each), NativeDataParallel::bucketsDestroy,
            NativeDataParallel.bucketsCreate(address, uses.addresses(), options));
      } finally {
        comm.release();
      }
    } finally {
      uses.end();
    }
  }

  /**
   * The engine they belong to.
   *
   * @return the engine
   */
  public Engine engine() {
    return engine;
  }

  /**
   * {@link #reduce(Tape, List, List)} of one output of one element.
   *
   * @param tape watches the parameters
   * @param output what depends on them, usually the loss
   */
  public void reduce(Tape tape, Tensor output) {
    reduce(tape, List.of(output), List.of());
  }

  /**
   * Puts the gradients with respect to the parameters into the buckets, and reduces each over all ranks. Every rank does it alike. Does
   * not wait: the gradients are ordered as any tensor. When it fails on one rank only, {@linkplain Comm#abort abort} the communicator,
   * since the others wait.
   *
   * @param tape watches the parameters
   * @param outputs what depends on the parameters
   * @param outputGradients as of {@link Tape#gradients(List, List, List, List)}
   * @throws RondoException as that method says
   */
  public void reduce(Tape tape, List<Tensor> outputs, List<Tensor> outputGradients) {
    reduceNow(tape, now(outputs), now(outputGradients));
  }

  private void reduceNow(Tape tape, List<Tensor> outputs, List<Tensor> outputGradients) {
    Tape.check("Buckets.reduce", "outputGradients", outputGradients, "outputs", outputs);
    final List<NativeObject> used = new ArrayList<>(outputs);
    outputGradients.stream().filter(Objects::nonNull).forEach(used::add);
    used.add(this);
    synchronized (lock) {
      tape.give(used, () -> {
        NativeDataParallel.bucketsReduce(address(), tape.address(), Tape.addresses(outputs),
            outputGradients.isEmpty() ? null : Tape.addresses(outputGradients));
        return null;
      });
    }
  }

  /**
   * As {@link #reduce(Tape, Tensor)}, with the gradients of other tensors that the tape watches, from the same way back: they stay this
   * rank's own. What was looked up in tables is one, whose gradients the ranks gather.
   *
   * @param tape watches the parameters and the sources
   * @param output what depends on them, of one element, usually the loss
   * @param sources watched tensors, or views of them; at least one
   * @return one new tensor per source
   * @throws RondoException as {@link #reduce(Tape, List, List)} says
   */
  public List<Tensor> reduceWith(Tape tape, Tensor output, Tensor... sources) {
    return reduceWith(tape, List.of(output), List.of(), Arrays.asList(sources), List.of());
  }

  /**
   * As {@link #reduce(Tape, List, List)}, with the gradients of other tensors that the tape watches, from the same way back: they stay
   * this rank's own.
   *
   * @param tape watches the parameters and the sources
   * @param outputs what depends on them
   * @param outputGradients as of {@link Tape#gradients(List, List, List, List)}
   * @param sources as there; at least one
   * @param out as there
   * @return one tensor per source
   * @throws RondoException as that method says
   */
  public List<Tensor> reduceWith(Tape tape, List<Tensor> outputs, List<@Nullable Tensor> outputGradients, List<Tensor> sources,
      List<@Nullable Tensor> out) {
    return reduceWithNow(tape, now(outputs), now(outputGradients), now(sources), now(out));
  }

  private List<Tensor> reduceWithNow(Tape tape, List<Tensor> outputs, List<@Nullable Tensor> outputGradients, List<Tensor> sources,
      List<@Nullable Tensor> out) {
    Tape.check("Buckets.reduceWith", "outputGradients", outputGradients, "outputs", outputs);
    Tape.check("Buckets.reduceWith", "out", out, "sources", sources);
    final List<NativeObject> used = new ArrayList<>(outputs);
    used.addAll(sources);
    outputGradients.stream().filter(Objects::nonNull).forEach(used::add);
    out.stream().filter(Objects::nonNull).forEach(used::add);
    used.add(this);
    final List<Tensor> own = new ArrayList<>();
    synchronized (lock) {
      final long[] made = tape.give(used, () -> {
        final long[] all = out.isEmpty() ? new long[sources.size()] : Tape.addresses(out);
        NativeDataParallel.bucketsReduceWith(address(), tape.address(), Tape.addresses(outputs),
            outputGradients.isEmpty() ? null : Tape.addresses(outputGradients), Tape.addresses(sources), all);
        return all;
      });
      for (int i = 0; i < made.length; ++i) {
        own.add(Tensor.result(engine, made[i], out.isEmpty() ? null : out.get(i)));
      }
    }
    return own;
  }

  /**
   * The gradient of a parameter.
   *
   * @param index which, in the order they were given in
   * @return a view of its bucket, of the parameter's shape and dtype
   * @throws InvalidArgumentException for a number that no parameter has
   */
  public Tensor gradient(int index) {
    synchronized (lock) {
      final long address = acquire();
      try {
        return Tensor.made(engine, NativeDataParallel.bucketsGradient(address, index));
      } finally {
        release();
      }
    }
  }

  /**
   * The gradients of all parameters.
   *
   * @return views as of {@link #gradient}
   */
  public List<Tensor> gradients() {
    final List<Tensor> all = new ArrayList<>();
    for (int i = 0, n = info().parameters(); i < n; ++i) {
      all.add(gradient(i));
    }
    return all;
  }

  /**
   * How many there are, and how large.
   *
   * @return the figures
   */
  public BucketsInfo info() {
    synchronized (lock) {
      final long address = acquire();
      try {
        return NativeDataParallel.bucketsQuery(address);
      } finally {
        release();
      }
    }
  }

  @Override
  public String toString() {
    return isClosed() ? "Buckets[closed]" : info().toString();
  }
}
