// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.io.InputStream;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * A program file that is open: functions that were recorded once and saved with their weights ({@link ProgramWriter}), in this language or
 * another, here or elsewhere. It belongs to no engine, and what it says does not change:
 *
 * <pre>{@code
 * new ProgramWriter().function("encode", graph).write(path);
 * try (Program program = Program.open(path); ProgramInstance model = program.instance(engine, device)) {
 *   Tensor y = model.call("encode", x).get(0);
 * }
 * }</pre>
 *
 * <p>A file is data, and nothing of it is trusted. Opening checks the program; making an instance checks that its nodes go together.
 */
public final class Program extends NativeObject {
  private Program(long address) {
    super("program", address, new Gate(), NativePrograms::programDestroy);
    Scope.add(this);
  }

  /**
   * Opens a file, and reads and checks its program. No weight is read.
   *
   * @param path the file
   * @return the program
   * @throws NotFoundException if there is no such file
   * @throws IoException if it cannot be read or is not valid, with the place and the reason
   * @throws UnsupportedException if it needs a later version of the library
   */
  public static Program open(Path path) {
    NativeLibrary.load();
    return adopt(NativePrograms.programOpen(Memory.nameOf(path)));
  }

  /**
   * Opens a program from the bytes that its file would have, which are copied, and checks it as a file. Large files are better opened by path.
   *
   * @param bytes the bytes from the buffer's position to its limit, direct or not; the position stays
   * @return the program
   * @throws IoException if they are no program, with the place and the reason
   * @throws UnsupportedException for JSON that names files, since bytes have no folder, and if it needs a later version of the library
   */
  public static Program open(ByteBuffer bytes) {
    NativeLibrary.load();
    final ByteBuffer given = bytes.duplicate();
    final long length = given.remaining();
    if (given.isDirect()) {
      try {
        return adopt(NativePrograms.programOpenBytes(Memory.address(given) + given.position(), length));
      } finally {
        Reference.reachabilityFence(bytes);
      }
    }
    final byte[] heap;
    final int offset;
    if (given.hasArray()) {
      heap = given.array();
      offset = given.arrayOffset() + given.position();
    } else { // read-only
      heap = new byte[given.remaining()];
      offset = 0;
      given.get(heap);
    }
    final long copy = Memory.allocate(Math.max(length, 1));
    try {
      Memory.copy(heap, offset, copy, length);
      return adopt(NativePrograms.programOpenBytes(copy, length));
    } finally {
      Memory.free(copy);
    }
  }

  /**
   * The same of an array.
   *
   * @param bytes what the file would have
   * @return the program
   * @throws IoException if they are no program, with the place and the reason
   * @throws UnsupportedException for JSON that names files, since bytes have no folder, and if it needs a later version of the library
   */
  public static Program open(byte[] bytes) {
    return open(ByteBuffer.wrap(bytes));
  }

  /**
   * The same of a stream, such as that of a resource, which is read to its end and not closed.
   *
   * @param stream what the file would have: at most 2 GiB
   * @return the program
   * @throws java.io.IOException if the stream cannot be read
   * @throws IoException if it has no program, with the place and the reason
   * @throws UnsupportedException for JSON that names files, since bytes have no folder, and if it needs a later version of the library
   */
  public static Program open(InputStream stream) throws java.io.IOException {
    return open(stream.readAllBytes());
  }

  /** A program that C has made. */
  static Program adopt(long address) {
    return made(Program::new, NativePrograms::programDestroy, address);
  }

  /**
   * Says that the program comes from somebody whom the caller trusts. Until then nothing that is compiled or chosen for it is kept for other
   * processes; what is kept already is used all the same. It holds for instances that are made from now on.
   */
  public void trust() {
    changed(NativePrograms::programTrust);
  }

  /**
   * Limits how long it may take to make something of the program, from now on and each time anew: an instance, the graph of another size in a
   * call, a program that is bound, figures of memory and kernels, a self-check. These throw {@link TimedOutException} when it is over, and nothing
   * is kept of them but kernels that were compiled.
   *
   * @param limit the time, which is rounded up to milliseconds; zero: as long as it takes, as at first
   * @throws InvalidArgumentException for a limit below zero
   */
  public void limitMaking(Duration limit) {
    final long most = Waits.milliseconds(limit);
    changed(address -> NativePrograms.programLimitMaking(address, most));
  }

