// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
package dev.rondo.examples.embedding;

import dev.langchain4j.data.embedding.Embedding;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.embedding.EmbeddingModel;
import dev.langchain4j.model.output.Response;
import dev.rondo.Device;
import dev.rondo.Engine;
import dev.rondo.OnnxModel;
import dev.rondo.Program;
import dev.rondo.ProgramInstance;
import dev.rondo.Scope;
import dev.rondo.Tensor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * An embedding model of langchain4j over a BERT in an ONNX file, such as all-MiniLM-L6-v2: texts that come together are a batch of the
 * program, whose number and length vary. Any threads may use it at the same time. A device that is not there is an error.
 */
public final class RondoEmbeddingModel implements EmbeddingModel, AutoCloseable {
  private static final int MOST_TEXTS = 64;
  private static final int MOST_WORDS = 512;

  private final WordPiece words;
  private final Device device;
  private final Engine engine = Engine.create();
  private final Program program;
  private final ProgramInstance instance;

  public RondoEmbeddingModel(Path model, Path tokenizer, Device device) {
    this.device = device;
    words = new WordPiece(tokenizer, MOST_WORDS);
    program = new OnnxModel(model).dim("batch_size", 1, MOST_TEXTS).dim("sequence_length", 1, MOST_WORDS).open();
    instance = program.instance(engine, device);
  }

  @Override
  public Response<List<Embedding>> embedAll(List<TextSegment> segments) {
    final List<Embedding> vectors = new ArrayList<>();
    for (int from = 0; from < segments.size(); from += MOST_TEXTS) {
      final List<TextSegment> batch = segments.subList(from, Math.min(from + MOST_TEXTS, segments.size()));
      vectors.addAll(vectors(batch.stream().map(each -> words.numbers(each.text())).toList()));
    }
    return Response.from(vectors);
  }

  /** The mean of the vectors of each text's words, of length 1. */
  private List<Embedding> vectors(List<long[]> texts) {
    final int longest = texts.stream().mapToInt(each -> each.length).max().orElseThrow();
    final long[] numbers = new long[texts.size() * longest];
    final long[] mask = new long[numbers.length];
    for (int i = 0; i < texts.size(); ++i) {
      for (int k = 0; k < texts.get(i).length; ++k) {
        numbers[i * longest + k] = texts.get(i)[k];
        mask[i * longest + k] = 1;
      }
    }
    try (Scope scope = Scope.open()) { // closes all tensors that are made in it
      final Tensor[] inputs = program.function("main").inputs().stream().map(each -> engine.tensor(device,
          each.name().equals("input_ids") ? numbers : each.name().equals("attention_mask") ? mask : new long[numbers.length],
          texts.size(), longest)).toArray(Tensor[]::new);
      final Tensor all = instance.call("main", inputs).get(0);
      final float[] hidden = all.toFloatArray();
      final int size = hidden.length / numbers.length;
      final List<Embedding> vectors = new ArrayList<>();
      for (int i = 0; i < texts.size(); ++i) {
        final float[] sum = new float[size];
        for (int k = 0; k < texts.get(i).length; ++k) {
          for (int d = 0; d < size; ++d) {
            sum[d] += hidden[(i * longest + k) * size + d];
          }
        }
        final Embedding vector = Embedding.from(sum);
        vector.normalize();
        vectors.add(vector);
      }
      return vectors;
    }
  }

  @Override
  public void close() {
    instance.close();
    program.close();
    engine.close();
  }
}
