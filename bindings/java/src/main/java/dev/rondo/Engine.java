// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Owns streams, memory pools and workers, and orders tasks by what they read and write. Every other object belongs to one engine.
 * All methods may be called from any thread; a recording belongs to the thread that records.
 *
 * <pre>{@code
 * try (Engine engine = Engine.create();
 *     Tensor a = engine.tensor(Device.CPU, new float[] {1, 2, 3});
 *     Tensor b = a.mul(2).add(a)) {
 *   System.out.println(Arrays.toString(b.toFloatArray()));
 * }
 * }</pre>
 */
public final class Engine extends EngineTensors {
  private final Gate gate;

  private Engine(long address, Gate gate) {
    super(address, gate);
    this.gate = gate;
    if (!ThreadState.current().insideMethod()) { // where an engine cannot be closed, a scope does not close it
      Scope.add(this);
    }
  }

  Gate gate() {
    return gate;
  }

  @Override
  Engine self() {
    return this;
  }

  /**
   * Creates an engine with the default options.
   *
   * @return the engine
   * @throws LibraryMissingException if the native library is not found
   */
  public static Engine create() {
    return create(new EngineOptions());
  }

  /**
   * Creates an engine. Touches no device: a CUDA device is opened by its first use.
   *
   * @param options mode, workers, limits
   * @return the engine
   * @throws LibraryMissingException if the native library is not found
   */
  public static Engine create(EngineOptions options) {
    Objects.requireNonNull(options, "options");
    NativeLibrary.load();
    final Gate gate = new Gate();
    return made(each -> new Engine(each, gate), NativeEngine::engineDestroy, NativeEngine.engineCreate(options));
  }

  /**
   * Waits for all work, then gives back streams, pools and workers. Tensors, variables and graphs that are still open stay so, and
   * can only be closed. Calls that are under way in other threads, of the engine and of its objects, end first; later ones throw
   * {@link InvalidStateException}. Closing twice does nothing.
   *
   * @throws InvalidStateException inside a task, a custom gradient or a recording
   */
  @Override
  public void close() {
    final ThreadState state = ThreadState.current();
    if (state.insideCall() || state.recording != null) {
      throw new InvalidStateException("an engine cannot be closed inside a " + (state.insideCall() ? "task, a gradient or a group of collectives" : "recording"), null);
    }
    gate.close();
    super.close();
  }

  // --- tasks and waiting

  /**
   * Makes a variable.
   *
   * @return the variable
   */
  public Variable variable() {
    final long address = acquire();
    try {
      return made(each -> new Variable(this, each), NativeEngine::variableDestroy, NativeEngine.variableCreate(address));
    } finally {
      release();
    }
  }

  /**
   * Submits a task to run on a worker thread when its reads and writes allow it.
   *
   * @param task what to run
   * @param reads what it reads
   * @param writes what it writes; may have what it reads
   */
  public void submit(Task task, Collection<? extends Dependency> reads, Collection<? extends Dependency> writes) {
    submit(task, reads, writes, new TaskOptions());
  }

  /**
   * Submits a task to run when its reads and writes allow it: on a worker thread of the engine, which Java knows as a daemon
   * thread, or, for a CUDA device, in the thread that issues its work. Blocks only while too many tasks are in flight, and in naive
   * mode until it has run. While the thread records, the task is kept instead.
   *
   * <p>Where all that it reads and writes are tensors, the task holds them, so that they may be closed as soon as this returns, and
   * gets them as {@link TaskContext#input} and {@link TaskContext#output}. A task that names a {@link Variable} too is ordered by all
   * of them, and has neither.
   *
   * @param task what to run; kept until it can never run again
   * @param reads what it reads
   * @param writes what it writes; may have what it reads
   * @param options device, name, priority
   */
  public void submit(Task task, Collection<? extends Dependency> reads, Collection<? extends Dependency> writes, TaskOptions options) {
    Objects.requireNonNull(task, "task");
    Objects.requireNonNull(options, "options");
    final NativeObject[] toRead = reads.toArray(new NativeObject[0]);
    final NativeObject[] toWrite = writes.toArray(new NativeObject[0]);
    final NativeObject[] objects = Arrays.copyOf(toRead, toRead.length + toWrite.length);
    System.arraycopy(toWrite, 0, objects, toRead.length, toWrite.length);
    final long engine = acquire();
    try {
      final Uses uses = use(objects);
      try {
        final boolean operands = Arrays.stream(objects).allMatch(object -> object instanceof Tensor);
        final long[] addresses = operands ? uses.addresses() : Arrays.stream(objects).mapToLong(Engine::variableOf).toArray();
        final long[] read = Arrays.copyOf(addresses, toRead.length);
        final long[] written = Arrays.copyOfRange(addresses, toRead.length, addresses.length);
        if (operands) {
          NativeEngine.enginePushTensors(engine, new Tasks.Submitted(task, toRead.length), read, written, options);
        } else {
          NativeEngine.enginePush(engine, new Tasks.Submitted(task, TaskContext.NO_OPERANDS), read, written, options);
        }
      } finally {
        uses.end();
      }
    } finally {
      release();
    }
  }

