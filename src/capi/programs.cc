// Saves, opens, describes and calls program files, after checking handles and the caller's arguments.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "capi/programs.h"

#include "capi/structs.h"
#include "program_files/save.h"

using namespace rondo;
using namespace rondo::program_files;
using capi::check_idle;
using capi::check_number;
using capi::check_program;
using capi::copy_text;
using capi::find_function;
using capi::find_idle_device;
using capi::guard;
using capi::guard_whole;
using capi::Programs;

namespace {

rondo_program_tensor_info describe(const Program& program, rondo_dtype dtype, const Layout& shape,
                                   const std::vector<std::string>& axes, bool state = false) {
  rondo_program_tensor_info facts = RONDO_PROGRAM_TENSOR_INFO_INIT;
  facts.dtype = dtype;
  facts.ndim = shape.ndim;
  facts.state = state;
  std::copy_n(shape.shape, shape.ndim, facts.shape);
  for (size_t d = 0; d < axes.size(); ++d) {
    if (axes[d].empty()) continue;
    facts.dims[d] = -1;
    for (size_t i = 0; i < program.dims.size(); ++i)
      if (axes[d] == program.dims[i].name) facts.dims[d] = static_cast<int32_t>(i) + 1;
  }
  return facts;
}

int64_t bytes_of(const Declared& each) {
  return each.shape.elements() * static_cast<int64_t>(dtype_size(each.dtype));
}

// The names that options give for inputs and outputs of all functions, one after the other.
class GivenNames {
 public:
  explicit GivenNames(const rondo_program_save_options& given) : given_(given) {}
  // Those of the next function, which has such inputs and outputs.
  Status take(const Bindings& bindings, SavedFunction* function) {
    for (uint32_t k = 0; k < bindings.size(); ++k)
      RONDO_TRY(
          bindings.is_input(k)
              ? copy_text("options->inputs", given_.inputs, input_++, true, &function->inputs.emplace_back())
              : copy_text("options->outputs", given_.outputs, output_++, true, &function->outputs.emplace_back()));
    return {};
  }

 private:
  const rondo_program_save_options& given_;
  size_t input_ = 0, output_ = 0;
};

// Functions by the caller's, which records each of them at sizes.
class CallersRecordings {
 public:
  CallersRecordings(rondo_program_record_fn record, void* arg, const rondo_program_save_options& given)
      : record_(record), arg_(arg), names_(given) {}
  Status at(size_t function, const std::vector<int64_t>& sizes, SavedFunction* saved) {
    rondo_graph* graph = nullptr;
    capi::forget_last_error();
    const KeptArithmetic arithmetic;
    const Sink* const around = Engine::thread_sink();
    const rondo_status status =
        record_(arg_, static_cast<int32_t>(function), static_cast<int32_t>(sizes.size()), sizes.data(), &graph);
    Status why = status != RONDO_OK ? capi::failure_of_callback("the function that records", status)
                 : Engine::thread_sink() != around
                     ? error(RONDO_USER_ERROR, "the function that records has left a recording open")
                 : !graph
                     ? error(RONDO_USER_ERROR, "the function that records has returned RONDO_OK, and *graph is NULL")
                     : Status();
    if (graph)
      if (const Status wrong = capi::check_graph(graph, "*graph"); !wrong.ok())
        return why.ok() ? error(RONDO_USER_ERROR, "the function that records: %s", wrong.message()) : why;
    if (!why.ok()) {
      rondo_graph_destroy(graph);
      return why;
    }
    saved->graph = graph->graph;
    rondo_graph_destroy(graph);
    RONDO_TRY(saved->graph->engine().usable());
    if (function == saved_.size()) RONDO_TRY(names_.take(saved->graph->bindings(), &saved_.emplace_back()));
    saved->inputs = saved_[function].inputs;
    saved->outputs = saved_[function].outputs;
    return {};
  }

