// Plain descent: gradients that are added to the parameters they belong to, by the operators that make them, although
// the way back reads those parameters too. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tape/tape.h"

namespace conformance {
namespace {

class Descent : public OnTape {
 protected:
  // Small whole numbers, whose sums of products are exact.
  Tensor numbers(const Shape& shape, int seed) const {
    Array array = range(RONDO_F32, shape);
    for (size_t i = 0; i < array.size(); ++i) array.set(i, Real((i * 7 + static_cast<size_t>(seed)) % 5) - 2);
    return up(array);
  }
  static Tensor product(rondo_tensor* a, rondo_tensor* b, const rondo_matmul_options* options = nullptr) {
    return make(rondo_matmul, a, b, options);
  }
  static Tensor total(rondo_tensor* x) { return reduce(RONDO_SUM, x, {}); }
  // Adds `scale` times the gradients of the sum of forward() to the parameters, in place or by operators behind it; in
  // a graph if the case is one, twice. Returns how many tasks the graph has, and the parameters in `after`.
  int32_t descend(const std::vector<Tensor>& parameters, bool in_place, const std::function<Tensor()>& forward,
                  std::vector<Array>* after) const {
    const Tensor scale = up(full(RONDO_F32, {}, -2));
    const auto body = [&] {
      const Tape tape(engine());
      std::vector<rondo_tensor*> sources, into;
      std::vector<Tensor> additions;
      for (const Tensor& each : parameters) {
        tape.watch(each);
        sources.push_back(each);
        additions.push_back(make(rondo_tensor_accumulator, each));
        into.push_back(in_place ? additions.back().operator rondo_tensor*() : nullptr);
      }
      const Tensor sum = total(forward());
      rondo_tensor *output = sum, *dy = scale;
      must(rondo_tape_gradients(tape, 1, &output, &dy, static_cast<int32_t>(sources.size()), sources.data(),
                                into.data()));
      for (size_t i = 0; i < sources.size() && !in_place; ++i) {
        const Tensor gradient(into[i]);
        rondo_tensor* addition = additions[i];
        must(rondo_copy(gradient, &addition));
      }
    };
    int32_t tasks = 0;
    if (GetParam().graph) {
      rondo_record_options as_written = RONDO_RECORD_OPTIONS_INIT;  // so many operators are what is counted
      as_written.flags = RONDO_RECORD_AS_WRITTEN;
      const Graph graph = record(engine(), body, &as_written);
      const rondo_graph_info info = graph_info(graph.get());
      EXPECT_EQ(info.segments, 1) << graph_report(graph.get());
      EXPECT_EQ(info.captured, on_cuda() ? 1 : 0) << graph_report(graph.get());
      tasks = info.tasks;
      for (int i = 0; i < 2; ++i) must(rondo_graph_launch(graph.get()));
    } else {
      for (int i = 0; i < 2; ++i) body();
    }
    for (const Tensor& each : parameters) after->push_back(download(each));
    return tasks;
  }
};
CONFORMANCE_SUITE(Descent);

// The second weight is read for the first one's gradient, and written by the product of its own.
TEST_P(Descent, IsTheProductsOwn) {
  int32_t tasks[2] = {};
  std::vector<Array> after[2];
  for (const bool in_place : {false, true}) {
    const Tensor x = numbers({5, 4}, 1);
    std::vector<Tensor> parameters;
    parameters.push_back(numbers({4, 3}, 2));
    parameters.push_back(numbers({3}, 3));
    parameters.push_back(numbers({2, 3}, 4));
    rondo_matmul_options biased = RONDO_MATMUL_OPTIONS_INIT, turned = RONDO_MATMUL_OPTIONS_INIT;
    biased.bias = parameters[1];
    turned.transpose_b = 1;
    tasks[in_place] = descend(
        parameters, in_place, [&] { return product(product(x, parameters[0], &biased), parameters[2], &turned); },
        &after[in_place]);
  }
  for (size_t i = 0; i < after[0].size(); ++i)
    expect_same_bits(after[1][i], after[0][i], "parameter " + std::to_string(i));
  if (GetParam().graph) {
    EXPECT_EQ(tasks[1], tasks[0] - 3) << "an addition for each parameter is spared";
  }
}

// Where the way back would read what was written in place, the gradient waits.
TEST_P(Descent, WaitsForWhoStillReads) {
  // A gradient of the user's that reads a parameter which the tape has not been told of: it sees what it was.
  struct Reads {
    rondo_tensor* parameter;
    static void destroy(void* arg) { delete static_cast<Reads*>(arg); }
    static rondo_status gradient(void* arg, int32_t, rondo_tensor* const* output_gradients, int32_t,
                                 rondo_tensor** input_gradients) {
      return rondo_binary(RONDO_MUL, output_gradients[0], static_cast<Reads*>(arg)->parameter, &input_gradients[0]);
    }
  };
  const auto square = [](rondo_tensor* a) { return make(rondo_unary, RONDO_SQUARE, a); };
  using Forward = std::function<Tensor(rondo_tensor * p, rondo_tensor * q)>;
  const std::pair<const char*, Forward> cases[] = {
      {"both operands", [](rondo_tensor* p, rondo_tensor* q) { return product(p, q); }},
      {"one operand twice", [](rondo_tensor* p, rondo_tensor* q) { return product(product(p, p), q); }},
      {"used again", [](rondo_tensor* p, rondo_tensor* q) { return product(product(q, p), product(p, q)); }},
      {"a view of it is used",
       [&](rondo_tensor* p, rondo_tensor* q) { return product(product(square(q), transpose(p, {})), q); }},
      {"its own square", [&](rondo_tensor* p, rondo_tensor* q) { return product(square(p), q); }},
      {"a sum with it",
       [](rondo_tensor* p, rondo_tensor* q) {
         return product(make(rondo_binary, RONDO_ADD, p, q), make(rondo_binary, RONDO_MUL, p, q));
       }},
      {"a function of the user's",
       [](rondo_tensor* p, rondo_tensor* q) {
         const Tensor twice = make(rondo_binary_scalar, RONDO_MUL, q, 2.0);
         rondo_tensor *in[] = {q}, *out[] = {twice};
         must(rondo_tape_custom("reads", 1, in, 1, out, Reads::gradient, new Reads{p}, Reads::destroy));
         return product(twice, p);
       }},
  };
  for (const auto& [name, forward] : cases) {
    std::vector<Array> after[2];
    for (const bool in_place : {false, true}) {
      std::vector<Tensor> parameters;
      parameters.push_back(numbers({3, 3}, 5));
      parameters.push_back(numbers({3, 3}, 6));
      descend(
          parameters, in_place, [&] { return forward(parameters[0], parameters[1]); }, &after[in_place]);
    }
    for (size_t i = 0; i < after[0].size(); ++i) expect_same_bits(after[1][i], after[0][i], name);
  }
}

}  // namespace
}  // namespace conformance
