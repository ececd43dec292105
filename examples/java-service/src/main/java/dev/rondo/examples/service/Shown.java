// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;

/**
 * Shows texts of others, such as names in a program file, for what they are: characters that nobody sees, or that turn the text around them,
 * such as marks of its direction, are shown by their codes.
 */
final class Shown {
  /** Writes JSON in which these characters, and those of surrogate pairs, are escapes: its texts stay what they are. */
  static final JsonFactory JSON = new JsonFactoryBuilder().characterEscapes(new Escapes()).build();

  private Shown() {}

  /** The text for a message, with its code, as in Java, in place of such a character; lines stay lines. */
  static String text(String text) {
    if (text == null) {
      return null;
    }
    final var shown = new StringBuilder(text.length());
    text.codePoints().forEach(each -> {
      if (each != '\n' && hidden(each)) {
        shown.append(each < 0x10000 ? String.format("\\u%04x", each) : String.format("\\u{%x}", each));
      } else {
        shown.appendCodePoint(each);
      }
    });
    return shown.toString();
  }

  private static boolean hidden(int character) {
    return switch (Character.getType(character)) {
      case Character.CONTROL, Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR, Character.SURROGATE, Character.PRIVATE_USE,
          Character.UNASSIGNED -> true;
      default -> false;
    };
  }

  private static final class Escapes extends CharacterEscapes {
    private static final long serialVersionUID = 1;

    @Override
    public int[] getEscapeCodesForAscii() {
      final int[] codes = standardAsciiEscapesForJSON();
      codes[0x7f] = ESCAPE_STANDARD;
      return codes;
    }

    @Override
    public SerializableString getEscapeSequence(int unit) {
      return hidden(unit) ? new SerializedString(String.format("\\u%04x", unit)) : null;
    }
  }
}
