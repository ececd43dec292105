// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

/** Where native threads enter Java for an exchange of the user. What it throws ends here. */
final class Exchanges {
  private Exchanges() {}

  static long create(long engine, Device device, int rank, int ranks, Exchange exchange, CommOptions options) {
    if (options.rank() != 0 || options.ranks() != 0 || options.address() != null || options.secret() != null) {
      throw new InvalidArgumentException("Comm.create: options: rank, ranks, address and secret must not be set; the exchange says them", null);
    }
    return create0(engine, device.kind().value(), device.index(), rank, ranks, exchange, Memory.bytes(options.name()), options.timeLimitMs(),
        options.maxBlocks());
  }

  static boolean stopped(long step) {
    return stopped0(step);
  }

  /** Does a step. Called by the native part, in any thread; returns a status. */
  static int run(Exchange exchange, long address, int channel, long[] messages, int sends) {
    final ThreadState state = ThreadState.current();
    final ExchangeStep step = new ExchangeStep(address, channel, messages, sends);
    final Scope scope = state.scope;
    state.scope = null; // what it makes is no business of a scope around the creation
    ++state.calls;
    try {
      exchange.run(step);
      return Status.OK.value();
    } catch (Throwable e) { // whatever it is, it must not go on into C
      why0(address, Memory.bytes(Tasks.textOf(e)));
      return e instanceof RondoException ? ((RondoException) e).status().value() : Status.USER_ERROR.value();
    } finally {
      --state.calls;
      state.scope = scope;
      step.end();
    }
  }

  private static native long create0(long engine, int kind, int index, int rank, int ranks, Exchange exchange, byte[] name, long timeLimitMs,
      long maxBlocks);

  private static native boolean stopped0(long step);

  private static native void why0(long step, byte[] why);
}
