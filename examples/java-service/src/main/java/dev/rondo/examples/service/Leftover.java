// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import java.time.Duration;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * What is left of a body when its request is answered already: it is dropped as it comes. The system resets a connection that is closed
 * while bytes are unread, and a visitor who is still sending loses the answer.
 */
final class Leftover implements Callback {
  private static final int AT_ONCE = 16; // chunks that are dropped before the answer
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final Request request;
  private final Callback callback;
  private Scheduler.Task deadline;

  /**
   * Makes it.
   *
   * @param callback is completed when nothing is left, or nobody waits any longer
   */
  Leftover(Request request, Callback callback) {
    this.request = request;
    this.callback = callback;
  }

  /** Drops what is here by now; returns whether that was the end of it. */
  boolean dropAvailable() {
    for (int i = 0; i < AT_ONCE; ++i) {
      final Content.Chunk chunk = request.read();
      if (chunk == null || Content.Chunk.isFailure(chunk)) {
        return false;
      }
      chunk.release();
      if (chunk.isLast()) {
        return true;
      }
    }
    return false;
  }

  /** The answer is sent. */
  @Override
  public void succeeded() {
    deadline = Body.deadline(request, PATIENCE);
    drop();
  }

  /** The answer can't be sent. */
  @Override
  public void failed(Throwable thrown) {
    callback.failed(thrown);
  }

  @Override
  public InvocationType getInvocationType() {
    return InvocationType.NON_BLOCKING;
  }

  private void drop() {
    for (Content.Chunk chunk = request.read(); chunk != null; chunk = request.read()) {
      if (Content.Chunk.isFailure(chunk) || chunk.isLast()) {
        chunk.release();
        deadline.cancel();
        callback.succeeded();
        return;
      }
      chunk.release();
    }
    request.demand(Invocable.from(InvocationType.NON_BLOCKING, this::drop));
  }
}