  /**
   * Limits the host's memory for nodes, operands and kernels, each time anew, of all that {@link #limitMaking} holds for; else {@link OutOfMemoryException}.
   *
   * @param mostBytes the limit; 0: what {@code RONDO_PROGRAM_HOST_MB} says, as at first
   * @throws InvalidArgumentException for a limit below zero
   */
  public void limitHostMemory(long mostBytes) {
    changed(address -> NativePrograms.programLimitHostMemory(address, mostBytes));
  }

  /**
   * Numbers of functions, weights and texts, bytes, and the version that it needs.
   *
   * @return the facts
   */
  public ProgramInfo info() {
    return held(address -> NativePrograms.programQuery(address));
  }

  /**
   * All functions, in the file's order.
   *
   * @return what the file says of each
   */
  public List<Function> functions() {
    return held(address -> {
      final List<Function> all = new ArrayList<>();
      final long count = NativePrograms.programQuery(address).functions();
      for (long i = 0; i < count; ++i) {
        all.add(function(address, i));
      }
      return Collections.unmodifiableList(all);
    });
  }

  /**
   * One function by its name.
   *
   * @param name its name
   * @return what the file says of it
   * @throws NotFoundException if there is none of this name: the message has the names there are
   */
  public Function function(String name) {
    Objects.requireNonNull(name, "name");
    return held(address -> function(address, NativePrograms.programFind(address, name)));
  }

  private void changed(LongConsumer call) {
    held(address -> {
      call.accept(address);
      return null;
    });
  }

  /** Calls C with the address while the program is in use. */
  private <T> T held(LongFunction<T> call) {
    final long address = acquire();
    try {
      return call.apply(address);
    } finally {
      release();
    }
  }

  private static Function function(long address, long index) {
    final long[] name = new long[1];
    final ProgramFunctionInfo info = NativePrograms.programFunction(address, index, name);
    final List<Value> inputs = new ArrayList<>();
    final List<Value> outputs = new ArrayList<>();
    final long[] text = new long[1];
    for (int i = 0; i < info.inputs(); ++i) {
      final ProgramTensorInfo input = NativePrograms.programInput(address, index, i, text);
      inputs.add(new Value(Memory.text(text[0]), input));
    }
    for (int i = 0; i < info.outputs(); ++i) {
      final ProgramTensorInfo output = NativePrograms.programOutput(address, index, i, text);
      outputs.add(new Value(Memory.text(text[0]), output));
    }
    return new Function(Memory.text(name[0]), info, Collections.unmodifiableList(inputs), Collections.unmodifiableList(outputs));
  }

  /**
   * All weights, states too, in the file's order.
   *
   * @return what the file says of each
   */
  public List<Value> weights() {
    return held(address -> {
      final List<Value> all = new ArrayList<>();
      final long count = NativePrograms.programQuery(address).weights();
      final long[] name = new long[1];
      for (long i = 0; i < count; ++i) {
        final ProgramTensorInfo info = NativePrograms.programWeight(address, i, name);
        all.add(new Value(Memory.text(name[0]), info));
      }
      return Collections.unmodifiableList(all);
    });
  }

  /**
   * Texts of the program's author, such as the labels of a classifier, in the file's order.
   *
   * @return texts by their keys
   */
  public Map<String, String> metadata() {
    return held(address -> {
      final Map<String, String> all = new LinkedHashMap<>();
      final long count = NativePrograms.programQuery(address).metadata();
      final long[] texts = new long[2];
      for (long i = 0; i < count; ++i) {
        NativePrograms.programMetadata(address, i, texts);
        all.put(Memory.text(texts[0]), Memory.text(texts[1]));
      }
      return Collections.unmodifiableMap(all);
    });
  }

  /**
   * The dimensions that vary, in the file's order; none: all sizes are fixed.
   *
   * @return name and bounds of each
   */
  public List<Dim> dims() {
    return held(address -> {
      final List<Dim> all = new ArrayList<>();
      final long count = NativePrograms.programQuery(address).dims();
      final long[] found = new long[3];
      for (long i = 0; i < count; ++i) {
        NativePrograms.programDim(address, i, found);
        all.add(new Dim(Memory.text(found[0]), found[1], found[2]));
      }
      return Collections.unmodifiableList(all);
    });
  }

  /**
   * The program at these sizes of its dimensions, and no others. Its instances share weights with this one's.
   *
   * @param sizes one for each dimension
   * @return the program, which lives on without this one
   * @throws InvalidArgumentException for another number of sizes, and for those outside the bounds
   */
  public Program bind(long... sizes) {
    return held(address -> made(Program::new, NativePrograms::programDestroy, NativePrograms.programBind(address, sizes.clone())));
  }

