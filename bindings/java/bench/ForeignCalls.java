// The calls of Calls.java by the foreign-function interface of Java 22. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.function.IntConsumer;

/** As a layer of the library would be: handles of C functions are constants, and each thread has memory for results. */
public final class ForeignCalls {
  private static final SymbolLookup RONDO = SymbolLookup.libraryLookup(System.getProperty("rondo.library"), Arena.global());
  private static final MethodHandle BINARY = handle("rondo_binary",
      FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS));
  private static final MethodHandle RESHAPE = handle("rondo_tensor_reshape",
      FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS));
  private static final MethodHandle DESTROY = handle("rondo_tensor_destroy", FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG));
  private static final ThreadLocal<MemorySegment> OUT = ThreadLocal.withInitial(() -> Arena.global().allocate(ValueLayout.JAVA_LONG));
  private static final MemorySegment SHAPE = Arena.global().allocateFrom(ValueLayout.JAVA_LONG, 2, 2);
  private static final int ADD = 0;

  private ForeignCalls() {}

  private static MethodHandle handle(String name, FunctionDescriptor descriptor) {
    return Linker.nativeLinker().downcallHandle(RONDO.find(name).orElseThrow(), descriptor);
  }

  public static IntConsumer binaryInto() {
    final long first = Calls.address(0);
    final long second = Calls.address(1);
    final long out = Calls.address(2);
    return times -> {
      try {
        for (int i = 0; i < times; ++i) {
          final MemorySegment result = OUT.get();
          result.set(ValueLayout.JAVA_LONG, 0, out);
          if ((int) BINARY.invokeExact(ADD, first, second, result) != 0) {
            throw new IllegalStateException("rondo_binary failed");
          }
        }
      } catch (Throwable e) {
        throw new IllegalStateException(e);
      }
    };
  }

  public static IntConsumer view() {
    final long tensor = Calls.address(0);
    return times -> {
      try {
        for (int i = 0; i < times; ++i) {
          final MemorySegment result = OUT.get();
          result.set(ValueLayout.JAVA_LONG, 0, 0);
          if ((int) RESHAPE.invokeExact(tensor, 2, SHAPE, result) != 0) {
            throw new IllegalStateException("rondo_tensor_reshape failed");
          }
          DESTROY.invokeExact(result.get(ValueLayout.JAVA_LONG, 0));
        }
      } catch (Throwable e) {
        throw new IllegalStateException(e);
      }
    };
  }
}
