// NULL for every pointer argument of the functions of program files, and numbers of things that a program does not
// have: a status and a message that names the function and the argument, and nothing is changed. Copyright 2026 the
// Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cstddef>

#include "harness.h"

namespace conformance {
namespace {

struct ProgramCall {
  const char* function;
  const char* argument;
  std::function<rondo_status()> call;
};

class MisusePrograms : public OnEngine {
 protected:
  static void all_refused(const std::vector<ProgramCall>& calls) {
    for (const ProgramCall& each : calls)
      expect_refused(each.call(), RONDO_INVALID_ARGUMENT, each.function, each.argument);
  }
  // Writes a program with f(x) = -x to a file, opens it and makes an instance.
  void make_negation(const std::string& path, rondo_program** program, rondo_program_instance** instance) const {
    const char *const key = "rondo.program",
                      *const text = R"({"rondo_program":1,"needs":"0.1","made_by":"0.1.0","weights":[],"functions":[
{"name":"f","inputs":[["x","f32",[2]]],"weights":[],"nodes":[
{"kind":"Elementwise","with":{"row":"neg","computed":"f32"},"in":{"operands":[0]},"out":{"out":[1,"f32",[2]]}}],
"outputs":[["y",1,"f32",[2]]]}]})";
    must(rondo_model_file_write(path.c_str(), nullptr, nullptr, 0, &key, &text, 1));
    must(rondo_program_open(path.c_str(), program));
    must(rondo_program_create_instance(*program, engine(), device(), instance));
  }
};
CONFORMANCE_ENGINE_SUITE(MisusePrograms);