  /**
   * What an instance takes on a device. Nothing is loaded or made, but for kernels that are missing.
   *
   * @param engine whose kernels and limits count
   * @param device where it would be
   * @param sizes one for each dimension
   * @return bytes of weights, states and graphs
   * @throws InvalidArgumentException for another number of sizes, and for those outside the bounds
   * @throws IoException for a program whose nodes do not go together: the message has function, node and reason
   * @throws InvalidStateException while this thread records, and in a task
   */
  public ProgramMemoryInfo memory(Engine engine, Device device, long... sizes) {
    return asked(engine, device, () -> NativePrograms.programMemory(address(), engine.address(), device, sizes.clone()));
  }

  /**
   * Runs the self-check of the file on a new instance. An output that is another one is an exception.
   *
   * @param engine whose tensors the functions take
   * @param device where they run
   * @param mostBytes what the instance may take, and again inputs and outputs of a call; 0: any, and 1 GiB
   * @param timeoutMillis of each call; 0: none
   * @return how much was compared
   * @throws NotFoundException if the file has no check
   * @throws IoException if that is not valid, or an output is another one: the message has function, output, place and both values
   * @throws InvalidStateException while this thread records, and in a task
   */
  public ProgramCheckInfo check(Engine engine, Device device, long mostBytes, long timeoutMillis) {
    return asked(engine, device, () -> NativePrograms.programCheck(address(), engine.address(), device, mostBytes, timeoutMillis));
  }

  private <T> T asked(Engine engine, Device device, Supplier<T> question) {
    Objects.requireNonNull(device, "device");
    final Uses uses = use(engine, this);
    try {
      return question.get();
    } finally {
      uses.end();
    }
  }

  /**
   * The kernels that an instance needs on a device, and how many of them are kept on disk. No weight is read and none is compiled.
   *
   * @param engine whose limits count
   * @param device where it would be; a cpu has no kernels
   * @param sizes one for each dimension
   * @return how many are needed, kept and missing; what is thrown is that of {@link #memory}
   */
  public ProgramKernelsInfo kernels(Engine engine, Device device, long... sizes) {
    return asked(engine, device, () -> NativePrograms.programKernels(address(), engine.address(), device, sizes.clone()));
  }

  /**
   * The kernels that are missing, a line each: a name, and the first characters of its file's name in the folder.
   *
   * @param engine whose limits count
   * @param device where an instance would be
   * @param sizes one for each dimension
   * @return the lines; empty if none is missing; what is thrown is that of {@link #memory}
   */
  public String missingKernels(Engine engine, Device device, long... sizes) {
    return asked(engine, device, () -> Memory.text((buffer, capacity) ->
        NativePrograms.programMissingKernels(address(), engine.address(), device, sizes.clone(), buffer, capacity)));
  }

  /**
   * The program as the file has it: JSON, one node a line.
   *
   * @return the text
   */
  public String text() {
    return held(address -> Memory.text((buffer, capacity) -> NativePrograms.programText(address, buffer, capacity)));
  }

  /**
   * Loads the weights to a device and records each function anew, which checks its nodes. The program may be closed then.
   *
   * @param engine whose tensors the functions take
   * @param device where they run
   * @return the functions, ready to be called
   * @throws IoException for a program whose nodes do not go together: the message has function, node and reason
   * @throws InvalidStateException while this thread records, and in a task
   */
  public ProgramInstance instance(Engine engine, Device device) {
    Objects.requireNonNull(device, "device");
    final long engineAddress = engine.address();
    final InUse inUse = InUse.current();
    inUse.begin(this, engine);
    try {
      final Map<String, Integer> outputs = outputs();
      return made(each -> new ProgramInstance(engine, outputs, each), NativePrograms::programInstanceDestroy,
          NativePrograms.programCreateInstance(address(), engineAddress, device));
    } finally {
      inUse.end(this, engine);
    }
  }

