// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.nio.ByteBuffer;

/** A tensor that a task reads or writes, as {@link TaskContext#input} and {@link TaskContext#output} give it while the task runs. */
public final class Operand {
  private final long address;
  private final TensorInfo info;
  private final boolean onHost;
  private final boolean writable;
  private final Lending lending;

  Operand(long address, TensorInfo info, boolean onHost, boolean writable, Lending lending) {
    this.address = address;
    this.info = info;
    this.onHost = onHost;
    this.writable = writable;
    this.lending = lending;
  }

  /**
   * Where the first element lies, in the address space of the tensor's device: what a kernel on {@link TaskContext#stream()} takes.
   *
   * @return the address
   */
  public long address() {
    return address;
  }

  /**
   * Dtype, device, shape and strides of the tensor that the task was given.
   *
   * @return the facts
   */
  public TensorInfo info() {
    return info;
  }

  /**
   * The memory, until the task ends; every call gives the same. What the task only reads is read-only. From Java 22 on the buffer is direct,
   * and its use after the task throws {@link IllegalStateException}. Before, it is a copy in Java's heap, which the task's end writes back
   * unless the task only reads; what is done with it afterwards reaches no tensor.
   *
   * @return the elements in native byte order
   * @throws InvalidStateException if the task has ended
   * @throws InvalidArgumentException unless the task runs on the cpu, and the tensor is a contiguous one there of at most 2 GiB
   */
  public ByteBuffer buffer() {
    if (!onHost || info.device().kind() != DeviceKind.CPU || !info.contiguous() || info.bytes() > Integer.MAX_VALUE) {
      throw new InvalidArgumentException("a task and a contiguous tensor on the cpu of at most 2 GiB are needed, not a tensor on "
          + info.device() + " of " + info.bytes() + " bytes" + (info.contiguous() ? "" : ", a view with gaps")
          + (onHost ? "" : ", in a task that issues work of a device"), null);
    }
    return lending.lend(address, (int) info.bytes(), writable);
  }
}
