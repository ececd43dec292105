// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.regex.Pattern;
import javax.imageio.ImageReader;
import javax.imageio.event.IIOReadWarningListener;

/**
 * What is wrong with the file of a picture that a reader of the JDK takes all the same: of a JPEG that was cut in half it makes one with a grey
 * half, and warns; of a GIF whose data end too early, or a BMP, it leaves the rest black, and says nothing.
 */
final class Damage implements IIOReadWarningListener {
  /** Other warnings are about what belongs to a picture and is not its pixels. */
  private static final Pattern OF_PIXELS = Pattern.compile("^(Corrupt|Truncated|Premature|Inconsistent progression|Out-of-sequence).*");

  private String warning;

  /** Throws if the file has any that can be seen before it is read. */
  static void checkFile(byte[] file) throws IOException {
    if (file.length >= 10 && file[0] == 'G' && file[1] == 'I' && file[2] == 'F') {
      GifFile.check(file);
    }
    if (file.length >= 6 && file[0] == 'B' && file[1] == 'M') {
      final long length = Integer.toUnsignedLong(ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN).getInt(2));
      if (length > file.length) {
        throw new IOException("it says that it has " + length + " bytes, and has " + file.length);
      }
    }
  }

  @Override
  public void warningOccurred(ImageReader reader, String text) {
    if (warning == null && OF_PIXELS.matcher(text).matches()) {
      warning = text;
    }
  }

  /** Throws if the reader warned of any. */
  void checkWarning() throws IOException {
    if (warning != null) {
      throw new IOException(warning);
    }
  }
}
