// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

/**
 * While it is open, no tape of its thread notes operators: their results are constants.
 *
 * <pre>{@code
 * try (NoGradients constants = NoGradients.open()) {
 *   target = network(x);
 * }
 * }</pre>
 *
 * <p>They nest. Each is closed by the thread that opened it.
 */
public final class NoGradients implements AutoCloseable {
  private final Thread thread = Thread.currentThread();
  private boolean closed;

  private NoGradients() {
    NativeTape.tapePause();
  }

  /**
   * Pauses the tapes of the calling thread.
   *
   * @return what resumes them when it is closed
   * @throws InvalidStateException in a virtual thread
   */
  public static NoGradients open() {
    VirtualThreads.refuse("pause of tapes");
    NativeLibrary.load();
    return new NoGradients();
  }

  /**
   * Resumes the tapes, unless another one is still open. Closing twice does nothing.
   *
   * @throws InvalidStateException in another thread
   */
  @Override
  public void close() {
    if (Thread.currentThread() != thread) {
      throw new InvalidStateException("this pause of tapes belongs to the thread " + thread.getName(), null);
    }
    if (!closed) {
      closed = true;
      NativeTape.tapeResume();
    }
  }
}
