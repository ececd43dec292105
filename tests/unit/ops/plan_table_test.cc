// Kept plans of elementwise tasks: a call gets the plan that it would get alone, whatever was planned before it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise/plan_table.h"

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/text.h"
#include "engine/views.h"
#include "engine_fixture.h"
#include "ops/elementwise/elementwise_task.h"
#include "ops/ops.h"

namespace rondo::ops {
namespace {

using testing::EngineOverFake;
using testing::FakeDevice;
using testing::Keeper;

// All that a plan decides, and a task's own numbers.
std::string text_of(const ElementwiseTask& task) {
  const ElementwisePlan& plan = task.plan();
  const Space& space = plan.space();
  std::string text =
      format("%d %d %d %d %d %u %d %lld, %u blocks:", space.ndim, space.flat, space.wide, space.vector, space.unroll,
             space.transposed, space.tile, static_cast<long long>(space.elements), plan.blocks());
  for (const int64_t each : space.dims) text += format(" %lld", static_cast<long long>(each));
  text += ", words";
  for (const uint64_t each : plan.words()) text += format(" %llx", static_cast<unsigned long long>(each));
  text += format(", draws %llu, expression", static_cast<unsigned long long>(plan.random_count()));
  uint8_t packed[Expression::kMaxPacked];
  const int bytes = plan.expression().pack(packed);
  for (int i = 0; i < bytes; ++i) text += format(" %d", packed[i]);
  for (int k = 0; k < task.operands(); ++k) {
    const View view = task.view(k);
    text += format(", %s %d at %lld", operand_text(view).c_str(), view.accumulate, static_cast<long long>(view.offset));
    for (int d = 0; d < view.layout.ndim; ++d) text += format(" %lld", static_cast<long long>(view.layout.strides[d]));
  }
  text += ", scalars";
  for (int i = 0; i < task.expression().scalars(); ++i)
    text += format(" %llx", static_cast<unsigned long long>(task.scalars()[i]));
  return text;
}

class Plans : public ::testing::Test {
 protected:
  void SetUp() override { plan_table().clear(); }
  void TearDown() override { plan_table().clear(); }

  rondo_tensor* tensor(const std::vector<int64_t>& shape, rondo_dtype dtype = RONDO_F32, Device* device = nullptr) {
    tensors_.push_back(make_tensor(*over_.engine, device ? *device : over_.device, dtype,
                                   Layout::row_major(static_cast<int>(shape.size()), shape.data())));
    tensors_.back()->view.storage->exposed = true;  // it has contents
    return tensors_.back();
  }
  rondo_tensor* view(const rondo_tensor* of, const std::function<void(View*)>& change) {
    View changed = of->view;
    change(&changed);
    tensors_.push_back(make_view(of->storage, changed));
    return tensors_.back();
  }
  // From element `first` on in steps of so many, along the only axis.
  rondo_tensor* slice(const rondo_tensor* of, int64_t first, int64_t n, int64_t step = 1) {
    return view(of, [&](View* view) {
      view->offset += first * static_cast<int64_t>(dtype_size(view->dtype));
      view->layout.shape[0] = n;
      view->layout.strides[0] = step;
    });
  }
  // The task that an operator submits.
  template <class F>
  Ref<ElementwiseTask> task_of(const F& call) {
    Keeper keeper(*over_.engine);
    Engine::set_thread_sink(&keeper);
    const Status status = call();
    Engine::set_thread_sink(nullptr);
    EXPECT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(keeper.tasks().size(), 1u);
    return Ref<ElementwiseTask>::share(static_cast<ElementwiseTask*>(keeper.tasks().at(0).get()));
  }
  Ref<ElementwiseTask> binary_task(rondo_binary_op op, const rondo_tensor* a, const rondo_tensor* b,
                                   rondo_tensor* to = nullptr) {
    return task_of(
        [&] { return with_out(to, [&](Output& out) { return binary(op, a->view, b->view, 0, nullptr, out); }); });
  }
  template <class F>
  Status with_out(rondo_tensor* to, const F& call) {
    rondo_tensor* slot = to;
    Status status;
    {
      Output out(&slot);
      status = call(out);
    }
    if (slot && slot != to) tensors_.push_back(slot);
    return status;
  }