TEST_P(MisusePrograms, NullArguments) {
  const Tensor w = up(full(RONDO_F32, {2}, 1));
  const std::string path = testing::TempDir() + "rondo_null_program_" + std::to_string(getpid()) + ".safetensors";
  rondo_record_options callable = RONDO_RECORD_OPTIONS_INIT;
  callable.flags = RONDO_RECORD_CALLABLE;
  const Graph graph = record(
      engine(),
      [&] {
        const Shape shape = {2};
        const Tensor in = make(rondo_record_input, engine(), device(), RONDO_F32, 1, shape.data());
        const Tensor sum = make(rondo_binary, RONDO_ADD, in, w);
        must(rondo_record_output(engine(), sum));
      },
      &callable);
  const char *const names[] = {"f"}, *const none[] = {nullptr};
  rondo_graph *const graphs[] = {graph.get()}, *const no_graphs[] = {nullptr};
  rondo_tensor *const weights[] = {w}, *const no_weights[] = {nullptr};
  const auto save = [&](const char* to, const char* const* named, rondo_graph* const* of) {
    return rondo_program_save(to, 1, named, of, nullptr);
  };
  const auto save_weight = [&](const char* const* named, rondo_tensor* const* of) {
    rondo_program_save_options options = RONDO_PROGRAM_SAVE_OPTIONS_INIT;
    options.n_weights = 1;
    options.weight_names = named;
    options.weights = of;
    return rondo_program_save(path.c_str(), 1, names, graphs, &options);
  };
  const auto save_text = [&](const char* const* keys, const char* const* values) {
    rondo_program_save_options options = RONDO_PROGRAM_SAVE_OPTIONS_INIT;
    options.n_metadata = 1;
    options.keys = keys;
    options.values = values;
    return rondo_program_save(path.c_str(), 1, names, graphs, &options);
  };
  const auto save_beside = [&](const char* const* from) {
    rondo_program_save_options options = RONDO_PROGRAM_SAVE_OPTIONS_INIT;
    options.n_weights_from = 1;
    options.weights_from = from;
    return rondo_program_save(path.c_str(), 1, names, graphs, &options);
  };
  all_refused({
      {"rondo_program_save", "path", [&] { return save(nullptr, names, graphs); }},
      {"rondo_program_save", "names", [&] { return save(path.c_str(), nullptr, graphs); }},
      {"rondo_program_save", "names[0]", [&] { return save(path.c_str(), none, graphs); }},
      {"rondo_program_save", "graphs", [&] { return save(path.c_str(), names, nullptr); }},
      {"rondo_program_save", "graphs[0]", [&] { return save(path.c_str(), names, no_graphs); }},
      {"rondo_program_save", "n_functions",
       [&] { return rondo_program_save(path.c_str(), 0, names, graphs, nullptr); }},
      {"rondo_program_save", "options->weight_names", [&] { return save_weight(nullptr, weights); }},
      {"rondo_program_save", "options->weight_names[0]", [&] { return save_weight(none, weights); }},
      {"rondo_program_save", "options->weights", [&] { return save_weight(names, nullptr); }},
      {"rondo_program_save", "options->weights[0]", [&] { return save_weight(names, no_weights); }},
      {"rondo_program_save", "options->keys", [&] { return save_text(nullptr, names); }},
      {"rondo_program_save", "options->keys[0]", [&] { return save_text(none, names); }},
      {"rondo_program_save", "options->values", [&] { return save_text(names, nullptr); }},
      {"rondo_program_save", "options->values[0]", [&] { return save_text(names, none); }},
      {"rondo_program_save", "options->weights_from", [&] { return save_beside(nullptr); }},
      {"rondo_program_save", "options->weights_from[0]", [&] { return save_beside(none); }},
  });
  EXPECT_NE(access(path.c_str(), F_OK), 0) << "a refused save left a file";

  must(save(path.c_str(), names, graphs));
  rondo_program *program = nullptr, *no_program = nullptr;
  must(rondo_program_open(path.c_str(), &program));
  rondo_program_instance *instance = nullptr, *no_instance = nullptr;
  must(rondo_program_create_instance(program, engine(), device(), &instance));
  rondo_program_info facts = RONDO_PROGRAM_INFO_INIT;
  rondo_program_function_info function = RONDO_PROGRAM_FUNCTION_INFO_INIT;
  rondo_program_tensor_info info = RONDO_PROGRAM_TENSOR_INFO_INIT;
  const char *name = nullptr, *value = nullptr;
  int64_t index = -7;
  size_t length = 7;
  rondo_graph* handle = nullptr;
  rondo_tensor *out = nullptr, *given = w;
  const char *const within = "rondo_program_call_within", *const measure = "rondo_program_memory";
  const char *const count = "rondo_program_kernels", *const list = "rondo_program_missing_kernels";
  const char *const bytes = "rondo_program_open_bytes", *const named = "rondo_program_call_named";
  const char *const x_name[] = {"input0"}, *const y_name[] = {"output0"};
  const auto call_named = [](rondo_program_instance* of, const char* called, const char* const* input_names,
                             rondo_tensor* const* inputs, const char* const* output_names, rondo_tensor** outputs) {
    return rondo_program_call_named(of, called, 0, 1, input_names, inputs, 1, output_names, outputs);
  };
  rondo_program_memory_info need = RONDO_PROGRAM_MEMORY_INFO_INIT;
  rondo_program_check_info checked = RONDO_PROGRAM_CHECK_INFO_INIT;
  rondo_program_kernels_info kernels = RONDO_PROGRAM_KERNELS_INFO_INIT;
  const auto missing = [&](rondo_program* of, rondo_engine* where, size_t capacity, size_t* to) {
    return rondo_program_missing_kernels(of, where, device(), 0, nullptr, nullptr, capacity, to);
  };
  const auto create = [&](rondo_program* of, rondo_engine* where, rondo_program_instance** to) {
    return rondo_program_create_instance(of, where, device(), to);
  };
  all_refused({
      {"rondo_program_open", "path", [&] { return rondo_program_open(nullptr, &no_program); }},
      {"rondo_program_open", "program", [&] { return rondo_program_open(path.c_str(), nullptr); }},
      {bytes, "data", [&] { return rondo_program_open_bytes(nullptr, 9, &no_program); }},
      {bytes, "program", [&] { return rondo_program_open_bytes(path.c_str(), 9, nullptr); }},
      {bytes, "bytes is 18446744073709551615",
       [&] { return rondo_program_open_bytes(path.c_str(), SIZE_MAX, &no_program); }},
      {"rondo_program_query", "program", [&] { return rondo_program_query(nullptr, &facts); }},
      {"rondo_program_query", "info", [&] { return rondo_program_query(program, nullptr); }},
      {"rondo_program_function", "program", [&] { return rondo_program_function(nullptr, 0, &name, &function); }},
      {"rondo_program_function", "index", [&] { return rondo_program_function(program, 1, &name, &function); }},
      {"rondo_program_function", "name", [&] { return rondo_program_function(program, 0, nullptr, &function); }},
      {"rondo_program_function", "info", [&] { return rondo_program_function(program, 0, &name, nullptr); }},
      {"rondo_program_find", "program", [&] { return rondo_program_find(nullptr, "f", &index); }},
      {"rondo_program_find", "name", [&] { return rondo_program_find(program, nullptr, &index); }},
      {"rondo_program_find", "index", [&] { return rondo_program_find(program, "f", nullptr); }},
      {"rondo_program_input", "program", [&] { return rondo_program_input(nullptr, 0, 0, &name, &info); }},
      {"rondo_program_input", "function", [&] { return rondo_program_input(program, 1, 0, &name, &info); }},
      {"rondo_program_input", "index", [&] { return rondo_program_input(program, 0, -1, &name, &info); }},
      {"rondo_program_input", "name", [&] { return rondo_program_input(program, 0, 0, nullptr, &info); }},
      {"rondo_program_input", "info", [&] { return rondo_program_input(program, 0, 0, &name, nullptr); }},
      {"rondo_program_output", "program", [&] { return rondo_program_output(nullptr, 0, 0, &name, &info); }},
      {"rondo_program_output", "function", [&] { return rondo_program_output(program, -1, 0, &name, &info); }},
      {"rondo_program_output", "index", [&] { return rondo_program_output(program, 0, 1, &name, &info); }},
      {"rondo_program_output", "name", [&] { return rondo_program_output(program, 0, 0, nullptr, &info); }},
      {"rondo_program_output", "info", [&] { return rondo_program_output(program, 0, 0, &name, nullptr); }},
      {"rondo_program_weight", "program", [&] { return rondo_program_weight(nullptr, 0, &name, &info); }},
      {"rondo_program_weight", "index", [&] { return rondo_program_weight(program, 1, &name, &info); }},
      {"rondo_program_weight", "name", [&] { return rondo_program_weight(program, 0, nullptr, &info); }},
      {"rondo_program_weight", "info", [&] { return rondo_program_weight(program, 0, &name, nullptr); }},
      {"rondo_program_metadata", "program", [&] { return rondo_program_metadata(nullptr, 0, &name, &value); }},
      {"rondo_program_metadata", "index", [&] { return rondo_program_metadata(program, 0, &name, &value); }},
      {"rondo_program_metadata", "key", [&] { return rondo_program_metadata(program, 0, nullptr, &value); }},
      {"rondo_program_metadata", "value", [&] { return rondo_program_metadata(program, 0, &name, nullptr); }},
      {"rondo_program_text", "program", [&] { return rondo_program_text(nullptr, nullptr, 0, &length); }},
      {"rondo_program_text", "buffer", [&] { return rondo_program_text(program, nullptr, 9, &length); }},
      {"rondo_program_text", "length", [&] { return rondo_program_text(program, nullptr, 0, nullptr); }},
      {"rondo_program_create_instance", "program", [&] { return create(nullptr, engine(), &no_instance); }},
      {"rondo_program_create_instance", "engine", [&] { return create(program, nullptr, &no_instance); }},
      {"rondo_program_create_instance", "instance", [&] { return create(program, engine(), nullptr); }},
      {"rondo_program_call", "instance", [&] { return rondo_program_call(nullptr, "f", 1, &given, 1, &out); }},
      {"rondo_program_call", "function", [&] { return rondo_program_call(instance, nullptr, 1, &given, 1, &out); }},
      {"rondo_program_call", "inputs", [&] { return rondo_program_call(instance, "f", 1, nullptr, 1, &out); }},
      {"rondo_program_call", "outputs", [&] { return rondo_program_call(instance, "f", 1, &given, 1, nullptr); }},
      {within, "instance", [&] { return rondo_program_call_within(nullptr, "f", 9, 1, &given, 1, &out); }},
      {within, "function", [&] { return rondo_program_call_within(instance, nullptr, 9, 1, &given, 1, &out); }},
      {within, "timeout_ms", [&] { return rondo_program_call_within(instance, "f", 0, 1, &given, 1, &out); }},
      {within, "inputs", [&] { return rondo_program_call_within(instance, "f", 9, 1, nullptr, 1, &out); }},
      {within, "outputs", [&] { return rondo_program_call_within(instance, "f", 9, 1, &given, 1, nullptr); }},
      {named, "instance", [&] { return call_named(nullptr, "f", x_name, &given, y_name, &out); }},
      {named, "function", [&] { return call_named(instance, nullptr, x_name, &given, y_name, &out); }},
      {named, "input_names", [&] { return call_named(instance, "f", nullptr, &given, y_name, &out); }},
      {named, "inputs", [&] { return call_named(instance, "f", x_name, nullptr, y_name, &out); }},
      {named, "output_names", [&] { return call_named(instance, "f", x_name, &given, nullptr, &out); }},
      {named, "outputs", [&] { return call_named(instance, "f", x_name, &given, y_name, nullptr); }},
      {"rondo_program_add_check", "path",
       [&] { return rondo_program_add_check(nullptr, engine(), device(), 1, 0, nullptr); }},
      {"rondo_program_add_check", "engine",
       [&] { return rondo_program_add_check("nowhere", nullptr, device(), 1, 0, nullptr); }},
      {"rondo_program_add_check", "n_calls",
       [&] { return rondo_program_add_check("nowhere", engine(), device(), 0, 0, nullptr); }},
      {"rondo_program_check", "program",
       [&] { return rondo_program_check(nullptr, engine(), device(), 0, 0, &checked); }},
      {"rondo_program_check", "engine",
       [&] { return rondo_program_check(program, nullptr, device(), 0, 0, &checked); }},
      {"rondo_program_check", "timeout_ms",
       [&] { return rondo_program_check(program, engine(), device(), 0, -1, &checked); }},
      {measure, "program", [&] { return rondo_program_memory(nullptr, engine(), device(), 0, nullptr, &need); }},
      {measure, "engine", [&] { return rondo_program_memory(program, nullptr, device(), 0, nullptr, &need); }},
      {measure, "n_dims", [&] { return rondo_program_memory(program, engine(), device(), 1, &index, &need); }},
      {measure, "info", [&] { return rondo_program_memory(program, engine(), device(), 0, nullptr, nullptr); }},
      {count, "program", [&] { return rondo_program_kernels(nullptr, engine(), device(), 0, nullptr, &kernels); }},
      {count, "engine", [&] { return rondo_program_kernels(program, nullptr, device(), 0, nullptr, &kernels); }},
      {count, "n_dims", [&] { return rondo_program_kernels(program, engine(), device(), 1, &index, &kernels); }},
      {count, "info", [&] { return rondo_program_kernels(program, engine(), device(), 0, nullptr, nullptr); }},
      {list, "program", [&] { return missing(nullptr, engine(), 0, &length); }},
      {list, "engine", [&] { return missing(program, nullptr, 0, &length); }},
      {list, "buffer", [&] { return missing(program, engine(), 9, &length); }},
      {list, "length", [&] { return missing(program, engine(), 0, nullptr); }},
      {"rondo_program_graph", "instance", [&] { return rondo_program_graph(nullptr, "f", &handle); }},
      {"rondo_program_graph", "function", [&] { return rondo_program_graph(instance, nullptr, &handle); }},
      {"rondo_program_graph", "graph", [&] { return rondo_program_graph(instance, "f", nullptr); }},
      {"rondo_program_instance_weight", "instance",
       [&] { return rondo_program_instance_weight(nullptr, "weight0", &out); }},
      {"rondo_program_instance_weight", "name", [&] { return rondo_program_instance_weight(instance, nullptr, &out); }},
      {"rondo_program_instance_weight", "tensor",
       [&] { return rondo_program_instance_weight(instance, "weight0", nullptr); }},
      {"rondo_program_instance_save", "instance",
       [&] { return rondo_program_instance_save(nullptr, path.c_str(), nullptr); }},
      {"rondo_program_instance_save", "path", [&] { return rondo_program_instance_save(instance, nullptr, nullptr); }},
  });
  const char* const dims[] = {"B"};
  const int64_t least[] = {1}, most[] = {4};
  const auto records = [](void*, int32_t, int32_t, const int64_t*, rondo_graph**) { return RONDO_OK; };
  const auto save_dims = [&](const char* to, const char* const* named, int32_t n_dims, const char* const* dim_names,
                             const int64_t* from, const int64_t* up_to, rondo_program_record_fn record) {
    return rondo_program_save_with_dims(to, 1, named, n_dims, dim_names, from, up_to, record, nullptr, nullptr);
  };
  const char* const save_with = "rondo_program_save_with_dims";
  const char* const to = path.c_str();
  int64_t bound = -7;
  rondo_callable* callable_handle = nullptr;
  rondo_program_instance_options options = RONDO_PROGRAM_INSTANCE_OPTIONS_INIT;
  const auto create_with = [&](const std::function<void()>& change) {
    options = RONDO_PROGRAM_INSTANCE_OPTIONS_INIT;
    change();
    return rondo_program_create_instance_with(program, engine(), device(), &options, &no_instance);
  };
  const char* const create_function = "rondo_program_create_instance_with";
  all_refused({
      {save_with, "path", [&] { return save_dims(nullptr, names, 1, dims, least, most, records); }},
      {save_with, "names", [&] { return save_dims(to, nullptr, 1, dims, least, most, records); }},
      {save_with, "n_dims", [&] { return save_dims(to, names, 0, dims, least, most, records); }},
      {save_with, "dim_names", [&] { return save_dims(to, names, 1, nullptr, least, most, records); }},
      {save_with, "dim_names[0]", [&] { return save_dims(to, names, 1, none, least, most, records); }},
      {save_with, "least", [&] { return save_dims(to, names, 1, dims, nullptr, most, records); }},
      {save_with, "most", [&] { return save_dims(to, names, 1, dims, least, nullptr, records); }},
      {save_with, "record", [&] { return save_dims(to, names, 1, dims, least, most, nullptr); }},
      {"rondo_program_dim", "program", [&] { return rondo_program_dim(nullptr, 0, &name, &bound, &bound); }},
      {"rondo_program_dim", "index", [&] { return rondo_program_dim(program, 0, &name, &bound, &bound); }},
      {"rondo_program_trust", "program", [&] { return rondo_program_trust(nullptr); }},
      {"rondo_program_limit_making", "program", [&] { return rondo_program_limit_making(nullptr, 1); }},
      {"rondo_program_limit_making", "most_ms", [&] { return rondo_program_limit_making(program, -1); }},
      {"rondo_program_limit_host_memory", "program", [&] { return rondo_program_limit_host_memory(nullptr, 1); }},
      {"rondo_program_limit_host_memory", "most_bytes", [&] { return rondo_program_limit_host_memory(program, -1); }},
      {"rondo_program_bind", "program", [&] { return rondo_program_bind(nullptr, 0, nullptr, &no_program); }},
      {"rondo_program_bind", "bound", [&] { return rondo_program_bind(program, 0, nullptr, nullptr); }},
      {"rondo_program_bind", "n_dims", [&] { return rondo_program_bind(program, 1, least, &no_program); }},
      {"rondo_program_callable", "instance", [&] { return rondo_program_callable(nullptr, "f", &callable_handle); }},
      {"rondo_program_callable", "function",
       [&] { return rondo_program_callable(instance, nullptr, &callable_handle); }},
      {"rondo_program_callable", "callable", [&] { return rondo_program_callable(instance, "f", nullptr); }},
      {create_function, "options->weight_names", [&] { return create_with([&] { options.n_weights = 1; }); }},
      {create_function, "options->weights",
       [&] { return create_with([&] { options.n_weights = 1, options.weight_names = names; }); }},
      {create_function, "options->most_bytes", [&] { return create_with([&] { options.most_bytes = -1; }); }},
      {create_function, "options->extra_values", [&] { return create_with([&] { options.n_extra = 1; }); }},
      {create_function, "options->extra_functions",
       [&] { return create_with([&] { options.n_extra = 1, options.extra_values = least; }); }},
  });
  EXPECT_EQ(bound, -7);
  EXPECT_EQ(callable_handle, nullptr);
  EXPECT_EQ(no_program, nullptr);
  EXPECT_EQ(no_instance, nullptr);
  EXPECT_EQ(handle, nullptr);
  EXPECT_EQ(out, nullptr);
  EXPECT_EQ(index, -7);
  EXPECT_EQ(length, 7u);
  rondo_program_instance_destroy(instance);
  rondo_program_instance_destroy(nullptr);
  rondo_program_destroy(program);
  rondo_program_destroy(nullptr);
  unlink(path.c_str());
}

