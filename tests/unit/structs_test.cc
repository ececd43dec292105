// Structs that can grow: callers compiled against an older and a newer release than the library, for every struct of
// src/capi/structs.def. A struct without its call here does not compile; tests/abi finds one that is not in that list.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "capi/structs.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>

namespace rondo::capi {
namespace {

constexpr size_t kFuture = 24;  // bytes that a newer release has added

// Objects to call with, made with nothing but defaults.
struct Objects {
  Objects() {
    EXPECT_EQ(rondo_engine_create(nullptr, &engine), RONDO_OK) << rondo_last_error();
    const int64_t shape[] = {2, 3};
    const float data[6] = {};
    EXPECT_EQ(rondo_tensor_from_host(engine, {RONDO_CPU, 0}, RONDO_F32, 2, shape, data, &tensor), RONDO_OK);
    EXPECT_EQ(rondo_record_begin(engine, nullptr), RONDO_OK);
    EXPECT_EQ(rondo_unary(RONDO_NEG, tensor, &out), RONDO_OK);
    EXPECT_EQ(rondo_record_end(engine, &graph), RONDO_OK) << rondo_last_error();
    const std::string path = ::testing::TempDir() + "rondo_structs_" + std::to_string(getpid()) + ".safetensors";
    const char* const name = "x";
    EXPECT_EQ(rondo_model_file_write(path.c_str(), &name, &tensor, 1, nullptr, nullptr, 0), RONDO_OK);
    EXPECT_EQ(rondo_model_file_open(path.c_str(), &file), RONDO_OK) << rondo_last_error();
    unlink(path.c_str());
    make_program();
  }
  // A function of one input that has a weight.
  void make_program() {
    const int64_t shape[] = {2, 3};
    rondo_record_options callable = RONDO_RECORD_OPTIONS_INIT;
    callable.flags = RONDO_RECORD_CALLABLE;
    rondo_tensor *input = nullptr, *sum = nullptr;
    EXPECT_EQ(rondo_record_begin(engine, &callable), RONDO_OK);
    EXPECT_EQ(rondo_record_input(engine, {RONDO_CPU, 0}, RONDO_F32, 2, shape, &input), RONDO_OK);
    EXPECT_EQ(rondo_binary(RONDO_ADD, input, tensor, &sum), RONDO_OK);
    EXPECT_EQ(rondo_record_output(engine, sum), RONDO_OK);
    EXPECT_EQ(rondo_record_end(engine, &function), RONDO_OK) << rondo_last_error();
    rondo_tensor_destroy(sum);
    rondo_tensor_destroy(input);
    EXPECT_EQ(save_program(nullptr), RONDO_OK) << rondo_last_error();
    EXPECT_EQ(rondo_program_add_check(program_path().c_str(), engine, {RONDO_CPU, 0}, 1, 0, nullptr), RONDO_OK)
        << rondo_last_error();
    EXPECT_EQ(rondo_program_open(program_path().c_str(), &program), RONDO_OK) << rondo_last_error();
    unlink(program_path().c_str());
  }
  static std::string program_path() {
    return ::testing::TempDir() + "rondo_structs_program_" + std::to_string(getpid()) + ".safetensors";
  }
  rondo_status save_program(const rondo_program_save_options* options) {
    const char* const name = "f";
    return rondo_program_save(program_path().c_str(), 1, &name, &function, options);
  }
  ~Objects() {
    rondo_program_destroy(program);
    rondo_graph_destroy(function);
    rondo_model_file_destroy(file);
    rondo_graph_destroy(graph);
    rondo_tensor_destroy(out);
    rondo_tensor_destroy(tensor);
    rondo_engine_destroy(engine);
  }
  rondo_engine* engine = nullptr;
  rondo_tensor* tensor = nullptr;
  rondo_tensor* out = nullptr;
  rondo_graph* graph = nullptr;
  rondo_model_file* file = nullptr;
  rondo_graph* function = nullptr;
  rondo_program* program = nullptr;
};

// One call with each struct.
rondo_status call(Objects&, rondo_engine_options* options) {
  rondo_engine* engine = nullptr;
  const rondo_status status = rondo_engine_create(options, &engine);
  rondo_engine_destroy(engine);
  return status;
}
rondo_status call(Objects& objects, rondo_task_options* options) {
  return rondo_engine_push(
      objects.engine, [](void*, rondo_task_context*) { return RONDO_OK; }, nullptr, nullptr, nullptr, 0, nullptr, 0,
      options);
}
rondo_status call(Objects& objects, rondo_record_options* options) {
  const rondo_status status = rondo_record_begin(objects.engine, options);
  if (status == RONDO_OK) rondo_record_abort(objects.engine);
  return status;
}
rondo_status call(Objects& objects, rondo_matmul_options* options) {
  const int64_t shape[] = {3, 2};
  rondo_tensor *b = nullptr, *out = nullptr;
  EXPECT_EQ(rondo_tensor_reshape(objects.tensor, 2, shape, &b), RONDO_OK);
  const rondo_status status = rondo_matmul(objects.tensor, b, options, &out);
  rondo_tensor_destroy(out);
  rondo_tensor_destroy(b);
  return status;
}
// Of the tensor as an image of two channels with one axis.
template <class Use>
rondo_status with_image(Objects& objects, const Use& use) {
  const int64_t shape[] = {1, 2, 3};
  rondo_tensor *image = nullptr, *out = nullptr;
  EXPECT_EQ(rondo_tensor_reshape(objects.tensor, 3, shape, &image), RONDO_OK);
  const rondo_status status = use(image, &out);
  rondo_tensor_destroy(out);
  rondo_tensor_destroy(image);
  return status;
}
rondo_status call(Objects& objects, rondo_convolution_options* options) {
  options->stride[0] = options->dilation[0] = options->groups = 1;  // 0, which the others take, is refused
  const int64_t shape[] = {3, 2, 1};
  rondo_tensor* filter = nullptr;
  EXPECT_EQ(rondo_tensor_reshape(objects.tensor, 3, shape, &filter), RONDO_OK);
  const rondo_status status = with_image(
      objects, [&](rondo_tensor* image, rondo_tensor** out) { return rondo_convolution(image, filter, options, out); });
  rondo_tensor_destroy(filter);
  return status;
}
rondo_status call(Objects& objects, rondo_norm_options* options) {
  return with_image(objects,
                    [&](rondo_tensor* image, rondo_tensor** out) { return rondo_instance_norm(image, options, out); });
}
rondo_status call(Objects& objects, rondo_attention_options* options) {
  const int64_t shape[] = {1, 1, 1, 6};
  rondo_tensor *rows = nullptr, *out = nullptr;
  EXPECT_EQ(rondo_tensor_reshape(objects.tensor, 4, shape, &rows), RONDO_OK);
  const rondo_status status = rondo_attention(rows, rows, rows, options, &out, nullptr);
  rondo_tensor_destroy(out);
  rondo_tensor_destroy(rows);
  return status;
}
rondo_status call(Objects& objects, rondo_rotary_options* options) {
  options->base = 2;  // 0, which the others take, is refused
  const int64_t shape[] = {1, 1, 6};
  rondo_tensor *rows = nullptr, *out = nullptr;
  EXPECT_EQ(rondo_tensor_reshape(objects.tensor, 3, shape, &rows), RONDO_OK);
  const rondo_status status = rondo_rotary(rows, options, &out);
  rondo_tensor_destroy(out);
  rondo_tensor_destroy(rows);
  return status;
}
rondo_status call(Objects& objects, rondo_recurrent_options* options) {
  options->layers = 1;  // 0, which the others take, is refused
  const int64_t shape[] = {1, 1, 6};
  rondo_tensor *x = nullptr, *weight = nullptr, *state = nullptr, *out = nullptr;
  EXPECT_EQ(rondo_tensor_reshape(objects.tensor, 3, shape, &x), RONDO_OK);
  EXPECT_EQ(rondo_tensor_reshape(objects.tensor, 2, shape + 1, &weight), RONDO_OK);
  EXPECT_EQ(rondo_tensor_slice(weight, 1, 0, 1, 1, &state), RONDO_OK);
  rondo_tensor* const weights[] = {weight, state};
  const rondo_status status = rondo_rnn(x, 2, weights, options, &out, nullptr);
  for (rondo_tensor* each : {x, weight, state, out}) rondo_tensor_destroy(each);
  return status;
}
rondo_status call(Objects& objects, rondo_pool_options* options) {
  options->dilation[0] = 1;
  const int64_t kernel = 2;
  return with_image(objects, [&](rondo_tensor* image, rondo_tensor** out) {
    return rondo_avg_pool(image, 1, &kernel, options, out);
  });
}
rondo_status call(Objects& objects, rondo_descend_options* options) {
  const int64_t place[] = {1, 1, 1}, bag[] = {1, 1, 3};
  const int32_t row = 0;
  const float numbers[3] = {};
  rondo_tensor *indices = nullptr, *rate = nullptr, *gradient = nullptr;
  const auto upload = [&](rondo_dtype dtype, int32_t ndim, const int64_t* shape, const void* data, rondo_tensor** out) {
    EXPECT_EQ(rondo_tensor_from_host(objects.engine, {RONDO_CPU, 0}, dtype, ndim, shape, data, out), RONDO_OK);
  };
  upload(RONDO_I32, 3, place, &row, &indices);
  upload(RONDO_F32, 0, nullptr, numbers, &rate);
  upload(RONDO_F32, 3, bag, numbers, &gradient);
  const rondo_status status =
      rondo_embedding_bag_descend(1, &objects.tensor, indices, nullptr, RONDO_BAG_SUM, gradient, rate, options);
  for (rondo_tensor* each : {indices, rate, gradient}) rondo_tensor_destroy(each);
  return status;
}
// Without a GPU there is no module: what is said then is the next thing after the options.
rondo_status call(Objects& objects, rondo_module_options* options) {
  rondo_module* module = nullptr;
  const rondo_status status = rondo_module_create(objects.engine, {RONDO_CPU, 0}, "", "k()", options, &module);
  return status == RONDO_UNSUPPORTED ? RONDO_OK : status;
}
rondo_status call(Objects&, rondo_launch_options* options) {
  const rondo_status status = rondo_module_launch(nullptr, "k", 0, nullptr, options);
  return std::string(rondo_last_error()).find("module is NULL") != std::string::npos ? RONDO_OK : status;
}
rondo_status call(Objects&, rondo_device_info* info) {
  return rondo_device_query({RONDO_CPU, 0}, info);
}
rondo_status call(Objects&, rondo_cache_info* info) {
  return rondo_cache_query(info);
}
rondo_status call(Objects& objects, rondo_memory_info* info) {
  return rondo_memory_query(objects.engine, {RONDO_CPU, 0}, info);
}
rondo_status call(Objects& objects, rondo_tensor_info* info) {
  return rondo_tensor_query(objects.tensor, info);
}
rondo_status call(Objects& objects, rondo_graph_info* info) {
  return rondo_graph_query(objects.graph, info);
}
rondo_status call(Objects& objects, rondo_model_file_info* info) {
  return rondo_model_file_query(objects.file, info);
}
rondo_status call(Objects& objects, rondo_model_tensor_info* info) {
  const char* name = nullptr;
  return rondo_model_file_tensor(objects.file, 0, &name, info);
}
rondo_status call(Objects& objects, rondo_program_save_options* options) {
  const rondo_status status = objects.save_program(options);
  unlink(Objects::program_path().c_str());
  return status;
}
rondo_status call(Objects& objects, rondo_program_instance_options* options) {
  rondo_program_instance* instance = nullptr;
  const rondo_status status =
      rondo_program_create_instance_with(objects.program, objects.engine, {RONDO_CPU, 0}, options, &instance);
  rondo_program_instance_destroy(instance);
  return status;
}
rondo_status call(Objects& objects, rondo_program_info* info) {
  return rondo_program_query(objects.program, info);
}
rondo_status call(Objects& objects, rondo_program_function_info* info) {
  const char* name = nullptr;
  return rondo_program_function(objects.program, 0, &name, info);
}
rondo_status call(Objects& objects, rondo_program_memory_info* info) {
  return rondo_program_memory(objects.program, objects.engine, {RONDO_CPU, 0}, 0, nullptr, info);
}
rondo_status call(Objects& objects, rondo_program_check_info* info) {
  return rondo_program_check(objects.program, objects.engine, {RONDO_CPU, 0}, 0, 0, info);
}
rondo_status call(Objects& objects, rondo_program_kernels_info* info) {
  return rondo_program_kernels(objects.program, objects.engine, {RONDO_CPU, 0}, 0, nullptr, info);
}
rondo_status call(Objects& objects, rondo_program_tensor_info* info) {
  const char* name = nullptr;
  return rondo_program_weight(objects.program, 0, &name, info);
}
rondo_status call(Objects& objects, rondo_tape_info* info) {
  rondo_tape* tape = nullptr;
  EXPECT_EQ(rondo_tape_begin(objects.engine, RONDO_TAPE_DEFAULT, &tape), RONDO_OK);
  const rondo_status status = rondo_tape_query(tape, info);
  rondo_tape_destroy(tape);
  return status;
}

rondo_status no_function(void*, int32_t, rondo_tensor* const*, int32_t, rondo_tensor**) {
  return RONDO_UNSUPPORTED;
}
rondo_status call(Objects& objects, rondo_callable_options* options) {
  rondo_callable* callable = nullptr;
  const rondo_status status =
      rondo_callable_create(objects.engine, 1, options, no_function, nullptr, nullptr, &callable);
  rondo_callable_destroy(callable);
  return status;
}
rondo_status call(Objects& objects, rondo_callable_info* info) {
  rondo_callable* callable = nullptr;
  EXPECT_EQ(rondo_callable_create(objects.engine, 1, nullptr, no_function, nullptr, nullptr, &callable), RONDO_OK);
  const rondo_status status = rondo_callable_query(callable, info);
  rondo_callable_destroy(callable);
  return status;
}

rondo_status call(Objects& objects, rondo_comm_options* options) {
  const rondo_device cpu = {RONDO_CPU, 0};
  rondo_comm* comm = nullptr;
  const rondo_status status = rondo_comm_create_all(objects.engine, &cpu, 1, options, &comm);
  rondo_comm_destroy(comm);
  return status;
}
// What is said next is what these lack.
rondo_status call(Objects& objects, rondo_comm_hooks* hooks) {
  rondo_comm* comm = nullptr;
  const rondo_status status = rondo_comm_create_with_hooks(objects.engine, {RONDO_CPU, 0}, hooks, nullptr, &comm);
  return std::string(rondo_last_error()).find("hooks->exchange is NULL") != std::string::npos ? RONDO_OK : status;
}
// Of a group of one rank.
template <class Use>
rondo_status with_comm(Objects& objects, const Use& use) {
  rondo_comm* comm = nullptr;
  const rondo_device cpu = {RONDO_CPU, 0};
  EXPECT_EQ(rondo_comm_create_all(objects.engine, &cpu, 1, nullptr, &comm), RONDO_OK);
  const rondo_status status = use(comm);
  rondo_comm_destroy(comm);
  return status;
}
rondo_status call(Objects& objects, rondo_comm_info* info) {
  return with_comm(objects, [&](rondo_comm* comm) { return rondo_comm_query(comm, info); });
}
rondo_status call(Objects& objects, rondo_buckets_options* options) {
  return with_comm(objects, [&](rondo_comm* comm) {
    rondo_buckets* buckets = nullptr;
    const rondo_status status = rondo_buckets_create(comm, 1, &objects.tensor, options, &buckets);
    rondo_buckets_destroy(buckets);
    return status;
  });
}
rondo_status call(Objects& objects, rondo_buckets_info* info) {
  return with_comm(objects, [&](rondo_comm* comm) {
    rondo_buckets* buckets = nullptr;
    EXPECT_EQ(rondo_buckets_create(comm, 1, &objects.tensor, nullptr, &buckets), RONDO_OK);
    const rondo_status status = rondo_buckets_query(buckets, info);
    rondo_buckets_destroy(buckets);
    return status;
  });
}
rondo_status call(Objects& objects, rondo_optimizer_options* options) {
  rondo_optimizer* optimizer = nullptr;
  const rondo_status status = rondo_optimizer_create(1, &objects.tensor, options, &optimizer);
  rondo_optimizer_destroy(optimizer);
  return status;
}
rondo_status call(Objects& objects, rondo_optimizer_info* info) {
  rondo_optimizer* optimizer = nullptr;
  EXPECT_EQ(rondo_optimizer_create(1, &objects.tensor, nullptr, &optimizer), RONDO_OK);
  const rondo_status status = rondo_optimizer_query(optimizer, info);
  rondo_optimizer_destroy(optimizer);
  return status;
}
rondo_status call(Objects& objects, rondo_loss_scaler_options* options) {
  rondo_loss_scaler* scaler = nullptr;
  if (options)
    options->initial_scale = options->growth_factor = options->backoff_factor = 1, options->growth_interval = 1;
  const rondo_status status = rondo_loss_scaler_create(objects.engine, {RONDO_CPU, 0}, options, &scaler);
  rondo_loss_scaler_destroy(scaler);
  return status;
}
rondo_status call(Objects&, rondo_ranks_info* info) {
  return rondo_ranks_query(info);
}

// A caller's struct of `size` bytes and not one more, so that a checked build sees every access behind it.
template <class T>
class Caller {
 public:
  Caller(const T& defaults, size_t size) : size_(size), bytes_(static_cast<char*>(std::malloc(size))) {
    std::memset(bytes_.get(), 0, size);
    std::memcpy(bytes_.get(), &defaults, std::min(size, sizeof defaults));
    std::memcpy(bytes_.get(), &size, sizeof size);
  }
  T* get() { return reinterpret_cast<T*>(bytes_.get()); }
  char& at(size_t offset) { return bytes_.get()[offset]; }
  size_t size() const { return size_; }
  // Behind the size.
  void fill(char value) { std::memset(bytes_.get() + sizeof(size_t), value, size_ - sizeof(size_t)); }