 private:
  const rondo_program_record_fn record_;
  void* const arg_;
  GivenNames names_;
  std::vector<SavedFunction> saved_;  // their names
};

Status read_save_options(const rondo_program_save_options& given, SaveOptions* options) {
  RONDO_TRY(capi::read_weights(given, &options->weights));
  RONDO_TRY(capi::read_external(given, &options->external));
  for (size_t i = 0; i < given.n_metadata; ++i) {
    auto& [key, value] = options->metadata.emplace_back();
    RONDO_TRY(copy_text("options->keys", given.keys, i, false, &key));
    RONDO_TRY(copy_text("options->values", given.values, i, false, &value));
    if (key == kProgramKey || key == kCheckKey)
      return error(RONDO_INVALID_ARGUMENT, "options->keys[%zu] is '%s', which the program itself has", i, key.c_str());
  }
  if (!given.reader) return {};
  options->reader = read_version(given.reader);
  if (!options->reader || *options->reader < Version() || kThisVersion < *options->reader)
    return error(RONDO_INVALID_ARGUMENT, "options->reader is '%s'; a version from %s to %s is needed",
                 models::excerpt(given.reader).c_str(), Version().text().c_str(), kThisVersion.text().c_str());
  return {};
}

// bytes: null, or in place of a file.
Status open_program(const char* path, std::string* bytes, rondo_program** program) {
  RONDO_NOT_NULL(program);
  Ref<ProgramFile> opened;
  RONDO_TRY(ProgramFile::open(path, bytes, &opened));
  *program = Programs::create([&opened](rondo_program& handle) { handle.file = std::move(opened); });
  return {};
}

}  // namespace