// Where and with what an instance is not saved: nothing is written then, and it is saved afterwards.
TEST_P(MisusePrograms, SavesOfInstancesThatAreRefused) {
  const char* const save = "rondo_program_instance_save";
  const std::string path = testing::TempDir() + "rondo_refused_save_" + std::to_string(getpid()) + ".safetensors",
                    to = path + ".saved";
  rondo_program* program = nullptr;
  rondo_program_instance* instance = nullptr;
  make_negation(path, &program, &instance);

  must(rondo_record_begin(engine(), nullptr));
  expect_refused(rondo_program_instance_save(instance, to.c_str(), nullptr), RONDO_INVALID_STATE, save, nullptr);
  EXPECT_TRUE(has_word(rondo_last_error(), "cannot be recorded")) << rondo_last_error();
  must(rondo_record_abort(engine()));

  rondo_status inside = RONDO_OK;
  std::string message;
  must(push(engine(),
            [&](rondo_task_context*) {
              inside = rondo_program_instance_save(instance, to.c_str(), nullptr);
              message = rondo_last_error();
              return RONDO_OK;
            },
            {}, {}));
  must(rondo_engine_wait_all(engine()));
  EXPECT_EQ(inside, RONDO_INVALID_STATE);
  EXPECT_TRUE(has_word(message, save) && has_word(message, "inside a task")) << message;

  rondo_program_save_options options = RONDO_PROGRAM_SAVE_OPTIONS_INIT;
  for (const size_t size : {size_t{0}, offsetof(rondo_program_save_options, values), size_t{4097}, size_t{1} << 40}) {
    options.size = size;
    expect_refused(rondo_program_instance_save(instance, to.c_str(), &options), RONDO_INVALID_ARGUMENT, save,
                   "options->size");
    EXPECT_TRUE(has_word(rondo_last_error(), "rondo_program_save_options")) << rondo_last_error();
  }
  EXPECT_NE(access(to.c_str(), F_OK), 0) << "a refused save left a file";
  must(rondo_program_instance_save(instance, to.c_str(), nullptr));
  EXPECT_EQ(access(to.c_str(), F_OK), 0);
  unlink(to.c_str());

  rondo_program_instance_destroy(instance);
  expect_refused(rondo_program_instance_save(instance, to.c_str(), nullptr), RONDO_INVALID_ARGUMENT, save, "instance");
  expect_refused(rondo_program_instance_save(reinterpret_cast<rondo_program_instance*>(program), to.c_str(), nullptr),
                 RONDO_INVALID_ARGUMENT, save, "instance");
  EXPECT_NE(access(to.c_str(), F_OK), 0) << "a refused save left a file";
  rondo_program_destroy(program);
  unlink(path.c_str());
}

