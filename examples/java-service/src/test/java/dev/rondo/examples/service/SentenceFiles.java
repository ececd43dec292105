// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.service;

import com.google.gson.Gson;
import dev.rondo.Device;
import dev.rondo.Engine;
import dev.rondo.ModelFile;
import dev.rondo.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Files for the tests of sentences: a network of the real structure, narrow and with random weights, and a few words. */
final class SentenceFiles {
  static final int WIDTH = 64;

  private static final int INNER = 48;
  private static final String[] WORDS = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "the", "cat", "dog", "sat", "##s", "what", "?"};

  private SentenceFiles() {}

  /** Writes both to a folder; a tensor that is named is left out. */
  static void write(Path folder, String... without) throws IOException {
    final Random random = new Random(29);
    try (Engine engine = Engine.create()) {
      final Map<String, Tensor> all = new LinkedHashMap<>();
      add(all, engine, random, "embeddings.word_embeddings.weight", WORDS.length, WIDTH);
      add(all, engine, random, "embeddings.position_embeddings.weight", Encoder.MOST_PIECES, WIDTH);
      add(all, engine, random, "embeddings.token_type_embeddings.weight", 2, WIDTH);
      addLayer(all, engine, random, "embeddings.LayerNorm", WIDTH);
      for (int i = 0; i < 6; ++i) {
        final String name = "encoder.layer." + i + ".";
        for (final String part : List.of("self.query", "self.key", "self.value", "output.dense")) {
          addLayer(all, engine, random, name + "attention." + part, WIDTH, WIDTH);
        }
        addLayer(all, engine, random, name + "attention.output.LayerNorm", WIDTH);
        addLayer(all, engine, random, name + "intermediate.dense", INNER, WIDTH);
        addLayer(all, engine, random, name + "output.dense", WIDTH, INNER);
        addLayer(all, engine, random, name + "output.LayerNorm", WIDTH);
      }
      final Map<String, Tensor> some = new LinkedHashMap<>(all);
      List.of(without).forEach(some::remove);
      ModelFile.write(folder.resolve("model.safetensors"), some);
      all.values().forEach(Tensor::close);
    }
    writeTokenizer(folder, WORDS);
  }

  /** A tokenizer that knows these words. */
  static void writeTokenizer(Path folder, String... words) throws IOException {
    final Map<String, Integer> vocabulary = new LinkedHashMap<>();
    for (final String word : words) {
      vocabulary.put(word, vocabulary.size());
    }
    final Map<String, Object> file = new LinkedHashMap<>();
    file.put("version", "1.0");
    file.put("normalizer", Map.of("type", "BertNormalizer", "clean_text", true, "handle_chinese_chars", true, "lowercase", true));
    file.put("pre_tokenizer", Map.of("type", "BertPreTokenizer"));
    if (vocabulary.containsKey("[SEP]")) {
      file.put("post_processor", Map.of("type", "BertProcessing", "sep", List.of("[SEP]", 3), "cls", List.of("[CLS]", 2)));
    }
    file.put("model", Map.of("type", "WordPiece", "unk_token", "[UNK]", "continuing_subword_prefix", "##", "max_input_chars_per_word", 100,
        "vocab", vocabulary));
    Files.writeString(folder.resolve("tokenizer.json"), new Gson().toJson(file));
  }

  private static void addLayer(Map<String, Tensor> all, Engine engine, Random random, String name, long... shape) {
    add(all, engine, random, name + ".weight", shape);
    add(all, engine, random, name + ".bias", shape[0]);
  }

  private static void add(Map<String, Tensor> all, Engine engine, Random random, String name, long... shape) {
    int count = 1;
    for (final long size : shape) {
      count *= (int) size;
    }
    final double limit = shape.length == 1 ? 0.3 : Math.sqrt(6.0 / shape[1]);
    final double middle = shape.length == 1 && name.endsWith(".weight") ? 1 : 0; // of a normalisation
    final float[] values = new float[count];
    for (int i = 0; i < count; ++i) {
      values[i] = (float) (middle + (2 * random.nextDouble() - 1) * limit);
    }
    all.put(name, engine.tensor(Device.CPU, values, shape));
  }
}