extern "C" {

rondo_status rondo_program_save(const char* path, int32_t n_functions, const char* const* names,
                                rondo_graph* const* graphs, const rondo_program_save_options* options) {
  return guard_whole("rondo_program_save", [&]() -> Status {
    RONDO_NOT_NULL(path);
    if (n_functions < 1) return error(RONDO_INVALID_ARGUMENT, "n_functions is %d; 1 or more is needed", n_functions);
    RONDO_NOT_NULL(graphs);
    rondo_program_save_options given = RONDO_PROGRAM_SAVE_OPTIONS_INIT;
    RONDO_TRY(capi::read_options("options", options, &given));
    SaveOptions chosen;
    RONDO_TRY(read_save_options(given, &chosen));
    std::vector<SavedFunction> functions(static_cast<size_t>(n_functions));
    GivenNames given_names(given);
    for (size_t i = 0; i < functions.size(); ++i) {
      SavedFunction& each = functions[i];
      RONDO_TRY(copy_text("names", names, i, false, &each.name));
      RONDO_TRY(capi::check_graph(graphs[i], format("graphs[%zu]", i).c_str()));
      each.graph = graphs[i]->graph;
      RONDO_TRY(each.graph->engine().usable());
      RONDO_TRY(check_idle(each.graph->engine(), "saving a program"));
      RONDO_TRY(given_names.take(each.graph->bindings(), &each));
    }
    Engine::NotRecorded not_recorded;
    return save_program(path, functions, chosen);
  });
}

rondo_status rondo_program_save_with_dims(const char* path, int32_t n_functions, const char* const* names,
                                          int32_t n_dims, const char* const* dim_names, const int64_t* least,
                                          const int64_t* most, rondo_program_record_fn record, void* arg,
                                          const rondo_program_save_options* options) {
  return guard_whole("rondo_program_save_with_dims", [&]() -> Status {
    RONDO_NOT_NULL(path);
    if (n_functions < 1) return error(RONDO_INVALID_ARGUMENT, "n_functions is %d; 1 or more is needed", n_functions);
    if (n_dims < 1)
      return error(RONDO_INVALID_ARGUMENT, "n_dims is %d; 1 or more is needed, or rondo_program_save", n_dims);
    RONDO_NOT_NULL(least);
    RONDO_NOT_NULL(most);
    RONDO_NOT_NULL(record);
    rondo_program_save_options given = RONDO_PROGRAM_SAVE_OPTIONS_INIT;
    RONDO_TRY(capi::read_options("options", options, &given));
    SaveOptions chosen;
    RONDO_TRY(read_save_options(given, &chosen));
    if (Engine::thread_sink() || Engine::in_task())
      return error(RONDO_INVALID_STATE, "saving a program cannot be recorded, nor be done inside a task");
    std::vector<SavedFunction> functions(static_cast<size_t>(n_functions));
    for (size_t i = 0; i < functions.size(); ++i) RONDO_TRY(copy_text("names", names, i, false, &functions[i].name));
    std::vector<Dim> dims(static_cast<size_t>(n_dims));
    for (size_t i = 0; i < dims.size(); ++i) {
      RONDO_TRY(copy_text("dim_names", dim_names, i, false, &dims[i].name));
      dims[i].least = least[i];
      dims[i].most = most[i];
    }
    CallersRecordings recordings(record, arg, given);
    const RecordAt at = [&](size_t function, const std::vector<int64_t>& sizes, SavedFunction* saved) {
      return recordings.at(function, sizes, saved);
    };
    return save_with_sizes(path, std::move(functions), dims, at, chosen);
  });
}

rondo_status rondo_program_open(const char* path, rondo_program** program) {
  return guard_whole("rondo_program_open", [&]() -> Status {
    RONDO_NOT_NULL(path);
    return open_program(path, nullptr, program);
  });
}

rondo_status rondo_program_open_bytes(const void* data, size_t bytes, rondo_program** program) {
  return guard_whole("rondo_program_open_bytes", [&]() -> Status {
    RONDO_NOT_NULL(data);
    RONDO_NOT_NULL(program);
    if (bytes > static_cast<size_t>(PTRDIFF_MAX))
      return error(RONDO_INVALID_ARGUMENT, "bytes is %zu; the size of a file in memory is needed", bytes);
    std::string copy(static_cast<const char*>(data), bytes);
    return open_program("the bytes", &copy, program);
  });
}

void rondo_program_destroy(rondo_program* program) {
  if (!program) return;
  guard_whole("rondo_program_destroy", [&]() -> Status {
    Ref<ProgramFile> last;
    return capi::destroy<Programs>(program, "program", "program",
                                   [&last](rondo_program& handle) { last = std::move(handle.file); });
  });
}

rondo_status rondo_program_query(rondo_program* program, rondo_program_info* info) {
  return guard("rondo_program_query", [&]() -> Status {
    RONDO_TRY(check_program(program));
    const Program& of = program->file->program();
    rondo_program_info facts = RONDO_PROGRAM_INFO_INIT;
    facts.functions = static_cast<int64_t>(of.functions.size());
    facts.weights = static_cast<int64_t>(of.weights.size());
    facts.metadata = static_cast<int64_t>(program->file->metadata().size());
    for (const Declared& each : of.weights) (each.state ? facts.state_bytes : facts.weight_bytes) += bytes_of(each);
    of.needs.copy(facts.needs, sizeof facts.needs - 1);
    facts.dims = static_cast<int64_t>(of.dims.size());
    return capi::write_info("info", info, facts);
  });
}

rondo_status rondo_program_function(rondo_program* program, int64_t index, const char** name,
                                    rondo_program_function_info* info) {
  return guard("rondo_program_function", [&]() -> Status {
    RONDO_TRY(check_program(program));
    RONDO_NOT_NULL(name);
    const Program& of = program->file->program();
    RONDO_TRY(check_number("index", index, of.functions.size(), "functions"));
    const Function& function = of.functions[static_cast<size_t>(index)];
    rondo_program_function_info facts = RONDO_PROGRAM_FUNCTION_INFO_INIT;
    facts.inputs = static_cast<int32_t>(function.inputs.size());
    facts.outputs = static_cast<int32_t>(function.outputs.size());
    facts.nodes = static_cast<int64_t>(function.nodes.size());
    facts.parameters = static_cast<int32_t>(function.parameters.size());
    facts.sections = static_cast<int32_t>(function.sections.size());
    facts.varies = function.sizes != 0;
    RONDO_TRY(capi::write_info("info", info, facts));
    *name = function.name.c_str();
    return {};
  });
}

rondo_status rondo_program_find(rondo_program* program, const char* name, int64_t* index) {
  return guard("rondo_program_find", [&]() -> Status {
    RONDO_TRY(check_program(program));
    RONDO_NOT_NULL(name);
    RONDO_NOT_NULL(index);
    size_t found = 0;
    RONDO_TRY(find_function(program->file->program(), name, &found));
    *index = static_cast<int64_t>(found);
    return {};
  });
}

rondo_status rondo_program_input(rondo_program* program, int64_t function, int32_t index, const char** name,
                                 rondo_program_tensor_info* info) {
  return guard("rondo_program_input", [&]() -> Status {
    RONDO_TRY(check_program(program));
    RONDO_NOT_NULL(name);
    const Program& of = program->file->program();
    RONDO_TRY(check_number("function", function, of.functions.size(), "functions"));
    const std::vector<Declared>& inputs = of.functions[static_cast<size_t>(function)].inputs;
    RONDO_TRY(check_number("index", index, inputs.size(), "inputs"));
    const Declared& input = inputs[static_cast<size_t>(index)];
    RONDO_TRY(capi::write_info("info", info, describe(of, input.dtype, input.shape, input.axes)));
    *name = input.name.c_str();
    return {};
  });
}

rondo_status rondo_program_output(rondo_program* program, int64_t function, int32_t index, const char** name,
                                  rondo_program_tensor_info* info) {
  return guard("rondo_program_output", [&]() -> Status {
    RONDO_TRY(check_program(program));
    RONDO_NOT_NULL(name);
    const Program& of = program->file->program();
    RONDO_TRY(check_number("function", function, of.functions.size(), "functions"));
    const std::vector<Function::Output>& outputs = of.functions[static_cast<size_t>(function)].outputs;
    RONDO_TRY(check_number("index", index, outputs.size(), "outputs"));
    const Function::Output& output = outputs[static_cast<size_t>(index)];
    RONDO_TRY(capi::write_info("info", info, describe(of, output.dtype, output.shape, output.axes)));
    *name = output.name.c_str();
    return {};
  });
}

rondo_status rondo_program_weight(rondo_program* program, int64_t index, const char** name,
                                  rondo_program_tensor_info* info) {
  return guard("rondo_program_weight", [&]() -> Status {
    RONDO_TRY(check_program(program));
    RONDO_NOT_NULL(name);
    const Program& of = program->file->program();
    const std::vector<Declared>& weights = of.weights;
    RONDO_TRY(check_number("index", index, weights.size(), "weights"));
    const Declared& weight = weights[static_cast<size_t>(index)];
    RONDO_TRY(capi::write_info("info", info, describe(of, weight.dtype, weight.shape, {}, weight.state)));
    *name = weight.name.c_str();
    return {};
  });
}

rondo_status rondo_program_metadata(rondo_program* program, int64_t index, const char** key, const char** value) {
  return guard("rondo_program_metadata", [&]() -> Status {
    RONDO_TRY(check_program(program));
    RONDO_NOT_NULL(key);
    RONDO_NOT_NULL(value);
    const models::Metadata& metadata = program->file->metadata();
    RONDO_TRY(check_number("index", index, metadata.size(), "texts"));
    *key = metadata[static_cast<size_t>(index)].first.c_str();
    *value = metadata[static_cast<size_t>(index)].second.c_str();
    return {};
  });
}

rondo_status rondo_program_text(rondo_program* program, char* buffer, size_t capacity, size_t* length) {
  return guard("rondo_program_text", [&]() -> Status {
    RONDO_TRY(check_program(program));
    RONDO_NOT_NULL(length);
    if (capacity && !buffer) return capi::null_argument("buffer");
    return capi::hand_out(program->file->text(), buffer, capacity, length);
  });
}

rondo_status rondo_program_dim(rondo_program* program, int64_t index, const char** name, int64_t* least,
                               int64_t* most) {
  return guard("rondo_program_dim", [&]() -> Status {
    RONDO_TRY(check_program(program));
    RONDO_NOT_NULL(name);
    RONDO_NOT_NULL(least);
    RONDO_NOT_NULL(most);
    const std::vector<Dim>& dims = program->file->program().dims;
    RONDO_TRY(check_number("index", index, dims.size(), "dimensions"));
    const Dim& dim = dims[static_cast<size_t>(index)];
    *name = dim.name.c_str();
    *least = dim.least;
    *most = dim.most;
    return {};
  });
}

rondo_status rondo_program_add_check(const char* path, rondo_engine* engine, rondo_device device, int32_t n_calls,
                                     int32_t n_sizes, const int64_t* sizes) {
  return guard_whole("rondo_program_add_check", [&]() -> Status {
    RONDO_NOT_NULL(path);
    RONDO_TRY(capi::check_engine(engine, "engine"));
    if (n_calls < 1 || static_cast<size_t>(n_calls) > kMostCheckCalls)
      return error(RONDO_INVALID_ARGUMENT, "n_calls is %d; 1 to %zu are possible", n_calls, kMostCheckCalls);
    const Ref<Engine> inner = engine->engine;  // another thread may destroy the handle meanwhile
    Device* found = nullptr;
    RONDO_TRY(find_idle_device(*inner, device, "checking a program", &found));
    Ref<ProgramFile> file;
    RONDO_TRY(ProgramFile::open(path, nullptr, &file));
    const size_t dims = file->program().dims.size(), needed = static_cast<size_t>(n_calls) * dims;
    if (n_sizes < 0 || static_cast<size_t>(n_sizes) != needed)
      return error(RONDO_INVALID_ARGUMENT, "n_sizes is %d; %d calls of a program with %zu dimensions have %zu", n_sizes,
                   n_calls, dims, needed);
    if (needed) RONDO_NOT_NULL(sizes);
    std::vector<std::vector<int64_t>> all;
    for (size_t i = 0; i < static_cast<size_t>(n_calls); ++i)
      all.emplace_back(sizes + i * dims, sizes + (i + 1) * dims);
    return add_check(file, path, *inner, *found, all);
  });
}

rondo_status rondo_program_check(rondo_program* program, rondo_engine* engine, rondo_device device, int64_t most_bytes,
                                 int64_t timeout_ms, rondo_program_check_info* info) {
  return guard_whole("rondo_program_check", [&]() -> Status {
    RONDO_TRY(check_program(program));
    RONDO_TRY(capi::check_engine(engine, "engine"));
    for (const auto& [name, value] : {std::pair("most_bytes", most_bytes), std::pair("timeout_ms", timeout_ms)})
      if (value < 0)
        return error(RONDO_INVALID_ARGUMENT, "%s is %lld; 0 (no limit) or more is needed", name, printable(value));
    const Ref<Engine> inner = engine->engine;  // another thread may destroy the handles meanwhile
    const Ref<ProgramFile> file = program->file;
    Device* found = nullptr;
    RONDO_TRY(find_idle_device(*inner, device, "checking a program", &found));
    CheckCounts counts;
    RONDO_TRY(run_check(file, *inner, *found, {most_bytes, timeout_ms}, &counts));
    rondo_program_check_info facts = RONDO_PROGRAM_CHECK_INFO_INIT;
    facts.calls = counts.calls;
    facts.outputs = counts.outputs;
    facts.exact = counts.exact;
    return capi::write_info("info", info, facts);
  });
}

rondo_status rondo_program_trust(rondo_program* program) {
  return guard("rondo_program_trust", [&]() -> Status {
    RONDO_TRY(check_program(program));
    program->file->trust();
    return {};
  });
}

rondo_status rondo_program_limit_making(rondo_program* program, int64_t most_ms) {
  return guard("rondo_program_limit_making", [&]() -> Status {
    RONDO_TRY(check_program(program));
    if (most_ms < 0)
      return error(RONDO_INVALID_ARGUMENT, "most_ms is %lld; 0 (no limit) or more is needed", printable(most_ms));
    program->file->making().most_ms.store(most_ms, std::memory_order_relaxed);
    return {};
  });
}

rondo_status rondo_program_limit_host_memory(rondo_program* program, int64_t most_bytes) {
  return guard("rondo_program_limit_host_memory", [&]() -> Status {
    RONDO_TRY(check_program(program));
    if (most_bytes < 0)
      return error(RONDO_INVALID_ARGUMENT, "most_bytes is %lld; 0 (as RONDO_PROGRAM_HOST_MB says) or more is needed",
                   printable(most_bytes));
    program->file->making().most_bytes.store(most_bytes, std::memory_order_relaxed);
    return {};
  });
}

rondo_status rondo_program_bind(rondo_program* program, int32_t n_dims, const int64_t* dims, rondo_program** bound) {
  return guard_whole("rondo_program_bind", [&]() -> Status {
    RONDO_TRY(check_program(program));
    RONDO_NOT_NULL(bound);
    Ref<ProgramFile> made;
    const Ref<ProgramFile> file = program->file;  // another thread may destroy the handle meanwhile
    std::vector<int64_t> sizes;
    RONDO_TRY(capi::read_sizes(*file, n_dims, dims, &sizes));
    RONDO_TRY(file->bind(sizes, &made));
    *bound = Programs::create([&made](rondo_program& handle) { handle.file = std::move(made); });
    return {};
  });
}

}  // extern "C"
