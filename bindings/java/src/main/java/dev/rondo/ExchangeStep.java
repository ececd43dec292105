// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What an {@link Exchange} does at a time. It is valid until the function returns, in the threads that the function uses too. */
public final class ExchangeStep {
  private static final int NUMBERS = 3; // of a message: rank, address, bytes

  private long address; // 0 when the step is over; guarded by this
  private final int channel;
  private final List<Message> sends = new ArrayList<>();
  private final List<Message> receives = new ArrayList<>();
  private final Lending lending = new Lending("this step of an exchange is over");

  ExchangeStep(long address, int channel, long[] messages, int sends) {
    this.address = address;
    this.channel = channel;
    for (int i = 0; i < messages.length; i += NUMBERS) {
      final boolean sent = i < sends * NUMBERS;
      (sent ? this.sends : receives).add(new Message((int) messages[i], messages[i + 1], messages[i + 2], sent));
    }
  }

  void end() {
    synchronized (this) {
      address = 0;
    }
    lending.end();
  }

  private synchronized long address() {
    if (address == 0) {
      throw new InvalidStateException("this step of an exchange is over", null);
    }
    return address;
  }

  /**
   * Steps of other channels may be under way at the same time, and do not meet this one's.
   *
   * @return a number from 0
   */
  public int channel() {
    return channel;
  }

  /**
   * What this rank sends.
   *
   * @return the messages
   */
  public List<Message> sends() {
    return Collections.unmodifiableList(sends);
  }

  /**
   * What this rank receives.
   *
   * @return the messages, whose buffers are to be filled
   */
  public List<Message> receives() {
    return Collections.unmodifiableList(receives);
  }

  /**
   * Whether the function is to give up and throw: the group has failed, or the time limit is over. Ask now and then while it waits.
   *
   * @return true if so
   */
  public synchronized boolean stopped() {
    return Exchanges.stopped(address());
  }

  /** Bytes to or from another rank. */
  public final class Message {
    private final int rank;
    private final long data;
    private final long bytes;
    private final boolean sent;

    private Message(int rank, long data, long bytes, boolean sent) {
      this.rank = rank;
      this.data = data;
      this.bytes = bytes;
      this.sent = sent;
    }

    /**
     * Where they go to, or come from.
     *
     * @return the rank
     */
    public int rank() {
      return rank;
    }

    /**
     * How many they are.
     *
     * @return the number; 0 is possible
     */
    public long bytes() {
      return bytes;
    }

    /**
     * All of them. The memory is Rondo's again when the function returns, as that of {@link Operand#buffer()}.
     *
     * @return a buffer, read-only if they are sent
     * @throws UnsupportedException for more than a buffer holds, 2 GiB
     */
    public ByteBuffer buffer() {
      if (bytes > Integer.MAX_VALUE) {
        throw new UnsupportedException("a message of " + bytes + " bytes is more than a ByteBuffer holds; take it in pieces: buffer(offset, bytes)",
            null);
      }
      return buffer(0, (int) bytes);
    }

    /**
     * Some of them, as {@link #buffer()}.
     *
     * @param offset where they begin
     * @param length how many
     * @return a buffer, read-only if they are sent
     * @throws InvalidArgumentException beyond the message
     */
    public ByteBuffer buffer(long offset, int length) {
      address();
      if (offset < 0 || length < 0 || offset > bytes - length) {
        throw new InvalidArgumentException("bytes " + offset + " to " + (offset + length) + " of a message that has " + bytes, null);
      }
      return lending.lend(data + offset, length, !sent);
    }
  }
}
