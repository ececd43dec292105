// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Logger;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;

/**
 * Which connections are open, what each waits for, and how many there may be. A connection has a limited time for the header of a request, from its
 * beginning for the first one and from the first byte for those that follow; where there are as many as there may be, the next one gets status 503.
 */
final class Connections {
  private static final Logger LOG = Logger.getLogger("dev.rondo.examples.service");
  private static final long NEVER = Long.MAX_VALUE;
  private static final Duration BETWEEN_LINES = Duration.ofMinutes(1);
  private static final byte[] BODY = "{\"error\":\"too many connections are open\"}".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] FULL = ("HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nRetry-After: 1\r\nConnection: close\r\n"
      + "Content-Length: " + BODY.length + "\r\n\r\n" + new String(BODY, StandardCharsets.US_ASCII)).getBytes(StandardCharsets.US_ASCII);

  private final int most;
  private final Duration headers;
  private final AtomicInteger open = new AtomicInteger();
  private final Map<EndPoint, Waiting> waiting = new ConcurrentHashMap<>();
  private final Map<Connection, Boolean> busy = new ConcurrentHashMap<>(); // with a request that the bridge has
  private final Line refused = new Line();
  private final Line late = new Line();

  /** Since when a header is on its way (NEVER: none is), and how many bytes had come before it. */
  private record Waiting(long since, long bytes) {}

  /** A line of the log at most once a minute, with a count. */
  private static final class Line {
    private final AtomicLong count = new AtomicLong();
    private final AtomicLong next = new AtomicLong(System.nanoTime());

    void say(String format, Object... arguments) {
      count.incrementAndGet();
      final long due = next.get();
      final long now = System.nanoTime();
      if (now - due >= 0 && next.compareAndSet(due, now + BETWEEN_LINES.toNanos())) {
        final long times = count.getAndSet(0);
        LOG.warning(() -> String.format(Locale.ROOT, format, arguments) + (times > 1 ? " (" + times + " times since the last such line)" : ""));
      }
    }
  }

  /**
   * Makes it.
   *
   * @param most connections that may be open at a time
   * @param headers how long the header of a request may take
   */
  Connections(int most, Duration headers) {
    this.most = most;
    this.headers = headers;
  }

  /** Whether a connection may be had; where not, it is told so and closed. */
  boolean admit(SocketChannel channel) throws IOException {
    if (open.get() < most) {
      return true;
    }
    refused.say("connections are refused: %d are open (--connections)", most);
    try (channel) {
      channel.configureBlocking(false);
      channel.write(ByteBuffer.wrap(FULL));
      channel.shutdownOutput();
    }
    return false;
  }

  void opened(EndPoint each) {
    open.incrementAndGet();
    waiting.put(each, new Waiting(System.nanoTime(), 0));
  }

  void closed(EndPoint each) {
    if (waiting.remove(each) != null) {
      open.decrementAndGet();
    }
  }

  /** The header of a request is complete. */
  void begin(Connection each) {
    busy.put(each, true);
    waiting.computeIfPresent(each.getEndPoint(), (key, value) -> new Waiting(NEVER, 0));
  }

  /** Its answer is sent, or nobody takes it. */
  void end(Connection each) {
    waiting.computeIfPresent(each.getEndPoint(), (key, value) -> new Waiting(NEVER, each.getBytesIn()));
    busy.remove(each);
  }

  boolean busy(Connection each) {
    return busy.containsKey(each);
  }

  /** Closes connections whose header is late. Called every second, or more often. */
  void sweep() {
    final long now = System.nanoTime();
    waiting.forEach((point, state) -> {
      final Connection connection = point.getConnection();
      if (connection == null || busy(connection)) {
        return;
      }
      if (state.since() == NEVER) {
        if (connection.getBytesIn() > state.bytes()) {
          waiting.replace(point, state, new Waiting(now, state.bytes()));
        }
      } else if (now - state.since() > headers.toNanos()) {
        late.say("connections are closed: a request's header did not come within %d ms", headers.toMillis());
        point.close();
      }
    });
  }
}
