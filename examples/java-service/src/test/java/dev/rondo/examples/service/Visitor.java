// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;

/** A connection on which a test sends what it likes, byte for byte. */
final class Visitor implements AutoCloseable {
  final Socket socket;

  Visitor(int port) throws IOException {
    socket = new Socket("127.0.0.1", port);
    socket.setSoTimeout(60_000);
  }

  /** One that takes few bytes at a time from the system. */
  Visitor(int port, int receiveBuffer) throws IOException {
    socket = new Socket();
    socket.setReceiveBufferSize(receiveBuffer);
    socket.connect(new InetSocketAddress("127.0.0.1", port));
    socket.setSoTimeout(60_000);
  }

  /** The header of a request with a body. */
  static String post(String path, long length, String... more) {
    final StringBuilder header = new StringBuilder("POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + length + "\r\n");
    for (final String each : more) {
      header.append(each).append("\r\n");
    }
    return header.append("\r\n").toString();
  }

  Visitor send(String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    return this;
  }

  /** Sends no more. */
  Visitor end() throws IOException {
    socket.shutdownOutput();
    return this;
  }

  /** Is gone at once, without a word. */
  void reset() throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  /** Sends a text again and again until the service closes; what came meanwhile. */
  String untilClosed(String text, int everyMs) throws IOException, InterruptedException {
    final StringBuilder came = new StringBuilder();
    socket.setSoTimeout(everyMs);
    try {
      while (true) {
        send(text);
        try {
          final int each = socket.getInputStream().read();
          if (each < 0) {
            return came.toString();
          }
          came.append((char) each);
        } catch (SocketTimeoutException nothing) {
          // Not closed yet.
        }
      }
    } catch (SocketException closed) {
      return came.toString();
    }
  }

  /** What comes until there is this text. */
  String until(String text) throws IOException {
    final StringBuilder came = new StringBuilder();
    while (came.indexOf(text) < 0) {
      final int each = socket.getInputStream().read();
      if (each < 0) {
        throw new IOException("the connection ended behind '" + came + "'");
      }
      came.append((char) each);
    }
    return came.toString();
  }

  /** The header of an answer. */
  String header() throws IOException {
    return until("\r\n\r\n");
  }

  /** All that comes until the service closes. */
  String all() throws IOException {
    return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
