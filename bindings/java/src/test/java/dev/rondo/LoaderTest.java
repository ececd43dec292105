// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the native library is found, or what is said when it is not. Each case is a process of its own: a library loads once. */
class LoaderTest {
  private static final Path NATIVES = Path.of(System.getProperty("rondo.natives"));
  private static final Path CLASSES = Path.of(System.getProperty("rondo.target"), "classes");
  private static final Path FILES = NATIVES.resolve("dev/rondo/native/" + NativeLibrary.platform());

  /** What the processes run. */
  static final class Program {
    public static void main(String[] arguments) throws Exception {
      for (final String library : arguments) {
        System.load(library);
      }
      try {
        System.out.println("version " + Rondo.version());
      } catch (LibraryMissingException first) {
        try {
          Rondo.version();
        } catch (LibraryMissingException second) {
          System.out.println("twice: " + second.getMessage().equals(first.getMessage()));
        }
        System.out.println(first.getMessage());
      }
    }
  }

  /** Two class loaders that share nothing of Rondo. */
  static final class Twice {
    public static void main(String[] arguments) throws Exception {
      final String[] paths = System.getProperty("java.class.path").split(":");
      final java.net.URL[] urls = new java.net.URL[paths.length];
      for (int i = 0; i < paths.length; ++i) {
        urls[i] = Path.of(paths[i]).toUri().toURL();
      }
      for (int i = 0; i < 2; ++i) {
        final ClassLoader loader = new java.net.URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
        final java.lang.reflect.Method main = loader.loadClass(Program.class.getName()).getMethod("main", String[].class);
        main.setAccessible(true);
        main.invoke(null, (Object) new String[0]);
      }
    }
  }

  /** An application of a server, in a class loader of its own. */
  static final class Application {
    private static final java.util.concurrent.BlockingQueue<String> HEARD = new java.util.concurrent.LinkedBlockingQueue<>();

    public static void listen(String name) {
      Rondo.setLog(LogLevel.WARNING, (level, text) -> HEARD.add(name + " hears " + text));
    }

    public static void leave(String name) {
      Rondo.setLog(LogLevel.WARNING, null);
    }

    /** Has the library warn, of a tensor that outlives its engine. */
    public static void warn(String name) {
      final Engine engine = Engine.create();
      final Tensor left = engine.ones(Device.CPU, 1);
      engine.close();
      left.close();
    }

    public static void tell(String name) throws Exception {
      System.out.println(HEARD.poll(60, java.util.concurrent.TimeUnit.SECONDS));
    }
  }

  static final class Server {
    private static Class<?> deploy(java.net.URL[] urls) throws Exception {
      return new java.net.URLClassLoader(urls, ClassLoader.getPlatformClassLoader()).loadClass(Application.class.getName());
    }

    public static void main(String[] arguments) throws Exception {
      final String[] paths = System.getProperty("java.class.path").split(":");
      final java.net.URL[] urls = new java.net.URL[paths.length];
      for (int i = 0; i < paths.length; ++i) {
        urls[i] = Path.of(paths[i]).toUri().toURL();
      }
      final Class<?> first = deploy(urls), second = deploy(urls);
      for (final String step : "1 listen, 1 warn, 1 tell, 2 listen, 1 warn, 2 tell, 2 leave, 1 warn".split(", ")) {
        final java.lang.reflect.Method method = (step.startsWith("1") ? first : second).getMethod(step.substring(2), String.class);
        method.setAccessible(true);
        method.invoke(null, step.substring(0, 1));
      }
    }
  }

  private static ProcessBuilder java(Path temporary, String classPath, List<String> options, String... arguments) {
    return java(Program.class, temporary, classPath, options, arguments);
  }

