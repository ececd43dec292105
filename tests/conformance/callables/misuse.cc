// What callables do not take: each misuse is refused, with the function, the argument and what would be right.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "callables/callables.h"

namespace conformance {
namespace {

class MisuseCallables : public OnCallables {
 protected:
  static void refused(rondo_status actual, rondo_status expected, const char* function,
                      const std::vector<std::string>& words) {
    expect_refused(actual, expected, function, nullptr);
    const std::string message = rondo_last_error();
    for (const std::string& word : words) EXPECT_NE(message.find(word), std::string::npos) << word << ": " << message;
  }
  static rondo_status call(rondo_callable* callable, Inputs inputs, Inputs outputs) {
    const Inputs given = outputs;
    const rondo_status status = rondo_callable_call(callable, static_cast<int32_t>(inputs.size()), inputs.data(),
                                                    static_cast<int32_t>(outputs.size()), outputs.data());
    EXPECT_EQ(outputs, given) << "a refused call changes no slot";
    return status;
  }
  static rondo_status nothing(void*, int32_t, rondo_tensor* const*, int32_t, rondo_tensor**) { return RONDO_OK; }
  // The function leaves what `body` does, and the call fails so.
  void fails(const Called::Body& body, rondo_status expected, const std::vector<std::string>& words) const {
    const rondo_callable_options options = named("wrong");
    const Called called(engine(), 2, body, &options);
    const Tensor x = ones(8);
    refused(call(called, {x}, {nullptr, nullptr}), expected, "rondo_callable_call", words);
    EXPECT_EQ(called.info().signatures, 0);
    // Nothing is left of it: the thread records and the engine works.
    int32_t open = 1;
    must(rondo_record_is_open(engine(), &open));
    EXPECT_EQ(open, 0);
    expect_all(make(rondo_binary_scalar, RONDO_ADD, x, 1.0), 2);
  }
};
CONFORMANCE_ENGINE_SUITE(MisuseCallables);

TEST_P(MisuseCallables, Creation) {
  const auto create = [this](int32_t outputs, const std::function<void(rondo_callable_options*)>& change) {
    rondo_callable_options options = RONDO_CALLABLE_OPTIONS_INIT;
    change(&options);
    rondo_callable* made = nullptr;
    int destroyed = 0;
    const rondo_status status = rondo_callable_create(
        engine(), outputs, &options, nothing, &destroyed, [](void* arg) { ++*static_cast<int*>(arg); }, &made);
    EXPECT_EQ(made, nullptr);
    EXPECT_EQ(destroyed, 1) << "once, also where it fails";
    return status;
  };
  const char* f = "rondo_callable_create";
  const auto bad = RONDO_INVALID_ARGUMENT;
  const auto same = [](rondo_callable_options*) {};
  refused(create(0, same), bad, f, {"n_outputs is 0", "1 or more"});
  refused(create(-2, same), bad, f, {"n_outputs is -2"});
  refused(create(1, [](auto* o) { o->flags = 8; }), bad, f, {"flags", "0x8", "RONDO_CALLABLE_FALL_BACK"});
  refused(create(1, [](auto* o) { o->limit_bytes = -1; }), bad, f, {"limit_bytes is -1", "256 MiB"});
  refused(create(1, [](auto* o) { o->pad_sizes[0] = 4, o->pad_sizes[1] = 4; }), bad, f,
          {"pad_sizes[1] is 4", "larger than the one before"});
  refused(create(1, [](auto* o) { o->pad_sizes[0] = -2; }), bad, f, {"pad_sizes[0] is -2"});
  refused(create(1, [](auto* o) { o->pad_axis = -1; }), bad, f, {"pad_axis is -1"});
  rondo_callable* made = nullptr;
  refused(rondo_callable_create(nullptr, 1, nullptr, nothing, nullptr, nullptr, &made), bad, f, {"engine"});
  refused(rondo_callable_create(engine(), 1, nullptr, nullptr, nullptr, nullptr, &made), bad, f, {"fn is NULL"});
  refused(rondo_callable_create(engine(), 1, nullptr, nothing, nullptr, nullptr, nullptr), bad, f,
          {"callable is NULL"});
}

TEST_P(MisuseCallables, Handles) {
  rondo_callable* gone = nullptr;
  must(rondo_callable_create(engine(), 1, nullptr, nothing, nullptr, nullptr, &gone));
  rondo_callable_destroy(gone);
  rondo_callable_destroy(nullptr);
  const auto bad = RONDO_INVALID_ARGUMENT;
  const Tensor x = ones(4);
  size_t length = 0;
  rondo_callable_info info = RONDO_CALLABLE_INFO_INIT;
  for (rondo_callable* each : {gone, static_cast<rondo_callable*>(nullptr)}) {
    refused(call(each, {x}, {nullptr}), bad, "rondo_callable_call", {"callable"});
    refused(rondo_callable_clear(each), bad, "rondo_callable_clear", {"callable"});
    refused(rondo_callable_query(each, &info), bad, "rondo_callable_query", {"callable"});
    refused(rondo_callable_report(each, nullptr, 0, &length), bad, "rondo_callable_report", {"callable"});
  }
  const Called line(engine(), 1, OnCallables::line);
  refused(rondo_callable_query(line, nullptr), bad, "rondo_callable_query", {"info"});
  refused(rondo_callable_report(line, nullptr, 0, nullptr), bad, "rondo_callable_report", {"length"});
  refused(rondo_callable_report(line, nullptr, 5, &length), bad, "rondo_callable_report", {"buffer"});
}

TEST_P(MisuseCallables, TensorsThatDoNotFit) {
  const Called line(engine(), 1, OnCallables::line);
  const Tensor x = ones(4);
  const char* f = "rondo_callable_call";
  const auto bad = RONDO_INVALID_ARGUMENT;
  rondo_tensor *in[] = {x}, *out = nullptr;
  refused(call(line, {x}, {nullptr, nullptr}), bad, f, {"n_outputs is 2", "created with 1"});
  refused(rondo_callable_call(line, -1, in, 1, &out), bad, f, {"n_inputs is -1"});
  refused(rondo_callable_call(line, 1, in, 0, &out), bad, f, {"n_outputs is 0"});
  refused(rondo_callable_call(line, 1, nullptr, 1, &out), bad, f, {"inputs is NULL"});
  refused(rondo_callable_call(line, 1, in, 1, nullptr), bad, f, {"outputs is NULL"});
  refused(call(line, {nullptr}, {nullptr}), bad, f, {"inputs[0]"});
  rondo_tensor* const gone = ones(4).release();
  rondo_tensor_destroy(gone);
  refused(call(line, {gone}, {nullptr}), bad, f, {"inputs[0]", "live"});
  refused(call(line, {x}, {gone}), bad, f, {"outputs[0]", "live"});
  {
    const Engine other = create_engine(options());
    const Tensor foreign = upload(other.get(), device(), full(RONDO_F32, {4}, 1));
    refused(call(line, {foreign}, {nullptr}), bad, f, {"inputs[0]", "another engine"});
    refused(call(line, {x}, {foreign}), bad, f, {"outputs[0]", "another engine"});
  }
  const Tensor adding = make(rondo_tensor_accumulator, x);
  refused(call(line, {adding}, {nullptr}), bad, f, {"inputs[0]", "accumulator"});
  const Tensor blank = empty(RONDO_F32, {4});
  refused(call(line, {blank}, {nullptr}), RONDO_INVALID_STATE, f, {"inputs[0]", "never written"});
  const Tensor longer = ones(5), whole = up(full(RONDO_F64, {4}, 1));
  refused(call(line, {x}, {longer}), bad, f, {"outputs[0]", "[5]", "[4]"});
  refused(call(line, {x}, {whole}), bad, f, {"outputs[0]", "f64", "f32"});
  refused(call(line, {x}, {x}), bad, f, {"outputs[0]", "shares memory with inputs[0]"});
}

TEST_P(MisuseCallables, PaddedInputsOfDifferentSizes) {
  rondo_callable_options options = named("padded");
  options.pad_sizes[0] = 8;
  const Called line(engine(), 1, OnCallables::line, &options);
  const Tensor x = ones(4), y = ones(5);
  refused(call(line, {x, y}, {nullptr}), RONDO_INVALID_ARGUMENT, "rondo_callable_call",
          {"inputs[1]", "[5]", "size 4", "pad_inputs"});
}

TEST_P(MisuseCallables, FunctionsThatDoNotDoTheirPart) {
  const auto user = RONDO_USER_ERROR;
  const auto sum = [](const Inputs& x) { return make(rondo_binary_scalar, RONDO_ADD, x[0], 1.0); };
  fails([](const Inputs&, Outputs*) { return RONDO_OK; }, user, {"wrong", "outputs[0] is NULL"});
  fails(
      [&](const Inputs& x, Outputs* y) {
        y->push_back(sum(x));
        return RONDO_OK;
      },
      user, {"outputs[1] is NULL"});
  fails(
      [&](const Inputs& x, Outputs* y) {
        y->push_back(sum(x));
        y->push_back(Tensor(x[0]));
        return RONDO_OK;
      },
      user, {"outputs[1] is the handle of an input"});
  fails(
      [&](const Inputs& x, Outputs* y) {
        y->push_back(sum(x));
        y->push_back(Tensor(static_cast<rondo_tensor*>((*y)[0])));
        return RONDO_OK;
      },
      user, {"outputs[1] is the handle of another output"});
  fails(
      [&](const Inputs& x, Outputs* y) {
        y->push_back(sum(x));
        y->push_back(make(rondo_tensor_accumulator, (*y)[0]));
        return RONDO_OK;
      },
      user, {"outputs[1] is an accumulator view"});
  fails([](const Inputs&, Outputs*) { return RONDO_UNSUPPORTED; }, RONDO_UNSUPPORTED,
        {"the function of callable 'wrong' returned RONDO_UNSUPPORTED"});
  fails([](const Inputs&, Outputs*) { return static_cast<rondo_status>(77); }, user, {"77", "no status"});
  fails(
      [&](const Inputs& x, Outputs* y) {
        into(x[0], rondo_binary_scalar, RONDO_ADD, x[0], 1.0);
        y->push_back(sum(x));
        y->push_back(sum(x));
        return RONDO_OK;
      },
      RONDO_INVALID_STATE, {"writes inputs[0]", "rondo_copy"});
}

TEST_P(MisuseCallables, FunctionsEndWhatIsNotTheirs) {
  fails(
      [&](const Inputs&, Outputs*) {
        must(rondo_record_abort(engine()));
        return RONDO_USER_ERROR;
      },
      RONDO_INVALID_STATE, {"wrong", "has ended the recording"});
  fails([&](const Inputs&, Outputs*) { return rondo_record_begin(engine(), nullptr); }, RONDO_INVALID_STATE,
        {"rondo_record_begin", "open on this thread already"});
  fails(
      [&](const Inputs& x, Outputs* y) {
        must(rondo_record_section_begin(engine(), "part", 1));
        for (int i = 0; i < 2; ++i) y->push_back(make(rondo_binary_scalar, RONDO_ADD, x[0], 1.0));
        return RONDO_OK;
      },
      RONDO_INVALID_STATE, {"ends inside its section 'part'"});
}

TEST_P(MisuseCallables, RecordingsOfOthersAndTasks) {
  const Called line(engine(), 1, OnCallables::line);
  const Tensor x = ones(4);
  const Engine other = create_engine(options());
  must(rondo_record_begin(other.get(), nullptr));
  refused(call(line, {x}, {nullptr}), RONDO_INVALID_STATE, "rondo_callable_call", {"open on this thread already"});
  must(rondo_record_abort(other.get()));
  // Inside a task what is recorded is found, and nothing is recorded.
  const Tensor known = ones(5);
  line({known});
  std::atomic<int> fresh{-1}, found{-1};
  Tensor y;
  must(push(engine(),
            [&](rondo_task_context*) {
              rondo_tensor *in = x, *out = nullptr;
              fresh = rondo_callable_call(line, 1, &in, 1, &out);
              in = known;
              found = rondo_callable_call(line, 1, &in, 1, y.slot());
              return RONDO_OK;
            },
            {}, {}));
  must(rondo_engine_wait_all(engine()));
  EXPECT_EQ(fresh, RONDO_INVALID_STATE);
  EXPECT_EQ(found, RONDO_OK);
  expect_all(y, 3);
}

TEST_P(MisuseCallables, AfterTheEngine) {
  const Called line(engine(), 1, OnCallables::line);
  Engine other = create_engine(options());
  rondo_callable* orphan = nullptr;
  must(rondo_callable_create(other.get(), 1, nullptr, nothing, nullptr, nullptr, &orphan));
  other.reset();
  rondo_tensor* out = nullptr;
  refused(rondo_callable_call(orphan, 0, nullptr, 1, &out), RONDO_INVALID_STATE, "rondo_callable_call", {});
  rondo_callable_destroy(orphan);
}

}  // namespace
}  // namespace conformance
