// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceLoader;

/**
 * The native files of a jar as files that the system can load. Without dev.rondo.native.extractDir they lie in a new folder of this
 * process and are deleted once they are loaded. With it they stay, in a folder named after their contents, and are used when they
 * have the right hash. The folder appears under its name when it is whole, and one process at a time makes it.
 */
final class Extraction {
  static final String SUMS = "natives.sha256";

  private final Path folder;
  private final boolean temporary;

  private Extraction(Path folder, boolean temporary) {
    this.folder = folder;
    this.temporary = temporary;
  }

  /** A file of a jar that provides them, or of the class path: the jar with the native files is not the one of these classes. */
  static InputStream open(String resource) {
    for (final NativeFiles files : ServiceLoader.load(NativeFiles.class, Extraction.class.getClassLoader())) {
      final InputStream found = files.open(resource);
      if (found != null) {
        return found;
      }
    }
    final ClassLoader loader = Extraction.class.getClassLoader();
    return loader == null ? ClassLoader.getSystemResourceAsStream(resource) : loader.getResourceAsStream(resource);
  }

  Path folder() {
    return folder;
  }

  /** Extracts the files that the text names: lines of a hash and a name. */
  static Extraction of(String resources, String sums) throws IOException {
    final Map<String, String> hashes = new LinkedHashMap<>();
    for (final String line : sums.split("\n")) {
      final String[] words = line.trim().split("\\s+");
      if (words.length == 2) {
        hashes.put(words[1], words[0]);
      }
    }
    final String kept = System.getProperty("dev.rondo.native.extractDir");
    if (kept == null) {
      return new Extraction(extract(resources, hashes, Files.createTempDirectory("rondo-")), true);
    }
    final String name = "rondo-" + Fingerprint.VERSION + "-" + hash(sums.getBytes(StandardCharsets.US_ASCII)).substring(0, 16);
    final Path parent = Paths.get(kept).toAbsolutePath();
    final Path target = parent.resolve(name);
    if (!isWhole(target, hashes)) { // else made before, by whoever could write there: an image that is only read, or another user's folder
      make(resources, hashes, parent, target);
    }
    return new Extraction(target, false);
  }

  /** One process at a time makes the folder, and the others find it. */
  private static void make(String resources, Map<String, String> hashes, Path parent, Path target) throws IOException {
    Files.createDirectories(parent);
    final Path lock = parent.resolve(target.getFileName() + ".lock");
    if (Files.isSymbolicLink(lock)) {
      throw new IOException(lock + " is a link, which another user may have put there: delete it");
    }
    try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)) {
      lock(channel); // until the channel is closed
      if (!isWhole(target, hashes)) {
        if (Files.exists(target)) {
          delete(target); // damaged; whoever has loaded it keeps what it has
        }
        final Path fresh = Files.createTempDirectory(parent, "rondo-");
        extract(resources, hashes, fresh);
        Files.move(fresh, target, StandardCopyOption.ATOMIC_MOVE);
      }
    }
  }

  /**
   * Waits for other processes, and for other class loaders of this one, which the system's lock does not know apart. Asks again instead of
   * blocking in the channel, which an interrupt would close; an interrupt is told afterwards.
   */
  private static FileLock lock(FileChannel channel) throws IOException {
    boolean interrupted = false;
    try {
      while (true) {
        interrupted |= Thread.interrupted();
        try {
          final FileLock held = channel.tryLock();
          if (held != null) {
            return held;
          }
        } catch (OverlappingFileLockException e) {
          // another class loader has it
        }
        Threads.pause();
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Deletes what was extracted for this process only: what is loaded stays so. */
  void end() {
    if (temporary) {
      delete(folder);
    }
  }

  private static Path extract(String resources, Map<String, String> hashes, Path folder) throws IOException {
    try {
      for (final Map.Entry<String, String> file : hashes.entrySet()) {
        final Path path = folder.resolve(file.getKey());
        try (InputStream in = open(resources + file.getKey())) {
          if (in == null) {
            throw new IOException("the jar lacks " + resources + file.getKey());
          }
          Files.copy(in, path);
        }
        final String hash = hash(Files.readAllBytes(path));
        if (!hash.equals(file.getValue())) {
          throw new IOException(path + " has the hash " + hash + ", not " + file.getValue() + ": the jar or the file is damaged");
        }
      }
      return folder;
    } catch (IOException | RuntimeException e) {
      delete(folder);
      throw e;
    }
  }

  private static boolean isWhole(Path folder, Map<String, String> hashes) {
    try {
      for (final Map.Entry<String, String> file : hashes.entrySet()) {
        if (!hash(Files.readAllBytes(folder.resolve(file.getKey()))).equals(file.getValue())) {
          return false;
        }
      }
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static String hash(byte[] bytes) {
    try {
      final byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      return String.format(Locale.ROOT, "%064x", new BigInteger(1, digest));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }

  private static void delete(Path folder) {
    try (java.nio.file.DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (final Path file : files) {
        Files.deleteIfExists(file);
      }
      Files.deleteIfExists(folder);
    } catch (IOException e) {
      folder.toFile().deleteOnExit();
    }
  }
}
