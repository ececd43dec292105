// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo;

import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Messages of the native part in words of Java: they name functions, constants and fields as C has them. */
final class Messages {
  /** An elementwise operation or a reduction, which tensors have as a method: rondo_binary_scalar(add). */
  private static final Pattern OPERATION =
      Pattern.compile("\\brondo_(?:unary|binary|ternary|reduce|scalar_binary|binary_scalar)(?:_with)?(?:_i64)?\\((\\w+)\\)");
  private static final Pattern WORD = Pattern.compile("\\b(?:rondo|RONDO)_\\w+");
  private static final Pattern FIELD = Pattern.compile("(\\w+)->(\\w+)");
  private static final Pattern NULL = Pattern.compile("\\bNULL\\b");

  private Messages() {}

  static String inJava(String message) {
    String text = OPERATION.matcher(message).replaceAll(match -> "Tensor." + camel(match.group(1).toLowerCase(Locale.ROOT)));
    text = WORD.matcher(text).replaceAll(Messages::word);
    text = FIELD.matcher(text).replaceAll(match -> match.group(1) + "." + camel(match.group(2)));
    return NULL.matcher(text).replaceAll("null");
  }

  /** Settings begin as constants do, and are called the same in every language. */
  private static String word(MatchResult match) {
    return Words.WORDS.getOrDefault(match.group(), match.group());
  }

  /** transpose_a: transposeA. */
  private static String camel(String name) {
    final StringBuilder made = new StringBuilder();
    for (int i = 0; i < name.length(); ++i) {
      final boolean begins = i > 0 && name.charAt(i - 1) == '_';
      if (name.charAt(i) != '_') {
        made.append(begins ? Character.toUpperCase(name.charAt(i)) : name.charAt(i));
      }
    }
    return made.toString();
  }
}
