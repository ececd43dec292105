// Random programs with nested control flow: a launch leaves the bits of the same program called eagerly, with passes
// and without. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <filesystem>
#include <random>

#include "control/control.h"

namespace conformance {
namespace {

class ControlPrograms : public OnControl {
 protected:
  // A statement: an operator on the program's tensors, or control flow with blocks of statements.
  struct Statement {
    enum Kind { binary, unary, draw, temporary, condition, loop, index, kinds } kind = binary;
    size_t to = 0, a = 0, b = 0;
    int operation = 0;
    double constant = 0;
    std::vector<std::vector<Statement>> blocks;
  };
  using Block = std::vector<Statement>;
  using Random = std::mt19937;
  static constexpr size_t kTensors = 5;  // from outside
  static constexpr size_t kLocal = 2;    // made in the program
  static constexpr int64_t kSize = 6;

  static size_t below(Random& random, size_t bound) { return random() % bound; }

  static Block block(Random& random, int depth) {
    Block made;
    const size_t length = 1 + below(random, depth == 0 ? 7 : 3);
    for (size_t i = 0; i < length; ++i) {
      Statement each;
      each.kind = static_cast<Statement::Kind>(below(random, depth < 3 ? Statement::kinds : Statement::condition));
      each.to = below(random, kTensors + kLocal);
      each.a = below(random, kTensors + kLocal);
      each.b = below(random, kTensors + kLocal);
      each.operation = static_cast<int>(below(random, 3));
      each.constant = static_cast<double>(below(random, 9)) - 4;
      const size_t blocks = each.kind == Statement::condition ? 1 + below(random, 2)
                            : each.kind == Statement::loop    ? 1
                            : each.kind == Statement::index   ? 1 + below(random, 3)
                                                              : 0;
      for (size_t k = 0; k < blocks; ++k) each.blocks.push_back(block(random, depth + 1));
      made.push_back(std::move(each));
    }
    return made;
  }

  // The one local tensor is read at the end, the other one perhaps nowhere.
  void run_program(const Block& statements, const std::vector<Tensor>& given) const {
    std::vector<Tensor> x;
    for (const Tensor& each : given) x.push_back(reshape(each, {kSize}));  // views
    for (size_t i = 0; i < kLocal; ++i) x.push_back(make(rondo_copy, given[i]));
    run_block(statements, x);
    into(given[0], rondo_binary, RONDO_ADD, given[0], x[kTensors]);
  }

  void run_block(const Block& statements, const std::vector<Tensor>& x) const {
    for (const Statement& each : statements) run_statement(each, x);
  }

  // Values stay small: what is stored goes through tanh now and then, and constants are added.
  void run_statement(const Statement& s, const std::vector<Tensor>& x) const {
    static constexpr rondo_binary_op kBinary[] = {RONDO_ADD, RONDO_SUB, RONDO_MAXIMUM};
    rondo_tensor* const to = x[s.to];
    const auto body = [&](size_t k) { return Issue([this, &s, &x, k] { run_block(s.blocks[k], x); }); };
    switch (s.kind) {
      case Statement::binary: return into(to, rondo_binary, kBinary[s.operation], x[s.a], x[s.b]);
      case Statement::unary:
        return s.operation ? into(to, rondo_unary, RONDO_TANH, x[s.a])
                           : into(to, rondo_binary_scalar, RONDO_ADD, x[s.a], s.constant);
      case Statement::draw: {
        const Shape shape = {kSize};
        const Tensor drawn = make(rondo_random_uniform, engine(), device(), RONDO_F32, 1, shape.data(), -1.0, 1.0);
        return into(to, rondo_binary, RONDO_ADD, x[s.a], drawn);
      }
      case Statement::temporary: {
        const Tensor sums = make(rondo_cumulative, RONDO_SUM, x[s.a], 0, 0);
        const Tensor part = slice(to, 0, s.operation, s.operation + 3);
        return into(part, rondo_binary, RONDO_SUB, slice(sums, 0, 1, 4),
                    slice(x[s.b], 0, s.operation, s.operation + 3));
      }
      case Statement::condition: {
        const Tensor condition = make(rondo_binary_scalar, RONDO_GT, reduce(RONDO_SUM, x[s.a], {}), s.constant);
        return s.blocks.size() > 1 ? if_else(condition, body(0), body(1)) : if_else(condition, body(0));
      }
      case Statement::loop: {
        const Tensor condition = make(rondo_binary_scalar, RONDO_GT, reduce(RONDO_SUM, x[s.a], {}), s.constant);
        return while_true(
            condition,
            [&] {
              run_block(s.blocks[0], x);
              into(condition, rondo_binary_scalar, RONDO_GT, reduce(RONDO_SUM, x[s.b], {}), s.constant);
            },
            1 + s.operation);
      }
      case Statement::index: {
        const Tensor clipped = make(rondo_unary, RONDO_TANH, slice(x[s.a], 0, 0, 1));
        const Tensor index = make(rondo_cast, make(rondo_binary_scalar, RONDO_MUL, clipped, 3.0), RONDO_I32);
        std::vector<Issue> bodies;
        for (size_t k = 0; k < s.blocks.size(); ++k) bodies.push_back(body(k));
        return choose(index, bodies);
      }
      default: return;
    }
  }

