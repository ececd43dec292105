// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import java.nio.ByteBuffer;
import java.time.Duration;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Promise;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** Brings requests to the {@link Api}: no thread waits for a request's body, for its answer, or for a slow visitor. */
final class JettyServer {
  private final Server server;
  private final ServerConnector connector;

  JettyServer(Api api, String host, int port, QueuedThreadPool threads, Duration stopTimeout) throws Exception {
    server = new Server(threads);
    final HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    connector = new ServerConnector(server, new HttpConnectionFactory(http));
    connector.setHost(host);
    connector.setPort(port);
    connector.setAcceptQueueSize(16384);
    server.addConnector(connector);
    server.setHandler(new GracefulHandler(new Bridge(api)));
    server.setStopTimeout(stopTimeout.toMillis());
    server.start();
  }

  int port() {
    return connector.getLocalPort();
  }

  /** Accepts no more, waits for requests that came in to be answered, then closes. */
  void stop() throws Exception {
    server.stop();
  }

  private static final class Bridge extends Handler.Abstract.NonBlocking {
    private final Api api;

    Bridge(Api api) {
      this.api = api;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
      if (request.getLength() > api.longestBody()) { // known before it comes
        reply(request, null, response, callback);
        return true;
      }
      Content.Source.asByteArrayAsync(request, api.longestBody(), Promise.Invocable.from(getInvocationType(), (body, thrown) -> {
        if (thrown != null && !(thrown instanceof IllegalStateException)) {
          callback.failed(thrown); // the visitor is gone
        } else {
          reply(request, body, response, callback);
        }
      }));
      return true;
    }

    private void reply(Request request, byte[] body, Response response, Callback callback) {
      api.answer(request.getMethod(), Request.getPathInContext(request), body).thenAccept(reply -> {
        response.setStatus(reply.status());
        response.getHeaders().put(HttpHeader.CONTENT_TYPE, reply.type());
        reply.headers().forEach((name, value) -> response.getHeaders().put(name, value));
        response.getHeaders().put(HttpHeader.CONTENT_LENGTH, reply.body().length);
        response.write(true, ByteBuffer.wrap(reply.body()), callback);
      });
    }
  }
}