  /** The address of the variable of an object that is in use. */
  private static long variableOf(NativeObject object) {
    return object instanceof Tensor ? NativeTensor.tensorVariable(object.address()) : object.address();
  }

  /** A future for what was submitted to an object so far, which wakes threads and does nothing else. */
  static CompletableFuture<Void> watch(NativeObject object) {
    object.acquire();
    try {
      return NativeEvents.watch(variableOf(object), object instanceof Tensor);
    } finally {
      object.release();
    }
  }

  private CompletableFuture<Void> watchAll() {
    final long address = acquire();
    try {
      return NativeEvents.watchAll(address);
    } finally {
      release();
    }
  }

  /**
   * Blocks until every task submitted before has finished, on the devices too. A virtual thread is parked meanwhile.
   *
   * @throws RondoException the first failure of a task since the last call that threw one
   * @throws WaitInterruptedException if the thread is interrupted before; the tasks go on
   */
  public void awaitAll() {
    final long address = acquire();
    try {
      Waits.await(limit -> NativeEngine.engineWaitAllFor(address, limit), this::watchAll);
    } finally {
      release();
    }
  }

  /**
   * The same, but blocks so long at most.
   *
   * @param limit how long; zero asks only
   * @return false if the limit is over first: the tasks go on, and may be waited for again
   * @throws RondoException the first failure of a task since the last call that threw one
   * @throws WaitInterruptedException if the thread is interrupted before; the tasks go on
   */
  public boolean awaitAll(Duration limit) {
    final long address = acquire();
    try {
      return Waits.await(milliseconds -> NativeEngine.engineWaitAllFor(address, milliseconds), this::watchAll, limit);
    } finally {
      release();
    }
  }

  /**
   * {@link #awaitAll} without blocking. What is chained to the future runs on threads for that.
   *
   * @return completed when every task submitted before has finished; exceptionally with what {@code awaitAll} throws
   */
  public CompletableFuture<Void> awaitAllAsync() {
    return Continuations.of(watchAll());
  }

  // --- recording

  /**
   * Records what the function submits on this thread, instead of running it, and compiles it to a graph. Tensors made inside are
   * temporaries of the graph and closed at the end, except those that the function returns, which each launch writes. Tensors from
   * outside are inputs; the graph may write them too.
   *
   * <pre>{@code
   * Recorded<Tensor> step = engine.record(() -> x.matmul(w).relu());
   * step.launch();
   * float[] y = step.value().toFloatArray();
   * }</pre>
   *
   * @param <T> a tensor, or an array, collection, map, optional or record with tensors in it: those are kept; anything else is handed through
   * @param work what to record
   * @return the graph and what the function returned
   * @throws InvalidStateException if the thread records already, runs a task, or is a virtual thread
   * @see "ONNX Runtime: OrtSession.run"
   */
  public <T> Recorded<T> record(Supplier<T> work) {
    return record(new RecordOptions(), work);
  }