// A program outlives its handle where an instance has it, and no destroyed handle is read.
TEST_P(MisusePrograms, DestroyedHandles) {
  const std::string path = testing::TempDir() + "rondo_dead_program_" + std::to_string(getpid()) + ".safetensors";
  rondo_program* program = nullptr;
  rondo_program_instance* instance = nullptr;
  make_negation(path, &program, &instance);
  rondo_program_info facts = RONDO_PROGRAM_INFO_INIT;
  rondo_graph* graph = nullptr;
  const auto refused = [](rondo_status status, const char* function) {
    EXPECT_TRUE(status == RONDO_INVALID_ARGUMENT || status == RONDO_INVALID_STATE)
        << function << " returned " << rondo_status_name(status);
    EXPECT_TRUE(has_word(rondo_last_error(), function)) << rondo_last_error();
  };
  refused(rondo_program_query(reinterpret_cast<rondo_program*>(instance), &facts), "rondo_program_query");
  refused(rondo_program_graph(reinterpret_cast<rondo_program_instance*>(program), "f", &graph), "rondo_program_graph");
  rondo_program_destroy(program);
  refused(rondo_program_query(program, &facts), "rondo_program_query");
  must(rondo_program_graph(instance, "f", &graph));
  rondo_program_instance_destroy(instance);
  rondo_graph* none = nullptr;
  refused(rondo_program_graph(instance, "f", &none), "rondo_program_graph");
  EXPECT_EQ(none, nullptr);
  const Tensor x = up(full(RONDO_F32, {2}, 3));
  rondo_tensor *given = x, *out = nullptr;
  must(rondo_graph_call(graph, 1, &given, 1, &out));  // the graph lives on
  const Tensor owned(out);
  expect_same_bits(download(owned), full(RONDO_F32, {2}, -3), "call");
  rondo_graph_destroy(graph);
  unlink(path.c_str());
}

}  // namespace
}  // namespace conformance
