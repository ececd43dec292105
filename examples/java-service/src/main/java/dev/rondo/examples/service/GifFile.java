// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;

/** Whether the file of a GIF is whole. It has no checksum, but its blocks tell their lengths and its codes how many pixels they are. */
final class GifFile {
  private static final int MOST_CODES = 4096;

  private final byte[] file;
  private int at = 10; // behind the name of the format and the size of the screen

  private GifFile(byte[] file) {
    this.file = file;
  }

  /** Throws if it is not. */
  static void check(byte[] file) throws IOException {
    final GifFile gif = new GifFile(file);
    gif.table(2);
    for (int block = gif.next(); block != 0x3b; block = gif.next()) {
      if (block == 0x21) { // an extension
        gif.skip(1);
        gif.data();
      } else if (block == 0x2c) {
        gif.image();
      } else {
        throw new IOException("no block of a GIF begins with " + block + ", as the one before byte " + gif.at + " does");
      }
    }
  }

  private int next() throws IOException {
    skip(1);
    return file[at - 1] & 255;
  }

  private void skip(int count) throws IOException {
    if (count > file.length - at) {
      throw new IOException("it ends after " + file.length + " bytes, too early");
    }
    at += count;
  }

  /** Flags, some more bytes, then colours if the flags say so. */
  private void table(int more) throws IOException {
    final int flags = next();
    skip(more + ((flags & 128) != 0 ? 3 * (2 << (flags & 7)) : 0));
  }

  private byte[] data() throws IOException {
    final var all = new ByteArrayOutputStream();
    for (int length = next(); length > 0; length = next()) {
      skip(length);
      all.write(file, at - length, length);
    }
    return all.toByteArray();
  }

  private void image() throws IOException {
    skip(4);
    final long pixels = (next() | next() << 8) * (long) (next() | next() << 8);
    table(0);
    final int bits = next();
    final long coded = bits > 11 ? -1 : pixels(bits, data());
    if (coded != pixels) {
      throw new IOException(coded < 0 ? "a code is not one that may stand there" : "its data are " + coded + " pixels of " + pixels);
    }
  }

  /** How many pixels the codes are, each a run of some; -1: there is one that means nothing. */
  private static long pixels(int bits, byte[] data) {
    final int clear = 1 << bits;
    final int[] runs = new int[MOST_CODES]; // pixels that a code stands for
    Arrays.fill(runs, 0, clear, 1);
    long all = 0;
    int known = clear + 2;
    int size = bits + 1;
    int before = -1;
    int at = 0; // in bits
    while (at + size <= 8L * data.length) {
      int code = 0;
      for (int bit = 0; bit < size; ++bit, ++at) {
        code |= (data[at >> 3] >> (at & 7) & 1) << bit;
      }
      if (code == clear) {
        known = clear + 2;
        size = bits + 1;
        before = -1;
      } else if (code == clear + 1) {
        return all;
      } else {
        final int longer = before < 0 ? 0 : runs[before] + 1; // what the code before and one more pixel are
        if (code > known || code == known && (before < 0 || known == MOST_CODES) || before < 0 && code > clear) {
          return -1;
        }
        if (before >= 0 && known < MOST_CODES) {
          runs[known++] = longer;
          size = known == 1 << size && size < 12 ? size + 1 : size;
        }
        all += runs[code];
        before = code;
      }
    }
    return all;
  }
}