  /**
   * The same with options.
   *
   * @param <T> a tensor, or an array, collection, map, optional or record with tensors in it
   * @param options name, branches
   * @param work what to record
   * @return the graph and what the function returned
   * @throws InvalidStateException if the thread records already, runs a task, or is a virtual thread
   */
  public <T> Recorded<T> record(RecordOptions options, Supplier<T> work) {
    Objects.requireNonNull(work, "work");
    return record(options, recording -> recording.keepAll(work.get()), Recorded::new);
  }

  /**
   * Records as {@link #record(Supplier)} does what only writes tensors from outside.
   *
   * @param work what to record
   * @return the graph
   * @throws InvalidStateException if the thread records already, runs a task, or is a virtual thread
   */
  public Graph record(Runnable work) {
    return record(new RecordOptions(), work);
  }

  /**
   * The same with options.
   *
   * @param options name, branches
   * @param work what to record
   * @return the graph
   * @throws InvalidStateException if the thread records already, runs a task, or is a virtual thread
   */
  public Graph record(RecordOptions options, Runnable work) {
    Objects.requireNonNull(work, "work");
    return record(options, (Recording recording) -> work.run());
  }

  /**
   * Records as {@link #record(Supplier)} does, with the recording in hand: {@link Recording#keep} says which tensors are outputs.
   *
   * <pre>{@code
   * Tensor[] y = new Tensor[1];
   * Graph step = engine.record(recording -> {
   *   y[0] = recording.keep(x.matmul(w).relu());
   * });
   * step.launch();
   * }</pre>
   *
   * @param work what to record
   * @return the graph
   * @throws InvalidStateException if the thread records already, runs a task, or is a virtual thread
   */
  public Graph record(Consumer<Recording> work) {
    return record(new RecordOptions(), work);
  }

  /**
   * The same with options. If the function throws, the recording is dropped and the exception goes on; tensors made inside carry an
   * error until they are written.
   *
   * @param options name, branches
   * @param work what to record
   * @return the graph
   * @throws InvalidStateException if the thread records already, runs a task, or is a virtual thread
   */
  public Graph record(RecordOptions options, Consumer<Recording> work) {
    Objects.requireNonNull(work, "work");
    return record(options, recording -> {
      work.accept(recording);
      return null;
    }, (engine, address, nothing) -> new Graph(engine, address));
  }

  private interface Maker<T, G> {
    G with(Engine engine, long address, T value);
  }

  private <T, G extends Graph> G record(RecordOptions options, Function<Recording, T> work, Maker<T, G> maker) {
    Objects.requireNonNull(options, "options");
    VirtualThreads.refuse("recording");
    final Set<RecordFlags> flags = new LinkedHashSet<>(options.flags());
    flags.add(RecordFlags.NAMED_OUTPUTS); // which tensors are held is no matter of when the collector runs
    final RecordOptions named = new RecordOptions(options).flags(flags.toArray(new RecordFlags[0]));
    final ThreadState state = ThreadState.current();
    final long address = acquire();
    try {
      NativeGraph.recordBegin(address, named);
      boolean ended = false;
      try {
        final T value;
        try (Scope scope = Scope.ofRecording()) {
          Sites.begun();
          state.recording = new Recording(this, scope);
          value = work.apply(state.recording);
        }
        state.recording = null; // ended below, whether it succeeds or not
        ended = true;
        return made(each -> maker.with(this, each, value), NativeGraph::graphDestroy, NativeGraph.recordEnd(address));
      } finally {
        state.recording = null;
        if (!ended) {
          NativeGraph.recordAbort(address);
        }
      }
    } finally {
      release();
    }
  }

  /**
   * Whether the calling thread records on this engine: what it submits is kept, and nothing can be waited for.
   *
   * @return true inside the function given to {@link #record(Supplier)}
   */
  public boolean isRecording() {
    final long address = acquire();
    try {
      return NativeGraph.recordIsOpen(address) != 0;
    } finally {
      release();
    }
  }

  // --- graph functions

  /**
   * Makes a graph function of a function of tensors, a callable of the C interface: it is recorded once for each signature of its inputs, and then called as a graph.
   *
   * @param outputs how many tensors the function gives
   * @param function what to do
   * @return the graph function
   */
  public GraphFunction graphFunction(int outputs, TensorFunction function) {
    return graphFunction(outputs, new GraphFunctionOptions(), function);
  }

