// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Finds the tensors in what a function of the user returned: a tensor, or an array, collection, map, optional or record of what has some. */
final class Tensors {
  private static final Method COMPONENTS = componentsMethod();

  private final List<Tensor> found = new ArrayList<>();
  private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>()); // a list may hold itself

  private Tensors() {}

  static List<Tensor> in(Object value) {
    final Tensors tensors = new Tensors();
    tensors.look(value);
    return tensors.found;
  }

  private void look(Object value) {
    if (value == null || !seen.add(value)) {
      return;
    }
    if (value instanceof Tensor) {
      found.add((Tensor) value);
    } else if (value instanceof Object[]) {
      for (final Object each : (Object[]) value) {
        look(each);
      }
    } else if (value instanceof Collection) { // not any Iterable: a path is one of itself, and others can be gone through once
      ((Collection<?>) value).forEach(this::look);
    } else if (value instanceof Optional) {
      ((Optional<?>) value).ifPresent(this::look);
    } else if (value instanceof Map) {
      ((Map<?, ?>) value).values().forEach(this::look);
    } else if (isRecord(value.getClass())) {
      componentsOf(value).forEach(this::look);
    }
  }

  // --- records, by reflection: these classes run on Java 11, which has none

  private static Method componentsMethod() {
    try {
      return Class.class.getMethod("getRecordComponents");
    } catch (NoSuchMethodException e) {
      return null;
    }
  }

  private static boolean isRecord(Class<?> kind) {
    return COMPONENTS != null && kind.getSuperclass() != null && kind.getSuperclass().getName().equals("java.lang.Record");
  }

  private static List<Object> componentsOf(Object value) {
    final List<Object> values = new ArrayList<>();
    try {
      for (final Object component : (Object[]) COMPONENTS.invoke(value.getClass())) {
        final Method accessor = (Method) component.getClass().getMethod("getAccessor").invoke(component);
        if (!accessor.getReturnType().isPrimitive()) {
          accessor.setAccessible(true); // the class may be a method's own
          values.add(accessor.invoke(value));
        }
      }
    } catch (ReflectiveOperationException | InaccessibleObjectException e) {
      final Module module = Tensors.class.getModule();
      throw new InvalidArgumentException("Engine.record: the function returns the record " + value.getClass().getName()
          + ", whose components cannot be read; open its package to " + (module.isNamed() ? module.getName() : "all unnamed modules")
          + ", or return a list", e);
    }
    return values;
  }
}
