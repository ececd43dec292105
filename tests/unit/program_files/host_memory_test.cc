// The memory of the host that it takes to make something of a program file: what is counted covers what the heap grows
// by, for each kind of node and for what expands; and making ends with the limit, whatever takes the memory.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <malloc.h>
#include <rondo/rondo.h>
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <functional>

#include "engine/tasks/making_limit.h"
#include "golden_files.h"
#include "program_files/program_text.h"

namespace rondo::program_files {
namespace {

void succeed(rondo_status status) {
  ASSERT_EQ(status, RONDO_OK) << rondo_last_error();
}

// The first GPU where the environment names a driver, as that which simulates one.
rondo_device where() {
  const char* const driver = getenv("RONDO_CUDA_DRIVER");
  int32_t gpus = 0;
  const bool simulated = driver && *driver == '/' && rondo_device_count(RONDO_CUDA, &gpus) == RONDO_OK && gpus > 0;
  return {simulated ? RONDO_CUDA : RONDO_CPU, 0};
}

// Without what the engine has for tensors, which is counted by itself.
int64_t heap(rondo_engine* engine) {
  const struct mallinfo2 all = mallinfo2();
  auto bytes = static_cast<int64_t>(all.uordblks + all.hblkhd);
  for (const rondo_device& each : {rondo_device{RONDO_CPU, 0}, where()}) {
    rondo_memory_info tensors = RONDO_MEMORY_INFO_INIT;
    EXPECT_EQ(rondo_memory_query(engine, each, &tensors), RONDO_OK);
    bytes -= tensors.in_use + tensors.cached;
    if (where().kind == RONDO_CPU) break;
  }
  return bytes;
}

// Looks at the heap whenever it is asked whether the time is over.
class Weighing final : public MakingLimit {
 public:
  explicit Weighing(rondo_engine* engine)
      : MakingLimit(1, INT64_MAX), engine_(engine), before_(heap(engine)), most_(before_) {}
  int64_t grown() const { return most_ - before_; }
  void weigh() const {
    if (asked_.fetch_add(1) % 8 == 0) most_ = std::max<int64_t>(most_, heap(engine_));
  }

