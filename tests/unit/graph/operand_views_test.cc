// Views of a recording as data: each operand can be made again from the values and the views that were noted, without
// its strides and its offset.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/program/views.h"

#include <array>
#include <random>
#include <set>

#include "graph/run/control.h"
#include "program_fixture.h"

namespace rondo {
namespace {

using ops::OperandViews;

class OperandViewsOf : public OnPrograms {
 protected:
  static std::string kind(const OperandViews::Node& node) { return node.call ? ops::row_of(*node.call).name : "value"; }

  // Makes each operand again from what the nodes say alone; the kinds of the views on the way to it, from the value on.
  static std::vector<std::string> chain(const ops::Program& program, const OperandViews& views,
                                        const ops::ProgramOperand& operand, uint32_t of) {
    std::vector<uint32_t> path;
    for (uint32_t at = of; at != OperandViews::kNone; at = views.nodes()[at].from) path.push_back(at);
    std::vector<std::string> kinds;
    View made;
    for (size_t i = path.size(); i-- > 0;) {
      const OperandViews::Node& node = views.nodes()[path[i]];
      kinds.push_back(kind(node));
      EXPECT_EQ(node.value, operand.value);
      if (node.call) {
        View next;
        const Status status = ops::apply_view(*node.call, made, &next);
        EXPECT_TRUE(status.ok()) << status.message();
        made = next;
      } else {
        const ops::ProgramValue& value = program.values[node.value];
        EXPECT_TRUE(value.given() || value.type == ops::ProgramValue::Type::made);
        made = node.view;
      }
    }
    EXPECT_EQ(made.storage, operand.view.storage);
    EXPECT_EQ(made.dtype, operand.view.dtype);
    EXPECT_EQ(made.accumulate, operand.view.accumulate);
    EXPECT_EQ(made.offset, operand.view.offset);
    EXPECT_TRUE(made.layout.same_as(operand.view.layout)) << shape_text(made.layout);
    return kinds;
  }
  // By node and operand.
  static std::vector<std::vector<std::vector<std::string>>> chains(const ops::Program& program) {
    const OperandViews views(program);
    std::vector<std::vector<std::vector<std::string>>> all;
    for (size_t i = 0; i < program.nodes.size(); ++i) {
      auto& node = all.emplace_back();
      for (size_t k = 0; k < program.nodes[i].operands.size(); ++k)
        if (program.nodes[i].operands[k].known)
          node.push_back(chain(program, views, program.nodes[i].operands[k], views.of(i, k)));
    }
    return all;
  }
  void made(std::vector<int64_t> shape, rondo_tensor** tensor) {
    must(rondo_tensor_create(engine_, {RONDO_CPU, 0}, RONDO_F32, static_cast<int32_t>(shape.size()), shape.data(),
                             tensor));
    must(rondo_fill(*tensor, 1));
  }
};

using Chain = std::vector<std::string>;

TEST_F(OperandViewsOf, EachKindOfViewIsMadeAgain) {
  Result x, reshaped, sliced, transposed, flipped, split, broadcast, out[7], sum, adds;
  made({6, 4}, x.slot());
  const ops::Program program = recorded([&] {
    const int64_t shape[] = {3, -1}, wide[] = {2, 6, 4};
    const int32_t axes[] = {1, 0}, last[] = {-1};
    must(rondo_tensor_reshape(x, 2, shape, reshaped.slot()));
    must(rondo_tensor_slice(x, 0, -2, INT64_MIN, -2, sliced.slot()));
    must(rondo_tensor_transpose(x, axes, transposed.slot()));
    must(rondo_tensor_flip(x, 1, last, flipped.slot()));
    must(rondo_tensor_split(x, -1, 3, 1, split.slot()));
    must(rondo_tensor_broadcast(x, 3, wide, broadcast.slot()));
    size_t next = 0;
    for (rondo_tensor* each :
         {reshaped.tensor, sliced.tensor, transposed.tensor, flipped.tensor, split.tensor, broadcast.tensor})
      must(rondo_cumulative(RONDO_SUM, each, 0, 0, out[next++].slot()));
    made({6, 4}, sum.slot());
    must(rondo_tensor_accumulator(sum, adds.slot()));
    must(rondo_unary(RONDO_NEG, x, adds.slot()));
  });
  const auto found = chains(program);
  ASSERT_EQ(found.size(), 8u) << program.text();
  const Chain value = {"value"};
  EXPECT_EQ(found[0], (std::vector<Chain>{{"value", "Reshape"}, value}));
  EXPECT_EQ(found[1], (std::vector<Chain>{{"value", "Slice"}, value}));
  EXPECT_EQ(found[2], (std::vector<Chain>{{"value", "Transpose"}, value}));
  EXPECT_EQ(found[3], (std::vector<Chain>{{"value", "Flip"}, value}));
  EXPECT_EQ(found[4], (std::vector<Chain>{{"value", "Split"}, value}));
  EXPECT_EQ(found[5], (std::vector<Chain>{{"value", "Broadcast"}, value}));
  EXPECT_EQ(found[7], (std::vector<Chain>{value, {"value", "Accumulator"}}));
}

TEST_F(OperandViewsOf, AttributesAreWhatTheCallSaid) {
  Result x, sliced, out;
  made({6, 4}, x.slot());
  const ops::Program program = recorded([&] {
    must(rondo_tensor_slice(x, -1, -3, INT64_MAX, 2, sliced.slot()));
    must(rondo_unary(RONDO_NEG, sliced, out.slot()));
  });
  const OperandViews views(program);
  const ops::Call& call = *views.nodes()[views.of(0, 0)].call;
  EXPECT_TRUE(same_attributes(call, ops::Call(ops::SliceCall{1, -3, INT64_MAX, 2})));
}

// Random chains, also of tensors that the recording makes.
TEST_F(OperandViewsOf, ChainsOfViewsAreMadeAgain) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&random](int64_t n) { return static_cast<int64_t>(random() % static_cast<unsigned>(n)); };
    Result x, out;
    std::array<Result, 6> view;
    size_t made_views = 0;
    const bool outside = random() % 2;
    if (outside) made({4, 6}, x.slot());
    const ops::Program program = recorded([&] {
      if (!outside) made({4, 6}, x.slot());
      rondo_tensor* last = x;
      for (Result& next : view) {
        rondo_tensor_info info = RONDO_TENSOR_INFO_INIT;
        must(rondo_tensor_query(last, &info));
        const int32_t axis = info.ndim ? static_cast<int32_t>(below(info.ndim)) : 0;
        const int64_t size = info.ndim ? info.shape[axis] : 1, flat = -1;
        const int64_t wide[] = {1 + below(3), 4, 6};
        switch (random() % 6) {
          case 0: must(rondo_tensor_transpose(last, nullptr, next.slot())); break;
          case 1: must(rondo_tensor_flip(last, 1, &axis, next.slot())); break;
          case 2: must(rondo_tensor_slice(last, axis, below(size), INT64_MAX, 1 + below(2), next.slot())); break;
          case 3: must(rondo_tensor_split(last, axis, 1 + below(size), 0, next.slot())); break;
          case 4:
            if (rondo_tensor_reshape(last, 1, &flat, next.slot()) != RONDO_OK) continue;
            break;
          default:
            if (rondo_tensor_broadcast(last, 3, wide, next.slot()) != RONDO_OK) continue;
        }
        last = next;
        ++made_views;
      }
      must(rondo_cumulative(RONDO_SUM, last, 0, 0, out.slot()));
    });
    const auto found = chains(program);
    EXPECT_EQ(found.back()[0].size(), made_views + 1) << "seed " << seed;
    must(rondo_record_abort(engine_));
    if (HasFailure()) return;
  }
}

