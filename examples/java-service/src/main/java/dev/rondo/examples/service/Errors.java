// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpHeaderValue;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;

/** Answers what never comes to the {@link Api}, such as a request that is not HTTP, as it does: with JSON, and counted. */
final class Errors extends ErrorHandler {
  private final Api api;

  Errors(Api api) {
    this.api = api;
  }

  @Override
  public boolean errorPageForMethod(String method) {
    return true;
  }

  @Override
  protected void generateResponse(Request request, Response response, int status, String message, Throwable cause, Callback callback) {
    final Api.Reply reply = api.refused(status, message == null ? HttpStatus.getMessage(status) : message);
    put(reply, request, response, callback);
  }

  /** Sends an answer, which says that the connection ends where a body is not here to its end: nothing can be read behind it. */
  static void put(Api.Reply reply, Request request, Response response, Callback callback) {
    final Leftover left = new Leftover(request, callback);
    final boolean whole = left.dropAvailable();
    if (!whole) {
      response.getHeaders().put(HttpHeader.CONNECTION, HttpHeaderValue.CLOSE);
    }
    response.setStatus(reply.status());
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, reply.type());
    reply.headers().forEach((name, value) -> response.getHeaders().put(name, value));
    response.getHeaders().put(HttpHeader.CONTENT_LENGTH, reply.body().length);
    response.write(true, ByteBuffer.wrap(reply.body()), whole ? callback : left);
  }
}
