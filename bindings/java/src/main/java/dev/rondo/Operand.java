// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** A tensor that a task reads or writes, as {@link TaskContext#input} and {@link TaskContext#output} give it while the task runs. */
public final class Operand {
  private final long address;
  private final TensorInfo info;
  private final boolean onHost;
  private final boolean writable;

  Operand(long address, TensorInfo info, boolean onHost, boolean writable) {
    this.address = address;
    this.info = info;
    this.onHost = onHost;
    this.writable = writable;
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
   * The memory, which must not be used after the task has ended. What the task only reads is read-only.
   *
   * @return the elements in native byte order
   * @throws InvalidArgumentException unless the task runs on the cpu, and the tensor is a contiguous one there of at most 2 GiB
   */
  public ByteBuffer buffer() {
    if (!onHost || info.device().kind() != DeviceKind.CPU || !info.contiguous() || info.bytes() > Integer.MAX_VALUE) {
      throw new InvalidArgumentException("a task and a contiguous tensor on the cpu of at most 2 GiB are needed, not a tensor on "
          + info.device() + " of " + info.bytes() + " bytes" + (info.contiguous() ? "" : ", a view with gaps")
          + (onHost ? "" : ", in a task that issues work of a device"), null);
    }
    if (info.bytes() == 0) {
      return ByteBuffer.allocateDirect(0);
    }
    final ByteBuffer buffer = Memory.buffer(address, info.bytes());
    return writable ? buffer : buffer.asReadOnlyBuffer().order(ByteOrder.nativeOrder());
  }
}