TEST_F(OperandViewsOf, OperandsOfAnOperatorAreRepeated) {
  Result x, row, column, out, more;
  made({3, 4}, x.slot());
  made({4}, row.slot());
  made({3, 1}, column.slot());
  const ops::Program program = recorded([&] {
    must(rondo_binary(RONDO_ADD, x, row, out.slot()));
    must(rondo_binary(RONDO_MUL, out, column, more.slot()));
  });
  const auto found = chains(program);
  EXPECT_EQ(found[0], (std::vector<Chain>{{"value"}, {"value", "Broadcast"}, {"value"}}));
  EXPECT_EQ(found[1], (std::vector<Chain>{{"value"}, {"value", "Broadcast"}, {"value"}}));
  const OperandViews views(program);
  const auto shape_of_value = [&](size_t node, size_t operand) {
    return shape_text(views.nodes()[views.nodes()[views.of(node, operand)].from].view.layout);
  };
  EXPECT_EQ(shape_of_value(0, 1), "[4]");
  EXPECT_EQ(shape_of_value(1, 1), "[3, 1]");
}

TEST_F(OperandViewsOf, ViewsFromBeforeAreInputs) {
  Result x, half, turned, out;
  made({4, 6}, x.slot());
  must(rondo_tensor_slice(x, 0, 2, 4, 1, half.slot()));
  const ops::Program program = recorded([&] {
    must(rondo_tensor_transpose(half, nullptr, turned.slot()));
    must(rondo_unary(RONDO_NEG, turned, out.slot()));
  });
  EXPECT_EQ(chains(program)[0][0], (Chain{"value", "Transpose"}));
  const OperandViews views(program);
  const OperandViews::Node& input = views.nodes()[views.nodes()[views.of(0, 0)].from];
  EXPECT_EQ(input.view.offset, 2 * 6 * 4);
  EXPECT_EQ(shape_text(input.view.layout), "[2, 6]");
}

