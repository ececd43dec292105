// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
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
import org.eclipse.jetty.util.thread.Scheduler;

/** Brings requests to the {@link Api}: no thread waits for a request's body, for its answer, or for a slow visitor. */
final class JettyServer {
  private static final int SHORTER = 6; // how much less patience there is, when the server stops, with a request that is not complete
  private static final Duration IDLE = Duration.ofMillis(200); // of a connection without a request then; one that is on its way comes in

  private final Server server;
  private final ServerConnector connector;

  JettyServer(Api api, Bodies bodies, Connections connections, String host, int port, QueuedThreadPool threads, Duration stopTimeout) throws Exception {
    server = new Server(threads);
    final HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setHttpCompliance(HttpCompliance.STRICT); // what a proxy before it may read in another way is refused: a line that ends without CR
    http.setIdleTimeout(bodies.patience(0).toMillis()); // of a request; the connector's own is of a connection without one
    connector = new Connector(server, new HttpConnectionFactory(http), connections);
    connector.setHost(host);
    connector.setPort(port);
    connector.setAcceptQueueSize(16384);
    connector.setShutdownIdleTimeout(bodies.patience(0).toMillis() / SHORTER);
    server.addConnector(connector);
    server.setHandler(new GracefulHandler(new Bridge(api, bodies, connections)));
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

  /** Takes connections while there may be more, and its end does not wait for those that visitors keep for requests to come. */
  private static final class Connector extends ServerConnector {
    private static final long SWEEP_MS = 250;
    private static final int SEND_BUFFER = 128 << 10; // what an answer has beyond that is counted (Bridge), not the system's

    private final Connections connections;
    private Scheduler.Task sweep;

    Connector(Server server, HttpConnectionFactory http, Connections connections) {
      super(server, http);
      this.connections = connections;
    }

    @Override
    protected void doStart() throws Exception {
      super.doStart();
      sweep();
    }

    @Override
    protected void doStop() throws Exception {
      sweep.cancel();
      super.doStop();
    }

    private void sweep() {
      connections.sweep();
      sweep = getScheduler().schedule(this::sweep, SWEEP_MS, TimeUnit.MILLISECONDS);
    }

    @Override
    public void accept(int acceptor) throws IOException {
      final ServerSocketChannel listening = (ServerSocketChannel) getTransport();
      if (listening != null && listening.isOpen()) {
        final SocketChannel channel = listening.accept();
        if (connections.admit(channel)) {
          channel.configureBlocking(false);
          channel.socket().setTcpNoDelay(getAcceptedTcpNoDelay());
          channel.socket().setSendBufferSize(SEND_BUFFER);
          getSelectorManager().accept(channel);
        }
      }
    }

    @Override
    protected void onEndPointOpened(EndPoint each) {
      connections.opened(each);
      super.onEndPointOpened(each);
    }

    @Override
    protected void onEndPointClosed(EndPoint each) {
      connections.closed(each);
      super.onEndPointClosed(each);
    }

    @Override
    public CompletableFuture<Void> shutdown() {
      final CompletableFuture<Void> done = super.shutdown();
      for (final EndPoint each : getConnectedEndPoints()) {
        final Connection connection = each.getConnection();
        // More go out than come in where a visitor was told to go on with its body; more come in while the bridge is about to hear of one.
        if (connection != null && !connections.busy(connection) && connection.getMessagesIn() <= connection.getMessagesOut()) {
          each.setIdleTimeout(IDLE.toMillis());
        }
      }
      return done;
    }
  }

  private static final class Bridge extends Handler.Abstract.NonBlocking {
    private static final int SMALL = 16 << 10; // the system takes so much for a connection at once

    private final Api api;
    private final Bodies bodies;
    private final Connections connections;

    Bridge(Api api, Bodies bodies, Connections connections) {
      this.api = api;
      this.bodies = bodies;
      this.connections = connections;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) {
      final Connection connection = request.getConnectionMetaData().getConnection();
      connections.begin(connection);
      Request.addCompletionListener(request, thrown -> connections.end(connection));
      request.addIdleTimeoutListener(timeout -> false); // silent while it waits for its answer: the visitor did all that is asked of it
      final String method = request.getMethod();
      final String path = Request.getPathInContext(request);
      final int longest = api.longestBody(method, path);
      if (longest == 0) { // nobody reads it
        api.answer(method, path, CompletableFuture.completedFuture(new byte[0])).thenAccept(reply -> put(reply, request, response, callback));
        return true;
      }
      final Body body = new Body(request, bodies, longest);
      api.answer(method, path, body.receive()).thenAccept(reply -> {
        body.release();
        put(reply, request, response, callback);
      });
      return true;
    }

    /** Sends an answer. Until it is taken it counts among the bodies, and it has as long as a body of its length has to come. */
    private void put(Api.Reply reply, Request request, Response response, Callback callback) {
      final int bytes = reply.body().length <= SMALL ? 0 : reply.body().length;
      if (!bodies.take(bytes)) {
        Errors.put(Api.Reply.error(503, "answers that nobody takes fill the memory for them, " + bodies.bound() + " bytes"), request, response, callback);
        return;
      }
      final EndPoint point = request.getConnectionMetaData().getConnection().getEndPoint();
      final Scheduler.Task deadline = request.getComponents().getScheduler().schedule(point::close, bodies.patience(bytes).toMillis(), TimeUnit.MILLISECONDS);
      Errors.put(reply, request, response, Callback.from(callback, () -> {
        deadline.cancel();
        bodies.give(bytes);
      }));
    }
  }
}
