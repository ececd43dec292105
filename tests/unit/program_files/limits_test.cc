// Limits of what a program file may ask for, where only the library's own parts show them: making is given up at any
// question whether its time is over, and random numbers are counted, of all kinds that draw some.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rondo/rondo.h>
#include <stdlib.h>

#include <atomic>

#include "engine/tasks/making_limit.h"
#include "golden_files.h"
#include "ops/program/kinds.h"
#include "program_files/check.h"
#include "program_files/program_text.h"

namespace rondo::program_files {
namespace {

void require_ok(rondo_status status) {
  ASSERT_EQ(status, RONDO_OK) << rondo_last_error();
}

// It is over after so many questions.
class Questions final : public MakingLimit {
 public:
  explicit Questions(int64_t most) : MakingLimit(1), most_(most) {}
  int64_t asked() const { return asked_; }

 private:
  bool over() const override { return asked_.fetch_add(1) >= most_; }
  const int64_t most_;
  mutable std::atomic<int64_t> asked_{0};
};

class ProgramFileLimits : public ::testing::Test {
 protected:
  void SetUp() override {
    rondo_engine_options options = RONDO_ENGINE_OPTIONS_INIT;
    options.memory_limit = 64 << 20;
    require_ok(rondo_engine_create(&options, &engine_));
    std::string pattern = (std::filesystem::temp_directory_path() / "rondo_limits_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    rondo_engine_destroy(engine_);
    std::filesystem::remove_all(folder_);
  }
  rondo_program* open(const std::string& text) const {
    const std::string path = folder_ / "program.safetensors";
    const char *const key = kProgramKey, *const value = text.c_str();
    require_ok(rondo_model_file_write(path.c_str(), nullptr, nullptr, 0, &key, &value, 1));
    rondo_program* opened = nullptr;
    require_ok(rondo_program_open(path.c_str(), &opened));
    return opened;
  }
  rondo_status create(rondo_program* program, rondo_program_instance** instance) const {
    return rondo_program_create_instance(program, engine_, {RONDO_CPU, 0}, instance);
  }
  // The message that refuses an instance.
  std::string refusal(const std::string& text) const {
    rondo_program* const program = open(text);
    rondo_program_instance* instance = nullptr;
    EXPECT_EQ(create(program, &instance), RONDO_IO_ERROR) << rondo_last_error();
    EXPECT_EQ(instance, nullptr);
    std::string message = rondo_last_error();
    rondo_program_instance_destroy(instance);
    rondo_program_destroy(program);
    return message;
  }
  int64_t in_use() const {
    rondo_memory_info info = RONDO_MEMORY_INFO_INIT;
    require_ok(rondo_engine_wait_all(engine_));
    require_ok(rondo_memory_query(engine_, {RONDO_CPU, 0}, &info));
    return info.in_use;
  }

  rondo_engine* engine_ = nullptr;
  std::filesystem::path folder_;
};

std::string one_function(const std::string& dims, const std::string& inputs, const std::string& nodes,
                         const std::string& outputs) {
  return R"({"rondo_program":1,"needs":"0.1","made_by":"0.1.0",)" + dims +
         "\"weights\":[],\"functions\":[\n{\"name\":\"f\",\"inputs\":[" + inputs + "],\"weights\":[],\"nodes\":[\n" +
         nodes + "],\n\"outputs\":[" + outputs + "]}]}";
}

// Rows of [B,4] that pass through so many pairs of an elementwise operator and a softmax.
std::string chain(int pairs) {
  std::string nodes;
  for (int i = 0; i < 2 * pairs; ++i)
    nodes += std::string(i ? ",\n" : "") +
             (i % 2 ? R"({"kind":"Softmax","with":{"op":"softmax","temperature":"0x1p+0","axis":1},"in":{"a":)"
                    : R"({"kind":"Elementwise","with":{"row":"tanh","computed":"f32"},"in":{"operands":[)") +
             std::to_string(i) + (i % 2 ? "" : "]") + R"(},"out":{"out":[)" + std::to_string(i + 1) +
             R"(,"f32",["B",4]]}})";
  return one_function(R"("dims":[["B",1,8]],)", R"(["x","f32",["B",4]])", nodes,
                      R"(["y",)" + std::to_string(2 * pairs) + R"(,"f32",["B",4]])");
}

class ProgramMaking : public ProgramFileLimits {
 protected:
  rondo_tensor* input() const {
    const int64_t shape[] = {3, 4};
    rondo_tensor* made = nullptr;
    require_ok(rondo_tensor_create(engine_, {RONDO_CPU, 0}, RONDO_F32, 2, shape, &made));
    require_ok(rondo_fill(made, 0.5));
    return made;
  }
  // Makes an instance and calls it at a size of its own, with so many questions at most; the number that were asked.
  int64_t make_and_call(rondo_program* program, int64_t most, rondo_status* status, std::string* bytes) const {
    const Questions limit(most);
    const MakingLimit::Scope scope(&limit);
    rondo_program_instance* instance = nullptr;
    *status = create(program, &instance);
    rondo_tensor *const x = input(), *y = nullptr;
    if (*status == RONDO_OK) *status = rondo_program_call(instance, "f", 1, &x, 1, &y);
    if (*status == RONDO_OK) {
      bytes->resize(12 * sizeof(float));
      require_ok(rondo_tensor_read(y, bytes->data(), bytes->size()));
    } else {
      EXPECT_EQ(y, nullptr);
    }
    rondo_tensor_destroy(x);
    rondo_tensor_destroy(y);
    rondo_program_instance_destroy(instance);
    return limit.asked();
  }
};

TEST_F(ProgramMaking, EndsAtAnyQuestionAndLeavesNothing) {
  rondo_program* const program = open(chain(6));
  rondo_status status = RONDO_OK;
  std::string whole, bytes;
  const int64_t all = make_and_call(program, INT64_MAX, &status, &whole);
  ASSERT_EQ(status, RONDO_OK) << rondo_last_error();
  const int64_t before = in_use();
  for (int64_t most = 0; most < all; ++most) {
    (void)make_and_call(program, most, &status, &bytes);
    ASSERT_EQ(status, RONDO_TIMED_OUT) << most << " of " << all << ": " << rondo_last_error();
    ASSERT_NE(std::string(rondo_last_error()).find("rondo_program_limit_making"), std::string::npos)
        << rondo_last_error();
    ASSERT_EQ(in_use(), before) << most << " of " << all;
  }
  (void)make_and_call(program, all, &status, &bytes);
  EXPECT_EQ(status, RONDO_OK) << rondo_last_error();
  EXPECT_EQ(bytes, whole);
  rondo_program_destroy(program);
}

// It is read, recorded and looked at by four passes at least, at the smallest size and at the call's.
TEST_F(ProgramMaking, AsksForEachNodeAgainAndAgain) {
  rondo_status status = RONDO_OK;
  std::string bytes;
  int64_t asked[2];
  for (int i = 0; i < 2; ++i) {
    rondo_program* const program = open(chain(i ? 200 : 100));
    asked[i] = make_and_call(program, INT64_MAX, &status, &bytes);
    EXPECT_EQ(status, RONDO_OK) << rondo_last_error();
    rondo_program_destroy(program);
  }
  EXPECT_GE(asked[1] - asked[0], 2 * 6 * 200);
  EXPECT_LE(asked[1], 2 * asked[0] + 100) << "questions, as what is done, grow with the nodes";
}

// Of fixed sizes, whose nodes come into the recording at its end.
TEST_F(ProgramMaking, AsksForNodesThatARecordingTakesIn) {
  rondo_program* program = open(chain(50));
  rondo_program* bound = nullptr;
  const int64_t size = 3;
  require_ok(rondo_program_bind(program, 1, &size, &bound));
  rondo_program_instance* instance = nullptr;
  require_ok(create(bound, &instance));
  const auto asked = [&](int64_t most, rondo_status wanted) {
    const Questions limit(most);
    rondo_tensor *const x = input(), *y = nullptr;
    rondo_graph* graph = nullptr;
    {
      const MakingLimit::Scope scope(&limit);
      require_ok(rondo_record_begin(engine_, nullptr));
      require_ok(rondo_program_call(instance, "f", 1, &x, 1, &y));
      EXPECT_EQ(limit.asked(), 0);
      EXPECT_EQ(rondo_record_end(engine_, &graph), wanted) << rondo_last_error();
    }
    rondo_tensor_destroy(x);
    rondo_tensor_destroy(y);
    rondo_graph_destroy(graph);
    return limit.asked();
  };
  EXPECT_GE(asked(INT64_MAX, RONDO_OK), 20);
  (void)asked(5, RONDO_TIMED_OUT);
  EXPECT_NE(std::string(rondo_last_error()).find("'f' is taken into it"), std::string::npos) << rondo_last_error();
  rondo_program_instance_destroy(instance);
  rondo_program_destroy(bound);
  rondo_program_destroy(program);
}

// Both factors of the product are one tensor.
TEST_F(ProgramMaking, CountsEachOperandThatIsTakenIn) {
  rondo_program* program = open(one_function("", R"(["x","f32",[3,4]])",
                                             R"({"kind":"Matmul","with":{"transpose_b":true,"activation":"none"},)"
                                             R"("in":{"a":0,"b":0},"out":{"out":[1,"f32",[3,3]]}})",
                                             R"(["y",1,"f32",[3,3]])"));
  rondo_program_instance* instance = nullptr;
  require_ok(create(program, &instance));
  rondo_tensor *const x = input(), *y = nullptr;
  rondo_graph* graph = nullptr;
  const MakingLimit limit(0, INT64_MAX);
  {
    const MakingLimit::Scope scope(&limit);
    require_ok(rondo_record_begin(engine_, nullptr));
    require_ok(rondo_program_call(instance, "f", 1, &x, 1, &y));
    require_ok(rondo_record_end(engine_, &graph));
  }
  EXPECT_EQ(limit.taken(), node_bytes(3));
  rondo_graph_destroy(graph);
  rondo_tensor_destroy(x);
  rondo_tensor_destroy(y);
  rondo_program_instance_destroy(instance);
  rondo_program_destroy(program);
}

// Lists of operands that are empty have names all the same.
TEST_F(ProgramMaking, CountsNamesOfEmptyLists) {
  constexpr int kNames = 10000;
  std::string names;
  for (int i = 0; i < kNames; ++i) names += (i ? ",\"" : "\"") + std::to_string(i) + "\":[]";
  const std::string text = one_function("", R"(["x","f32",[4]])", R"({"kind":"Softmax","in":{)" + names + "}}", "");
  const std::string path = folder_ / "names.safetensors";
  const char *const key = kProgramKey, *const value = text.c_str();
  require_ok(rondo_model_file_write(path.c_str(), nullptr, nullptr, 0, &key, &value, 1));
  const MakingLimit limit(0, INT64_MAX);
  const MakingLimit::Scope scope(&limit);
  rondo_program* program = nullptr;
  EXPECT_EQ(rondo_program_open(path.c_str(), &program), RONDO_IO_ERROR) << rondo_last_error();
  EXPECT_GE(limit.taken() - 8 * static_cast<int64_t>(text.size()), kNames * static_cast<int64_t>(sizeof(std::string)));
}

// A limit of an hour within one that is over, and the other way around.
TEST(MakingLimits, EarlierOfTwoDeadlinesHolds) {
  const Questions none(0), any(INT64_MAX);
  for (const bool outer_is_over : {false, true}) {
    const MakingLimit::Scope outside(outer_is_over ? &none : &any);
    class Within final : public MakingLimit {
     public:
      explicit Within(bool is_over) : MakingLimit(3600000), is_over_(is_over) {}

     private:
      bool over() const override { return is_over_; }
      const bool is_over_;
    };
    const Within inner(!outer_is_over);
    EXPECT_EQ(MakingLimit::check().code(), outer_is_over ? RONDO_TIMED_OUT : RONDO_OK);
    {
      const MakingLimit::Scope within(&inner);
      EXPECT_EQ(MakingLimit::check().code(), RONDO_TIMED_OUT);
      const MakingLimit::Scope same(nullptr);
      EXPECT_EQ(MakingLimit::current(), &inner);
    }
    EXPECT_EQ(MakingLimit::current(), outer_is_over ? &none : &any);
  }
  EXPECT_EQ(MakingLimit::current(), nullptr);
}

class RandomCounts : public ProgramFileLimits {
 protected:
  struct Case {
    std::string inputs, before;
    int first;         // value that is free after `before`
    std::string node;  // draws 2^43 times
  };
  static std::string repeated(const Case& of, int times) {
    std::string nodes = of.before;
    for (int i = 0; i < times; ++i) nodes += (nodes.empty() ? "" : ",\n") + of.node;
    return one_function("", of.inputs, nodes, "");
  }
  // By kind: a node that draws 2^43 times, and may come again and again.
  static std::map<std::string, Case> cases() {
    const std::string many = "35184372088832";  // 2^45
    const std::string results = R"({"empty":[0,"f32",[)" + many + "]]}";
    std::map<std::string, Case> all;
    all["RandomUniform"] = {"", results, 1,
                            R"({"kind":"RandomUniform","with":{"low":"0x0p+0","high":"0x1p+0"},"out":{"out":0}})"};
    all["RandomNormal"] = {"", results, 1,
                           R"({"kind":"RandomNormal","with":{"mean":"0x0p+0","deviation":"0x1p+0"},"out":{"out":0}})"};
    all["Dropout"] = {R"(["x","f32",[1]])", R"({"view":"Broadcast","with":{"shape":[)" + many + R"(]},"in":0,"out":1},
{"empty":[2,"f32",[)" + many + R"(]]},
{"empty":[3,"u8",[)" + many + "]]}",
                      4, R"({"kind":"Dropout","with":{"p":"0x1p-2"},"in":{"a":1},"out":{"out":2,"mask":3}})"};
    // 2^20 queries, 2^26 keys, 8 numbers at a time.
    all["Attention"] = {R"(["q","f32",[1,1,1,8]])",
                        R"({"view":"Broadcast","with":{"shape":[1,1048576,1,8]},"in":0,"out":1},
{"view":"Broadcast","with":{"shape":[1,67108864,1,8]},"in":0,"out":2},
{"empty":[3,"f32",[1,1048576,1,8]]},
{"empty":[4,"f32",[1,1,1048576]]},
{"empty":[5,"u64",[2]]})",
                        6,
                        R"({"kind":"Attention","with":{"numbers":{"dropped":"0x1p-2","before":-1,"after":-1}},)"
                        R"("in":{"q":1,"k":2,"v":2},"out":{"out":3,"lse":4,"draw":5}})"};
    return all;
  }
};

TEST_F(RandomCounts, OfEachKindThatDrawsAreBounded) {
  std::map<std::string, Case> all = cases();
  const auto look = [&](const char* kind, bool draws) {
    const auto found = all.find(kind);
    ASSERT_EQ(found != all.end(), draws) << kind << ": each kind of files that draws numbers needs a case";
    if (!draws) return;
    constexpr int kEnough = 32;  // draw 2^48 times
    const std::string message = refusal(repeated(found->second, kEnough + 1));
    EXPECT_NE(message.find("draw random numbers in"), std::string::npos) << kind << ": " << message;
    EXPECT_NE(message.find("281474976710656 are the most"), std::string::npos) << kind << ": " << message;
    // What just goes fails, if at all, because no engine has the memory.
    rondo_program* const program = open(repeated(found->second, kEnough));
    rondo_program_instance* instance = nullptr;
    const rondo_status status = create(program, &instance);
    EXPECT_TRUE(status == RONDO_OK || status == RONDO_OUT_OF_MEMORY) << kind << ": " << rondo_last_error();
    rondo_program_instance_destroy(instance);
    rondo_program_destroy(program);
  };
#define RONDO_KIND(Name, gradient, precision, effects, ...) \
  look(#Name, ops::Effects::effects == ops::Effects::draws && kInFiles<ops::Name##Call>);
#include "ops/program/kinds.def"
#undef RONDO_KIND
}

TEST_F(RandomCounts, PairsOfRowsAreBounded) {
  const auto text = [](const char* queries, const char* keys, const char* dropped) {
    return one_function("", R"(["q","f16",[1,1,1,1]])",
                        std::string(R"({"view":"Broadcast","with":{"shape":[1,)") + queries + R"(,1,1]},"in":0,"out":1},
{"view":"Broadcast","with":{"shape":[1,)" +
                            keys + R"(,1,1]},"in":0,"out":2},
{"kind":"Attention","with":{"numbers":{)" +
                            dropped + R"("before":-1,"after":-1}},"in":{"q":1,"k":2,"v":2},"out":{"out":[3,"f16",[1,)" +
                            queries + R"(,1,1]],"lse":[4,"f32",[1,1,)" + queries + "]]" +
                            (*dropped ? R"(,"draw":[5,"u64",[2]])" : "") + "}}",
                        "");
  };
  for (const char* dropped : {"", R"("dropped":"0x1p-2",)"})
    for (const char* keys : {"1152921504606846976", "1125899906842624", "140737488355328"}) {
      const std::string message = refusal(text("1048576", keys, dropped));
      EXPECT_NE(message.find("2^56 pairs"), std::string::npos) << keys << ": " << message;
    }
}

}  // namespace
}  // namespace rondo::program_files