  /**
   * The same with options: weights in place of the file's, further outputs, limits.
   *
   * @param engine whose tensors the functions take
   * @param device where they run
   * @param options the options
   * @return the functions, ready to be called
   * @throws InvalidArgumentException for weights and values that the program does not have, and for weights that do not fit
   * @throws NotFoundException for a function that it does not have
   * @throws IoException for a program whose nodes do not go together: the message has function, node and reason
   * @throws InvalidStateException while this thread records, and in a task
   */
  public ProgramInstance instance(Engine engine, Device device, ProgramInstanceOptions options) {
    Objects.requireNonNull(device, "device");
    Objects.requireNonNull(options, "options");
    final List<NativeObject> used = new ArrayList<>(options.weights);
    used.add(engine);
    used.add(this);
    final Uses uses = use(used.toArray(new NativeObject[0]));
    try {
      final Map<String, Integer> outputs = outputs();
      options.extraFunctions.forEach(each -> outputs.merge(each, 1, Integer::sum));
      final long address = NativePrograms.programCreateInstanceWith(address(), engine.address(), device, options);
      return made(each -> new ProgramInstance(engine, outputs, each), NativePrograms::programInstanceDestroy, address);
    } finally {
      uses.end();
    }
  }

  /** How many outputs each function has. */
  private Map<String, Integer> outputs() {
    final Map<String, Integer> outputs = new HashMap<>();
    final long count = NativePrograms.programQuery(address()).functions();
    final long[] name = new long[1];
    for (long i = 0; i < count; ++i) {
      final ProgramFunctionInfo info = NativePrograms.programFunction(address(), i, name);
      outputs.put(Memory.text(name[0]), info.outputs());
    }
    return outputs;
  }

  @Override
  public String toString() {
    return isClosed() ? "Program[closed]" : "Program" + functions();
  }

  /** A dimension of a {@link Program} that varies. */
  public static final class Dim {
    private final String name;
    private final long least;
    private final long most;

    private Dim(String name, long least, long most) {
      this.name = name;
      this.least = least;
      this.most = most;
    }

    /**
     * Its name.
     *
     * @return the name
     */
    public String name() {
      return name;
    }

    /**
     * Its smallest size.
     *
     * @return the size
     */
    public long least() {
      return least;
    }

    /**
     * Its largest size.
     *
     * @return the size
     */
    public long most() {
      return most;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Dim && name.equals(((Dim) other).name) && least == ((Dim) other).least && most == ((Dim) other).most;
    }

    @Override
    public int hashCode() {
      return Objects.hash(name, least, most);
    }

    @Override
    public String toString() {
      return name + ": " + least + " to " + most;
    }
  }

  /** What a {@link Program} says of one function. */
  public static final class Function {
    private final String name;
    private final ProgramFunctionInfo info;
    private final List<Value> inputs;
    private final List<Value> outputs;

    private Function(String name, ProgramFunctionInfo info, List<Value> inputs, List<Value> outputs) {
      this.name = name;
      this.info = info;
      this.inputs = inputs;
      this.outputs = outputs;
    }

    /**
     * Its name.
     *
     * @return the name
     */
    public String name() {
      return name;
    }

    /**
     * How many nodes, parameters and sections it has.
     *
     * @return the facts
     */
    public ProgramFunctionInfo info() {
      return info;
    }

    /**
     * Its inputs, in order.
     *
     * @return what the file says of each
     */
    public List<Value> inputs() {
      return inputs;
    }

    /**
     * Its outputs, in order.
     *
     * @return what the file says of each
     */
    public List<Value> outputs() {
      return outputs;
    }

    @Override
    public boolean equals(Object other) {
      if (!(other instanceof Function)) {
        return false;
      }
      final Function same = (Function) other;
      return name.equals(same.name) && info.equals(same.info) && inputs.equals(same.inputs) && outputs.equals(same.outputs);
    }

    @Override
    public int hashCode() {
      return Objects.hash(name, info, inputs, outputs);
    }

    @Override
    public String toString() {
      return name + inputs + " -> " + outputs;
    }
  }

  /** What a {@link Program} says of an input, an output or a weight. */
  public static final class Value {
    private final String name;
    private final ProgramTensorInfo info;

    private Value(String name, ProgramTensorInfo info) {
      this.name = name;
      this.info = info;
    }

    /**
     * Its name.
     *
     * @return the name
     */
    public String name() {
      return name;
    }

    /**
     * Dtype, shape, and of a weight whether it is a state.
     *
     * @return the facts
     */
    public ProgramTensorInfo info() {
      return info;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Value && name.equals(((Value) other).name) && info.equals(((Value) other).info);
    }

    @Override
    public int hashCode() {
      return 31 * name.hashCode() + info.hashCode();
    }

    @Override
    public String toString() {
      return name + ": " + info.dtype() + " " + java.util.Arrays.toString(info.shape());
    }
  }
}
