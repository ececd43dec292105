// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.embedding;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Takes texts apart as BERT's lower-case tokenizer does: words in lower case without accents, each as the longest known parts. */
final class WordPiece {
  private static final int LONGEST_WORD = 100;

  private final Map<String, Long> known = new HashMap<>();
  private final int most;

  /** Reads the vocabulary of a tokenizer.json; a text becomes as many numbers at most. */
  WordPiece(Path file, int most) {
    try {
      final JsonNode vocabulary = new ObjectMapper().readTree(file.toFile()).path("model").path("vocab");
      vocabulary.fields().forEachRemaining(each -> known.put(each.getKey(), each.getValue().longValue()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    for (final String needed : List.of("[CLS]", "[SEP]", "[UNK]")) {
      if (!known.containsKey(needed)) {
        throw new IllegalArgumentException(file + " has no " + needed + " in the vocabulary of its model");
      }
    }
    this.most = most;
  }

  long[] numbers(String text) {
    final List<Long> numbers = new ArrayList<>(List.of(known.get("[CLS]")));
    final StringBuilder word = new StringBuilder();
    Normalizer.normalize(text.toLowerCase(Locale.ROOT), Normalizer.Form.NFD).codePoints().forEach(c -> {
      final boolean alone = isPunctuation(c) || Character.isIdeographic(c);
      if (alone || Character.isWhitespace(c) || Character.isSpaceChar(c)) {
        add(word.toString(), numbers);
        word.setLength(0);
      }
      if (alone) {
        add(Character.toString(c), numbers);
      } else if (!Character.isWhitespace(c) && !Character.isSpaceChar(c) && c != 0 && c != 0xfffd
          && Character.getType(c) != Character.NON_SPACING_MARK && Character.getType(c) != Character.CONTROL
          && Character.getType(c) != Character.FORMAT) {
        word.appendCodePoint(c);
      }
    });
    add(word.toString(), numbers);
    final List<Long> kept = numbers.subList(0, Math.min(numbers.size(), most - 1));
    kept.add(known.get("[SEP]"));
    return kept.stream().mapToLong(Long::longValue).toArray();
  }

  private static boolean isPunctuation(int c) {
    final boolean ascii = c > 32 && c < 127 && !Character.isLetterOrDigit(c);
    return ascii || switch (Character.getType(c)) {
      case Character.CONNECTOR_PUNCTUATION, Character.DASH_PUNCTUATION, Character.START_PUNCTUATION, Character.END_PUNCTUATION,
          Character.INITIAL_QUOTE_PUNCTUATION, Character.FINAL_QUOTE_PUNCTUATION, Character.OTHER_PUNCTUATION -> true;
      default -> false;
    };
  }

  /** Adds the longest part that is known, and so on; a word of which some part is unknown is one number. */
  private void add(String word, List<Long> numbers) {
    final List<Long> parts = new ArrayList<>();
    int from = 0;
    while (from < word.length() && word.codePointCount(0, word.length()) <= LONGEST_WORD) {
      int to = word.length();
      while (to > from && !known.containsKey((from > 0 ? "##" : "") + word.substring(from, to))) {
        --to;
      }
      if (to == from) {
        break;
      }
      parts.add(known.get((from > 0 ? "##" : "") + word.substring(from, to)));
      from = to;
    }
    if (from == word.length()) {
      numbers.addAll(parts);
    } else {
      numbers.add(known.get("[UNK]"));
    }
  }
}
