// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Notes the operators of its thread, as far as they depend on tensors it watches, and gives gradients: operators again, which are
 * run, or kept where a {@linkplain Engine#record recording} is open. So forward, gradients and update can be one graph.
 *
 * <pre>{@code
 * try (Tape tape = engine.tape(w)) {
 *   Tensor loss = x.matmul(w).square().mean();
 *   Tensor dw = tape.gradient(loss, w);
 * }
 * }</pre>
 *
 * <p>A tape notes from {@link Engine#tape} until its gradients are asked for, unless it {@linkplain Engine#keepingTape keeps}, or
 * until {@link #end}. Until then it belongs to the thread that began it, and calls of others throw {@link InvalidStateException};
 * only {@link #close} may be called from anywhere. Tapes nest: an outer one also notes the operators of an inner one's gradients,
 * which gives gradients of gradients.
 */
public final class Tape extends NativeObject {
  private final Engine engine;
  private final Object lock = new Object(); // a tape that has ended may be used by any thread, one at a time

  private Tape(Engine engine, long address) {
    super("tape", address, engine.gate(), NativeTape::tapeDestroy);
    this.engine = engine;
    Scope.add(this);
  }

  static Tape begin(Engine engine, TapeFlags flags, Tensor... watched) {
    VirtualThreads.refuse("tape");
    final Tape tape;
    final long address = engine.acquire();
    try {
      tape = made(each -> new Tape(engine, each), NativeTape::tapeDestroy, NativeTape.tapeBegin(address, flags.value()));
    } finally {
      engine.release();
    }
    try {
      for (final Tensor each : watched) {
        tape.watch(each);
      }
      return tape;
    } catch (RuntimeException e) {
      tape.close();
      throw e;
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
   * Gradients may be asked for with respect to this tensor, that is to what it holds now. Any view watches its whole storage.
   * Watching again moves the moment.
   *
   * @param tensor a tensor of floating-point numbers
   * @throws InvalidStateException if the tape has ended, or belongs to another thread
   */
  public void watch(Tensor tensor) {
    synchronized (lock) {
      final Uses uses = use(this, tensor);
      try {
        NativeTape.tapeWatch(address(), tensor.address());
      } finally {
        uses.end();
      }
    }
  }

  /**
   * Ends the noting; gradients may still be asked for, by any thread. A tape that has ended stays so.
   *
   * @throws InvalidStateException if the tape is open and belongs to another thread
   */
  public void end() {
    synchronized (lock) {
      final long address = acquire();
      try {
        NativeTape.tapeEnd(address);
      } finally {
        release();
      }
    }
  }

  /**
   * The gradient of an output of one element with respect to one source.
   *
   * @param output what depends on the source
   * @param source a watched tensor, or a view of one
   * @return a new tensor
   * @throws RondoException as {@link #gradients(List, List, List, List)} says
   */
  public Tensor gradient(Tensor output, Tensor source) {
    return gradients(output, source).get(0);
  }

  /**
   * The gradients of an output of one element with respect to several sources.
   *
   * @param output what depends on the sources
   * @param sources watched tensors, or views of them
   * @return one new tensor per source
   * @throws RondoException as {@link #gradients(List, List, List, List)} says
   */
  public List<Tensor> gradients(Tensor output, Tensor... sources) {
    return gradients(List.of(output), List.of(), Arrays.asList(sources), List.of());
  }

  /**
   * The gradients of an output of one element into tensors that are there: written, or added to where one is an
   * {@linkplain Tensor#accumulator accumulator}.
   *
   * @param output what depends on the sources
   * @param sources watched tensors, or views of them
   * @param out one entry per source, null for a new tensor; none at all: all are new
   * @return one tensor per source
   * @throws RondoException as {@link #gradients(List, List, List, List)} says
   */
  public List<Tensor> gradients(Tensor output, List<Tensor> sources, List<@Nullable Tensor> out) {
    return gradients(List.of(output), List.of(), sources, out);
  }

  /**
   * The sum of the gradients of several outputs. Does not wait. A source that the outputs do not depend on has a gradient of zeros.
   * Ends the tape unless it {@linkplain Engine#keepingTape keeps}.
   *
   * @param outputs what depends on the sources
   * @param outputGradients a gradient of the shape and dtype of each output, null for 1 where it has one element; none at all: 1
   *     for each
   * @param sources watched tensors, or views of them
   * @param out one entry per source: null for a new tensor, or a tensor of the source's shape, dtype and device that is written, or
   *     added to where it is an {@linkplain Tensor#accumulator accumulator}; none at all: all are new
   * @return one tensor per source
   * @throws InvalidArgumentException for a source that is not watched, an output that depends on no watched tensor, or lists whose
   *     lengths differ
   * @throws InvalidStateException if a value that is needed was written since, the tape has given its gradients and does not keep,
   *     or it is open and belongs to another thread
   * @throws UnsupportedException if gradients would have to pass what has none
   * @throws RondoException what a {@link CustomGradient} threw, of {@link Status#USER_ERROR} if it was no exception of Rondo, with
   *     that as its cause
   */
  public List<Tensor> gradients(List<Tensor> outputs, List<@Nullable Tensor> outputGradients, List<Tensor> sources,
      List<@Nullable Tensor> out) {
    return gradientsNow(now(outputs), now(outputGradients), now(sources), now(out));
  }

  private List<Tensor> gradientsNow(List<Tensor> outputs, List<@Nullable Tensor> outputGradients, List<Tensor> sources, List<@Nullable Tensor> out) {
    check("Tape.gradients", "outputGradients", outputGradients, "outputs", outputs);
    check("Tape.gradients", "out", out, "sources", sources);
    final List<Tensor> used = new ArrayList<>(outputs);
    used.addAll(sources);
    outputGradients.stream().filter(Objects::nonNull).forEach(used::add);
    out.stream().filter(Objects::nonNull).forEach(used::add);
    final long[] made = give(used, () -> {
      final long[] all = out.isEmpty() ? new long[sources.size()] : addresses(out);
      NativeTape.tapeGradients(address(), addresses(outputs), outputGradients.isEmpty() ? null : addresses(outputGradients),
          addresses(sources), all);
      return all;
    });
    final List<Tensor> tensors = new ArrayList<>();
    for (int i = 0; i < made.length; ++i) {
      tensors.add(Tensor.result(engine, made[i], out.isEmpty() ? null : out.get(i)));
    }
    return tensors;
  }

  /** Makes the native call that gives gradients. All that it uses stays open meanwhile. */
  <T> T give(List<? extends NativeObject> objects, Supplier<T> call) {
    final NativeObject[] used = Stream.concat(Stream.of(this), objects.stream()).toArray(NativeObject[]::new);
    synchronized (lock) {
      final Uses uses = use(used);
      final ThreadState state = ThreadState.current();
      state.callbackFailure = null;
      try {
        return call.get();
      } catch (RondoException e) {
        final Throwable cause = state.callbackFailure;
        state.callbackFailure = null;
        throw cause == null ? e : e.with(cause);
      } finally {
        uses.end();
      }
    }
  }

  static void check(String method, String name, List<Tensor> list, String ofName, List<Tensor> of) {
    if (!list.isEmpty() && list.size() != of.size()) {
      throw new InvalidArgumentException(method + ": " + name + " has " + list.size() + " tensors for " + of.size() + " " + ofName
          + "; give one for each, or none at all", null);
    }
  }

  /** Of tensors that are in use. */
  static long[] addresses(List<Tensor> tensors) {
    return tensors.stream().mapToLong(tensor -> tensor == null ? 0 : tensor.address()).toArray();
  }

  /**
   * Says to the open tapes of the calling thread that the outputs were computed from the inputs, and what the gradient of that is.
   * What was noted of how the outputs were computed counts no more. Without an open tape it does nothing.
   *
   * <pre>{@code
   * Tensor y = x.round(); // has no gradient: take that of the identity
   * Tape.customGradient("straight_through", List.of(x), List.of(y), dy -> dy);
   * }</pre>
   *
   * @param name for messages
   * @param inputs 1 to 31 tensors
   * @param outputs 1 to 31 tensors of the same engine
   * @param gradient makes the gradients of the inputs; kept while a tape needs it
   */
  public static void customGradient(String name, List<Tensor> inputs, List<Tensor> outputs, CustomGradient gradient) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(gradient, "gradient");
    NativeLibrary.load();
    final List<Tensor> from = now(inputs);
    final List<Tensor> to = now(outputs);
    final List<Tensor> used = new ArrayList<>(from);
    used.addAll(to);
    final Uses uses = use(used.toArray(new NativeObject[0]));
    try {
      final Engine engine = from.isEmpty() ? null : from.get(0).engine(); // of none the native part says what is wrong
      NativeTape.tapeCustom(name, addresses(from), addresses(to), new TensorCallback(engine, gradient,
          "the custom gradient gives %d tensors for %d inputs; one for each is needed, null for zero"));
    } finally {
      uses.end();
    }
  }

  /**
   * Figures: whether it notes operators, how many it has noted, the memory it keeps for them.
   *
   * @return the figures
   * @throws InvalidStateException if the tape is open and belongs to another thread
   */
  public TapeInfo info() {
    synchronized (lock) {
      final long address = acquire();
      try {
        return NativeTape.tapeQuery(address);
      } finally {
        release();
      }
    }
  }

  @Override
  public String toString() {
    try {
      return isClosed() ? "Tape[closed]" : info().toString();
    } catch (RondoException e) { // of another thread
      return "Tape[" + e.getMessage() + "]";
    }
  }
}