  /**
   * The same with options.
   *
   * @param outputs how many tensors the function gives
   * @param options its name, the memory that its graphs may take, sizes to fill inputs up to, whether to run eagerly what cannot be
   *     recorded
   * @param function what to do
   * @return the graph function
   * @throws InvalidArgumentException for options that are not possible
   */
  public GraphFunction graphFunction(int outputs, GraphFunctionOptions options, TensorFunction function) {
    return GraphFunction.create(this, outputs, options, function);
  }

  // --- gradients

  /**
   * Begins a tape on the calling thread, which gives its gradients once.
   *
   * @param watched tensors with respect to which gradients may be asked for; {@link Tape#watch} adds more
   * @return the tape
   * @throws InvalidStateException inside a task, or in a virtual thread
   * @see "DJL: Engine.newGradientCollector"
   */
  public Tape tape(Tensor... watched) {
    return Tape.begin(this, TapeFlags.DEFAULT, watched);
  }

  /**
   * Opens an autocast scope on the calling thread.
   *
   * @param dtype what products compute in: {@link DType#F16} or {@link DType#BF16}; {@link DType#F32} for a scope that casts nothing
   * @return what ends it when it is closed
   * @throws InvalidArgumentException for another dtype
   * @throws InvalidStateException inside a task, or in a virtual thread
   */
  public Autocast autocast(DType dtype) {
    return new Autocast(this, dtype);
  }

  /**
   * The same, but what was noted stays, so that gradients may be asked for more than once.
   *
   * @param watched tensors with respect to which gradients may be asked for; {@link Tape#watch} adds more
   * @return the tape
   * @throws InvalidStateException inside a task, or in a virtual thread
   */
  public Tape keepingTape(Tensor... watched) {
    return Tape.begin(this, TapeFlags.KEEP, watched);
  }

  // --- facts and settings

  /**
   * The mode the engine runs in.
   *
   * @return never {@link EngineMode#DEFAULT}
   */
  public EngineMode mode() {
    final long address = acquire();
    try {
      return NativeEngine.engineGetMode(address);
    } finally {
      release();
    }
  }

  /**
   * Seeds the random numbers of all devices and restarts their sequence, for operators submitted after.
   *
   * @param seed any number
   */
  public void seed(long seed) {
    final long address = acquire();
    try {
      NativeEngine.engineSeed(address, seed);
    } finally {
      release();
    }
  }

  /**
   * Figures of the memory pool of a device.
   *
   * @param device which
   * @return the figures; zeros if the device was not used yet
   */
  public MemoryInfo memory(Device device) {
    final long address = acquire();
    try {
      return NativeEngine.memoryQuery(address, device);
    } finally {
      release();
    }
  }

  /**
   * Sets the limit of a device's pool. Frees nothing that is in use.
   *
   * @param device which
   * @param bytes the limit; 0: none
   */
  public void setMemoryLimit(Device device, long bytes) {
    final long address = acquire();
    try {
      NativeEngine.memorySetLimit(address, device, bytes);
    } finally {
      release();
    }
  }

  /**
   * Returns cached memory that nothing uses to the system.
   *
   * @param device of which
   */
  public void trimMemory(Device device) {
    final long address = acquire();
    try {
      NativeEngine.memoryTrim(address, device);
    } finally {
      release();
    }
  }

  /** Starts to keep times of tasks. {@link #endTrace} writes them. */
  public void beginTrace() {
    final long address = acquire();
    try {
      NativeTrace.traceBegin(address);
    } finally {
      release();
    }
  }

  /**
   * Waits for all work, stops the trace and writes it as Chrome trace JSON.
   *
   * @param path the file; null: drops the trace
   * @throws IoException if the file cannot be written
   */
  public void endTrace(@Nullable Path path) {
    final long address = acquire();
    try {
      NativeTrace.traceEnd(address, Memory.nameOf(path));
    } finally {
      release();
    }
  }

  @Override
  public String toString() {
    return isClosed() ? "Engine[closed]" : "Engine[" + mode() + "]";
  }
}