  ~Plans() override {
    for (rondo_tensor* each : tensors_) destroy_tensor(each);
  }

  FakeDevice second_{2, 1};
  EngineOverFake over_, other_;
  std::vector<rondo_tensor*> tensors_;
};

TEST_F(Plans, CallsThatAreAlikeShareOne) {
  rondo_tensor *a = tensor({1024}), *b = tensor({1024}), *c = tensor({1024});
  const auto first = binary_task(RONDO_ADD, a, b, a), again = binary_task(RONDO_ADD, b, c, c);
  EXPECT_EQ(&first->plan(), &again->plan());
  EXPECT_EQ(again->view(0).storage, b->view.storage) << "operands are the call's";
  EXPECT_EQ(&binary_task(RONDO_ADD, a, b)->plan(), &binary_task(RONDO_ADD, c, b)->plan())
      << "with an output of its own";
  EXPECT_NE(&binary_task(RONDO_SUB, a, b, a)->plan(), &first->plan());
}

TEST_F(Plans, ScalarsAreTheTasks) {
  rondo_tensor* a = tensor({64});
  const auto times = [&](double by) {
    return task_of([&] {
      return with_out(a, [&](Output& out) { return binary_scalar(RONDO_MUL, a->view, Scalar::of(by), false, out); });
    });
  };
  const auto two = times(2), three = times(3);
  EXPECT_EQ(&two->plan(), &three->plan());
  EXPECT_NE(two->scalars()[0], three->scalars()[0]);
}

// Each call beside others that differ from it in one thing only: it gets what it gets when nothing is kept.
TEST_F(Plans, NothingThatAPlanDependsOnIsMissingInItsKey) {
  using Call = std::function<Ref<ElementwiseTask>()>;
  std::vector<std::pair<const char*, Call>> calls;
  rondo_tensor *a = tensor({4096}), *b = tensor({4096}), *to = tensor({4096});
  const auto sum = [&](const char* name, rondo_tensor* x, rondo_tensor* y, rondo_tensor* out) {
    calls.emplace_back(name, [this, x, y, out] { return binary_task(RONDO_ADD, x, y, out); });
  };
  rondo_tensor *a1 = slice(a, 0, 1024), *b1 = slice(b, 0, 1024), *to1 = slice(to, 0, 1024);
  sum("aligned", a1, b1, to1);
  sum("the first misaligned", slice(a, 1, 1024), b1, to1);
  sum("the first aligned for two", slice(a, 2, 1024), b1, to1);
  sum("the second misaligned", a1, slice(b, 1, 1024), to1);
  sum("the output misaligned", a1, b1, slice(to, 1, 1024));
  sum("a longer one", slice(a, 0, 1025), slice(b, 0, 1025), slice(to, 0, 1025));
  sum("in steps", slice(a, 0, 1024, 2), b1, to1);
  sum("in other steps", slice(a, 0, 1024, 3), b1, to1);
  sum("in steps on the right", a1, slice(b, 0, 1024, 2), to1);
  sum("into steps", a1, b1, slice(to, 0, 1024, 2));
  sum("backwards", slice(a, 1023, 1024, -1), b1, to1);
  sum("a new output", a1, b1, nullptr);
  sum("added to the output", a1, b1, view(to1, [](View* view) { view->accumulate = true; }));
  sum("one element for all", slice(a, 0, 1), b1, to1);
  sum("one element for all, a new output", slice(a, 0, 1), b1, nullptr);
  sum("one element for all on the right", a1, slice(b, 0, 1), to1);
  calls.emplace_back("another operator", [=, this] { return binary_task(RONDO_MUL, a1, b1, to1); });
  calls.emplace_back("its result is a bool", [=, this] { return binary_task(RONDO_LT, a1, b1); });
  // Shapes of the same number of elements.
  const auto as = [this](const rondo_tensor* of, const std::vector<int64_t>& shape) {
    return view(of,
                [&](View* view) { view->layout = Layout::row_major(static_cast<int>(shape.size()), shape.data()); });
  };
  const auto turned = [this](const rondo_tensor* of) {
    return view(of, [](View* view) { ASSERT_TRUE(transpose_view(View(*view), nullptr, view).ok()); });
  };
  rondo_tensor *square = as(a, {64, 64}), *squares = as(b, {64, 64}), *to_square = as(to, {64, 64});
  sum("a matrix", square, squares, to_square);
  sum("a matrix of other sides", as(a, {32, 128}), as(b, {32, 128}), as(to, {32, 128}));
  sum("three axes", as(a, {4, 16, 64}), as(b, {4, 16, 64}), as(to, {4, 16, 64}));
  sum("turned", turned(square), squares, to_square);
  sum("turned on the right", square, turned(squares), to_square);
  sum("into a turned one", square, squares, turned(to_square));
  sum("a row for all", as(slice(a, 0, 64), {64}), squares, to_square);
  sum("a row of two axes for all", as(slice(a, 0, 64), {1, 64}), squares, to_square);
  sum("a column for all", as(slice(a, 0, 64), {64, 1}), squares, to_square);
  sum("a row and a column", as(slice(a, 0, 64), {64, 1}), as(slice(b, 0, 64), {1, 64}), nullptr);
  sum("no elements", slice(a, 0, 0), slice(b, 0, 0), nullptr);
  // Dtypes.
  for (const rondo_dtype dtype : {RONDO_F64, RONDO_F16, RONDO_BF16, RONDO_I32, RONDO_U8, RONDO_I64}) {
    rondo_tensor *x = tensor({1024}, dtype), *y = tensor({1024}, dtype);
    sum(dtype_name(dtype), x, y, x);
    sum("with a wider one", x, b1, nullptr);
    sum("a wider one with", a1, y, nullptr);
    calls.emplace_back("cast", [=, this] {
      return task_of([&] { return with_out(nullptr, [&](Output& out) { return cast(a1->view, dtype, out); }); });
    });
  }
  // Scalars on either side, parameters, other operators with expressions of their own.
  for (const bool reversed : {false, true})
    calls.emplace_back("a scalar", [=, this] {
      return task_of([&] {
        return with_out(to1,
                        [&](Output& out) { return binary_scalar(RONDO_SUB, a1->view, Scalar::of(2), reversed, out); });
      });
    });
  const auto one = [&](const char* name, std::function<Status(Output&)> call) {
    calls.emplace_back(name, [=, this] { return task_of([&] { return with_out(to1, call); }); });
  };
  one("unary", [=](Output& out) { return unary(RONDO_EXP, a1->view, 0, nullptr, out); });
  one("copy", [=](Output& out) { return copy(a1->view, out); });
  for (const size_t n : {2u, 3u})
    one("add_n", [=](Output& out) {
      const View* const views[] = {&a1->view, &b1->view, &a1->view};
      return add_n(std::span(views, n), out);
    });
  calls.emplace_back("fill", [=, this] { return task_of([&] { return fill(to1->view, Scalar::of(1)); }); });
  rondo_tensor* on_second = tensor({1024}, RONDO_F32, &second_);
  calls.emplace_back("on another device",
                     [=, this] { return binary_task(RONDO_ADD, on_second, on_second, on_second); });
  rondo_tensor *x = tensor({1024}, RONDO_F32, &cpu_device()), *y = tensor({1024}, RONDO_F32, &cpu_device());
  sum("on the host", x, y, x);

  std::vector<std::string> alone;
  for (const auto& [name, call] : calls) {
    plan_table().clear();
    alone.push_back(text_of(*call()));
  }
  plan_table().clear();
  std::vector<Ref<ElementwiseTask>> kept(calls.size());
  for (size_t i = 0; i < calls.size(); ++i) {
    kept[i] = calls[i].second();
    EXPECT_EQ(text_of(*kept[i]), alone[i]) << calls[i].first;
    EXPECT_EQ(&kept[i]->device(), &kept[i]->operand(0).storage->device()) << calls[i].first;
    for (size_t k = 0; k < i; ++k)
      EXPECT_NE(&kept[k]->plan(), &kept[i]->plan()) << calls[i].first << " has the plan of " << calls[k].first;
  }
  for (size_t i = calls.size(); i-- > 0;) {
    const Ref<ElementwiseTask> again = calls[i].second();
    EXPECT_EQ(&again->plan(), &kept[i]->plan()) << calls[i].first << " is not found again";
    EXPECT_EQ(text_of(*again), alone[i]) << calls[i].first;
  }
}

TEST_F(Plans, WhatIsNoCallIsNotKept) {
  rondo_tensor *a = tensor({64}), *b = tensor({64});
  (void)binary_task(RONDO_ADD, a, b, b);
  const auto refused = [&](const rondo_tensor* x, const rondo_tensor* y, rondo_tensor* to) {
    return !with_out(to, [&](Output& out) { return binary(RONDO_ADD, x->view, y->view, 0, nullptr, out); }).ok();
  };
  const int64_t n = 64;
  rondo_tensor* theirs = make_tensor(*other_.engine, other_.device, RONDO_F32, Layout::row_major(1, &n));
  tensors_.push_back(theirs);
  theirs->view.storage->exposed = true;
  Keeper keeper(*over_.engine);
  Engine::set_thread_sink(&keeper);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(refused(a, theirs, b)) << "another engine's operand";
    EXPECT_TRUE(refused(a, b, theirs)) << "another engine's output";
    EXPECT_TRUE(refused(a, tensor({64}, RONDO_F32, &second_), b)) << "another device's operand";
    EXPECT_TRUE(refused(a, b, tensor({64}, RONDO_F32, &second_))) << "another device's output";
    EXPECT_TRUE(refused(a, tensor({63}), nullptr)) << "shapes";
    EXPECT_TRUE(refused(a, b, tensor({63}))) << "the output's shape";
    EXPECT_TRUE(refused(a, b, tensor({64}, RONDO_F64))) << "the output's dtype";
    EXPECT_TRUE(refused(a, view(b, [](View* view) { view->accumulate = true; }), a)) << "an accumulator is read";
    EXPECT_TRUE(refused(tensor({64}, RONDO_F8_E4M3), b, nullptr)) << "a dtype not computed with";
    rondo_tensor* owned = tensor({64});
    owned->view.storage->read_only = true;
    EXPECT_TRUE(refused(a, b, owned)) << "an output that nobody may write";
    rondo_tensor* wide = tensor({80});
    EXPECT_TRUE(refused(slice(wide, 0, 64), b, slice(wide, 4, 64))) << "an output that overlaps an operand";
    EXPECT_TRUE(refused(a, b, slice(tensor({1}), 0, 64, 0))) << "an output with an element twice";
  }
  EXPECT_TRUE(keeper.tasks().empty());
  Engine::set_thread_sink(nullptr);
}

// --- the table alone

struct Made {
  PlanKey key;
  Ref<const ElementwisePlan> plan;
};

// A plan of so many elements.
class Table : public ::testing::Test {
 protected:
  Made made(int64_t n) {
    Expression copy;
    copy.output(copy.input(RONDO_F32), RONDO_F32, false);
    View view;
    view.storage = storage_.get();
    view.layout = Layout::row_major(1, &n);
    const View* const views[] = {&view, &view};
    PlanKey key(cpu_device(), copy, view.layout, views);
    return {key, make_ref<ElementwisePlan>(cpu_device(), key, copy, view.layout, views)};
  }
  void TearDown() override { table().clear(); }
  static PlanTable& table() {
    static PlanTable table;
    return table;
  }

