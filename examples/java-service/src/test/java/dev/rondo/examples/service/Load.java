// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/**
 * Many requests at the same time, each on a connection of its own, from one thread. All are begun before any is complete: the last
 * byte of each is kept back until the last connection stands.
 */
final class Load implements AutoCloseable {
  private static final int OPENING = 500; // connections that are being opened at a time: the system's list of them is short
  private static final long NANOS = TimeUnit.SECONDS.toNanos(60);

  private final Selector selector = Selector.open();
  private final List<Exchange> exchanges = new ArrayList<>();

  /** A request and what came back. */
  private static final class Exchange {
    final SocketChannel channel;
    ByteBuffer request; // what is to be sent now
    byte[] reply = new byte[512];
    int length;
    boolean done;

    Exchange(SocketChannel channel, byte[] request) {
      this.channel = channel;
      this.request = ByteBuffer.wrap(request).limit(request.length - 1);
    }

    private String text() {
      return new String(reply, 0, length, StandardCharsets.ISO_8859_1);
    }

    /** Whether the answer is there, by its Content-Length. */
    private boolean complete() {
      final String text = text();
      final int header = text.indexOf("\r\n\r\n");
      final int field = text.toLowerCase(Locale.ROOT).indexOf("content-length:");
      return header >= 0 && field >= 0 && length >= header + 4 + Integer.parseInt(text.substring(field + 15, text.indexOf('\r', field)).trim());
    }
  }

  /** A status and a body; status 0: the connection ended before. */
  record Reply(int status, String body) {}

  /**
   * Opens the connections and sends all but the last byte of each request.
   *
   * @param port of the service, on this machine
   * @param count how many
   * @param bodies the body of each
   */
  Load(int port, int count, IntFunction<String> bodies) throws IOException {
    final var address = new InetSocketAddress("127.0.0.1", port);
    for (int i = 0; i < count; ++i) {
      final byte[] body = bodies.apply(i).getBytes(StandardCharsets.UTF_8);
      final byte[] header = ("POST /classify HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " + body.length
          + "\r\n\r\n").getBytes(StandardCharsets.UTF_8);
      final byte[] request = Arrays.copyOf(header, header.length + body.length);
      System.arraycopy(body, 0, request, header.length, body.length);
      final SocketChannel channel = SocketChannel.open();
      channel.configureBlocking(false);
      exchanges.add(new Exchange(channel, request));
      channel.register(selector, SelectionKey.OP_CONNECT, exchanges.get(i));
      channel.connect(address);
      if (i % OPENING == OPENING - 1) {
        until(SelectionKey.OP_READ);
      }
    }
    until(SelectionKey.OP_READ);
  }

  /** Sends the last bytes and waits for all answers. */
  List<Reply> finish() throws IOException {
    for (final Exchange each : exchanges) {
      if (!each.done) {
        each.request.limit(each.request.capacity());
        each.channel.keyFor(selector).interestOps(SelectionKey.OP_WRITE);
      }
    }
    until(0);
    final List<Reply> replies = new ArrayList<>();
    for (final Exchange each : exchanges) {
      final String text = each.text();
      replies.add(each.length == 0 ? new Reply(0, "") : new Reply(Integer.parseInt(text.substring(9, 12)), text.substring(text.indexOf("\r\n\r\n") + 4)));
    }
    return replies;
  }

  /** Goes on until every exchange waits for this, or is done. */
  private void until(int operation) throws IOException {
    final long end = System.nanoTime() + NANOS;
    long left = exchanges.stream().filter(each -> !each.done && each.channel.keyFor(selector).interestOps() != operation).count();
    while (left > 0) {
      if (System.nanoTime() > end) {
        throw new IOException(left + " of " + exchanges.size() + " requests stand still");
      }
      selector.select(1000);
      for (final SelectionKey key : selector.selectedKeys()) {
        final boolean waited = key.interestOps() == operation;
        final Exchange exchange = (Exchange) key.attachment();
        step(key, exchange);
        if (!waited && (exchange.done || key.interestOps() == operation)) {
          --left;
        }
      }
      selector.selectedKeys().clear();
    }
  }

  private static void step(SelectionKey key, Exchange exchange) {
    try {
      if (key.isConnectable() && exchange.channel.finishConnect()) {
        key.interestOps(SelectionKey.OP_WRITE);
      } else if (key.isWritable()) {
        exchange.channel.write(exchange.request);
        if (!exchange.request.hasRemaining()) {
          key.interestOps(SelectionKey.OP_READ);
        }
      } else if (key.isReadable()) {
        if (exchange.length == exchange.reply.length) {
          exchange.reply = Arrays.copyOf(exchange.reply, 2 * exchange.length);
        }
        final int read = exchange.channel.read(ByteBuffer.wrap(exchange.reply, exchange.length, exchange.reply.length - exchange.length));
        exchange.length += Math.max(read, 0);
        if (read < 0 || exchange.complete()) {
          end(key, exchange);
        }
      }
    } catch (IOException e) {
      end(key, exchange);
    }
  }

  private static void end(SelectionKey key, Exchange exchange) {
    exchange.done = true;
    key.cancel();
  }

  @Override
  public void close() throws IOException {
    for (final Exchange each : exchanges) {
      each.channel.close();
    }
    selector.close();
  }
}
