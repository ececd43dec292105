// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;

/** The JDK's own server in place of Jetty: a thread of the executor waits for each body and each visitor. */
final class JdkServer {
  private final HttpServer server;
  private final Api api;

  JdkServer(Api api, String host, int port, ExecutorService executor) throws IOException {
    System.setProperty("sun.net.httpserver.nodelay", "true"); // else each answer waits for the visitor's acknowledgement
    System.setProperty("sun.net.httpserver.maxIdleConnections", "20000");
    this.api = api;
    server = HttpServer.create(new InetSocketAddress(host, port), 16384);
    server.setExecutor(executor);
    server.createContext("/", this::handle);
    server.start();
  }

  int port() {
    return server.getAddress().getPort();
  }

  private void handle(HttpExchange exchange) throws IOException {
    final String path = exchange.getRequestURI().getPath();
    final int longest = api.longestBody(exchange.getRequestMethod(), path);
    final byte[] body = exchange.getRequestBody().readNBytes(longest + 1);
    api.answer(exchange.getRequestMethod(), path, longest > 0 && body.length > longest
        ? CompletableFuture.failedFuture(new Api.RefusedException(413, "the body is longer than " + longest + " bytes"))
        : CompletableFuture.completedFuture(body)).thenAccept(reply -> send(exchange, reply));
  }

  private static void send(HttpExchange exchange, Api.Reply reply) {
    try (exchange) {
      exchange.getResponseHeaders().set("Content-Type", reply.type());
      reply.headers().forEach(exchange.getResponseHeaders()::set);
      exchange.sendResponseHeaders(reply.status(), reply.body().length);
      exchange.getResponseBody().write(reply.body());
    } catch (IOException e) {
      // The visitor is gone.
    }
  }
}
