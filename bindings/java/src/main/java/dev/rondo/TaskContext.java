// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.nio.ByteBuffer;

/** What a task may ask about its run, in its thread, while it runs. */
public final class TaskContext {
  private long address; // 0 when the task has ended
  private final Thread thread = Thread.currentThread();

  TaskContext(long address) {
    this.address = address;
  }

  void end() {
    address = 0;
  }

  private long address() {
    if (address == 0 || Thread.currentThread() != thread) {
      throw new InvalidStateException("a task's context is valid in the task's thread while the task runs", null);
    }
    return address;
  }

  /**
   * The native stream of a task on a CUDA device, a {@code CUstream}.
   *
   * @return its address; 0 on the cpu
   */
  public long stream() {
    return NativeEngine.taskStream(address());
  }

  /**
   * The device the task runs on.
   *
   * @return the device
   */
  public Device device() {
    return NativeEngine.taskDevice(address());
  }

  /**
   * Whether the task is being captured into a CUDA graph. It must then only enqueue work that can be captured.
   *
   * @return true if so
   */
  public boolean isCapturing() {
    return NativeEngine.taskIsCapturing(address()) != 0;
  }

  /**
   * Where a tensor's first element lies, in the address space of its device. The task must have been submitted with the tensor.
   *
   * @param tensor the tensor
   * @return the address
   */
  public long address(Tensor tensor) {
    address();
    return tensor.data();
  }

  /**
   * A tensor's memory on the cpu. The task must have been submitted with the tensor, and must not use the buffer after it has
   * ended.
   *
   * @param tensor a contiguous tensor on the cpu, of at most 2 GiB
   * @return its elements in native byte order
   */
  public ByteBuffer buffer(Tensor tensor) {
    address();
    final TensorInfo info = tensor.info();
    if (info.device().kind() != DeviceKind.CPU || !info.contiguous() || info.bytes() > Integer.MAX_VALUE) {
      throw new InvalidArgumentException("a contiguous tensor on the cpu of at most 2 GiB is needed, not one on " + info.device() + " of "
          + info.bytes() + " bytes" + (info.contiguous() ? "" : ", a view with gaps"), null);
    }
    return Memory.buffer(tensor.data(), info.bytes());
  }

  void fail(String message) {
    NativeEngine.taskFail(address(), message.replace('\0', '?'));
  }
}