TEST_F(OperandViewsOf, NothingRunsForThem) {
  Result x, turned, flat, unused, out;
  made({4, 6}, x.slot());
  const ops::Program program = recorded([&] {
    const int64_t shape = 24;
    must(rondo_tensor_flip(x, 0, nullptr, turned.slot()));
    must(rondo_tensor_reshape(x, 1, &shape, flat.slot()));
    must(rondo_tensor_reshape(out.tensor ? out : x, 1, &shape, unused.slot()));
    must(rondo_unary(RONDO_NEG, turned, out.slot()));
  });
  EXPECT_EQ(names(program), "neg");
  // Of tensors that no node uses nothing is noted.
  Result other, other_view;
  must(rondo_record_abort(engine_));
  made({2}, other.slot());
  const ops::Program empty = recorded([&] { must(rondo_tensor_flip(other, 0, nullptr, other_view.slot())); });
  EXPECT_TRUE(empty.views.empty());
}

TEST_F(OperandViewsOf, BodiesHaveViewsOfTheirOwn) {
  Result x, yes, turned, sum;
  made({4, 6}, x.slot());
  made({6, 4}, sum.slot());
  const int64_t none = 0;
  must(rondo_tensor_create(engine_, {RONDO_CPU, 0}, RONDO_BOOL, 0, &none, yes.slot()));
  must(rondo_fill(yes, 1));
  ops::Program program = recorded([&] {
    const std::function<void()> body = [&]() {
      must(rondo_tensor_transpose(x, nullptr, turned.slot()));
      must(rondo_unary(RONDO_NEG, turned, sum.slot()));
    };
    must(rondo_if(
        engine_, yes,
        [](void* run) {
          (*static_cast<const std::function<void()>*>(run))();
          return RONDO_OK;
        },
        nullptr, const_cast<std::function<void()>*>(&body)));
  });
  EXPECT_TRUE(program.views.empty()) << "those of a body are the body's";
  Control& control = *Control::of(program.nodes.at(0));
  EXPECT_EQ(chains(control.bodies()[0].program->program)[0][0], (Chain{"value", "Transpose"}));
}

TEST_F(OperandViewsOf, OtherKindsAreNoViews) {
  View from, to;
  EXPECT_EQ(ops::apply_view(ops::Call(ops::CopyCall{}), from, &to).code(), RONDO_INVALID_ARGUMENT);
}

}  // namespace
}  // namespace rondo
