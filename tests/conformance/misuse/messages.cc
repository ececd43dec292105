// What refusals say: the operation, the value, what is possible, and the cure where there is one. The other misuse
// tests look at function and argument. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "harness.h"

namespace conformance {
namespace {

// What a pointer that is no handle may point to.
struct NoHandle {
  uint64_t words[16] = {};
};

class MisuseMessages : public OnEngine {
 protected:
  // A refusal whose text begins with the call and has all these parts.
  static void says(rondo_status actual, const std::string& call, const std::vector<std::string>& parts,
                   rondo_status expected = RONDO_INVALID_ARGUMENT) {
    const std::string text = rondo_last_error();
    EXPECT_EQ(actual, expected) << text;
    EXPECT_EQ(text.find(call + ": "), 0u) << "does not begin with '" << call << "': " << text;
    EXPECT_EQ(text.find(": rondo_"), std::string::npos) << "the function twice: " << text;
    for (const std::string& part : parts)
      EXPECT_NE(text.find(part), std::string::npos) << "no '" << part << "' in: " << text;
  }
  template <class... P, class... A>
  void refused(const std::string& call, const std::vector<std::string>& parts, rondo_status (*function)(P...),
               A&&... arguments) {
    rondo_tensor* out = nullptr;
    says(function(arguments..., &out), call, parts);
    EXPECT_EQ(out, nullptr);
  }
  Tensor ones(rondo_dtype dtype, const Shape& shape) const { return up(full(dtype, shape, 1)); }
};
CONFORMANCE_ENGINE_SUITE(MisuseMessages);

TEST_P(MisuseMessages, NameTheOperation) {
  const Tensor a = ones(RONDO_F32, {3, 4}), b = ones(RONDO_F32, {3, 5}), i = ones(RONDO_I64, {2}),
               none = ones(RONDO_F32, {0});
  const std::vector<std::string> shapes = {"[3, 4]", "[3, 5]", "equal or 1"};
  refused("rondo_binary(add)", shapes, rondo_binary, RONDO_ADD, a, b);
  refused("rondo_binary(logical_xor)", shapes, rondo_binary, RONDO_LOGICAL_XOR, a, b);
  refused("rondo_binary_scalar(mul)", {"0.5", "rondo_cast"}, rondo_binary_scalar, RONDO_MUL, i, 0.5);
  refused("rondo_scalar_binary(sub)", {"nan"}, rondo_scalar_binary, RONDO_SUB, std::nan(""), i);
  refused("rondo_reduce(max)", {"[0]", "at least one"}, rondo_reduce, RONDO_MAX, none, 0, nullptr, 0);
  rondo_tensor* out = b;
  says(rondo_unary(RONDO_EXP, a, &out), "rondo_unary(exp)", {"out", "[3, 5]", "[3, 4]", "give none for a new tensor"});
  says(rondo_unary(RONDO_LOG1P, nullptr, &out), "rondo_unary(log1p)", {"a is NULL"});
  says(rondo_binary_scalar_i64(RONDO_POW, a, 2, nullptr), "rondo_binary_scalar_i64(pow)", {"out is NULL"});
  says(rondo_scalar_binary_i64(RONDO_MOD, 2, nullptr, &out), "rondo_scalar_binary_i64(mod)", {"a is NULL"});
}

TEST_P(MisuseMessages, NumbersThatNameNothing) {
  const Tensor a = ones(RONDO_F32, {2, 2}), i = ones(RONDO_I64, {2});
  const int64_t size = 2;
  refused("rondo_unary", {"op is 63", "0 (neg) to ", ", 64 (log_sigmoid) to "}, rondo_unary,
          static_cast<rondo_unary_op>(63), a);
  refused("rondo_binary", {"op is 99", "0 (add) to ", ", 16 (eq) to 24 (logical_xor), "}, rondo_binary,
          static_cast<rondo_binary_op>(99), a, a);
  refused("rondo_ternary", {"op is 3", "0 (fma) to 2 (lerp)"}, rondo_ternary, static_cast<rondo_ternary_op>(3), a, a,
          a);
  refused("rondo_reduce", {"op is -1", "RONDO_SUM (0) to RONDO_NANPROD (16)"}, rondo_reduce,
          static_cast<rondo_reduce_op>(-1), a, 0, nullptr, 0);
  const std::vector<std::string> dtypes = {"dtype is 15", "RONDO_BOOL (0) to RONDO_F8_E5M2 (14)"};
  refused("rondo_cast", dtypes, rondo_cast, a, static_cast<rondo_dtype>(15));
  refused("rondo_one_hot", dtypes, rondo_one_hot, i, 3, static_cast<rondo_dtype>(15));
  refused("rondo_tensor_create", dtypes, rondo_tensor_create, engine(), device(), static_cast<rondo_dtype>(15), 1,
          &size);
  rondo_matmul_options with = RONDO_MATMUL_OPTIONS_INIT;
  with.activation = static_cast<rondo_activation>(7);
  refused("rondo_matmul", {"options->activation is 7", "RONDO_ACTIVATION_NONE (0) to RONDO_ACTIVATION_GELU_ERF (6)"},
          rondo_matmul, a, a, &with);
  rondo_engine_options options = RONDO_ENGINE_OPTIONS_INIT;
  rondo_engine* made = nullptr;
  const auto create = [&](const std::vector<std::string>& parts) {
    says(rondo_engine_create(&options, &made), "rondo_engine_create", parts);
    options = RONDO_ENGINE_OPTIONS_INIT;
  };
  options.mode = static_cast<rondo_engine_mode>(7);
  create({"options->mode is 7", "RONDO_ENGINE_DEFAULT (0) to RONDO_ENGINE_NAIVE (3)"});
  options.workers = 1000, create({"options->workers is 1000", "0 to 256"});
  options.streams = 17, create({"options->streams is 17", "0 to 16"});
  options.max_tasks = -5, create({"options->max_tasks is -5", "0 (4096) or more"});
  options.memory_limit = -6, create({"options->memory_limit is -6", "0 (no limit) or more"});
  rondo_task_options task = RONDO_TASK_OPTIONS_INIT;
  const auto submit = [&] {
    return push(
        engine(), [](rondo_task_context*) { return RONDO_OK; }, {}, {}, &task);
  };
  task.flags = 64, says(submit(), "rondo_engine_push", {"options->flags is 0x40", "RONDO_TASK_NO_CAPTURE (0x1)"});
  task = RONDO_TASK_OPTIONS_INIT;
  task.stream = -2, says(submit(), "rondo_engine_push", {"options->stream is -2", "-1 (the engine picks) or more"});
  int32_t count = 0;
  says(rondo_device_count(static_cast<rondo_device_kind>(5), &count), "rondo_device_count",
       {"kind is 5", "RONDO_CPU (0) and RONDO_CUDA (1)"});
  refused("rondo_copy_to", {"device.kind is 5", "RONDO_CPU (0) and RONDO_CUDA (1)"}, rondo_copy_to, a,
          rondo_device{5, 0});
  says(rondo_set_log(nullptr, nullptr, nullptr, static_cast<rondo_log_level>(9)), "rondo_set_log",
       {"level is 9", "RONDO_LOG_OFF (0) to RONDO_LOG_DEBUG (4)"});
}

TEST_P(MisuseMessages, RangesOfNumbers) {
  const Tensor a = ones(RONDO_F32, {3, 4}), scalar = ones(RONDO_F32, {}), i = ones(RONDO_I64, {2}),
               bytes = ones(RONDO_U8, {4}), bits = ones(RONDO_BOOL, {4});
  rondo_tensor *out = nullptr, *mask = nullptr;
  refused("rondo_binary_scalar(add)", {"scalar is 256", "u8", "0 to 255", "rondo_cast"}, rondo_binary_scalar, RONDO_ADD,
          bytes, 256.0);
  refused("rondo_binary_scalar_i64(add)", {"scalar is -1", "0 to 255"}, rondo_binary_scalar_i64, RONDO_ADD, bytes,
          int64_t{-1});
  says(rondo_fill(bits, 2), "rondo_fill", {"value is 2", "bool", "0 to 1"});
  says(rondo_fill(i, 1e30), "rondo_fill", {"value is 1", "-9223372036854775808 to 9223372036854775807"});
  says(rondo_fill_i64(bytes, -3), "rondo_fill_i64", {"value is -3", "0 to 255"});
  const int32_t axes[] = {0, 2}, twice[] = {1, -1};
  refused("rondo_reduce(sum)", {"axes is 2", "2 dimensions", "-2 to 1"}, rondo_reduce, RONDO_SUM, a, 2, axes, 0);
  refused("rondo_reduce(sum)", {"axis 1 twice"}, rondo_reduce, RONDO_SUM, a, 2, twice, 0);
  refused("rondo_reduce(any)", {"n_axes is -1", "0 (all) or more"}, rondo_reduce, RONDO_ANY, a, -1, axes, 0);
  refused("rondo_softmax", {"axis is -3", "a has 2 dimensions", "-2 to 1"}, rondo_softmax, a, -3);
  refused("rondo_softmax", {"axis is 0", "0 dimensions"}, rondo_softmax, scalar, 0);
  refused("rondo_tensor_slice", {"axis is 2", "-2 to 1"}, rondo_tensor_slice, a, 2, 0, 1, 1);
  refused("rondo_tensor_slice", {"step is 0", "INT64_MIN"}, rondo_tensor_slice, a, 0, 0, 1, 0);
  refused("rondo_one_hot", {"depth is -4", "0 or more"}, rondo_one_hot, i, -4, RONDO_F32);
  const int64_t negative[] = {3, -2}, size = 4;
  refused("rondo_tensor_create", {"shape[1] is -2", "0 or more"}, rondo_tensor_create, engine(), device(), RONDO_F32, 2,
          negative);
  refused("rondo_tensor_create", {"ndim is 9", "0 to 8"}, rondo_tensor_create, engine(), device(), RONDO_F32, 9,
          negative);
  refused("rondo_tensor_reshape", {"shape[1] is -2", "-1 once"}, rondo_tensor_reshape, a, 2, negative);
  refused("rondo_random_uniform", {"low is 2", "high is 1"}, rondo_random_uniform, engine(), device(), RONDO_F32, 1,
          &size, 2.0, 1.0);
  refused("rondo_random_uniform", {"high is 70000", "f16", "-65504 to 65504"}, rondo_random_uniform, engine(), device(),
          RONDO_F16, 1, &size, 0.0, 70000.0);
  says(rondo_dropout(a, 1.5, &out, &mask), "rondo_dropout", {"p is 1.5", "at least 0 and less than 1"});
  char buffer[4];
  says(rondo_device_format({RONDO_CUDA, 12}, buffer, sizeof buffer), "rondo_device_format", {"capacity is 4", "8"});
  says(rondo_memory_set_limit(engine(), device(), -7), "rondo_memory_set_limit", {"bytes is -7", "0 (no limit)"});
}

TEST_P(MisuseMessages, Cures) {
  const Tensor f = ones(RONDO_F32, {2, 2}), d = ones(RONDO_F64, {2, 2}), i = ones(RONDO_I32, {2, 2}),
               l = ones(RONDO_I64, {2}), row = ones(RONDO_F32, {2}), wide = broadcast(row, {2, 2});
  const std::vector<std::string> cast = {"i32", "rondo_cast"};
  refused("rondo_matmul", cast, rondo_matmul, i, i, nullptr);
  refused("rondo_matmul", {"f32", "f64", "rondo_cast"}, rondo_matmul, f, d, nullptr);
  refused("rondo_softmax", cast, rondo_softmax, i, 0);
  refused("rondo_softmax_grad", {"f32", "f64", "rondo_cast"}, rondo_softmax_grad, f, d, 0);
  refused("rondo_cross_entropy", cast, rondo_cross_entropy, i, l);
  refused("rondo_cross_entropy", {"labels has dtype f32", "rondo_cast"}, rondo_cross_entropy, f, row);
  refused("rondo_gather_rows", {"indices has dtype f32", "rondo_cast"}, rondo_gather_rows, f, row);
  refused("rondo_where", {"condition has dtype f32", "rondo_cast"}, rondo_where, f, f, f);
  refused("rondo_tensor_reshape", {"rondo_copy"}, rondo_tensor_reshape, transpose(ones(RONDO_F32, {2, 3}), {1, 0}), 1,
          std::array<int64_t, 1>{6}.data());
  const auto into_given = [&](rondo_tensor* given, const std::vector<std::string>& parts) {
    rondo_tensor* out = given;
    says(rondo_unary(RONDO_NEG, f, &out), "rondo_unary(neg)", parts);
    EXPECT_EQ(out, given);
  };
  into_given(d, {"out has dtype f64", "f32", "give none for a new tensor", "rondo_cast"});
  into_given(row, {"out has shape [2]", "[2, 2]", "give none for a new tensor"});
  into_given(wide, {"read-only", "rondo_copy"});
  into_given(transpose(f, {1, 0}), {"out shares elements", "rondo_copy"});
  if (on_cuda()) {
    const Tensor home = upload(engine(), kCpu, full(RONDO_F32, {2, 2}, 1));
    into_given(home, {"out is on cpu", "cuda:0", "give none for a new tensor", "rondo_copy"});
    refused("rondo_binary(add)", {"b is on cpu", "a is on cuda:0", "rondo_copy_to"}, rondo_binary, RONDO_ADD, f, home);
  }
}

// Of options the member, of lists the place.
TEST_P(MisuseMessages, MembersOfOptions) {
  const Tensor image = ones(RONDO_F32, {1, 2, 4, 4}), line = ones(RONDO_F32, {5});
  const int64_t sizes[] = {2, 2}, nothing[] = {0, 2}, wide[] = {9, 9};
  rondo_norm_options norm = RONDO_NORM_OPTIONS_INIT;
  norm.epsilon = -1;
  refused("rondo_instance_norm", {"options->epsilon is -1", "at least 0"}, rondo_instance_norm, image, &norm);
  norm = RONDO_NORM_OPTIONS_INIT;
  norm.weight = line;
  refused("rondo_instance_norm", {"options->weight has shape [5]", "[2] is needed", "channels"}, rondo_instance_norm,
          image, &norm);
  norm = RONDO_NORM_OPTIONS_INIT;
  norm.activation = RONDO_ACTIVATION_GELU;
  refused("rondo_instance_norm", {"options->activation is 2", "RONDO_ACTIVATION_NONE (0)", "RONDO_ACTIVATION_RELU (1)"},
          rondo_instance_norm, image, &norm);
  rondo_pool_options pool = RONDO_POOL_OPTIONS_INIT;
  pool.stride[1] = -1;
  refused("rondo_avg_pool", {"options->stride[1] is -1", "0 to "}, rondo_avg_pool, image, 2, sizes, &pool);
  pool = RONDO_POOL_OPTIONS_INIT;
  pool.padding[0] = 3;
  refused("rondo_avg_pool", {"options->padding[0] is 3", "0 to 1"}, rondo_avg_pool, image, 2, sizes, &pool);
  refused("rondo_max_pool", {"kernel[0] is 0", "1 to "}, rondo_max_pool, image, 2, nothing, nullptr);
  refused("rondo_max_pool", {"kernel[0] covers 9", "a has 4"}, rondo_max_pool, image, 2, wide, nullptr);
  refused("rondo_adaptive_avg_pool", {"sizes[0] is 0", "1 to "}, rondo_adaptive_avg_pool, image, 2, nothing);
  rondo_convolution_options convolution = RONDO_CONVOLUTION_OPTIONS_INIT;
  convolution.stride[0] = 0;
  const Tensor filter = ones(RONDO_F32, {3, 2, 3, 3});
  refused("rondo_convolution", {"options->stride[0] is 0", "1 to "}, rondo_convolution, image, filter, &convolution);
  convolution = RONDO_CONVOLUTION_OPTIONS_INIT;
  convolution.bias = line;
  refused("rondo_convolution", {"options->bias is f32 [5]", "f32 [3] is needed"}, rondo_convolution, image, filter,
          &convolution);
  rondo_record_options record = RONDO_RECORD_OPTIONS_INIT;
  record.flags = 262;
  says(rondo_record_begin(engine(), &record), "rondo_record_begin",
       {"options->flags is 0x106", "RONDO_RECORD_NAMED_OUTPUTS (0x1)"});
  rondo_tape* tape = nullptr;
  says(rondo_tape_begin(engine(), 99, &tape), "rondo_tape_begin", {"flags is 0x63", "RONDO_TAPE_KEEP (0x1)"});
}

TEST_P(MisuseMessages, PlacesInLists) {
  const Tensor a = ones(RONDO_F32, {2, 3});
  NoHandle nothing;
  rondo_tensor* const stray[] = {a, reinterpret_cast<rondo_tensor*>(&nothing)};
  rondo_tensor* const none[] = {a, nullptr};
  refused("rondo_concat", {"tensors[1] is not a live tensor"}, rondo_concat, 2, stray, 0);
  refused("rondo_add_n", {"tensors[1] is NULL"}, rondo_add_n, 2, none);
  const char* const names[] = {"x", "y"};
  const char* const twice[] = {"x", "x"};
  const char* const bytes[] = {"x", "\xff"};
  const std::string path = testing::TempDir() + "rondo_messages.safetensors";
  const auto save = [&](const char* const* under, rondo_tensor* const* tensors) {
    return rondo_model_file_write(path.c_str(), under, tensors, 2, nullptr, nullptr, 0);
  };
  const std::string function = "rondo_model_file_write";
  rondo_tensor* const both[] = {a, a};
  says(save(names, stray), function, {"tensors[1] is not a live tensor"});
  says(save(twice, both), function, {"names has 'x' twice"});
  says(save(bytes, both), function, {"names[1] is ", "UTF-8"});
  const Tensor fresh = empty(RONDO_F32, {4});
  rondo_tensor* const unwritten[] = {a, fresh};
  says(save(names, unwritten), function, {"tensors[1], f32 [4]", "never written"}, RONDO_INVALID_STATE);
}

TEST_P(MisuseMessages, GroupsAndBuckets) {
  const Tensor a = upload(engine(), kCpu, full(RONDO_F32, {4}, 1));
  rondo_comm* made = nullptr;
  must(rondo_comm_create_all(engine(), &kCpu, 1, nullptr, &made));
  const std::unique_ptr<rondo_comm, void (*)(rondo_comm*)> comm(made, rondo_comm_destroy);
  rondo_tensor* out = nullptr;
  says(rondo_comm_all_reduce(made, a, static_cast<rondo_reduce_op>(40), &out), "rondo_comm_all_reduce",
       {"reduction is 40", "RONDO_SUM (0)", "RONDO_MIN ("});
  says(rondo_comm_broadcast(made, a, 3), "rondo_comm_broadcast", {"root is 3", "0 to 0"});
  rondo_buckets* buckets = nullptr;
  rondo_tensor* const parameters[] = {a};
  rondo_buckets_options options = RONDO_BUCKETS_OPTIONS_INIT;
  options.edge_bytes = -4;
  says(rondo_buckets_create(made, 1, parameters, &options, &buckets), "rondo_buckets_create",
       {"options->edge_bytes is -4", "0 for the default"});
  EXPECT_TRUE(!out && !buckets);
}

TEST_P(MisuseMessages, HandlesThatAreNotAlive) {
  NoHandle nothing;
  auto* const stray = reinterpret_cast<rondo_tensor*>(&nothing);
  const Tensor a = ones(RONDO_F32, {2});
  rondo_tensor *out = nullptr, *given = stray;
  says(rondo_unary(RONDO_NEG, stray, &out), "rondo_unary(neg)", {"a is not a live tensor"});
  says(rondo_tensor_wait(stray), "rondo_tensor_wait", {"tensor is not a live tensor", "destroyed", "another kind"});
  // What forgets to initialise its output is told so.
  says(rondo_unary(RONDO_NEG, a, &given), "rondo_unary(neg)", {"out is not a live tensor", "initialise it to NULL"});
  EXPECT_EQ(given, stray);
  says(rondo_graph_launch(reinterpret_cast<rondo_graph*>(&nothing)), "rondo_graph_launch",
       {"graph is not a live graph"});
  says(rondo_variable_wait(reinterpret_cast<rondo_variable*>(&nothing)), "rondo_variable_wait",
       {"variable is not a live variable"});
  says(rondo_engine_wait_all(reinterpret_cast<rondo_engine*>(&nothing)), "rondo_engine_wait_all",
       {"engine is not a live engine"});
  says(push(engine(), [](rondo_task_context*) { return RONDO_OK; }, {reinterpret_cast<rondo_variable*>(&nothing)}, {}),
       "rondo_engine_push", {"reads[0] is not a live variable"});
}

TEST_P(MisuseMessages, SizesOfMemory) {
  const int64_t square[] = {int64_t{1} << 31, int64_t{1} << 31}, huge[] = {int64_t{1} << 50, 1000000};
  refused("rondo_tensor_create", {"[2147483648, 2147483648] of f64", "32.0 EiB", "8 EiB"}, rondo_tensor_create,
          engine(), device(), RONDO_F64, 2, square);
  refused("rondo_tensor_create", {"of f32", "EiB"}, rondo_tensor_create, engine(), device(), RONDO_F32, 2, huge);
  refused("rondo_tensor_reshape", {"of f32", "16.0 EiB"}, rondo_tensor_reshape, ones(RONDO_F32, {4}), 2, square);
  void* address = nullptr;
  if (!address_checked() && !thread_checked()) {  // whose allocators end the process instead
    // An allocation that no device of today has.
    const int64_t size = int64_t{1} << 50;
    Tensor a;
    must(rondo_tensor_create(engine(), device(), RONDO_U8, 1, &size, a.slot()));
    says(rondo_tensor_data(a, &address), "rondo_tensor_data",
         {"asked 1125899906842624 bytes (1.0 PiB)", "in use", "cached", "limit none", "in all"}, RONDO_OUT_OF_MEMORY);
  }
  // And one beyond a limit.
  must(rondo_memory_set_limit(engine(), device(), int64_t{8} << 20));
  const int64_t more = int64_t{16} << 20;
  Tensor b;
  must(rondo_tensor_create(engine(), device(), RONDO_U8, 1, &more, b.slot()));
  says(rondo_tensor_data(b, &address), "rondo_tensor_data",
       {"asked 16777216 bytes (16.0 MiB)", "limit 8388608 bytes (8.0 MiB)", "rondo_memory_set_limit"},
       RONDO_OUT_OF_MEMORY);
  must(rondo_memory_set_limit(engine(), device(), 0));
}

}  // namespace
}  // namespace conformance