  EngineOverFake over_;
  Ref<Storage> storage_ = over_.engine->new_storage(cpu_device(), 4);
};

TEST_F(Table, KeepsWhatIsAskedForAndNoMoreThanItHolds) {
  constexpr int64_t kPlans = 4 * PlanTable::kSets * PlanTable::kWays;
  const Made asked = made(1);
  EXPECT_FALSE(table().find(asked.key));
  EXPECT_EQ(table().keep(asked.key, asked.plan).get(), asked.plan.get());
  std::vector<Made> others;
  for (int64_t n = 2; n < kPlans; ++n) {
    others.push_back(made(n));
    table().keep(others.back().key, others.back().plan);
    ASSERT_EQ(table().find(asked.key).get(), asked.plan.get()) << "what is asked for all the time stays";
  }
  size_t kept = 0;
  for (const Made& each : others) {
    const Ref<const ElementwisePlan> found = table().find(each.key);
    EXPECT_TRUE(!found || found.get() == each.plan.get());
    EXPECT_EQ(each.plan->use_count(), found ? 3u : 1u) << "one that was replaced is given up";
    kept += found ? 1 : 0;
  }
  EXPECT_LT(kept, PlanTable::kSets * PlanTable::kWays);
  EXPECT_GT(kept, PlanTable::kSets * PlanTable::kWays / 2) << "keys are spread";
  const Made other = made(1);
  EXPECT_EQ(table().keep(asked.key, other.plan).get(), asked.plan.get()) << "one for each key";
  table().clear();
  EXPECT_FALSE(table().find(asked.key));
  EXPECT_EQ(asked.plan->use_count(), 1u);
}

TEST_F(Table, ServesThreads) {
  constexpr int kThreads = 4, kRounds = 3000;
  constexpr int64_t kSizes = 3000;  // more than it holds
  std::atomic<int> found{0}, wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < kRounds; ++i) {
        // Every other time one of a few, which all ask for.
        const Made mine = made(1 + (i % 2 ? i / 2 % 4 : (i * 37 + t * 11) % kSizes));
        Ref<const ElementwisePlan> plan = table().find(mine.key);
        if (plan)
          ++found;
        else
          plan = table().keep(mine.key, mine.plan);
        if (!plan->is_for(mine.key) || plan->space().elements != mine.plan->space().elements) ++wrong;
      }
    });
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(found, 0);
}

