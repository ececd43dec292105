// Control flow in program files: bodies as lists of nodes, states that they write, and files whose bodies are wrong.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <random>

#include "control/control.h"
#include "model_files/programs.h"

namespace conformance {
namespace {

class ProgramControl : public WithControl<ProgramFiles> {
 protected:
  static void add(rondo_tensor* x, double value) { into(x, rondo_binary_scalar, RONDO_ADD, x, value); }
  static Tensor below(rondo_tensor* x, double limit) {
    return make(rondo_binary_scalar, RONDO_LT, reduce(RONDO_SUM, x, {}), limit);
  }
};
CONFORMANCE_ENGINE_SUITE(ProgramControl);

TEST_P(ProgramControl, BothBodiesOfAnIf) {
  const Tensor w = up(random_array(RONDO_F32, {3, 2}, 4, -2, 2)), turned = transpose(w, {1, 0});
  for (const double value : {1.0, -1.0}) {
    const Tensor x = up(full(RONDO_F32, {2, 3}, value));
    same_from_file({{RONDO_F32, {2, 3}}}, {x}, 2, [&](const std::vector<Tensor>& in) {
      Tensor out = empty(RONDO_F32, {2, 3}), kept = make(rondo_copy, in[0]);
      const Tensor before = reshape(in[0], {3, 2});
      if_else(
          below(in[0], 0),
          [&] {
            const Tensor made = make(rondo_unary, RONDO_EXP, in[0]);
            into(out, rondo_binary, RONDO_ADD, made, turned);
          },
          [&] {
            into(out, rondo_unary, RONDO_NEG, in[0]);
            into(reshape(kept, {3, 2}), rondo_binary, RONDO_MUL, before, w);
          });
      return list(std::move(out), std::move(kept));
    });
  }
}

TEST_P(ProgramControl, AnIfWithoutAnElse) {
  for (const double value : {1.0, -1.0}) {
    const Tensor x = up(full(RONDO_F32, {4}, value));
    same_from_file({{RONDO_F32, {4}}}, {x}, 1, [&](const std::vector<Tensor>& in) {
      Tensor out = make(rondo_copy, in[0]);
      if_else(below(in[0], 0), [&] { add(out, 7); });
      return list(std::move(out));
    });
  }
}

TEST_P(ProgramControl, LoopsWithinLoops) {
  const Tensor x = ones(3);
  for (const int64_t limit : {int64_t{0}, int64_t{2}})
    same_from_file({{RONDO_F32, {3}}}, {x}, 1, [&](const std::vector<Tensor>& in) {
      Tensor sum = make(rondo_copy, in[0]);
      const Tensor go = below(sum, 40);
      while_true(
          go,
          [&] {
            const Tensor step = make(rondo_copy, in[0]), more = below(step, 9);
            while_true(more, [&] {
              add(step, 1);
              into(more, rondo_binary_scalar, RONDO_LT, reduce(RONDO_SUM, step, {}), 9.0);
            });
            into(sum, rondo_binary, RONDO_ADD, sum, step);
            into(go, rondo_binary_scalar, RONDO_LT, reduce(RONDO_SUM, sum, {}), 40.0);
          },
          limit);
      return list(std::move(sum));
    });
}

TEST_P(ProgramControl, ASwitchWritesAState) {
  const Tensor count = up(full(RONDO_F32, {2}, 3));
  const Graph graph = callable({{RONDO_I32, {}}}, [&](const std::vector<Tensor>& in) {
    std::vector<Issue> bodies = {[&] { add(count, 1); }, [&] { add(slice(count, 0, 1, 2), 10); }};
    const std::vector<rondo_body_fn> functions(bodies.size(), call_issue);
    void* arguments[] = {&bodies[0], &bodies[1]};
    must(rondo_switch(engine(), in[0], 2, functions.data(), arguments));
    return list(make(rondo_copy, count));
  });
  must(save(path(), graph.get()));
  const Program program = open(path());
  rondo_program_info info = RONDO_PROGRAM_INFO_INIT;
  must(rondo_program_query(program.get(), &info));
  EXPECT_EQ(info.state_bytes, 8);
  const Instance one = instance(program), two = instance(program);
  const auto step = [&](const Instance& made, int index) {
    const Tensor chosen = up(full(RONDO_I32, {}, index));
    return download(call(made, "f", {chosen}, 1)[0]);
  };
  EXPECT_EQ(step(one, 0)[1], 4);
  EXPECT_EQ(step(one, 1)[1], 14);
  EXPECT_EQ(step(one, 2)[1], 14);
  EXPECT_EQ(step(two, 1)[1], 13);
  EXPECT_EQ(step(two, 1)[0], 3);
}

TEST_P(ProgramControl, RandomNumbersOfBodies) {
  const Graph graph = callable({{RONDO_F32, {8}}}, [&](const std::vector<Tensor>& in) {
    Tensor sum = make(rondo_copy, in[0]);
    const Shape shape = {8};
    while_true(
        below(in[0], 1e9),
        [&] {
          const Tensor drawn = make(rondo_random_uniform, engine(), device(), RONDO_F32, 1, shape.data(), 0.0, 1.0);
          into(sum, rondo_binary, RONDO_ADD, sum, drawn);
        },
        3);
    const Tensor after = make(rondo_random_normal, engine(), device(), RONDO_F32, 1, shape.data(), 0.0, 1.0);
    into(sum, rondo_binary, RONDO_ADD, sum, after);
    return list(std::move(sum));
  });
  must(save(path(), graph.get()));
  const Tensor x = ones(8);
  must(rondo_engine_seed(engine(), 7));
  const std::vector<Tensor> expected = call_all(graph, {x}, 1);
  const Instance made = instance(open(path()));
  must(rondo_engine_seed(engine(), 7));
  expect_same_bits(download(call(made, "f", {x}, 1)[0]), download(expected[0]), "random");
}

TEST_P(ProgramControl, WhatABodyHasIsToldToo) {
  const Tensor x = ones(2);
  const Graph graph = callable({{RONDO_F32, {2}}}, [&](const std::vector<Tensor>& in) {
    Tensor out = make(rondo_copy, in[0]);
    if_else(below(in[0], 0), [&] {
      const rondo_task_options mine = task_options("mine", device());
      must(push_tensors(
          engine(), [](rondo_task_context*) { return RONDO_OK; }, {in[0]}, {out}, &mine));
    });
    return list(std::move(out));
  });
  EXPECT_EQ(save(path(), graph.get()), RONDO_UNSUPPORTED);
  EXPECT_TRUE(has_word(rondo_last_error(), "mine")) << rondo_last_error();
}

constexpr const char* kLoop =
    R"({"rondo_program":1,"needs":"0.1","made_by":"0.1.0","weights":[],"functions":[
{"name":"f","inputs":[["x","f32",[2]],["go","bool",[]]],"weights":[],"nodes":[
{"kind":"Copy","in":{"a":0},"out":{"out":[2,"f32",[2]]}},
{"control":"while","limit":3,"number":1,"bodies":[
[
{"kind":"Elementwise","with":{"row":"neg","computed":"f32"},"in":{"operands":[2]},"out":{"out":[3,"f32",[2]]}},
{"kind":"Copy","in":{"a":3},"out":{"out":2}}]]}],
"outputs":[["y",2,"f32",[2]]]}]})";

