// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

/**
 * Loads the native part, once. Where it is looked for, and the properties that change it, stand in the description of the package.
 * A failure is kept and thrown again by every call that needs the library, with all places that were tried.
 */
final class NativeLibrary {
  static final String JNI = System.mapLibraryName("rondo_jni");
  static final String CORE = "librondo.so.0";
  static final String ONNX = "librondo_onnx.so.0";

  private static final System.Logger LOG = System.getLogger("dev.rondo");
  // Those that a first use makes. Where the heap is full at that moment the virtual machine gives a class up for good, and so all are made
  // when the library is loaded.
  static final List<Class<?>> MADE = List.of(CompletableFuture.class, Continuations.class, Device.class, DeviceKind.class, DType.class, Handle.class, InUse.class,
      Indices.class, Kept.class, Leaks.class, Messages.class, NativeEvents.class, Reclaim.class, Segments.class, Shown.class, Sites.class,
      Status.class, Tensor.class, Tensors.class, ThreadState.class, VirtualThreads.class, Words.class);

  private static volatile boolean loaded;
  private static RuntimeException failure; // guarded by the class

  private NativeLibrary() {}

  static void load() {
    if (!loaded) {
      loadOnce();
    }
  }

  private static synchronized void loadOnce() {
    if (failure != null) {
      throw Exceptions.of(Status.LIBRARY_MISSING.value(), failure.getMessage(), failure);
    }
    if (loaded) {
      return;
    }
    try {
      final List<String> tried = new ArrayList<>();
      if (!find(tried)) {
        throw new LibraryMissingException("the native part of Rondo is not there. Looked for it in:\n  " + String.join("\n  ", tried)
            + "\nPut the jar rondo-" + Fingerprint.VERSION + "-" + platform() + ".jar on the class or module path, or set"
            + " -Ddev.rondo.native.path to the folder of " + JNI + " and " + CORE, null);
      }
      check();
      for (final Class<?> each : MADE) {
        Class.forName(each.getName(), true, each.getClassLoader());
      }
      NativeEvents.rehearse();
      Reclaim.start();
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e); // they are in this jar
    } catch (RuntimeException e) {
      failure = e;
      throw e;
    }
    loaded = true;
  }

  private static boolean find(List<String> tried) {
    if (Boolean.getBoolean("dev.rondo.native.skip")) {
      return true; // the program has loaded it
    }
    final String path = System.getProperty("dev.rondo.native.path");
    if (path != null) { // what is asked for is there, or it is an error: nothing else is taken instead
      return fromFolder(Paths.get(path).toAbsolutePath(), "dev.rondo.native.path", tried);
    }
    tried.add("dev.rondo.native.path: not set");
    return fromJar(tried) || fromSystem(tried);
  }

  /** What the jars and the build call this kind of machine: linux-x86_64. */
  static String platform() {
    final String arch = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    final String name = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    return (name.startsWith("linux") ? "linux" : name.replaceAll("[^a-z0-9]", "")) + "-"
        + (arch.equals("amd64") ? "x86_64" : arch);
  }

  private static boolean fromFolder(Path folder, String from, List<String> tried) {
    final Path jni = folder.resolve(JNI);
    if (!Files.isRegularFile(jni)) {
      tried.add(from + ": there is no file " + jni);
      return false;
    }
    try {
      final Path core = folder.resolve(CORE);
      if (Files.isRegularFile(core)) {
        System.load(core.toString()); // else the system's loader finds it
      }
      loadConverter(folder.resolve(ONNX), from);
      System.load(jni.toString());
      LOG.log(System.Logger.Level.DEBUG, "loaded {0} ({1})", jni, from);
      return true;
    } catch (UnsatisfiedLinkError | RuntimeException e) {
      tried.add(from + ": " + jni + " cannot be loaded: " + e.getMessage() + allowed(e));
      return false;
    }
  }

  /** Loads the library that reads ONNX models, which the others do without: else the loader looks for it when one is converted. */
  private static void loadConverter(Path onnx, String from) {
    if (!Files.isRegularFile(onnx)) {
      return;
    }
    try {
      System.load(onnx.toString());
    } catch (UnsatisfiedLinkError e) {
      LOG.log(System.Logger.Level.WARNING, "{0}: {1} cannot be loaded, and is looked for again when a model is converted: {2}", from, onnx,
          e.getMessage());
    }
  }

  /** What a virtual machine that forbids native code wants to be told. */
  private static String allowed(Throwable refusal) {
    if (!refusal.getClass().getName().equals("java.lang.IllegalCallerException")) {
      return "";
    }
    final Module module = NativeLibrary.class.getModule();
    return " (start java with --enable-native-access=" + (module.isNamed() ? module.getName() : "ALL-UNNAMED") + ")";
  }

  private static boolean fromJar(List<String> tried) {
    final String folder = "dev/rondo/native/" + platform() + "/";
    try (InputStream sums = Extraction.open(folder + Extraction.SUMS)) {
      if (sums == null) {
        tried.add("class path: there is no " + folder + Extraction.SUMS);
        return false;
      }
      final Extraction extraction = Extraction.of(folder, new String(sums.readAllBytes(), java.nio.charset.StandardCharsets.US_ASCII));
      try {
        final boolean found = fromFolder(extraction.folder(), "class path", tried);
        if (!found) {
          tried.add("class path: where " + extraction.folder() + " does not allow to execute files, set -Ddev.rondo.native.extractDir to"
              + " a folder that does");
        }
        return found;
      } finally {
        extraction.end();
      }
    } catch (IOException e) {
      tried.add("class path: " + folder + " cannot be extracted (java.io.tmpdir or dev.rondo.native.extractDir): " + e);
      return false;
    }
  }

  private static boolean fromSystem(List<String> tried) {
    try {
      System.loadLibrary("rondo_jni");
      LOG.log(System.Logger.Level.DEBUG, "loaded {0} (library path of the virtual machine)", JNI);
      return true;
    } catch (UnsatisfiedLinkError | RuntimeException e) {
      tried.add("library path of the virtual machine: " + e.getMessage() + allowed(e));
      return false;
    }
  }

  /** The native part must be made for these classes, and the library must not be older than they are. */
  private static void check() {
    try {
      if (!Fingerprint.is(Memory.bytes(Fingerprint.VALUE))) {
        throw new LibraryMissingException(JNI + " was made from other headers than these classes (version " + Fingerprint.VERSION
            + "): the jars must have one version", null);
      }
    } catch (UnsatisfiedLinkError e) {
      throw new LibraryMissingException(Boolean.getBoolean("dev.rondo.native.skip")
          ? "dev.rondo.native.skip is set, and the program has not loaded " + JNI : JNI + " is another library: " + e.getMessage(), e);
    }
    if (NativeStatus.version() < Fingerprint.NUMBER) {
      throw new LibraryMissingException(CORE + " has version " + NativeStatus.versionString() + ", these classes need "
          + Fingerprint.VERSION, null);
    }
  }
}
