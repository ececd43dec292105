// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.GracefulHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** Brings requests to the {@link Api}: no thread waits for a request's body, for its answer, or for a slow visitor. */
final class JettyServer {
  private static final int SHORTER = 6; // how much less patience there is, when the server stops, with a request that is not complete
  private static final Duration IDLE = Duration.ofMillis(200); // of a connection without a request then; one that is on its way comes in

  private final Server server;
  private final ServerConnector connector;

  JettyServer(Api api, Bodies bodies, String host, int port, QueuedThreadPool threads, Duration stopTimeout) throws Exception {
    server = new Server(threads);
    final HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setHttpCompliance(HttpCompliance.STRICT); // what a proxy before it may read in another way is refused: a line that ends without CR
    http.setIdleTimeout(bodies.patience(0).toMillis()); // of a request; the connector's own is of a connection without one
    final Set<Connection> busy = ConcurrentHashMap.newKeySet();
    connector = new Connector(server, new HttpConnectionFactory(http), busy);
    connector.setHost(host);
    connector.setPort(port);
    connector.setAcceptQueueSize(16384);
    connector.setShutdownIdleTimeout(bodies.patience(0).toMillis() / SHORTER);
    server.addConnector(connector);
    server.setHandler(new GracefulHandler(new Bridge(api, bodies, busy)));
    server.setErrorHandler(new Errors(api));
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

  /** Its end does not wait for connections that visitors keep for requests to come. */
  private static final class Connector extends ServerConnector {
    private final Set<Connection> busy; // with a request that the bridge has

    Connector(Server server, HttpConnectionFactory http, Set<Connection> busy) {
      super(server, http);
      this.busy = busy;
    }

    @Override
    public CompletableFuture<Void> shutdown() {
      final CompletableFuture<Void> done = super.shutdown();
      for (final EndPoint each : getConnectedEndPoints()) {
        final Connection connection = each.getConnection();
        // More go out than come in where a visitor was told to go on with its body; more come in while the bridge is about to hear of one.
        if (connection != null && !busy.contains(connection) && connection.getMessagesIn() <= connection.getMessagesOut()) {
          each.setIdleTimeout(IDLE.toMillis());
        }
      }
      return done;
    }
  }

  private static final class Bridge extends Handler.Abstract.NonBlocking {
    private final Api api;
    private final Bodies bodies;
    private final Set<Connection> busy;

    Bridge(Api api, Bodies bodies, Set<Connection> busy) {
      this.api = api;
      this.bodies = bodies;
      this.busy = busy;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
      final Connection connection = request.getConnectionMetaData().getConnection();
      busy.add(connection);
      Request.addCompletionListener(request, thrown -> busy.remove(connection));
      request.addIdleTimeoutListener(timeout -> false); // silent while it waits for its answer: the visitor did all that is asked of it
      final String method = request.getMethod();
      final String path = Request.getPathInContext(request);
      final int longest = api.longestBody(method, path);
      if (longest == 0) { // nobody reads it
        api.answer(method, path, CompletableFuture.completedFuture(new byte[0])).thenAccept(reply -> Errors.put(reply, request, response, callback));
        return true;
      }
      final Body body = new Body(request, bodies, longest);
      final Callback released = Callback.from(callback, body::release); // an answer that nobody takes keeps it, too
      api.answer(method, path, body.receive()).thenAccept(reply -> Errors.put(reply, request, response, released));
      return true;
    }
  }
}
