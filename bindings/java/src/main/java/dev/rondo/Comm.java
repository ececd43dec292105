// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A communicator: one rank's end of a group of devices that compute together. Collectives are operators that all ranks submit, in the
 * same order, with the same dtype, sizes and root; each returns when it is ordered.
 *
 * <pre>{@code
 * List<Comm> ends = Comm.createAll(engine, Device.cuda(0), Device.cuda(1)); // two ranks of one process
 * Comm end = Comm.create(engine, Device.cuda(Comm.ranks().localRank())); // one of several processes: `rondo launch -n 2 java ...`
 * Tensor sum = end.allReduce(gradient, ReduceOp.SUM);
 * }</pre>
 *
 * <p>On cuda devices NCCL moves the data, or kernels of Rondo's own; on the cpu sockets and copies do. When a rank dies, leaves or does
 * not come in time, what is under way ends on every other rank with {@link RankLostException} or {@link TimedOutException}, and so does
 * each later call; {@link #reform()} makes a group of those left. What was recorded holds its collectives: every rank records the same,
 * and launches in the same order.
 *
 * <p>All methods may be called from any thread. In naive mode an operator waits for the device, so each rank then needs a thread of its
 * own.
 */
public final class Comm extends NativeObject {
  private final Engine engine;

  private Comm(Engine engine, long address) {
    super("communicator", address, engine.gate(), NativeComm::commDestroy);
    this.engine = engine;
    Scope.add(this);
  }

  // --- making them

  /**
   * What the environment says of this process, so that a program can choose its device by its rank. Without a launcher it is alone.
   *
   * @return rank and number of ranks, of all and of those on this machine
   * @throws InvalidArgumentException for a variable that is wrong or missing
   */
  public static RanksInfo ranks() {
    NativeLibrary.load();
    return NativeLaunch.ranksQuery();
  }

  /**
   * Makes this process's end of the group that a launcher has started: {@code rondo launch}, mpirun, srun, torchrun. Blocks until all
   * ranks have come.
   *
   * @param engine the engine whose tensors it takes
   * @param device where they are
   * @return the end
   * @throws TimedOutException names who has not come
   */
  public static Comm create(Engine engine, Device device) {
    return create(engine, device, new CommOptions());
  }

  /**
   * Makes this process's or thread's end of a group whose other ends are made elsewhere by the same call. Blocks until all ranks have
   * come; closing the engine waits for that too.
   *
   * @param engine the engine whose tensors it takes
   * @param device where they are
   * @param options rank, ranks, address and secret, as far as the environment does not say them
   * @return the end
   * @throws TimedOutException names who has not come
   * @throws InvalidArgumentException for a rank that is there already, another number of ranks, another secret,
   *     or none where other machines could come
   * @throws InvalidStateException inside a task or a recording
   */
  public static Comm create(Engine engine, Device device, CommOptions options) {
    Objects.requireNonNull(device, "device");
    Objects.requireNonNull(options, "options");
    final long address = engine.acquire();
    try {
      return made(each -> new Comm(engine, each), NativeComm::commDestroy, NativeLaunch.commCreate(address, device, options));
    } finally {
      engine.release();
    }
  }

  /**
   * Makes this process's end of a group whose ranks reach each other by a function of the program, over MPI for example. On the cpu
   * collectives are made of its exchanges; on cuda devices NCCL moves the data, and exchanges only bring the ranks together. Such a
   * group cannot be made again by {@link #reform()}. Blocks until all ranks have come.
   *
   * @param engine the engine whose tensors it takes
   * @param device where they are
   * @param rank of this end, from 0
   * @param ranks ends in the group
   * @param exchange moves messages; kept until it will not be called any more
   * @param options time limit, name and blocks; the others must not be set
   * @return the end
   * @throws RondoException what the function threw, of {@link Status#USER_ERROR} if it was no exception of Rondo
   */
  public static Comm create(Engine engine, Device device, int rank, int ranks, Exchange exchange, CommOptions options) {
    Objects.requireNonNull(device, "device");
    Objects.requireNonNull(exchange, "exchange");
    Objects.requireNonNull(options, "options");
    final long address = engine.acquire();
    try {
      return made(each -> new Comm(engine, each), NativeComm::commDestroy,
          Exchanges.create(address, device, rank, ranks, exchange, options));
    } finally {
      engine.release();
    }
  }

  /**
   * Makes the ends of a group for several devices of this process, one each. Blocks until all are connected.
   *
   * @param engine the engine whose tensors they take
   * @param devices different cuda devices, or {@code cpu:0} as often as there are to be ranks
   * @return rank i is on devices[i]
   * @throws LibraryMissingException without NCCL, for cuda devices
   */
  public static List<Comm> createAll(Engine engine, Device... devices) {
    return createAll(engine, new CommOptions(), devices);
  }

  /**
   * The same with options.
   *
   * @param engine the engine whose tensors they take
   * @param options time limit, name and blocks; the others must not be set
   * @param devices different cuda devices, or {@code cpu:0} as often as there are to be ranks
   * @return rank i is on devices[i]
   * @throws LibraryMissingException without NCCL, for cuda devices
   */
  public static List<Comm> createAll(Engine engine, CommOptions options, Device... devices) {
    Objects.requireNonNull(options, "options");
    final long[] made = new long[devices.length];
    final long address = engine.acquire();
    try {
      NativeComm.commCreateAll(address, devices.clone(), options, made);
      return ends(i -> engine, made);
    } finally {
      engine.release();
    }
  }

  /** New ends in the place of old ones, null for none. */
  private static List<Comm> ends(Comm[] of, long[] made) {
    return ends(i -> of[i].engine, made);
  }

  private static List<Comm> ends(IntFunction<Engine> engineOf, long[] made) {
    final List<Comm> ends = new ArrayList<>();
    final Handle.Destroyer destroyer = NativeComm::commDestroy; // now: later there may be no memory for it
    int done = 0;
    try {
      for (; done < made.length; ++done) {
        final Engine engine = engineOf.apply(done);
        ends.add(made[done] == 0 ? null : new Comm(engine, made[done]));
      }
    } finally {
      for (int i = done; i < made.length; ++i) { // there is no memory for their wrappers
        giveUp(made[i], destroyer);
      }
    }
    return Collections.unmodifiableList(ends);
  }

  /**
   * Splits a group: ends that give the same colour form a new one, ranked by key, then by rank. All ends must take part, those of this
   * process that were made by one call in one call. Blocks until all have.
   *
   * @param ends ends of one group
   * @param colours one for each; negative: it joins none
   * @param keys one for each, or null: all 0
   * @return a new end for each, null where the colour is negative
   * @throws InvalidArgumentException if there are more or fewer colours or keys than ends
   * @throws InvalidStateException inside a task or a recording
   */
  public static List<@Nullable Comm> split(List<Comm> ends, int[] colours, int @Nullable [] keys) {
    final Comm[] own = ends.toArray(new Comm[0]);
    if (colours.length != own.length || keys != null && keys.length != own.length) {
      throw new InvalidArgumentException("Comm.split: " + colours.length + " colours and " + (keys == null ? "no" : keys.length) + " keys for "
          + own.length + " ends; give one of each for each, or null as keys", null);
    }
    NativeLibrary.load();
    final long[] made = new long[own.length];
    final Uses uses = use(own);
    try {
      NativeComm.commSplit(uses.addresses(), colours, keys, made);
      return ends(own, made);
    } finally {
      uses.end();
    }
  }

  /**
   * {@link #split(List, int[], int[])} of an end that was made alone.
   *
   * @param colour which group it joins; negative: none
   * @param key its place there
   * @return the new end, or null
   */
  public @Nullable Comm split(int colour, int key) {
    return split(List.of(this), new int[] {colour}, new int[] {key}).get(0);
  }

  /**
   * Makes a group of the ranks that are left of a failed one, in their order. All of them must take part, as for a split; a rank that
   * does not come within the time limit counts as lost. The old ends stay the caller's.
   *
   * @param ends ends of one group that has failed
   * @return a new end for each
   * @throws InvalidStateException where nothing has failed
   * @throws UnsupportedException for ranks that meet by an {@link Exchange}
   */
  public static List<Comm> reform(List<Comm> ends) {
    NativeLibrary.load();
    final Comm[] own = ends.toArray(new Comm[0]);
    final long[] made = new long[own.length];
    final Uses uses = use(own);
    try {
      NativeComm.commReform(uses.addresses(), made);
      return ends(own, made);
    } finally {
      uses.end();
    }
  }

  /**
   * {@link #reform(List)} of an end that was made alone.
   *
   * @return the new end
   */
  public Comm reform() {
    return reform(List.of(this)).get(0);
  }

  // --- facts and failures

  /**
   * The engine it belongs to.
   *
   * @return the engine
   */
  public Engine engine() {
    return engine;
  }

  /**
   * Its rank, how many there are, what moves the data, whether the group works. Does not block.
   *
   * @return the facts
   */
  public CommInfo info() {
    final long address = acquire();
    try {
      return NativeComm.commQuery(address);
    } finally {
      release();
    }
  }

  /**
   * Throws the cause if the group has failed. Does not block.
   *
   * @throws RondoException that cause
   */
  public void check() {
    final long address = acquire();
    try {
      NativeComm.commCheck(address);
    } finally {
      release();
    }
  }

  /**
   * Blocks until all collectives submitted on this end are done, on the device too.
   *
   * @throws RondoException their first failure
   */
  public void await() {
    final long address = acquire();
    try {
      NativeComm.commWait(address);
    } finally {
      release();
    }
  }

  /**
   * Ends what is under way on the group, here and on every other rank. Does not block.
   *
   * @param reason for the message there
   */
  public void abort(String reason) {
    final long address = acquire();
    try {
      NativeComm.commAbort(address, reason);
    } finally {
      release();
    }
  }

  // --- collectives

  private interface Collective {
    long call(long comm, long input, long out);
  }

  /** The result; null where this rank gets none. */
  private Tensor collective(Tensor input, Tensor out, Collective call) {
    Objects.requireNonNull(input, "input");
    final Uses uses = out == null ? use(this, input) : use(this, input, out);
    try {
      final long made = call.call(address(), input.address(), out == null ? 0 : out.address());
      return made == 0 ? null : Tensor.result(engine, made, out);
    } finally {
      uses.end();
    }
  }

  /**
   * The reduction of all ranks' inputs, the same on every rank.
   *
   * @param input of this rank
   * @param reduction {@link ReduceOp#SUM}, PROD, MIN, MAX, or MEAN for floating-point numbers
   * @return a new tensor
   */
  public Tensor allReduce(Tensor input, ReduceOp reduction) {
    return allReduce(input, reduction, null);
  }

  /**
   * The same into a tensor that is there.
   *
   * @param input of this rank
   * @param reduction {@link ReduceOp#SUM}, PROD, MIN, MAX, or MEAN for floating-point numbers
   * @param out null, or what is written; it may be the input
   * @return the result
   */
  public Tensor allReduce(Tensor input, ReduceOp reduction, @Nullable Tensor out) {
    Objects.requireNonNull(reduction, "reduction");
    return collective(input, out, (comm, from, to) -> NativeComm.commAllReduce(comm, from, reduction, to));
  }

  /**
   * The inputs of all ranks, one after the other along the first dimension; of tensors without dimensions, a vector.
   *
   * @param input of this rank
   * @return a new tensor
   */
  public Tensor allGather(Tensor input) {
    return allGather(input, null);
  }

  /**
   * The same into a tensor that is there.
   *
   * @param input of this rank
   * @param out null, or what is written
   * @return the result
   */
  public Tensor allGather(Tensor input, @Nullable Tensor out) {
    return collective(input, out, NativeComm::commAllGather);
  }

  /**
   * This rank's part of the reduction; parts divide the first dimension.
   *
   * @param input of this rank; its first dimension is a multiple of the number of ranks
   * @param reduction as of {@link #allReduce(Tensor, ReduceOp)}
   * @return a new tensor
   */
  public Tensor reduceScatter(Tensor input, ReduceOp reduction) {
    return reduceScatter(input, reduction, null);
  }

  /**
   * The same into a tensor that is there.
   *
   * @param input of this rank; its first dimension is a multiple of the number of ranks
   * @param reduction as of {@link #allReduce(Tensor, ReduceOp)}
   * @param out null, or what is written
   * @return the result
   */
  public Tensor reduceScatter(Tensor input, ReduceOp reduction, @Nullable Tensor out) {
    Objects.requireNonNull(reduction, "reduction");
    return collective(input, out, (comm, from, to) -> NativeComm.commReduceScatter(comm, from, reduction, to));
  }

  /**
   * The reduction of all ranks' inputs, on one rank.
   *
   * @param input of this rank
   * @param reduction as of {@link #allReduce(Tensor, ReduceOp)}
   * @param root the rank that gets the result
   * @return a new tensor there, null on the others
   */
  public @Nullable Tensor reduce(Tensor input, ReduceOp reduction, int root) {
    return reduce(input, reduction, root, null);
  }

  /**
   * The same into a tensor that is there.
   *
   * @param input of this rank
   * @param reduction as of {@link #allReduce(Tensor, ReduceOp)}
   * @param root the rank that gets the result
   * @param out null, or what is written there, and untouched on the others; it may be the input
   * @return the result there; on the others {@code out}
   */
  public @Nullable Tensor reduce(Tensor input, ReduceOp reduction, int root, @Nullable Tensor out) {
    Objects.requireNonNull(reduction, "reduction");
    return collective(input, out, (comm, from, to) -> NativeComm.commReduce(comm, from, reduction, root, to));
  }

  /**
   * Part i of the input, along the first dimension, goes to rank i; the parts that come, in the order of ranks.
   *
   * @param input of this rank; its first dimension is a multiple of the number of ranks
   * @return a new tensor
   */
  public Tensor allToAll(Tensor input) {
    return allToAll(input, null);
  }

  /**
   * The same into a tensor that is there.
   *
   * @param input of this rank; its first dimension is a multiple of the number of ranks
   * @param out null, or what is written; not the input
   * @return the result
   */
  public Tensor allToAll(Tensor input, @Nullable Tensor out) {
    return collective(input, out, NativeComm::commAllToAll);
  }

  private interface OneTensor {
    void call(long comm, long tensor);
  }

  private void collective(Tensor tensor, OneTensor call) {
    Objects.requireNonNull(tensor, "tensor");
    final Uses uses = use(this, tensor);
    try {
      call.call(address(), tensor.address());
    } finally {
      uses.end();
    }
  }

  /**
   * The tensor becomes what it is on one rank.
   *
   * @param tensor read there, written on the others
   * @param root that rank
   */
  public void broadcast(Tensor tensor, int root) {
    collective(tensor, (comm, address) -> NativeComm.commBroadcast(comm, address, root));
  }

  /**
   * Sends the contents of a tensor to a rank, which must receive as many elements of the dtype.
   *
   * @param tensor what is sent
   * @param peer that rank
   */
  public void send(Tensor tensor, int peer) {
    collective(tensor, (comm, address) -> NativeComm.commSend(comm, address, peer));
  }

  /**
   * The tensor becomes what a rank sends.
   *
   * @param tensor what is written
   * @param peer that rank
   */
  public void receive(Tensor tensor, int peer) {
    collective(tensor, (comm, address) -> NativeComm.commReceive(comm, address, peer));
  }

  /** A collective without data: done when every rank's is. {@link #await()} waits for it. */
  public void barrier() {
    final long address = acquire();
    try {
      NativeComm.commBarrier(address);
    } finally {
      release();
    }
  }

  /**
   * What the function submits on this end is one task, whose parts run together: sends and receives that cross need it. What one of them
   * writes, no other may use. If the function throws, none of them is submitted.
   *
   * <pre>{@code
   * end.group(() -> {
   *   end.send(mine, neighbour);
   *   end.receive(theirs, neighbour);
   * });
   * }</pre>
   *
   * @param calls the collectives
   * @throws InvalidStateException inside another group of this end, or in a virtual thread
   */
  public void group(Runnable calls) {
    Objects.requireNonNull(calls, "calls");
    VirtualThreads.refuse("group of collectives");
    final ThreadState state = ThreadState.current();
    final long address = acquire();
    try {
      NativeComm.commGroupBegin(address);
      ++state.calls; // closing inside must not wait for this use
      try {
        calls.run();
      } catch (Throwable e) {
        drop(address);
        throw e;
      } finally {
        --state.calls;
      }
      NativeComm.commGroupEnd(address);
    } finally {
      release();
    }
  }

  /** Ends a group of which nothing is to be submitted: a call that fails sees to that. */
  private static void drop(long address) {
    try {
      NativeComm.commSend(address, 0, 0);
    } catch (RondoException meant) {
      try {
        NativeComm.commGroupEnd(address);
      } catch (RondoException e) {
        return; // the same
      }
    }
  }

  @Override
  public String toString() {
    return isClosed() ? "Comm[closed]" : info().toString();
  }
}