 private:
  struct Free {
    void operator()(char* bytes) const { std::free(bytes); }
  };
  size_t size_;
  std::unique_ptr<char, Free> bytes_;
};

void expect_message(const std::string& part) {
  EXPECT_NE(std::string(rondo_last_error()).find(part), std::string::npos)
      << "no '" << part << "' in: " << rondo_last_error();
}

template <class T>
void wrong_sizes(const T& defaults) {
  Objects objects;
  for (const size_t size : {size_t{0}, sizeof(size_t), kFacts<T>.first - 1, size_t{4097}, SIZE_MAX}) {
    T given = defaults;
    given.size = size;
    EXPECT_EQ(call(objects, &given), RONDO_INVALID_ARGUMENT) << size;
    expect_message("size is " + std::to_string(size));
    expect_message(kFacts<T>.type);
    EXPECT_EQ(given.size, size);
  }
}

template <class T>
void options(const T& defaults) {
  Objects objects;
  Caller<T> older(defaults, kFacts<T>.first);
  EXPECT_EQ(call(objects, older.get()), RONDO_OK) << rondo_last_error();
  Caller<T> newer(defaults, sizeof(T) + kFuture);
  EXPECT_EQ(call(objects, newer.get()), RONDO_OK) << "fields it does not use: " << rondo_last_error();
  for (const size_t offset : {sizeof(T), sizeof(T) + kFuture - 1}) {
    newer.at(offset) = 1;
    EXPECT_EQ(call(objects, newer.get()), RONDO_INVALID_ARGUMENT) << "a field that the library does not have";
    expect_message(kFacts<T>.type);
    expect_message("offset " + std::to_string(offset));
    newer.at(offset) = 0;
  }
  if constexpr (requires(T given) { given.reserved; }) {
    for (const int32_t value : {1, -1, 0x5a5a5a5a}) {
      T given = defaults;
      given.size = sizeof given;
      given.reserved = value;
      EXPECT_EQ(call(objects, &given), RONDO_INVALID_ARGUMENT) << "a later release may give it a meaning";
      expect_message("->reserved is " + std::to_string(value));
      expect_message(kFacts<T>.type);
    }
  }
  wrong_sizes(defaults);
}

template <class T>
void info(const T& defaults) {
  Objects objects;
  for (const size_t size : {kFacts<T>.first, sizeof(T), sizeof(T) + kFuture}) {
    // Twice over different bytes: what is the same in both was written.
    Caller<T> one(defaults, size), other(defaults, size);
    one.fill('\x55');
    other.fill('\xaa');
    ASSERT_EQ(call(objects, one.get()), RONDO_OK) << rondo_last_error();
    ASSERT_EQ(call(objects, other.get()), RONDO_OK) << rondo_last_error();
    EXPECT_EQ(one.get()->size, size);
    for (size_t i = sizeof(size_t); i < size; ++i) {
      EXPECT_FALSE(one.at(i) == '\x55' && other.at(i) == '\xaa') << "byte " << i << " of " << size << " was left out";
      if (i >= sizeof(T)) {
        EXPECT_EQ(one.at(i), 0) << "byte " << i << ", of a field that the library does not have";
      }
    }
  }
  T* none = nullptr;
  EXPECT_EQ(call(objects, none), RONDO_INVALID_ARGUMENT);
  expect_message(kFacts<T>.type);
  wrong_sizes(defaults);
}

#define RONDO_OPTIONS(type, last) \
  TEST(Structs, type) {           \
    options(type{});              \
  }
#define RONDO_INFO(type, last) \
  TEST(Structs, type) {        \
    info(type{});              \
  }
#include "capi/structs.def"
#undef RONDO_OPTIONS
#undef RONDO_INFO

}  // namespace

// A struct whose first release ended with `a`; `b` was added since.
struct Grown {
  size_t size;
  int64_t a;
  int64_t b;
};
template <>
inline constexpr StructFacts kFacts<Grown>{"grown", offsetof(Grown, a) + sizeof(Grown::a), sizeof(Grown)};

namespace {

constexpr Grown kDefaults{sizeof(Grown), 0, 77};

TEST(GrownStructs, OlderCallerGetsDefaults) {
  Caller<Grown> older({0, 5, 0}, kFacts<Grown>.first);
  Grown known = kDefaults;
  const Status status = read_options("options", older.get(), &known);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(known.size, sizeof(Grown));
  EXPECT_EQ(known.a, 5);
  EXPECT_EQ(known.b, 77);
}

TEST(GrownStructs, NoOptionsAreTheDefaults) {
  Grown known = kDefaults;
  ASSERT_TRUE(read_options<Grown>("options", nullptr, &known).ok());
  EXPECT_EQ(known.b, 77);
}

TEST(GrownStructs, ANewerCallerGivesWhatIsKnown) {
  Caller<Grown> newer({0, 5, 6}, sizeof(Grown) + kFuture);
  Grown known = kDefaults;
  ASSERT_TRUE(read_options("options", newer.get(), &known).ok());
  EXPECT_EQ(known.size, sizeof(Grown));
  EXPECT_EQ(known.a, 5);
  EXPECT_EQ(known.b, 6);
  newer.at(sizeof(Grown) + 3) = 1;
  known = kDefaults;
  EXPECT_EQ(read_options("options", newer.get(), &known).code(), RONDO_INVALID_ARGUMENT);
  EXPECT_EQ(known.a, 0) << "untouched on failure";
}

TEST(GrownStructs, InfoIsWrittenAsFarAsItsCallerKnows) {
  const Grown facts{sizeof(Grown), 5, 6};
  Caller<Grown> older({}, kFacts<Grown>.first);
  ASSERT_TRUE(write_info("info", older.get(), facts).ok());
  EXPECT_EQ(older.get()->size, kFacts<Grown>.first);
  EXPECT_EQ(older.get()->a, 5);
  Grown longer{kFacts<Grown>.first, 0, 99};
  ASSERT_TRUE(write_info("info", &longer, facts).ok());
  EXPECT_EQ(longer.b, 99) << "behind the size that the caller said";
}

}  // namespace
}  // namespace rondo::capi
