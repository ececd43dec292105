// NULL for every pointer argument of every public function, handles after their destroy, and structs of a wrong size:
// a status and a message that names the function and the argument, never a crash.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "harness.h"
#include "operators/normalisations.h"

struct DLManagedTensor;
struct DLManagedTensorVersioned;

namespace conformance {
namespace {

struct Call {
  const char* function;
  const char* argument;
  std::function<rondo_status()> call;
};

class MisuseNull : public OnEngine {
 protected:
  static void all_refused(const std::vector<Call>& calls) {
    for (const Call& each : calls) expect_refused(each.call(), RONDO_INVALID_ARGUMENT, each.function, each.argument);
  }
};
CONFORMANCE_ENGINE_SUITE(MisuseNull);

TEST_P(MisuseNull, StatusDeviceAndLog) {
  int32_t number = -7;
  const char* text = nullptr;
  char buffer[16];
  rondo_device parsed = {9, 9};
  all_refused({
      {"rondo_feature", "name", [&] { return rondo_feature(nullptr, &number, &text); }},
      {"rondo_feature", "available", [&] { return rondo_feature("cuda", nullptr, &text); }},
      {"rondo_feature", "name", [&] { return rondo_feature("no such feature", &number, &text); }},
      {"rondo_device_count", "count", [&] { return rondo_device_count(RONDO_CPU, nullptr); }},
      {"rondo_device_count", "kind", [&] { return rondo_device_count(static_cast<rondo_device_kind>(5), &number); }},
      {"rondo_device_query", "info", [&] { return rondo_device_query(kCpu, nullptr); }},
      {"rondo_cache_query", "info", [&] { return rondo_cache_query(nullptr); }},
      {"rondo_cache_export", "path", [&] { return rondo_cache_export(nullptr, 0, nullptr); }},
      {"rondo_cache_export", "capability", [&] { return rondo_cache_export("kernels", -1, nullptr); }},
      {"rondo_cache_import", "path", [&] { return rondo_cache_import(nullptr, nullptr); }},
      {"rondo_device_parse", "text", [&] { return rondo_device_parse(nullptr, &parsed); }},
      {"rondo_device_parse", "device", [&] { return rondo_device_parse("cpu", nullptr); }},
      {"rondo_device_format", "buffer", [&] { return rondo_device_format(kCpu, nullptr, 16); }},
      {"rondo_device_format", "capacity", [&] { return rondo_device_format(kCpu, buffer, 0); }},
      {"rondo_set_log", "level",
       [&] { return rondo_set_log(nullptr, nullptr, nullptr, static_cast<rondo_log_level>(9)); }},
      {"rondo_set_log", "level",
       [&] { return rondo_set_log(nullptr, nullptr, nullptr, static_cast<rondo_log_level>(-1)); }},
  });
  EXPECT_EQ(number, -7);
  EXPECT_EQ(text, nullptr);
  EXPECT_EQ(parsed.kind, 9);
}

TEST_P(MisuseNull, EngineVariablesAndTasks) {
  const Variable v(engine());
  rondo_variable* variables[] = {v, nullptr};
  rondo_engine* made = nullptr;
  rondo_variable* variable = nullptr;
  rondo_engine_mode mode = RONDO_ENGINE_DEFAULT;
  uint64_t version = 0;
  rondo_memory_info memory = RONDO_MEMORY_INFO_INIT;
  const rondo_task_fn body = [](void*, rondo_task_context*) { return RONDO_OK; };
  const auto pushed = [&](rondo_engine* where, rondo_task_fn fn, rondo_variable* const* reads, size_t n_reads,
                          rondo_variable* const* writes, size_t n_writes) {
    return rondo_engine_push(where, fn, nullptr, nullptr, reads, n_reads, writes, n_writes, nullptr);
  };
  all_refused({
      {"rondo_engine_create", "engine", [&] { return rondo_engine_create(nullptr, nullptr); }},
      {"rondo_engine_get_mode", "engine", [&] { return rondo_engine_get_mode(nullptr, &mode); }},
      {"rondo_engine_get_mode", "mode", [&] { return rondo_engine_get_mode(engine(), nullptr); }},
      {"rondo_engine_wait_all", "engine", [&] { return rondo_engine_wait_all(nullptr); }},
      {"rondo_engine_wait_all_for", "engine", [&] { return rondo_engine_wait_all_for(nullptr, 1); }},
      {"rondo_engine_seed", "engine", [&] { return rondo_engine_seed(nullptr, 1); }},
      {"rondo_variable_create", "engine", [&] { return rondo_variable_create(nullptr, &variable); }},
      {"rondo_variable_create", "variable", [&] { return rondo_variable_create(engine(), nullptr); }},
      {"rondo_variable_wait", "variable", [&] { return rondo_variable_wait(nullptr); }},
      {"rondo_variable_notify", "variable",
       [&] {
         return rondo_variable_notify(
             nullptr, 0, [](void*, rondo_status) {}, nullptr);
       }},
      {"rondo_engine_notify", "engine",
       [&] {
         return rondo_engine_notify(
             nullptr, [](void*, rondo_status) {}, nullptr);
       }},
      {"rondo_variable_wait_for", "variable", [&] { return rondo_variable_wait_for(nullptr, 1); }},
      {"rondo_variable_version", "variable", [&] { return rondo_variable_version(nullptr, &version); }},
      {"rondo_variable_version", "version", [&] { return rondo_variable_version(v, nullptr); }},
      {"rondo_engine_push", "engine", [&] { return pushed(nullptr, body, nullptr, 0, variables, 1); }},
      {"rondo_engine_push", "fn", [&] { return pushed(engine(), nullptr, nullptr, 0, variables, 1); }},
      {"rondo_engine_push", "reads", [&] { return pushed(engine(), body, nullptr, 1, variables, 1); }},
      {"rondo_engine_push", "writes", [&] { return pushed(engine(), body, nullptr, 0, nullptr, 2); }},
      {"rondo_engine_push", "reads", [&] { return pushed(engine(), body, variables, 2, nullptr, 0); }},
      {"rondo_engine_push", "writes", [&] { return pushed(engine(), body, nullptr, 0, variables, 2); }},
      {"rondo_memory_query", "engine", [&] { return rondo_memory_query(nullptr, kCpu, &memory); }},
      {"rondo_memory_query", "info", [&] { return rondo_memory_query(engine(), kCpu, nullptr); }},
      {"rondo_memory_set_limit", "engine", [&] { return rondo_memory_set_limit(nullptr, kCpu, 0); }},
      {"rondo_memory_set_limit", "bytes", [&] { return rondo_memory_set_limit(engine(), kCpu, -1); }},
      {"rondo_memory_trim", "engine", [&] { return rondo_memory_trim(nullptr, kCpu); }},
      {"rondo_trace_begin", "engine", [&] { return rondo_trace_begin(nullptr); }},
      {"rondo_trace_end", "engine", [&] { return rondo_trace_end(nullptr, nullptr); }},
  });
  EXPECT_EQ(made, nullptr);
  EXPECT_EQ(variable, nullptr);
  // Functions without a status take it, too.
  rondo_engine_destroy(nullptr);
  rondo_variable_destroy(nullptr);
  EXPECT_EQ(rondo_task_stream(nullptr), nullptr);
  EXPECT_EQ(rondo_task_device(nullptr).kind, RONDO_CPU);
  EXPECT_EQ(rondo_task_is_capturing(nullptr), 0);
  rondo_task_fail(nullptr, "nothing");
  EXPECT_EQ(rondo_task_auxiliary_stream(nullptr, 0), nullptr);
  rondo_completion* completion = nullptr;
  rondo_completion_destroy(nullptr);
  expect_refused(rondo_task_defer(nullptr, &completion), RONDO_INVALID_ARGUMENT, "rondo_task_defer", "context");
  expect_refused(rondo_completion_complete(nullptr, RONDO_OK, nullptr), RONDO_INVALID_ARGUMENT,
                 "rondo_completion_complete", "completion");
  EXPECT_EQ(push(engine(),
                 [](rondo_task_context* context) {
                   rondo_task_fail(context, nullptr);
                   expect_refused(rondo_task_defer(context, nullptr), RONDO_INVALID_ARGUMENT, "rondo_task_defer",
                                  "completion");
                   return RONDO_OK;
                 },
                 {}, {v}),
            RONDO_OK);
  EXPECT_EQ(rondo_variable_wait(v), RONDO_OK);
}

TEST_P(MisuseNull, Tensors) {
  const Tensor a = up(full(RONDO_F32, {4}, 1));
  rondo_tensor* out = nullptr;
  const int64_t shape[] = {4};
  float data[4] = {};
  void* address = nullptr;
  rondo_variable* variable = nullptr;
  rondo_tensor_info info = RONDO_TENSOR_INFO_INIT;
  DLManagedTensor* v0 = nullptr;
  DLManagedTensorVersioned* v1 = nullptr;
  all_refused({
      {"rondo_tensor_create", "engine",
       [&] { return rondo_tensor_create(nullptr, device(), RONDO_F32, 1, shape, &out); }},
      {"rondo_tensor_create", "shape",
       [&] { return rondo_tensor_create(engine(), device(), RONDO_F32, 1, nullptr, &out); }},
      {"rondo_tensor_create", "tensor",
       [&] { return rondo_tensor_create(engine(), device(), RONDO_F32, 1, shape, nullptr); }},
      {"rondo_tensor_from_host", "engine",
       [&] { return rondo_tensor_from_host(nullptr, device(), RONDO_F32, 1, shape, data, &out); }},
      {"rondo_tensor_from_host", "shape",
       [&] { return rondo_tensor_from_host(engine(), device(), RONDO_F32, 1, nullptr, data, &out); }},
      {"rondo_tensor_from_host", "data",
       [&] { return rondo_tensor_from_host(engine(), device(), RONDO_F32, 1, shape, nullptr, &out); }},
      {"rondo_tensor_from_host", "tensor",
       [&] { return rondo_tensor_from_host(engine(), device(), RONDO_F32, 1, shape, data, nullptr); }},
      {"rondo_tensor_accept", "tensor", [&] { return rondo_tensor_accept(nullptr); }},
      {"rondo_tensor_write", "tensor", [&] { return rondo_tensor_write(nullptr, data, 16); }},
      {"rondo_tensor_write", "data", [&] { return rondo_tensor_write(a, nullptr, 16); }},
      {"rondo_tensor_read", "tensor", [&] { return rondo_tensor_read(nullptr, data, 16); }},
      {"rondo_tensor_read", "data", [&] { return rondo_tensor_read(a, nullptr, 16); }},
      {"rondo_tensor_wait", "tensor", [&] { return rondo_tensor_wait(nullptr); }},
      {"rondo_tensor_wait_for", "tensor", [&] { return rondo_tensor_wait_for(nullptr, 1); }},
      {"rondo_tensor_query", "tensor", [&] { return rondo_tensor_query(nullptr, &info); }},
      {"rondo_tensor_query", "info", [&] { return rondo_tensor_query(a, nullptr); }},
      {"rondo_tensor_data", "tensor", [&] { return rondo_tensor_data(nullptr, &address); }},
      {"rondo_tensor_data", "address", [&] { return rondo_tensor_data(a, nullptr); }},
      {"rondo_tensor_variable", "tensor", [&] { return rondo_tensor_variable(nullptr, &variable); }},
      {"rondo_tensor_variable", "variable", [&] { return rondo_tensor_variable(a, nullptr); }},
      {"rondo_tensor_reshape", "tensor", [&] { return rondo_tensor_reshape(nullptr, 1, shape, &out); }},
      {"rondo_tensor_reshape", "shape", [&] { return rondo_tensor_reshape(a, 1, nullptr, &out); }},
      {"rondo_tensor_reshape", "view", [&] { return rondo_tensor_reshape(a, 1, shape, nullptr); }},
      {"rondo_tensor_slice", "tensor", [&] { return rondo_tensor_slice(nullptr, 0, 0, 1, 1, &out); }},
      {"rondo_tensor_slice", "view", [&] { return rondo_tensor_slice(a, 0, 0, 1, 1, nullptr); }},
      {"rondo_tensor_transpose", "tensor", [&] { return rondo_tensor_transpose(nullptr, nullptr, &out); }},
      {"rondo_tensor_transpose", "view", [&] { return rondo_tensor_transpose(a, nullptr, nullptr); }},
      {"rondo_tensor_broadcast", "tensor", [&] { return rondo_tensor_broadcast(nullptr, 1, shape, &out); }},
      {"rondo_tensor_broadcast", "shape", [&] { return rondo_tensor_broadcast(a, 1, nullptr, &out); }},
      {"rondo_tensor_broadcast", "view", [&] { return rondo_tensor_broadcast(a, 1, shape, nullptr); }},
      {"rondo_tensor_accumulator", "tensor", [&] { return rondo_tensor_accumulator(nullptr, &out); }},
      {"rondo_tensor_accumulator", "view", [&] { return rondo_tensor_accumulator(a, nullptr); }},
      {"rondo_tensor_to_dlpack", "tensor", [&] { return rondo_tensor_to_dlpack(nullptr, nullptr, &v1); }},
      {"rondo_tensor_to_dlpack", "managed", [&] { return rondo_tensor_to_dlpack(a, nullptr, nullptr); }},
      {"rondo_tensor_to_dlpack_v0", "tensor", [&] { return rondo_tensor_to_dlpack_v0(nullptr, nullptr, &v0); }},
      {"rondo_tensor_to_dlpack_v0", "managed", [&] { return rondo_tensor_to_dlpack_v0(a, nullptr, nullptr); }},
      {"rondo_tensor_from_dlpack", "managed",
       [&] { return rondo_tensor_from_dlpack(engine(), nullptr, nullptr, &out); }},
      {"rondo_tensor_from_dlpack_v0", "managed",
       [&] { return rondo_tensor_from_dlpack_v0(engine(), nullptr, nullptr, &out); }},
  });
  EXPECT_EQ(out, nullptr);
  rondo_tensor_destroy(nullptr);
  EXPECT_EQ(rondo_dtype_size(static_cast<rondo_dtype>(99)), 0u);
  // Allowed: no shape for no dimensions, no data for no elements.
  EXPECT_EQ(query(make(rondo_tensor_create, engine(), device(), RONDO_F32, 0, nullptr)).elements, 1);
}

TEST_P(MisuseNull, ModelFiles) {
  const Tensor x = up(full(RONDO_F32, {2}, 1));
  const std::string path = testing::TempDir() + "rondo_null_" + std::to_string(getpid()) + ".safetensors";
  const char *const names[] = {"x", nullptr}, *const texts[] = {nullptr};
  rondo_tensor* const tensors[] = {x, nullptr};
  must(rondo_model_file_write(path.c_str(), names, tensors, 1, nullptr, nullptr, 0));
  rondo_model_file *file = nullptr, *none = nullptr;
  must(rondo_model_file_open(path.c_str(), &file));
  rondo_model_file_info facts = RONDO_MODEL_FILE_INFO_INIT;
  rondo_model_tensor_info info = RONDO_MODEL_TENSOR_INFO_INIT;
  const char *name = nullptr, *value = nullptr;
  int64_t index = -7;
  rondo_tensor* out = nullptr;
  const auto load = [&](rondo_model_file* from, const char* tensor, rondo_engine* where, rondo_tensor** to) {
    return rondo_model_file_load(from, tensor, where, device(), to);
  };
  const auto write = [&](const char* to, const char* const* n, rondo_tensor* const* t, size_t count,
                         const char* const* keys, const char* const* values,
                         size_t metadata) { return rondo_model_file_write(to, n, t, count, keys, values, metadata); };
  all_refused({
      {"rondo_model_file_open", "path", [&] { return rondo_model_file_open(nullptr, &none); }},
      {"rondo_model_file_open", "file", [&] { return rondo_model_file_open(path.c_str(), nullptr); }},
      {"rondo_model_file_query", "file", [&] { return rondo_model_file_query(nullptr, &facts); }},
      {"rondo_model_file_query", "info", [&] { return rondo_model_file_query(file, nullptr); }},
      {"rondo_model_file_tensor", "file", [&] { return rondo_model_file_tensor(nullptr, 0, &name, &info); }},
      {"rondo_model_file_tensor", "name", [&] { return rondo_model_file_tensor(file, 0, nullptr, &info); }},
      {"rondo_model_file_tensor", "info", [&] { return rondo_model_file_tensor(file, 0, &name, nullptr); }},
      {"rondo_model_file_find", "file", [&] { return rondo_model_file_find(nullptr, "x", &index); }},
      {"rondo_model_file_find", "name", [&] { return rondo_model_file_find(file, nullptr, &index); }},
      {"rondo_model_file_find", "index", [&] { return rondo_model_file_find(file, "x", nullptr); }},
      {"rondo_model_file_metadata", "file", [&] { return rondo_model_file_metadata(nullptr, 0, &name, &value); }},
      {"rondo_model_file_metadata", "key", [&] { return rondo_model_file_metadata(file, 0, nullptr, &value); }},
      {"rondo_model_file_metadata", "value", [&] { return rondo_model_file_metadata(file, 0, &name, nullptr); }},
      {"rondo_model_file_load", "file", [&] { return load(nullptr, "x", engine(), &out); }},
      {"rondo_model_file_load", "name", [&] { return load(file, nullptr, engine(), &out); }},
      {"rondo_model_file_load", "engine", [&] { return load(file, "x", nullptr, &out); }},
      {"rondo_model_file_load", "out", [&] { return load(file, "x", engine(), nullptr); }},
      {"rondo_model_file_write", "path", [&] { return write(nullptr, names, tensors, 1, nullptr, nullptr, 0); }},
      {"rondo_model_file_write", "names",
       [&] { return write(path.c_str(), nullptr, tensors, 1, nullptr, nullptr, 0); }},
      {"rondo_model_file_write", "names", [&] { return write(path.c_str(), texts, tensors, 1, nullptr, nullptr, 0); }},
      {"rondo_model_file_write", "tensors",
       [&] { return write(path.c_str(), names, nullptr, 1, nullptr, nullptr, 0); }},
      {"rondo_model_file_write", "tensors",
       [&] { return write(path.c_str(), names, tensors + 1, 1, nullptr, nullptr, 0); }},
      {"rondo_model_file_write", "keys", [&] { return write(path.c_str(), names, tensors, 1, nullptr, names, 1); }},
      {"rondo_model_file_write", "keys", [&] { return write(path.c_str(), names, tensors, 1, texts, names, 1); }},
      {"rondo_model_file_write", "values", [&] { return write(path.c_str(), names, tensors, 1, names, nullptr, 1); }},
      {"rondo_model_file_write", "values", [&] { return write(path.c_str(), names, tensors, 1, names, texts, 1); }},
  });
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(name, nullptr);
  EXPECT_EQ(index, -7);
  EXPECT_EQ(out, nullptr);
  rondo_model_file_destroy(file);
  unlink(path.c_str());
}

TEST_P(MisuseNull, DlpackImport) {
  const Tensor a = up(full(RONDO_F32, {4}, 1));
  rondo_tensor* out = nullptr;
  DLManagedTensorVersioned* managed = nullptr;
  must(rondo_tensor_to_dlpack(a, nullptr, &managed));
  all_refused({
      {"rondo_tensor_from_dlpack", "engine", [&] { return rondo_tensor_from_dlpack(nullptr, managed, nullptr, &out); }},
      {"rondo_tensor_from_dlpack", "tensor",
       [&] { return rondo_tensor_from_dlpack(engine(), managed, nullptr, nullptr); }},
  });
  must(rondo_tensor_from_dlpack(engine(), managed, nullptr, &out));  // the refusals left it with us
  rondo_tensor_destroy(out);
  DLManagedTensor* old = nullptr;
  must(rondo_tensor_to_dlpack_v0(a, nullptr, &old));
  out = nullptr;
  all_refused({
      {"rondo_tensor_from_dlpack_v0", "engine",
       [&] { return rondo_tensor_from_dlpack_v0(nullptr, old, nullptr, &out); }},
      {"rondo_tensor_from_dlpack_v0", "tensor",
       [&] { return rondo_tensor_from_dlpack_v0(engine(), old, nullptr, nullptr); }},
  });
  must(rondo_tensor_from_dlpack_v0(engine(), old, nullptr, &out));
  rondo_tensor_destroy(out);
}

TEST_P(MisuseNull, Operators) {
  const Tensor a = up(full(RONDO_F32, {2, 2}, 1)), c = up(full(RONDO_BOOL, {2, 2}, 1)), i = up(full(RONDO_I64, {2}, 1)),
               m = up(full(RONDO_U8, {2, 2}, 1));
  rondo_tensor *out = nullptr, *mask = nullptr;
  rondo_tensor* const missing = nullptr;
  rondo_tensor* const one = a;
  const double parameter = 1;
  const int64_t shape[] = {4};
  const rondo_device d = device();
  rondo_engine* const e = engine();
  all_refused({
      {"rondo_unary", "a", [&] { return rondo_unary(RONDO_NEG, nullptr, &out); }},
      {"rondo_unary", "out", [&] { return rondo_unary(RONDO_NEG, a, nullptr); }},
      {"rondo_binary", "a", [&] { return rondo_binary(RONDO_ADD, nullptr, a, &out); }},
      {"rondo_binary", "b", [&] { return rondo_binary(RONDO_ADD, a, nullptr, &out); }},
      {"rondo_binary", "out", [&] { return rondo_binary(RONDO_ADD, a, a, nullptr); }},
      {"rondo_unary_with", "a", [&] { return rondo_unary_with(RONDO_ELU, nullptr, 1, &parameter, &out); }},
      {"rondo_unary_with", "parameters", [&] { return rondo_unary_with(RONDO_ELU, a, 1, nullptr, &out); }},
      {"rondo_unary_with", "out", [&] { return rondo_unary_with(RONDO_ELU, a, 1, &parameter, nullptr); }},
      {"rondo_binary_with", "a", [&] { return rondo_binary_with(RONDO_SMOOTH_L1, nullptr, a, 1, &parameter, &out); }},
      {"rondo_binary_with", "b", [&] { return rondo_binary_with(RONDO_SMOOTH_L1, a, nullptr, 1, &parameter, &out); }},
      {"rondo_binary_with", "parameters", [&] { return rondo_binary_with(RONDO_SMOOTH_L1, a, a, 1, nullptr, &out); }},
      {"rondo_binary_with", "out", [&] { return rondo_binary_with(RONDO_SMOOTH_L1, a, a, 1, &parameter, nullptr); }},
      {"rondo_ternary", "a", [&] { return rondo_ternary(RONDO_FMA, nullptr, a, a, &out); }},
      {"rondo_ternary", "b", [&] { return rondo_ternary(RONDO_FMA, a, nullptr, a, &out); }},
      {"rondo_ternary", "c", [&] { return rondo_ternary(RONDO_FMA, a, a, nullptr, &out); }},
      {"rondo_ternary", "out", [&] { return rondo_ternary(RONDO_FMA, a, a, a, nullptr); }},
      {"rondo_add_n", "tensors", [&] { return rondo_add_n(1, nullptr, &out); }},
      {"rondo_add_n", "tensors", [&] { return rondo_add_n(1, &missing, &out); }},
      {"rondo_add_n", "out", [&] { return rondo_add_n(1, &one, nullptr); }},
      {"rondo_binary_scalar", "a", [&] { return rondo_binary_scalar(RONDO_ADD, nullptr, 1, &out); }},
      {"rondo_binary_scalar", "out", [&] { return rondo_binary_scalar(RONDO_ADD, a, 1, nullptr); }},
      {"rondo_scalar_binary", "a", [&] { return rondo_scalar_binary(RONDO_ADD, 1, nullptr, &out); }},
      {"rondo_scalar_binary", "out", [&] { return rondo_scalar_binary(RONDO_ADD, 1, a, nullptr); }},
      {"rondo_binary_scalar_i64", "a", [&] { return rondo_binary_scalar_i64(RONDO_ADD, nullptr, 1, &out); }},
      {"rondo_binary_scalar_i64", "out", [&] { return rondo_binary_scalar_i64(RONDO_ADD, i, 1, nullptr); }},
      {"rondo_scalar_binary_i64", "a", [&] { return rondo_scalar_binary_i64(RONDO_ADD, 1, nullptr, &out); }},
      {"rondo_scalar_binary_i64", "out", [&] { return rondo_scalar_binary_i64(RONDO_ADD, 1, i, nullptr); }},
      {"rondo_where", "condition", [&] { return rondo_where(nullptr, a, a, &out); }},
      {"rondo_where", "a", [&] { return rondo_where(c, nullptr, a, &out); }},
      {"rondo_where", "b", [&] { return rondo_where(c, a, nullptr, &out); }},
      {"rondo_where", "out", [&] { return rondo_where(c, a, a, nullptr); }},
      {"rondo_cast", "a", [&] { return rondo_cast(nullptr, RONDO_F64, &out); }},
      {"rondo_cast", "out", [&] { return rondo_cast(a, RONDO_F64, nullptr); }},
      {"rondo_fill", "tensor", [&] { return rondo_fill(nullptr, 1); }},
      {"rondo_fill_i64", "tensor", [&] { return rondo_fill_i64(nullptr, 1); }},
      {"rondo_copy", "a", [&] { return rondo_copy(nullptr, &out); }},
      {"rondo_copy", "out", [&] { return rondo_copy(a, nullptr); }},
      {"rondo_copy_to", "a", [&] { return rondo_copy_to(nullptr, kCpu, &out); }},
      {"rondo_copy_to", "out", [&] { return rondo_copy_to(a, kCpu, nullptr); }},
      {"rondo_reduce", "a", [&] { return rondo_reduce(RONDO_SUM, nullptr, 0, nullptr, 0, &out); }},
      {"rondo_reduce", "axes", [&] { return rondo_reduce(RONDO_SUM, a, 1, nullptr, 0, &out); }},
      {"rondo_reduce", "out", [&] { return rondo_reduce(RONDO_SUM, a, 0, nullptr, 0, nullptr); }},
      {"rondo_reduce_with", "a",
       [&] { return rondo_reduce_with(RONDO_VAR, nullptr, 0, nullptr, 0, 1, &parameter, &out); }},
      {"rondo_reduce_with", "axes",
       [&] { return rondo_reduce_with(RONDO_VAR, a, 1, nullptr, 0, 1, &parameter, &out); }},
      {"rondo_reduce_with", "parameters",
       [&] { return rondo_reduce_with(RONDO_VAR, a, 0, nullptr, 0, 1, nullptr, &out); }},
      {"rondo_reduce_with", "out",
       [&] { return rondo_reduce_with(RONDO_VAR, a, 0, nullptr, 0, 1, &parameter, nullptr); }},
      {"rondo_matmul", "a", [&] { return rondo_matmul(nullptr, a, nullptr, &out); }},
      {"rondo_matmul", "b", [&] { return rondo_matmul(a, nullptr, nullptr, &out); }},
      {"rondo_matmul", "out", [&] { return rondo_matmul(a, a, nullptr, nullptr); }},
      {"rondo_matmul_integer", "a", [&] { return rondo_matmul_integer(nullptr, a, nullptr, nullptr, &out); }},
      {"rondo_matmul_integer", "b", [&] { return rondo_matmul_integer(a, nullptr, nullptr, nullptr, &out); }},
      {"rondo_matmul_integer", "out", [&] { return rondo_matmul_integer(a, a, nullptr, nullptr, nullptr); }},
      {"rondo_cumulative", "a", [&] { return rondo_cumulative(RONDO_SUM, nullptr, 0, 0, &out); }},
      {"rondo_cumulative", "out", [&] { return rondo_cumulative(RONDO_SUM, a, 0, 0, nullptr); }},
      {"rondo_softmax", "a", [&] { return rondo_softmax(nullptr, 0, &out); }},
      {"rondo_softmax", "out", [&] { return rondo_softmax(a, 0, nullptr); }},
      {"rondo_log_softmax", "a", [&] { return rondo_log_softmax(nullptr, 0, &out); }},
      {"rondo_log_softmax", "out", [&] { return rondo_log_softmax(a, 0, nullptr); }},
      {"rondo_softmax_grad", "y", [&] { return rondo_softmax_grad(nullptr, a, 0, &out); }},
      {"rondo_softmax_grad", "dy", [&] { return rondo_softmax_grad(a, nullptr, 0, &out); }},
      {"rondo_softmax_grad", "out", [&] { return rondo_softmax_grad(a, a, 0, nullptr); }},
      {"rondo_softmax_with", "a", [&] { return rondo_softmax_with(RONDO_SOFTMIN, nullptr, 0, 1, i, &out); }},
      {"rondo_softmax_with", "out", [&] { return rondo_softmax_with(RONDO_SOFTMIN, a, 0, 1, i, nullptr); }},
      {"rondo_softmax_grad_with", "y",
       [&] { return rondo_softmax_grad_with(RONDO_SOFTMIN, nullptr, a, 0, 1, i, &out); }},
      {"rondo_softmax_grad_with", "dy",
       [&] { return rondo_softmax_grad_with(RONDO_SOFTMIN, a, nullptr, 0, 1, i, &out); }},
      {"rondo_softmax_grad_with", "out",
       [&] { return rondo_softmax_grad_with(RONDO_SOFTMIN, a, a, 0, 1, i, nullptr); }},
      {"rondo_gated", "a", [&] { return rondo_gated(RONDO_SILU, nullptr, a, &out); }},
      {"rondo_gated", "gate", [&] { return rondo_gated(RONDO_SILU, a, nullptr, &out); }},
      {"rondo_gated", "out", [&] { return rondo_gated(RONDO_SILU, a, a, nullptr); }},
      {"rondo_rotary", "x", [&] { return rondo_rotary(nullptr, nullptr, &out); }},
      {"rondo_rotary", "out", [&] { return rondo_rotary(a, nullptr, nullptr); }},
      {"rondo_cross_entropy", "logits", [&] { return rondo_cross_entropy(nullptr, i, &out); }},
      {"rondo_cross_entropy", "labels", [&] { return rondo_cross_entropy(a, nullptr, &out); }},
      {"rondo_cross_entropy", "out", [&] { return rondo_cross_entropy(a, i, nullptr); }},
      {"rondo_cross_entropy_grad", "logits", [&] { return rondo_cross_entropy_grad(nullptr, i, 1, &out); }},
      {"rondo_cross_entropy_grad", "labels", [&] { return rondo_cross_entropy_grad(a, nullptr, 1, &out); }},
      {"rondo_cross_entropy_grad", "out", [&] { return rondo_cross_entropy_grad(a, i, 1, nullptr); }},
      {"rondo_random_uniform", "engine",
       [&] { return rondo_random_uniform(nullptr, d, RONDO_F32, 1, shape, 0, 1, &out); }},
      {"rondo_random_uniform", "shape", [&] { return rondo_random_uniform(e, d, RONDO_F32, 1, nullptr, 0, 1, &out); }},
      {"rondo_random_uniform", "out", [&] { return rondo_random_uniform(e, d, RONDO_F32, 1, shape, 0, 1, nullptr); }},
      {"rondo_random_normal", "engine",
       [&] { return rondo_random_normal(nullptr, d, RONDO_F32, 1, shape, 0, 1, &out); }},
      {"rondo_random_normal", "shape", [&] { return rondo_random_normal(e, d, RONDO_F32, 1, nullptr, 0, 1, &out); }},
      {"rondo_random_normal", "out", [&] { return rondo_random_normal(e, d, RONDO_F32, 1, shape, 0, 1, nullptr); }},
      {"rondo_dropout", "a", [&] { return rondo_dropout(nullptr, 0.5, &out, &mask); }},
      {"rondo_dropout", "out", [&] { return rondo_dropout(a, 0.5, nullptr, &mask); }},
      {"rondo_dropout", "mask", [&] { return rondo_dropout(a, 0.5, &out, nullptr); }},
      {"rondo_dropout_grad", "dy", [&] { return rondo_dropout_grad(nullptr, m, 0.5, &out); }},
      {"rondo_dropout_grad", "mask", [&] { return rondo_dropout_grad(a, nullptr, 0.5, &out); }},
      {"rondo_dropout_grad", "out", [&] { return rondo_dropout_grad(a, m, 0.5, nullptr); }},
      {"rondo_one_hot", "indices", [&] { return rondo_one_hot(nullptr, 3, RONDO_F32, &out); }},
      {"rondo_one_hot", "out", [&] { return rondo_one_hot(i, 3, RONDO_F32, nullptr); }},
      {"rondo_gather_rows", "table", [&] { return rondo_gather_rows(nullptr, i, &out); }},
      {"rondo_gather_rows", "indices", [&] { return rondo_gather_rows(a, nullptr, &out); }},
      {"rondo_gather_rows", "out", [&] { return rondo_gather_rows(a, i, nullptr); }},
  });
  for (const NormalisationCase& each : normalisations()) {
    const std::string function = "rondo_" + each.name;
    expect_refused(each.call(nullptr, 0, nullptr, nullptr, 0, &out), RONDO_INVALID_ARGUMENT, function.c_str(), "a");
    expect_refused(each.call(a, 0, nullptr, nullptr, 0, nullptr), RONDO_INVALID_ARGUMENT, function.c_str(), "out");
  }
  EXPECT_EQ(out, nullptr);
  EXPECT_EQ(mask, nullptr);
}

TEST_P(MisuseNull, RecordingsAndGraphs) {
  const Tensor a = up(full(RONDO_F32, {4}, 1));
  Tensor out;
  const Graph graph = record(engine(), [&] { out = make(rondo_unary, RONDO_NEG, a); });
  rondo_graph* made = nullptr;
  rondo_graph_info info = RONDO_GRAPH_INFO_INIT;
  size_t length = 0;
  all_refused({
      {"rondo_record_begin", "engine", [&] { return rondo_record_begin(nullptr, nullptr); }},
      {"rondo_record_end", "engine", [&] { return rondo_record_end(nullptr, &made); }},
      {"rondo_record_abort", "engine", [&] { return rondo_record_abort(nullptr); }},
      {"rondo_graph_launch", "graph", [&] { return rondo_graph_launch(nullptr); }},
      {"rondo_graph_call", "graph", [&] { return rondo_graph_call(nullptr, 0, nullptr, 0, nullptr); }},
      {"rondo_if", "engine", [&] { return rondo_if(nullptr, nullptr, nullptr, nullptr, nullptr); }},
      {"rondo_if", "condition", [&] { return rondo_if(engine(), nullptr, nullptr, nullptr, nullptr); }},
      {"rondo_while", "engine", [&] { return rondo_while(nullptr, nullptr, nullptr, 0, nullptr); }},
      {"rondo_while", "condition", [&] { return rondo_while(engine(), nullptr, nullptr, 0, nullptr); }},
      {"rondo_switch", "engine", [&] { return rondo_switch(nullptr, nullptr, 1, nullptr, nullptr); }},
      {"rondo_switch", "index", [&] { return rondo_switch(engine(), nullptr, 1, nullptr, nullptr); }},
      {"rondo_graph_set", "graph", [&] { return rondo_graph_set(nullptr, "rate", 1); }},
      {"rondo_graph_set_i64", "graph", [&] { return rondo_graph_set_i64(nullptr, "step", 1); }},
      {"rondo_graph_set_i64", "name", [&] { return rondo_graph_set_i64(graph.get(), nullptr, 1); }},
      {"rondo_graph_enable", "graph", [&] { return rondo_graph_enable(nullptr, "part", 1); }},
      {"rondo_graph_enable", "name", [&] { return rondo_graph_enable(graph.get(), nullptr, 1); }},
      {"rondo_record_section_begin", "engine", [&] { return rondo_record_section_begin(nullptr, "part", 1); }},
      {"rondo_record_section_begin", "name", [&] { return rondo_record_section_begin(engine(), nullptr, 1); }},
      {"rondo_record_section_end", "engine", [&] { return rondo_record_section_end(nullptr); }},
      {"rondo_record_parameter", "engine",
       [&] { return rondo_record_parameter(nullptr, "rate", device(), RONDO_F32, 1, out.slot()); }},
      {"rondo_graph_query", "graph", [&] { return rondo_graph_query(nullptr, &info); }},
      {"rondo_graph_query", "info", [&] { return rondo_graph_query(graph.get(), nullptr); }},
      {"rondo_graph_report", "graph", [&] { return rondo_graph_report(nullptr, nullptr, 0, &length); }},
      {"rondo_graph_report", "buffer", [&] { return rondo_graph_report(graph.get(), nullptr, 10, &length); }},
      {"rondo_graph_report", "length", [&] { return rondo_graph_report(graph.get(), nullptr, 0, nullptr); }},
      {"rondo_graph_dot", "graph", [&] { return rondo_graph_dot(nullptr, "/tmp/never"); }},
      {"rondo_graph_dot", "path", [&] { return rondo_graph_dot(graph.get(), nullptr); }},
      {"rondo_graph_profile", "graph", [&] { return rondo_graph_profile(nullptr, nullptr); }},
      {"rondo_graph_profile_call", "graph",
       [&] { return rondo_graph_profile_call(nullptr, nullptr, 0, nullptr, 0, nullptr); }},
      {"rondo_record_site", "site", [&] { return rondo_record_site(nullptr, nullptr); }},
  });
  rondo_graph_destroy(nullptr);
  // A forgotten out-parameter of end leaves the recording open, so that it can be ended after all.
  must(rondo_record_begin(engine(), nullptr));
  expect_refused(rondo_record_end(engine(), nullptr), RONDO_INVALID_ARGUMENT, "rondo_record_end", "graph");
  must(rondo_record_end(engine(), &made));
  rondo_graph_destroy(made);
}

// --- structs of a wrong size
// --------------------------------------------------------------------------------------------
TEST_P(MisuseNull, StructSizes) {
  const Tensor a = up(full(RONDO_F32, {2, 2}, 1));
  Tensor recorded;
  const Graph graph = record(engine(), [&] { recorded = make(rondo_unary, RONDO_NEG, a); });
  for (const size_t size : {size_t{0}, size_t{1}, sizeof(size_t)}) {
    rondo_engine_options engine_options = RONDO_ENGINE_OPTIONS_INIT;
    rondo_task_options task = RONDO_TASK_OPTIONS_INIT;
    rondo_matmul_options matmul = RONDO_MATMUL_OPTIONS_INIT;
    rondo_record_options recording = RONDO_RECORD_OPTIONS_INIT;
    rondo_tensor_info tensor = RONDO_TENSOR_INFO_INIT;
    rondo_memory_info memory = RONDO_MEMORY_INFO_INIT;
    rondo_graph_info facts = RONDO_GRAPH_INFO_INIT;
    rondo_device_info device_facts = RONDO_DEVICE_INFO_INIT;
    engine_options.size = task.size = matmul.size = recording.size = tensor.size = memory.size = facts.size =
        device_facts.size = size;
    rondo_engine* made = nullptr;
    rondo_tensor* out = nullptr;
    all_refused({
        {"rondo_engine_create", "size", [&] { return rondo_engine_create(&engine_options, &made); }},
        {"rondo_engine_push", "size",
         [&] {
           return push(
               engine(), [](rondo_task_context*) { return RONDO_OK; }, {}, {}, &task);
         }},
        {"rondo_matmul", "size", [&] { return rondo_matmul(a, a, &matmul, &out); }},
        {"rondo_record_begin", "size", [&] { return rondo_record_begin(engine(), &recording); }},
        {"rondo_tensor_query", "size", [&] { return rondo_tensor_query(a, &tensor); }},
        {"rondo_memory_query", "size", [&] { return rondo_memory_query(engine(), kCpu, &memory); }},
        {"rondo_graph_query", "size", [&] { return rondo_graph_query(graph.get(), &facts); }},
        {"rondo_device_query", "size", [&] { return rondo_device_query(kCpu, &device_facts); }},
    });
    EXPECT_EQ(made, nullptr);
    EXPECT_EQ(out, nullptr);
  }
}

}  // namespace
}  // namespace conformance