  std::vector<Array> results(const std::vector<Tensor>& x) const {
    std::vector<Array> all;
    for (const Tensor& each : x) all.push_back(download(each));
    return all;
  }
};
CONFORMANCE_ENGINE_SUITE(ControlPrograms);

TEST_P(ControlPrograms, LaunchesLeaveTheBitsOfEagerCalls) {
  const int programs = quick() ? 12 : 60;
  const auto first_seed = static_cast<unsigned>(share() < 0 ? 0 : share() * 1000);
  for (int number = 0; number < programs; ++number) {
    Random random(first_seed + static_cast<unsigned>(number));
    const Block program = block(random, 0);
    std::vector<Tensor> x;
    for (size_t i = 0; i < kTensors; ++i) x.push_back(ones(kSize, 0));
    const auto begin = [&] {
      must(rondo_engine_seed(engine(), static_cast<uint64_t>(number)));
      for (size_t i = 0; i < kTensors; ++i) must(rondo_fill(x[i], static_cast<double>(i) - 1.5));
    };
    begin();
    for (int i = 0; i < 3; ++i) run_program(program, x);
    const std::vector<Array> eager = results(x);
    for (const uint32_t flags : {RONDO_RECORD_DEFAULT, RONDO_RECORD_AS_WRITTEN}) {
      rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
      options.flags = flags;
      const Graph graph = record(
          engine(), [&] { run_program(program, x); }, &options);
      begin();
      for (int i = 0; i < 3; ++i) must(rondo_graph_launch(graph.get()));
      const std::vector<Array> launched = results(x);
      for (size_t i = 0; i < kTensors; ++i)
        expect_same_bits(launched[i], eager[i],
                         "program " + std::to_string(first_seed + static_cast<unsigned>(number)) + ", tensor " +
                             std::to_string(i) + ", flags " + std::to_string(flags));
      if (HasFailure()) {
        ADD_FAILURE() << graph_report(graph.get());
        return;
      }
    }
  }
}

// Each tensor is a state of the file, which the loaded program changes as the recording does.
TEST_P(ControlPrograms, FilesHaveTheBitsOfRecordings) {
  const int programs = quick() ? 12 : 60;
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("rondo_control_" + std::to_string(getpid()) + ".safetensors");
  const auto first_seed = static_cast<unsigned>(share() < 0 ? 0 : share() * 1000);
  for (int number = 0; number < programs; ++number) {
    Random random(first_seed + static_cast<unsigned>(number));
    const Block program = block(random, 0);
    std::vector<Tensor> x;
    for (size_t i = 0; i < kTensors; ++i) x.push_back(up(full(RONDO_F32, {kSize}, static_cast<double>(i) - 1.5)));
    rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
    options.flags = RONDO_RECORD_CALLABLE;
    const Graph graph = record(
        engine(),
        [&] {
          for (const Tensor& each : x) add(each, 0);  // all are in the file
          run_program(program, x);
        },
        &options);
    const char *const function = "f", *const names[] = {"0", "1", "2", "3", "4"};
    rondo_tensor* weights[kTensors];
    std::copy(x.begin(), x.end(), weights);
    rondo_graph* const saved = graph.get();
    rondo_program_save_options named = RONDO_PROGRAM_SAVE_OPTIONS_INIT;
    named.n_weights = kTensors;
    named.weight_names = names;
    named.weights = weights;
    must(rondo_program_save(path.c_str(), 1, &function, &saved, &named));
    rondo_program* opened = nullptr;
    rondo_program_instance* instance = nullptr;
    must(rondo_program_open(path.c_str(), &opened));
    must(rondo_program_create_instance(opened, engine(), device(), &instance));
    must(rondo_engine_seed(engine(), static_cast<uint64_t>(number)));
    for (int i = 0; i < 3; ++i) must(rondo_program_call(instance, function, 0, nullptr, 0, nullptr));
    must(rondo_engine_seed(engine(), static_cast<uint64_t>(number)));
    for (int i = 0; i < 3; ++i) must(rondo_graph_call(graph.get(), 0, nullptr, 0, nullptr));
    for (size_t i = 0; i < kTensors; ++i) {
      const Tensor state = make(rondo_program_instance_weight, instance, names[i]);
      expect_same_bits(
          download(state), download(x[i]),
          "program " + std::to_string(first_seed + static_cast<unsigned>(number)) + ", tensor " + std::to_string(i));
    }
    rondo_program_instance_destroy(instance);
    rondo_program_destroy(opened);
    if (HasFailure()) return;
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace conformance