  private static ProcessBuilder java(Class<?> program, Path temporary, String classPath, List<String> options, String... arguments) {
    final List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin/java").toString(), "-Xshare:auto",
        "-Djava.io.tmpdir=" + temporary, "-cp", classPath));
    command.addAll(options);
    command.add(program.getName());
    command.addAll(List.of(arguments));
    final ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().remove("LD_LIBRARY_PATH"); // the library path would have its folders
    return builder;
  }

  private static String run(ProcessBuilder builder) throws IOException, InterruptedException {
    final Process process = builder.start();
    final String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), out);
    return out;
  }

  private static String classPath(boolean natives) {
    final String tests = Path.of(LoaderTest.class.getProtectionDomain().getCodeSource().getLocation().getPath()).toString();
    return CLASSES + ":" + Path.of(System.getProperty("rondo.target"), "test-classes") + (tests.endsWith("classes") ? ":" + tests : "")
        + (natives ? ":" + NATIVES : "");
  }

  private static List<Path> list(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(path -> !path.getFileName().toString().startsWith("hsperf")).sorted().collect(Collectors.toList());
    }
  }

  /** For what is compared line by line: newer versions of Java warn of native code. */
  private static List<String> quiet() {
    return Runtime.version().feature() >= 22 ? List.of("--enable-native-access=ALL-UNNAMED") : List.of();
  }

  private static void assertLoads(String out) {
    assertTrue(out.contains("version " + Fingerprint.VERSION), out);
  }

  @Test
  void theJarIsExtractedAndNothingIsLeft(@TempDir Path temporary) throws Exception {
    assertLoads(run(java(temporary, classPath(true), List.of())));
    assertEquals(List.of(), list(temporary));
  }

  @Test
  void aSecondClassLoaderGetsACopyOfItsOwn(@TempDir Path temporary) throws Exception {
    final String out = run(java(Twice.class, temporary, classPath(true), quiet()));
    assertEquals("version " + Fingerprint.VERSION + "\nversion " + Fingerprint.VERSION + "\n", out);
  }

  @Test
  void theLogBelongsToTheLastThatAsked(@TempDir Path temporary) throws Exception {
    final String[] lines = run(java(Server.class, temporary, classPath(true), quiet())).split("\n");
    assertEquals(3, lines.length, String.join("\n", lines));
    final String warning = "rondo_engine_destroy: 1 objects";
    assertTrue(lines[0].startsWith("1 hears " + warning) && lines[1].startsWith("2 hears " + warning)
        && lines[2].startsWith("rondo: " + warning), String.join("\n", lines));
  }

  /** A class whose static part fails for want of memory at its first use is lost for good. */
  @Test
  void whatHasAStaticPartIsMadeAtLoading() throws Exception {
    for (final Path file : list(CLASSES.resolve("dev/rondo"))) {
      final String name = file.getFileName().toString().replace(".class", "");
      if (name.contains("$") || !new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).contains("<clinit>")) {
        continue;
      }
      final Class<?> each = Class.forName("dev.rondo." + name, false, LoaderTest.class.getClassLoader());
      assertTrue(each.isEnum() || each == NativeLibrary.class || NativeLibrary.MADE.contains(each), name + " is not in NativeLibrary.MADE");
    }
  }

  @Test
  void extractDirKeepsOneCopyForManyProcesses(@TempDir Path temporary, @TempDir Path kept) throws Exception {
    final List<String> options = List.of("-Ddev.rondo.native.extractDir=" + kept.resolve("a/b"));
    final List<Process> processes = new ArrayList<>();
    for (int i = 0; i < 4; ++i) {
      processes.add(java(temporary, classPath(true), options).start());
    }
    for (final Process process : processes) {
      assertLoads(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
      assertEquals(0, process.waitFor());
    }
    final List<Path> folders = list(kept.resolve("a/b"));
    assertEquals(2, folders.size(), "one folder and its lock: " + folders);
    assertEquals(List.of(), list(temporary));
    final Path core = folders.get(0).resolve(NativeLibrary.CORE);
    final Object before = Files.getAttribute(core, "unix:ino");
    assertLoads(run(java(temporary, classPath(true), options)));
    assertEquals(before, Files.getAttribute(core, "unix:ino"), "used as it is");

    Files.write(core, new byte[] {1, 2, 3}); // damaged: replaced by a good one, not loaded
    assertLoads(run(java(temporary, classPath(true), options)));
    assertEquals(Files.size(FILES.resolve(NativeLibrary.CORE)), Files.size(core));
  }

  /** Made before, by a build or another user: nothing there is written, nor what a link in place of the lock leads to. */
  @Test
  void aWholeExtractDirIsOnlyRead(@TempDir Path temporary, @TempDir Path kept) throws Exception {
    final List<String> options = List.of("-Ddev.rondo.native.extractDir=" + kept);
    assertLoads(run(java(temporary, classPath(true), options)));
    final Path folder = list(kept).stream().filter(Files::isDirectory).findAny().orElseThrow();
    final Path lock = kept.resolve(folder.getFileName() + ".lock");
    Files.delete(lock);
    assertLoads(run(java(temporary, classPath(true), options)));
    assertEquals(List.of(folder), list(kept));

    final Path others = Files.writeString(temporary.resolve("others"), "theirs");
    Files.createSymbolicLink(lock, others);
    assertLoads(run(java(temporary, classPath(true), options)));
    Files.write(folder.resolve(NativeLibrary.CORE), new byte[] {1, 2, 3});
    final String out = run(java(temporary, classPath(true), options));
    assertTrue(out.contains("cannot be extracted") && out.contains(lock + " is a link"), out);
    assertEquals("theirs", Files.readString(others));
  }

  /** The library that reads ONNX models is one that others do without. */
  @Test
  void aConverterThatCannotBeLoadedStopsNothing(@TempDir Path temporary, @TempDir Path folder) throws Exception {
    for (final String name : List.of(NativeLibrary.CORE, NativeLibrary.JNI)) {
      Files.copy(FILES.resolve(name), folder.resolve(name));
    }
    final Path onnx = Files.writeString(folder.resolve(NativeLibrary.ONNX), "no library");
    final String out = run(java(temporary, classPath(false), List.of("-Ddev.rondo.native.path=" + folder)));
    assertLoads(out);
    assertTrue(out.contains(onnx + " cannot be loaded"), out);
  }

  @Test
  void aDamagedJarIsRefused(@TempDir Path temporary, @TempDir Path natives) throws Exception {
    final Path folder = Files.createDirectories(natives.resolve("dev/rondo/native/" + NativeLibrary.platform()));
    for (final Path file : list(FILES)) {
      Files.copy(file, folder.resolve(file.getFileName()));
    }
    Files.write(folder.resolve(NativeLibrary.JNI), new byte[] {1, 2, 3});
    final String out = run(java(temporary, classPath(false) + ":" + natives, List.of()));
    assertTrue(out.contains("the hash") && out.contains("damaged"), out);
    assertEquals(List.of(), list(temporary));
  }

  @Test
  void aPathIsTakenWithoutExtracting(@TempDir Path temporary) throws Exception {
    assertLoads(run(java(temporary.resolve("not there"), classPath(true), List.of("-Ddev.rondo.native.path=" + FILES))));
  }

  @Test
  void aFolderThatDoesNotAllowToExecuteIsExplained(@TempDir Path kept) throws Exception {
    assumeTrue(noexec(kept, new ProcessBuilder("true")).start().waitFor() == 0, "this user may not mount a file system of its own");
    final String out = run(noexec(kept, java(kept, classPath(true), List.of())));
    assertTrue(out.contains("cannot be loaded") && out.contains("dev.rondo.native.extractDir"), out);
    assertTrue(out.contains("left behind: 0"), out);
    final Path elsewhere = Files.createTempDirectory("rondo-test-");
    try {
      assertLoads(run(noexec(kept, java(kept, classPath(true), List.of("-Ddev.rondo.native.extractDir=" + elsewhere)))));
    } finally {
      for (final Path folder : list(elsewhere)) {
        if (Files.isDirectory(folder)) {
          for (final Path file : list(folder)) {
            Files.delete(file);
          }
        }
        Files.delete(folder);
      }
      Files.delete(elsewhere);
    }
    assertLoads(run(noexec(kept, java(kept, classPath(true), List.of("-Ddev.rondo.native.path=" + FILES)))));
  }

  @Test
  void aTemporaryFolderThatIsNotThereIsNamed(@TempDir Path temporary) throws Exception {
    final String out = run(java(temporary.resolve("not there"), classPath(true), List.of()));
    assertTrue(out.contains("cannot be extracted (java.io.tmpdir") && out.contains("NoSuchFile") && out.contains("not there"), out);
  }

  /** A process that sees a folder mounted so that nothing in it can be executed. */
  private static ProcessBuilder noexec(Path folder, ProcessBuilder process) {
    final List<String> command = new ArrayList<>(List.of("unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
        "mount -t tmpfs -o noexec,size=64m none \"$0\" && \"$@\" && echo left behind: $(ls \"$0\" | grep -vc hsperf)", folder.toString()));
    command.addAll(process.command());
    return process.command(command).redirectErrorStream(true);
  }

  @Test
  void whatIsMissingIsSaidWithEveryPlace(@TempDir Path temporary) throws Exception {
    final String out = run(java(temporary, classPath(false), List.of()));
    for (final String words : List.of("twice: true", "dev.rondo.native.path: not set", "class path: there is no dev/rondo/native/",
        "library path of the virtual machine", "rondo-" + Fingerprint.VERSION + "-" + NativeLibrary.platform() + ".jar")) {
      assertTrue(out.contains(words), out);
    }
  }

  @Test
  void aWrongPathIsAnErrorWithoutAnotherPlace(@TempDir Path temporary) throws Exception {
    final String out = run(java(temporary, classPath(true), List.of("-Ddev.rondo.native.path=" + temporary)));
    assertTrue(out.contains("there is no file " + temporary) && out.contains("twice: true"), out);
    assertFalse(out.contains("library path of the virtual machine"), out);
    Files.write(temporary.resolve(NativeLibrary.JNI), new byte[] {1, 2, 3});
    final String damaged = run(java(temporary, classPath(true), List.of("-Ddev.rondo.native.path=" + temporary)));
    assertTrue(damaged.contains("cannot be loaded"), damaged);
  }

  @Test
  void nativeAccessThatIsDeniedNamesTheOption(@TempDir Path temporary) throws Exception {
    assumeTrue(Runtime.version().feature() >= 24, "this version of Java has no --illegal-native-access");
    final List<String> denied = List.of("--illegal-native-access=deny");
    for (final String path : new String[] {classPath(true), classPath(false)}) { // from the jar, and from the system's path
      final ProcessBuilder process = java(temporary, path, denied);
      process.environment().put("LD_LIBRARY_PATH", FILES.toString());
      final String out = run(process);
      assertTrue(out.contains("--enable-native-access=ALL-UNNAMED") && out.contains("twice: true"), out);
    }
    final List<String> allowed = new ArrayList<>(denied);
    allowed.add("--enable-native-access=ALL-UNNAMED");
    assertLoads(run(java(temporary, classPath(true), allowed)));
  }

  @Test
  void skipLeavesLoadingToTheProgram(@TempDir Path temporary) throws Exception {
    final List<String> options = List.of("-Ddev.rondo.native.skip=true");
    final String out = run(java(temporary, classPath(true), options));
    assertTrue(out.contains("dev.rondo.native.skip") && out.contains("twice: true"), out);
  }

  @Test
  void theSystemsPathIsTheLastPlace(@TempDir Path temporary) throws Exception {
    final ProcessBuilder process = java(temporary, classPath(false), List.of());
    process.environment().put("LD_LIBRARY_PATH", FILES.toString());
    assertLoads(run(process));
  }
}