// A plan stays when the engine goes whose call made it, and serves the next.
TEST(PlansOfEngines, OutliveThem) {
  const ElementwisePlan* before = nullptr;
  plan_table().clear();
  for (int round = 0; round < 2; ++round) {
    EngineOverFake over;
    const int64_t n = 1000;
    rondo_tensor* a = make_tensor(*over.engine, cpu_device(), RONDO_F32, Layout::row_major(1, &n));
    ASSERT_TRUE(fill(a->view, Scalar::of(round + 1)).ok());
    const View* const views[] = {&a->view, &a->view, &a->view};
    Expression sum;
    const Value x = sum.input(RONDO_F32), y = sum.input(RONDO_F32);
    sum.output(sum.apply(Op::add, x, y), RONDO_F32, false);
    Ref<ElementwiseTask> task = make_ref<ElementwiseTask>("sum", cpu_device(), sum, a->view.layout, views, nullptr);
    EXPECT_TRUE(!before || &task->plan() == before);
    before = &task->plan();
    ASSERT_TRUE(over.engine->submit(std::move(task)).ok());
    std::vector<float> data(n);
    ASSERT_TRUE(read_to_host(a->view, data.data()).ok());
    EXPECT_EQ(data, std::vector<float>(n, 2.0f * static_cast<float>(round + 1)));
    destroy_tensor(a);
  }
  plan_table().clear();
}

}  // namespace
}  // namespace rondo::ops
