// The values of a recorded program: what each is for, and its dtype and shape.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/run/control.h"
#include "program_fixture.h"

namespace rondo {
namespace {

using ops::ProgramValue;
using ops::ValueRole;

class Values : public OnPrograms {
 protected:
  static const ProgramValue& value(const ops::Program& program, size_t node, size_t operand) {
    return program.values[program.nodes.at(node).operands.at(operand).value];
  }
  static std::string type(const ProgramValue& value) { return operand_text(value.view()); }
};

TEST_F(Values, EachHasItsRole) {
  Result weight, state, kept;
  filled(4, weight.slot());
  filled(4, state.slot());
  const ops::Program program = recorded([&] {
    Result positive;
    must(rondo_unary(RONDO_RELU, weight, positive.slot()));
    must(rondo_unary(RONDO_NEG, positive, kept.slot()));
    must(rondo_unary(RONDO_NEG, kept, state.slot()));
  });
  EXPECT_EQ(value(program, 0, 0).role, ValueRole::weight);
  EXPECT_EQ(value(program, 0, 1).role, ValueRole::temporary);
  EXPECT_EQ(value(program, 1, 1).role, ValueRole::output);
  EXPECT_EQ(value(program, 2, 1).role, ValueRole::state);
}

TEST_F(Values, AnInputIsNeitherOutsideNorMade) {
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  options.flags = RONDO_RECORD_CALLABLE;
  must(rondo_record_begin(engine_, &options));
  Result input, unused, output;
  const int64_t n = 4;
  must(rondo_record_input(engine_, {RONDO_CPU, 0}, RONDO_F64, 1, &n, input.slot()));
  must(rondo_unary(RONDO_RELU, input, output.slot()));
  make(3, unused.slot());
  must(rondo_record_output(engine_, output));
  Recording::Drawn drawn;
  const ops::Program program = static_cast<Recording*>(Engine::thread_sink())->program(&drawn);
  const ProgramValue& given = value(program, 0, 0);
  EXPECT_EQ(given.role, ValueRole::input);
  EXPECT_TRUE(given.given());
  EXPECT_FALSE(given.from_outside());
  EXPECT_EQ(type(given), "f64 [4]");
  EXPECT_EQ(value(program, 0, 1).role, ValueRole::output);
  // What no node uses is the last.
  ASSERT_EQ(program.values.size(), 3u);
  EXPECT_EQ(program.values[2].role, ValueRole::temporary) << "held, but not named";
  EXPECT_EQ(type(program.values[2]), "u8 [12]") << "no operand shows it";
}

TEST_F(Values, WhatIsMadeHasTheTypeItWasMadeWith) {
  Result made, half;
  const int64_t shape[] = {2, 6};
  const ops::Program program = recorded([&] {
    must(rondo_tensor_create(engine_, {RONDO_CPU, 0}, RONDO_F64, 2, shape, made.slot()));
    must(rondo_tensor_slice(made, 1, 0, 3, 1, half.slot()));
    must(rondo_fill(half, 1));
  });
  EXPECT_EQ(value(program, 0, 0).type, ProgramValue::Type::made);
  EXPECT_EQ(type(value(program, 0, 0)), "f64 [2, 6]");
}

TEST_F(Values, WhatIsOutsideHasTheTypeItIsSeenWith) {
  Result whole, part, half, out[2];
  filled(6, whole.slot());
  filled(6, part.slot());
  must(rondo_tensor_slice(part, 0, 0, 3, 1, half.slot()));
  const ops::Program program = recorded([&] {
    must(rondo_unary(RONDO_RELU, whole, out[0].slot()));
    must(rondo_unary(RONDO_RELU, half, out[1].slot()));
  });
  EXPECT_EQ(value(program, 0, 0).type, ProgramValue::Type::seen);
  EXPECT_EQ(type(value(program, 0, 0)), "f32 [6]");
  EXPECT_EQ(type(value(program, 1, 0)), "f32 [6]") << "a row of all elements";
}

TEST_F(Values, ABodySeesWhatIsAroundItAsOutside) {
  Result yes, out;
  const ops::Program program = recorded([&] {
    must(rondo_tensor_create(engine_, {RONDO_CPU, 0}, RONDO_BOOL, 0, nullptr, yes.slot()));
    must(rondo_fill(yes, 1));
    filled(4, out.slot());
    const auto body = [](void* result) { return rondo_fill(static_cast<Result*>(result)->tensor, 2); };
    must(rondo_if(engine_, yes, body, nullptr, &out));
  });
  EXPECT_EQ(value(program, 1, 0).role, ValueRole::output);
  const ops::Program& body = Control::of(program.nodes.at(2))->bodies()[0].program->program;
  EXPECT_EQ(value(body, 0, 0).storage.get(), value(program, 1, 0).storage.get());
  EXPECT_EQ(value(body, 0, 0).role, ValueRole::state);
}

}  // namespace
}  // namespace rondo