TEST_P(ProgramControl, WrongBodiesAreRefused) {
  ASSERT_EQ(refusal(kLoop), "");
  struct Edit {
    const char *from, *to, *why;
  };
  const Edit edits[] = {
      {"\"while\"", "\"until\"", "control flow 'until' is not known"},
      {"\"while\"", "\"if\"", "a limit is of a loop"},
      {"\"while\",\"limit\":3", "\"if\"", "an if has two bodies"},
      {"\"while\",\"limit\":3", "\"switch\"", "index"},
      {"\"limit\":3", "\"limit\":0", "a limit is of a loop, and 1 or more"},
      {"\"limit\":3", "\"limit\":-1", "a limit is of a loop, and 1 or more"},
      {"\"limit\":3", "\"limit\":9223372036854775808", "63 bits"},
      {"\"limit\":3,", "", "never ends"},
      {"\"number\":1", "\"number\":0", "condition has"},
      {"\"number\":1", "\"number\":3", "value 3 is used before it is made"},
      {"\"number\":1,", "", "where 'number' is expected"},
      {"\"a\":3", "\"a\":4", "value 4 is used before it is made"},
      {"[\"y\",2", "[\"y\",3", "value 3 is used before it is made"},
      {"{\"out\":2}}]]}", "{\"out\":2}}],null]}", "a while has one"},
      {"{\"out\":2}}]]}", "{\"out\":2}}]],\"section\":0}", "a section that the function does not have"},
      {"{\"out\":2}}]]}", "{\"out\":2},\"section\":0}]]}", "a section that the function does not have"},
      {"{\"out\":2}}]]}", "{\"out\":0}}]]}", "f"},
      {"\"bodies\":[\n[", "\"bodies\":[null],\"more\":[\n[", "the member 'more'"},
      {"[3,\"f32\",[2]]", "[3,\"f32\",[3]]", "node 1 (while)"},
      {"\"kind\":\"Copy\",\"in\":{\"a\":3}", "\"kind\":\"Control\",\"in\":{\"reads\":[3]}",
       "Control cannot be in a file"},
  };
  for (const Edit& each : edits) {
    std::string text = kLoop;
    const size_t at = text.find(each.from);
    ASSERT_NE(at, std::string::npos) << each.from;
    text.replace(at, std::strlen(each.from), each.to);
    const std::string why = refusal(text);
    EXPECT_NE(why.find(each.why), std::string::npos) << each.from << " as " << each.to << ": " << why;
  }
}

TEST_P(ProgramControl, BodiesNestToALimit) {
  const auto nested = [](int depth) {
    std::string text = R"({"rondo_program":1,"needs":"0.1","made_by":"0.1.0","weights":[],"functions":[
{"name":"f","inputs":[["go","bool",[]],["x","f32",[2]]],"weights":[],"nodes":[)";
    for (int i = 0; i < depth; ++i) text += R"({"control":"while","limit":1,"number":0,"bodies":[[)";
    for (int i = 0; i < depth; ++i) text += "]]}";
    return text + R"(],"outputs":[]}]})";
  };
  EXPECT_NE(refusal(nested(101)).find("nest more than 100 deep"), std::string::npos);
  EXPECT_NE(refusal(nested(100000)).find("nest more than 100 deep"), std::string::npos);
  EXPECT_EQ(refusal(nested(20)), "");
}

TEST_P(ProgramControl, MutatedBodiesNeverCrash) {
  std::mt19937 random(6);
  const int turns = on_cuda() || naive() ? 50 : 500;
  const std::string words[] = {"-1", "0", "[", "{", "\"", "[]", "null", "]", "}", "3", ",", "\"if\"", "\"switch\""};
  for (int turn = 0; turn < turns; ++turn) {
    std::string text = kLoop;
    for (unsigned edit = 0; edit <= random() % 3; ++edit) {
      const size_t at = random() % text.size();
      if (random() % 2)
        text.replace(at, random() % 8, words[random() % std::size(words)]);
      else
        text[at] = static_cast<char>(32 + random() % 95);
    }
    (void)refusal(text);
  }
}

}  // namespace
}  // namespace conformance