 private:
  bool over() const override {
    weigh();
    return false;
  }
  rondo_engine* const engine_;
  const int64_t before_;
  mutable std::atomic<int64_t> asked_{0}, most_;
};

// Text of a program whose functions come so often.
std::string repeated(const std::string& text, int times) {
  Program all;
  for (int i = 0; i < times; ++i) {
    Program one;
    const Status status = read_program(text, nullptr, &one);
    EXPECT_TRUE(status.ok()) << status.message();
    for (Function& each : one.functions) each.name += "_" + std::to_string(i);
    if (i == 0) {
      all = std::move(one);
      continue;
    }
    std::move(one.functions.begin(), one.functions.end(), std::back_inserter(all.functions));
  }
  return write_program(all);
}

std::string many(int count, const std::function<std::string(int)>& each, const char* between = ",") {
  std::string all;
  for (int i = 0; i < count; ++i) all += (i ? between : "") + each(i);
  return all;
}

std::string function_of(const std::string& inputs, const std::string& nodes, const std::string& outputs) {
  return R"({"rondo_program":1,"needs":"0.1","made_by":"0.1.0","weights":[],"functions":[
{"name":"f","inputs":[)" +
         inputs + "],\"weights\":[],\"nodes\":[\n" + nodes + "],\n\"outputs\":[" + outputs + "]}]}";
}

// What a few characters of a file make much of: `size` times as much.
struct Expanding {
  const char* name;
  std::string (*text)(int size);
};

const Expanding kExpanding[] = {
    {"a chain of nodes",
     [](int size) {
       return function_of(R"(["x","f32",[2]])",
                          many(
                              size,
                              [](int i) {
                                return R"({"kind":"Elementwise","with":{"row":")" +
                                       std::string(i % 2 ? "tanh" : "neg") +
                                       R"(","computed":"f32"},"in":{"operands":[)" + std::to_string(i) +
                                       R"(]},"out":{"out":[)" + std::to_string(i + 1) + R"(,"f32",[2]]}})";
                              },
                              ",\n"),
                          R"(["y",)" + std::to_string(size) + R"(,"f32",[2]])");
     }},
    {"views",
     [](int size) {
       return function_of(R"(["x","f32",[2,2]])",
                          many(
                              size,
                              [](int i) {
                                return R"({"view":"Transpose","with":{"axes":[1,0]},"in":)" + std::to_string(i) +
                                       R"(,"out":)" + std::to_string(i + 1) + "}";
                              },
                              ",\n"),
                          "");
     }},
    {"tensors that nothing writes",
     [](int size) {
       return function_of(
           R"(["x","f32",[2]])",
           many(
               size, [](int i) { return "{\"empty\":[" + std::to_string(i + 1) + ",\"f32\",[]]}"; }, ",\n"),
           "");
     }},
    {"operands",
     [](int size) {
       return function_of(R"(["x","f32",[1]])",
                          R"({"kind":"GlobalNorm","in":{"tensors":[)" +
                              many(size, [](int) { return std::string("0"); }) + R"(]},"out":{"out":[1,"f32",[]]}})",
                          R"(["y",1,"f32",[]])");
     }},
    {"steps of recurrent layers",
     [](int size) {
       const std::string steps = std::to_string(size);
       return function_of(
           R"(["x","f32",[)" + steps + R"(,1,1]],["w","f32",[1,1]])",
           R"({"kind":"Recurrent","with":{"form":{"kind":"rnn","layers":1}},"in":{"x":0,"weights":[1,1]},)"
           R"("out":{"out":[2,"f32",[)" +
               steps + ",1,1]]}}",
           R"(["y",2,"f32",[)" + steps + ",1,1]]");
     }},
    {"bodies",
     [](int size) {
       return function_of(
           R"(["n","i64",[]],["x","f32",[2]])",
           R"({"empty":[2,"f32",[2]]},
{"control":"switch","number":0,"bodies":[)" +
               many(
                   size,
                   [](int) {
                     return std::string(
                         R"([{"kind":"Elementwise","with":{"row":"neg","computed":"f32"},"in":{"operands":[1]},"out":{"out":2}}])");
                   }) +
               "]}",
           R"(["y",2,"f32",[2]])");
     }},
    {"functions",
     [](int size) {
       return repeated(
           function_of(
               R"(["x","f32",[2]])",
               R"({"kind":"Elementwise","with":{"row":"neg","computed":"f32"},"in":{"operands":[0]},"out":{"out":[1,"f32",[2]]}})",
               R"(["y",1,"f32",[2]])"),
           size);
     }},
};

class HostMemory : public ::testing::Test {
 protected:
  void SetUp() override {
    succeed(rondo_engine_create(nullptr, &engine_));
    std::string pattern = (std::filesystem::temp_directory_path() / "rondo_host_memory_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    rondo_engine_destroy(engine_);
    std::filesystem::remove_all(folder_);
  }
  std::string write(const std::string& text) const {
    Program program;
    const Status status = read_program(text, nullptr, &program);
    EXPECT_TRUE(status.ok()) << status.message();
    std::vector<rondo_tensor*> tensors;
    std::vector<const char*> names;
    for (const Declared& each : program.weights) {
      rondo_tensor*& made = tensors.emplace_back(nullptr);
      succeed(rondo_tensor_create(engine_, {RONDO_CPU, 0}, each.dtype, each.shape.ndim, each.shape.shape, &made));
      succeed(rondo_fill(made, 0));
      names.push_back(each.name.c_str());
    }
    std::string path = folder_ / "program.safetensors";
    const char *const key = kProgramKey, *const value = text.c_str();
    succeed(rondo_model_file_write(path.c_str(), names.data(), tensors.data(), tensors.size(), &key, &value, 1));
    for (rondo_tensor* const each : tensors) rondo_tensor_destroy(each);
    return path;
  }
  rondo_status make(rondo_program* program) const {
    rondo_program_instance* instance = nullptr;
    const rondo_status status = rondo_program_create_instance(program, engine_, where(), &instance);
    EXPECT_EQ(instance != nullptr, status == RONDO_OK);
    rondo_program_instance_destroy(instance);
    return status;
  }
  // What the heap grows by at most while it is opened and made, and what is counted of it.
  void weigh(const std::string& text, int64_t* grown, int64_t* counted) const {
    const std::string path = write(text);
    const Weighing limit(engine_);
    const MakingLimit::Scope scope(&limit);
    rondo_program* program = nullptr;
    rondo_program_instance* instance = nullptr;
    succeed(rondo_program_open(path.c_str(), &program));
    succeed(rondo_program_create_instance(program, engine_, where(), &instance));
    for (int i = 0; i < 8; ++i) limit.weigh();
    *grown = limit.grown();
    *counted = limit.taken();
    rondo_program_instance_destroy(instance);
    rondo_program_destroy(program);
  }

  rondo_engine* engine_ = nullptr;
  std::filesystem::path folder_;
};

constexpr int64_t kNoise = 1 << 17;  // of the heap, besides

TEST_F(HostMemory, CountCoversWhatEachKindTakes) {
  for (const auto& [name, text] : program_texts("golden")) {
    if (text.find("\"dims\":") != std::string::npos) continue;  // which is written with its sizes
    int64_t grown = 0, counted = 0;
    weigh(repeated(text, 40), &grown, &counted);
    EXPECT_LE(grown, counted + kNoise) << name;
    RecordProperty(name, std::to_string(grown) + " of " + std::to_string(counted));
  }
}

TEST_F(HostMemory, CountCoversWhatExpands) {
  for (const Expanding& each : kExpanding) {
    int64_t grown = 0, counted = 0;
    weigh(each.text(2000), &grown, &counted);
    EXPECT_LE(grown, counted + kNoise) << each.name;
    RecordProperty(each.name, std::to_string(grown) + " of " + std::to_string(counted));
  }
}

// Ten times as much does not go where the limit is what the smaller one takes, and grows the heap by no more than that.
TEST_F(HostMemory, LimitEndsWhatExpands) {
  for (const Expanding& each : kExpanding) {
    int64_t counted = 0;
    {
      rondo_program* small = nullptr;
      succeed(rondo_program_open(write(each.text(300)).c_str(), &small));
      succeed(make(small));  // whose kernels the process has from now on
      const MakingLimit all(0, INT64_MAX);
      const MakingLimit::Scope scope(&all);
      succeed(make(small));
      counted = all.taken();
      EXPECT_GT(counted, 0);
      succeed(rondo_program_limit_host_memory(small, counted));
      succeed(make(small));
      succeed(rondo_program_limit_host_memory(small, counted - 1));
      EXPECT_EQ(make(small), RONDO_OUT_OF_MEMORY) << each.name;
      rondo_program_destroy(small);
    }
    rondo_program* large = nullptr;
    succeed(rondo_program_open(write(each.text(3000)).c_str(), &large));
    succeed(rondo_program_limit_host_memory(large, counted));
    const Weighing limit(engine_);
    const MakingLimit::Scope scope(&limit);
    EXPECT_EQ(make(large), RONDO_OUT_OF_MEMORY) << each.name;
    const std::string message = rondo_last_error();
    EXPECT_NE(message.find("more of the host's memory than " + std::to_string(counted) + " bytes"), std::string::npos)
        << each.name << ": " << message;
    EXPECT_NE(message.find("rondo_program_limit_host_memory"), std::string::npos) << each.name << ": " << message;
    EXPECT_LE(limit.grown(), counted + kNoise) << each.name;
    rondo_program_destroy(large);
  }
}

// The limit within which something is made holds for what is made within that, and the other way around.
TEST_F(HostMemory, StricterOfTwoLimitsHolds) {
  const MakingLimit outer(0, 100);
  const MakingLimit::Scope outside(&outer);
  {
    const MakingLimit inner(0, 1000);
    const MakingLimit::Scope within(&inner);
    EXPECT_TRUE(MakingLimit::take(60).ok());
    EXPECT_EQ(MakingLimit::take(60).code(), RONDO_OUT_OF_MEMORY);
    EXPECT_EQ(inner.taken(), 120);
  }
  EXPECT_EQ(outer.taken(), 120);
  EXPECT_EQ(MakingLimit::current(), &outer);
  const MakingLimit inner(0, 10);
  const MakingLimit::Scope within(&inner);
  const std::string message = MakingLimit::take(11).message();
  EXPECT_NE(message.find("than 10 bytes"), std::string::npos) << message;
}

TEST_F(HostMemory, LimitThatIsOverStaysSo) {
  const MakingLimit limit(0, 100);
  const MakingLimit::Scope scope(&limit);
  EXPECT_TRUE(MakingLimit::take(100).ok());
  EXPECT_TRUE(MakingLimit::check().ok());
  {
    const MakingLimit tried(0, MakingLimit::kUncounted);
    const MakingLimit::Scope within(&tried);
    EXPECT_TRUE(MakingLimit::take(1000).ok());
    EXPECT_TRUE(MakingLimit::check().ok());
  }
  EXPECT_EQ(limit.taken(), 100);
  EXPECT_EQ(MakingLimit::take(1).code(), RONDO_OUT_OF_MEMORY);
  EXPECT_EQ(MakingLimit::check().code(), RONDO_OUT_OF_MEMORY);
}

}  // namespace
}  // namespace rondo::program_files
