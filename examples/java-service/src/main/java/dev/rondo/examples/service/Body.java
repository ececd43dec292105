// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.logging.Logger;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.thread.Invocable;
import org.eclipse.jetty.util.thread.Scheduler;

/** Receives the body of a request as it comes, in memory that all bodies share. */
final class Body implements Invocable.Task {
  private static final Logger LOG = Logger.getLogger("dev.rondo.examples.service");
  private static final int FIRST = 4096; // bytes for a body that does not say how long it is

  private final Request request;
  private final Bodies bodies;
  private final int longest;
  private final Scheduler.Task deadline;
  private final CompletableFuture<byte[]> all = new CompletableFuture<>();
  private byte[] bytes = {};
  private int length;

  /**
   * Begins to receive.
   *
   * @param request its length is at most this, or unknown
   * @param bodies have the memory
   * @param longest bytes that it may have
   */
  Body(Request request, Bodies bodies, int longest) {
    this.request = request;
    this.bodies = bodies;
    this.longest = longest;
    deadline = deadline(request, bodies.patience(Math.max(request.getLength(), 0)));
  }

  /** From now on: a body that is not here by then fails. */
  static Scheduler.Task deadline(Request request, Duration patience) {
    return request.getComponents().getScheduler().schedule(() -> request.fail(new TimeoutException("it takes too long")), patience.toMillis(),
        TimeUnit.MILLISECONDS);
  }

  /** All bytes; or fails with {@link Api.RefusedException}. */
  CompletableFuture<byte[]> receive() {
    final long said = request.getLength();
    if (said > longest) { // known before it comes
      end(tooLong());
    } else if (!grow(said < 0 ? FIRST : (int) said)) {
      end(full());
    } else {
      run();
    }
    return all;
  }

  /** Gives the memory back. The bytes are not used any more. */
  void release() {
    bodies.give(bytes.length);
    bytes = new byte[0];
  }

  @Override
  public InvocationType getInvocationType() {
    return InvocationType.NON_BLOCKING;
  }

  /** Takes what is there. */
  @Override
  public void run() {
    for (Content.Chunk chunk = request.read(); !all.isDone(); chunk = request.read()) {
      if (chunk == null) {
        request.demand(this);
        return;
      }
      if (Content.Chunk.isFailure(chunk)) {
        end(cutShort(chunk.getFailure()));
        return;
      }
      final Api.RefusedException refused = put(chunk.getByteBuffer());
      final boolean last = chunk.isLast();
      chunk.release();
      if (refused != null || last) {
        end(refused);
        return;
      }
    }
  }

  private Api.RefusedException put(ByteBuffer chunk) {
    final int count = chunk.remaining();
    if (count > longest - length) {
      return tooLong();
    }
    if (length + count > bytes.length && !grow(Math.min(longest, Math.max(2 * bytes.length, length + count)))) {
      return full();
    }
    chunk.get(bytes, length, count);
    length += count;
    return null;
  }

  private boolean grow(int size) {
    if (!bodies.take(size)) {
      return false;
    }
    final int before = bytes.length;
    bytes = Arrays.copyOf(bytes, size);
    bodies.give(before);
    return true;
  }

  private void end(Api.RefusedException refused) {
    deadline.cancel();
    if (refused != null) {
      all.completeExceptionally(refused);
    } else {
      all.complete(length == bytes.length ? bytes : Arrays.copyOf(bytes, length));
    }
  }

  private Api.RefusedException tooLong() {
    return new Api.RefusedException(413, "the body is longer than " + longest + " bytes");
  }

  private Api.RefusedException full() {
    return new Api.RefusedException(503, "bodies of other requests fill the memory for them, " + bodies.bound() + " bytes");
  }

  /** Is the one line that the log has of it. */
  private Api.RefusedException cutShort(Throwable failure) {
    final boolean late = failure instanceof TimeoutException;
    final String count = length + (request.getLength() < 0 ? "" : " of " + request.getLength());
    final String came = "the body is cut short: " + count + " bytes came" + (late ? " in time" : "");
    LOG.info(() -> "POST " + Request.getPathInContext(request) + " from " + Request.getRemoteAddr(request) + ": " + came);
    return new Api.RefusedException(late ? 408 : 400, came);
  }
}
