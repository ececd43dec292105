// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static dev.rondo.Devices.fails;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Ranks that reach each other by a function of the program: two threads and queues between them. */
class ExchangeTest {
  /** A queue for each way between two ranks on each channel. */
  private static final class Queues {
    private final Map<String, BlockingQueue<byte[]>> queues = new ConcurrentHashMap<>();

    private BlockingQueue<byte[]> queue(int channel, int from, int to) {
      return queues.computeIfAbsent(channel + " " + from + " " + to, name -> new LinkedBlockingQueue<>());
    }

    Exchange of(int rank) {
      return step -> {
        for (final ExchangeStep.Message each : step.sends()) {
          final byte[] data = new byte[(int) each.bytes()];
          each.buffer().get(data);
          queue(step.channel(), rank, each.rank()).add(data);
        }
        for (final ExchangeStep.Message each : step.receives()) {
          byte[] data = null;
          while (data == null) {
            if (step.stopped()) {
              throw new IOException("stopped");
            }
            data = queue(step.channel(), each.rank(), rank).poll(20, TimeUnit.MILLISECONDS);
          }
          final int half = data.length / 2;
          each.buffer(0, half).put(data, 0, half);
          each.buffer(half, data.length - half).put(data, half, data.length - half);
        }
      };
    }
  }

  private interface OnRank<T> {
    T run(Engine engine, Comm end) throws Exception;
  }

  private static <T> CompletableFuture<T> rank(int rank, Exchange exchange, OnRank<T> body) {
    final CompletableFuture<T> future = new CompletableFuture<>();
    new Thread(() -> {
      try (Engine engine = Engine.create();
          Comm end = Comm.create(engine, Device.CPU, rank, 2, exchange, new CommOptions().name("queues").timeLimitMs(60_000))) {
        future.complete(body.run(engine, end));
      } catch (Throwable e) {
        future.completeExceptionally(e);
      }
    }).start();
    return future;
  }

  @Test
  void collectivesAreMadeOfExchanges() throws Exception {
    final Queues queues = new Queues();
    final OnRank<float[]> body = (engine, end) -> {
      try (Tensor mine = engine.full(Device.CPU, DType.F32, end.info().rank() + 1, 1000); Tensor sum = end.allReduce(mine, ReduceOp.SUM);
          Tensor all = end.allGather(sum)) {
        end.barrier();
        end.await();
        assertEquals(2000, all.elements());
        return all.toFloatArray();
      }
    };
    final CompletableFuture<float[]> first = rank(0, queues.of(0), body);
    final float[] second = rank(1, queues.of(1), body).get();
    assertArrayEquals(first.get(), second);
    assertEquals(3, second[1999]);
  }

  @Test
  void whatItThrowsFailsTheCall() {
    final Exchange down = step -> {
      throw new IOException("the net is down");
    };
    final ExecutionException user = assertThrows(ExecutionException.class, () -> rank(0, down, (engine, end) -> null).get());
    assertEquals(UserException.class, user.getCause().getClass());
    assertTrue(user.getCause().getMessage().contains("java.io.IOException: the net is down"), user.getCause().getMessage());
    final Exchange mute = step -> {
      throw new IOException("never told") {
        @Override
        public String toString() {
          throw new IllegalStateException("no text");
        }
      };
    };
    final ExecutionException unspoken = assertThrows(ExecutionException.class, () -> rank(0, mute, (engine, end) -> null).get());
    assertEquals(UserException.class, unspoken.getCause().getClass());
    assertTrue(unspoken.getCause().getMessage().contains(ExchangeTest.class.getName()), unspoken.getCause().getMessage());
    final Exchange refuses = step -> {
      throw new NotFoundException("no such host", null);
    };
    final ExecutionException known = assertThrows(ExecutionException.class, () -> rank(0, refuses, (engine, end) -> null).get());
    assertEquals(NotFoundException.class, known.getCause().getClass());
  }

  @Test
  void aStepIsValidWhileItRuns() throws Exception {
    final Queues queues = new Queues();
    final AtomicReference<ExchangeStep> kept = new AtomicReference<>();
    final AtomicReference<ByteBuffer> received = new AtomicReference<>();
    final AtomicReference<Throwable> problem = new AtomicReference<>();
    final Exchange looks = step -> {
      try {
        final ExchangeStep.Message sent = step.sends().get(0);
        final ByteBuffer buffer = sent.buffer();
        assertEquals(sent.bytes(), buffer.capacity());
        assertThrows(ReadOnlyBufferException.class, () -> buffer.put(0, (byte) 1));
        fails(InvalidArgumentException.class, () -> sent.buffer(1, (int) sent.bytes()), "a message that has");
        fails(InvalidArgumentException.class, () -> sent.buffer(-1, 1), "a message that has");
        assertEquals(0, sent.buffer(sent.bytes(), 0).capacity());
        assertThrows(UnsupportedOperationException.class, () -> step.sends().clear());
      } catch (Throwable e) {
        problem.set(e);
      }
      kept.set(step);
      received.set(step.receives().get(0).buffer());
      queues.of(0).run(step);
    };
    final CompletableFuture<Object> first = rank(0, looks, (engine, end) -> null);
    rank(1, queues.of(1), (engine, end) -> null).get();
    first.get();
    assertEquals(null, problem.get());
    fails(InvalidStateException.class, kept.get()::stopped, "is over");
    fails(InvalidStateException.class, () -> kept.get().sends().get(0).buffer(), "is over");
    HostileCallersTest.assertEnded(received.get());
  }

  @Test
  void itsOptionsAreThoseOfAnExchange() {
    try (Engine engine = Engine.create()) {
      fails(InvalidArgumentException.class, () -> Comm.create(engine, Device.CPU, 0, 2, step -> { }, new CommOptions().ranks(2)), "must not be set");
      fails(InvalidArgumentException.class, () -> Comm.create(engine, Device.CPU, 2, 2, step -> { }, new CommOptions()), "hooks.rank is 2");
    }
  }
}
