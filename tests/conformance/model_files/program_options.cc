// Options of instances of programs: weights in place of the file's, outputs that the file does not name, and limits on
// loops.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "control/control.h"
#include "model_files/programs.h"

namespace conformance {
namespace {

class ProgramOptions : public WithControl<ProgramFiles> {
 protected:
  rondo_status create(const Program& program, const rondo_program_instance_options& options, Instance* made) const {
    rondo_program_instance* handle = nullptr;
    const rondo_status status =
        rondo_program_create_instance_with(program.get(), engine(), device(), &options, &handle);
    made->reset(handle);
    return status;
  }
  void expect_option_refused(const Program& program, const rondo_program_instance_options& options,
                             const char* why) const {
    Instance none;
    const rondo_status status = create(program, options, &none);
    expect_refused(status, status == RONDO_NOT_FOUND ? RONDO_NOT_FOUND : RONDO_INVALID_ARGUMENT,
                   "rondo_program_create_instance_with", why);
    EXPECT_EQ(none, nullptr);
  }
};
CONFORMANCE_ENGINE_SUITE(ProgramOptions);

TEST_P(ProgramOptions, GivenWeightsStandForTheFiles) {
  const Tensor w = up(full(RONDO_F32, {3}, 2)), count = up(full(RONDO_F32, {3}, 0));
  const Graph graph = callable({{RONDO_F32, {3}}}, [&](const std::vector<Tensor>& in) {
    into(count, rondo_binary_scalar, RONDO_ADD, count, 1.0);
    return list(make(rondo_binary, RONDO_MUL, in[0], w));
  });
  const char* const names[] = {"w", "count"};
  rondo_tensor* const saved[] = {w, count};
  rondo_program_save_options save_options = RONDO_PROGRAM_SAVE_OPTIONS_INIT;
  save_options.n_weights = 2;
  save_options.weight_names = names;
  save_options.weights = saved;
  must(save(path(), graph.get(), &save_options));
  const Program program = open(path());
  const Tensor adapter = up(full(RONDO_F32, {3}, 5)), state = up(full(RONDO_F32, {3}, 7));
  rondo_tensor* given[] = {adapter, state};
  rondo_program_instance_options options = RONDO_PROGRAM_INSTANCE_OPTIONS_INIT;
  options.n_weights = 2;
  options.weight_names = names;
  options.weights = given;
  Instance made;
  must(create(program, options, &made));
  const Instance plain = instance(program);
  const Tensor x = up(full(RONDO_F32, {3}, 1));
  EXPECT_EQ(first(call(made, "f", {x}, 1)[0]), 5);
  EXPECT_EQ(first(call(plain, "f", {x}, 1)[0]), 2);
  EXPECT_EQ(first(state), 8);
  must(rondo_fill(adapter, 9));  // used as it is at each call
  EXPECT_EQ(first(call(made, "f", {x}, 1)[0]), 9);

  const Tensor wide = up(full(RONDO_F32, {6}, 1)), part = slice(wide, 0, 0, 3);
  given[0] = wide;
  expect_option_refused(program, options, "the weight 'w' is f32 [3]; what is given is f32 [6]");
  given[0] = part;
  expect_option_refused(program, options, "a part of a tensor");
  const char *const others[] = {"w", "none"}, *const twice[] = {"w", "w"};
  given[0] = adapter;
  options.weight_names = others;
  expect_option_refused(program, options, "the weight 'none' is not the program's");
  given[1] = adapter;
  options.weight_names = twice;
  expect_option_refused(program, options, "the weight 'w' is given twice");
}

TEST_P(ProgramOptions, ValuesInsideAreOutputsToo) {
  const Tensor x = up(numbers({2, 3})), w = up(numbers({3}));
  const auto body = [&](const std::vector<Tensor>& in) {
    const Tensor sum = make(rondo_binary, RONDO_ADD, in[0], w), turned = transpose(sum, {1, 0});
    return list(make(rondo_unary, RONDO_EXP, turned));
  };
  const Graph graph = callable({{RONDO_F32, {2, 3}}}, body);
  must(save(path(), graph.get()));
  const Program program = open(path());
  const char* const functions[] = {"f", "f"};
  int64_t values[] = {4, 0};  // the turned view, and the input
  rondo_program_instance_options options = RONDO_PROGRAM_INSTANCE_OPTIONS_INIT;
  options.n_extra = 2;
  options.extra_functions = functions;
  options.extra_values = values;
  Instance made;
  must(create(program, options, &made));
  const std::vector<Tensor> outputs = call(made, "f", {x}, 3);
  const Tensor turned = transpose(make(rondo_binary, RONDO_ADD, x, w), {1, 0});
  expect_same_bits(download(outputs[0]), download(make(rondo_unary, RONDO_EXP, turned)), "output");
  expect_same_bits(download(outputs[1]), download(make(rondo_copy, turned)), "view");
  expect_same_bits(download(outputs[2]), download(x), "input");
  values[0] = 6;
  expect_option_refused(program, options, "options->extra_values[0] is 6; function 'f' has the values 0 to 5");
  const char* const unknown[] = {"g", "f"};
  options.extra_functions = unknown;
  expect_option_refused(program, options, "no function 'g'");
}

TEST_P(ProgramOptions, LoopsTurnAtMostAsOften) {
  const Tensor x = up(full(RONDO_F32, {2}, 0));
  const Graph graph = callable({{RONDO_F32, {2}}}, [&](const std::vector<Tensor>& in) {
    Tensor sum = make(rondo_copy, in[0]);
    const Tensor go = make(rondo_binary_scalar, RONDO_LT, reduce(RONDO_SUM, sum, {}), 1000.0);
    while_true(go, [&] {
      into(sum, rondo_binary_scalar, RONDO_ADD, sum, 1.0);
      into(go, rondo_binary_scalar, RONDO_LT, reduce(RONDO_SUM, sum, {}), 1000.0);
    });
    return list(std::move(sum));
  });
  must(save(path(), graph.get()));
  const Program program = open(path());
  rondo_program_instance_options options = RONDO_PROGRAM_INSTANCE_OPTIONS_INIT;
  options.most_turns = 3;
  Instance made;
  must(create(program, options, &made));
  EXPECT_EQ(first(call(made, "f", {x}, 1)[0]), 3);
  EXPECT_EQ(first(call(instance(program), "f", {x}, 1)[0]), 500);
  options.most_turns = -1;
  expect_option_refused(program, options, "options->most_turns is -1");
}

}  // namespace
}  // namespace conformance
