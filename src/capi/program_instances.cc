// Makes instances of program files and calls their functions, after checking handles and the caller's arguments.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "capi/programs.h"

#include "capi/structs.h"
#include "graph/run/run_limit.h"
#include "program_files/check.h"
#include "rtc/kernel_census.h"

using namespace rondo;
using namespace rondo::program_files;
using capi::check_idle;
using capi::check_instance;
using capi::check_program;
using capi::copy_text;
using capi::find_function;
using capi::find_idle_device;
using capi::guard;
using capi::guard_whole;
using capi::read_sizes;
using Instances = capi::ProgramInstances;

namespace {

Status read_instance_options(const rondo_program_instance_options& given, const Program& program,
                             InstanceOptions* options) {
  RONDO_TRY(capi::read_options("options->callables", given.callables, &options->callables));
  RONDO_TRY(capi::check_callable_options(options->callables));
  if (options->callables.name || options->callables.flags)
    return error(RONDO_INVALID_ARGUMENT,
                 "options->callables has a name or flags; the program has the names, and says how it is recorded");
  RONDO_TRY(capi::read_weights(given, &options->weights));
  if (given.most_turns < 0)
    return error(RONDO_INVALID_ARGUMENT, "options->most_turns is %lld; 0 (as the file says) or more is needed",
                 printable(given.most_turns));
  options->most_turns = given.most_turns;
  if (given.most_bytes < 0)
    return error(RONDO_INVALID_ARGUMENT, "options->most_bytes is %lld; 0 (any) or more is needed",
                 printable(given.most_bytes));
  options->most_bytes = given.most_bytes;
  options->extra.resize(program.functions.size());
  if (given.n_extra && !given.extra_values) return capi::null_argument("options->extra_values");
  for (size_t i = 0; i < given.n_extra; ++i) {
    std::string name;
    RONDO_TRY(copy_text("options->extra_functions", given.extra_functions, i, false, &name));
    size_t function = 0;
    RONDO_TRY(find_function(program, name.c_str(), &function));
    const int64_t value = given.extra_values[i];
    const uint32_t values = program.functions[function].values;
    if (value < 0 || value >= values)
      return error(RONDO_INVALID_ARGUMENT, "options->extra_values[%zu] is %lld; function '%s' has the values 0 to %u",
                   i, printable(value), models::excerpt(name).c_str(), values - 1);
    options->extra[function].push_back(static_cast<uint32_t>(value));
  }
  return {};
}

// Looks up the function that a caller names. callee: what is called, of the instance.
Status find_callee(const rondo_program_instance* handle, const char* function, size_t* found,
                   const Instance::Callee** callee) {
  RONDO_TRY(check_instance(handle));
  RONDO_NOT_NULL(function);
  RONDO_TRY(find_function(handle->instance->file().program(), function, found));
  *callee = &handle->instance->functions()[*found];
  return {};
}

Status call_function(const rondo_program_instance& handle, const char* function, int32_t n_inputs,
                     rondo_tensor* const* inputs, int32_t n_outputs, rondo_tensor** outputs, const RunLimit* limit) {
  size_t found = 0;
  const Instance::Callee* callee = nullptr;
  RONDO_TRY(find_callee(&handle, function, &found, &callee));
  const Ref<Instance> inner = handle.instance;
  if (callee->graph)
    return capi::call_graph(*callee->graph, *handle.followed[found], n_inputs, inputs, n_outputs, outputs, limit);
  const auto call_callable = [&] {
    const auto check = [&]() -> Status {
      std::vector<int64_t> sizes;
      return inner->file().find_sizes(inner->file().program().functions[found], inner->device(),
                                      {inputs, static_cast<size_t>(n_inputs)}, &sizes);
    };
    return capi::call_callable(*callee->callable, n_inputs, inputs, n_outputs, outputs, check, limit);
  };
  return inner->call_with_room(limit, call_callable);
}

// A limit of 0 is none.
Status call_in_time(const rondo_program_instance& handle, const char* function, int64_t timeout_ms, int least,
                    int32_t n_inputs, rondo_tensor* const* inputs, int32_t n_outputs, rondo_tensor** outputs) {
  if (timeout_ms < least)
    return error(RONDO_INVALID_ARGUMENT, "timeout_ms is %lld; %d or more is needed", printable(timeout_ms), least);
  if (timeout_ms == 0) return call_function(handle, function, n_inputs, inputs, n_outputs, outputs, nullptr);
  const Sink* const sink = Engine::thread_sink();
  if ((sink && &sink->engine == &handle.instance->engine()) || this_thread().tapes)
    return error(RONDO_INVALID_STATE,
                 "a call with a time limit cannot be recorded or gone back through; use rondo_program_call");
  const RunLimit limit(timeout_ms);
  return call_function(handle, function, n_inputs, inputs, n_outputs, outputs, &limit);
}

// Tensors that a caller names: the inputs of a function, or its outputs, of which some may be NULL.
struct Named {
  const char *names_array, *array;  // what the parameters are called
  int32_t count;
  const char* const* names;
  rondo_tensor* const* tensors;
  const std::string& (*name_of)(const Function& function, size_t place);
  bool optional;
};

// Finds the places of what is named, each of them once, among the `count` that the function has.
Status find_places(const Named& named, const Function& function, size_t count, size_t* places) {
  if (named.count < 0 ||
      (named.optional ? static_cast<size_t>(named.count) > count : static_cast<size_t>(named.count) != count))
    return error(RONDO_INVALID_ARGUMENT, "n_%s is %d; the function has %zu", named.array, named.count, count);
  for (size_t i = 0; i < static_cast<size_t>(named.count); ++i) {
    if (!named.names || !named.tensors) return capi::null_argument(named.names ? named.array : named.names_array);
    const char* const name = named.names[i] ? named.names[i] : "";  // which no input or output is
    size_t place = 0, before = 0;
    while (place < count && named.name_of(function, place) != name) ++place;
    while (before < i && places[before] != place) ++before;
    if (before < i || place == count)
      return error(before < i || !*name ? RONDO_INVALID_ARGUMENT : RONDO_NOT_FOUND,
                   "%s[%zu] is '%s'%s; the function has %zu such as '%s', each is given once", named.names_array, i,
                   models::excerpt(name).c_str(), before < i ? " once more" : "", count,
                   models::excerpt(named.name_of(function, i)).c_str());
    if (named.tensors[i] || !named.optional) RONDO_TRY(capi::check_each(named.tensors, i, named.array));
    places[i] = place;
  }
  return {};
}

Status call_named(const rondo_program_instance& handle, const char* function, int64_t timeout_ms, int32_t n_inputs,
                  const char* const* input_names, rondo_tensor* const* inputs, int32_t n_outputs,
                  const char* const* output_names, rondo_tensor** outputs) {
  size_t found = 0;
  const Instance::Callee* callee = nullptr;
  RONDO_TRY(find_callee(&handle, function, &found, &callee));
  const Function& of = handle.instance->file().program().functions[found];
  const auto input_name = [](const Function& each, size_t k) -> const std::string& { return each.inputs[k].name; };
  const auto output_name = [](const Function& each, size_t k) -> const std::string& { return each.outputs[k].name; };
  const size_t n_given = of.inputs.size();
  std::vector<size_t> places(n_given + of.outputs.size());  // of what is named
  size_t* const outputs_at = places.data() + n_given;
  RONDO_TRY(find_places({"input_names", "inputs", n_inputs, input_names, inputs, input_name, false}, of, n_given,
                        places.data()));
  RONDO_TRY(find_places({"output_names", "outputs", n_outputs, output_names, outputs, output_name, true}, of,
                        of.outputs.size(), outputs_at));
  std::vector<rondo_tensor*> all(n_given + callee->outputs);
  rondo_tensor** const made = all.data() + n_given;
  for (int32_t i = 0; i < n_inputs; ++i) all[places[i]] = inputs[i];  // mutation: names_not_placed
  for (int32_t i = 0; i < n_outputs; ++i) made[outputs_at[i]] = outputs[i];
  RONDO_TRY(
      call_in_time(handle, function, timeout_ms, 0, n_inputs, all.data(), static_cast<int32_t>(callee->outputs), made));
  for (int32_t i = 0; i < n_outputs; ++i) outputs[i] = std::exchange(made[outputs_at[i]], nullptr);
  for (size_t i = n_given; i < all.size(); ++i)
    if (all[i]) destroy_tensor(all[i]);
  return {};
}

Status create_instance(rondo_program* program, rondo_engine* engine, rondo_device device,
                       const rondo_program_instance_options* options, rondo_program_instance** instance) {
  RONDO_TRY(check_program(program));
  rondo_program_instance_options chosen = RONDO_PROGRAM_INSTANCE_OPTIONS_INIT;
  RONDO_TRY(capi::read_options("options", options, &chosen));
  InstanceOptions wanted;
  RONDO_TRY(read_instance_options(chosen, program->file->program(), &wanted));
  RONDO_TRY(capi::check_engine(engine, "engine"));
  RONDO_NOT_NULL(instance);
  const Ref<Engine> inner = engine->engine;  // another thread may destroy the handles meanwhile
  const Ref<ProgramFile> file = program->file;
  Device* found = nullptr;
  RONDO_TRY(find_idle_device(*inner, device, "making an instance of a program", &found));
  Ref<Instance> made;
  RONDO_TRY(Instance::make(file, *inner, *found, wanted, &made));
  std::vector<Ref<FollowedGraph>> followed;
  for (const Instance::Callee& each : made->functions())
    followed.push_back(each.graph ? make_ref<FollowedGraph>(each.graph) : Ref<FollowedGraph>());
  *instance = Instances::create([&](rondo_program_instance& handle) {
    handle.instance = std::move(made);
    handle.followed = std::move(followed);
  });
  return {};
}

// Records the functions of a program at some sizes, as far as that needs no memory.
Status measure(rondo_program* program, rondo_engine* engine, rondo_device device, int32_t n_dims, const int64_t* dims,
               MemoryNeed* need) {
  RONDO_TRY(check_program(program));
  RONDO_TRY(capi::check_engine(engine, "engine"));
  const Ref<Engine> inner = engine->engine;  // another thread may destroy the handles meanwhile
  Ref<ProgramFile> file = program->file;
  std::vector<int64_t> sizes;
  RONDO_TRY(read_sizes(*file, n_dims, dims, &sizes));
  Device* found = nullptr;
  RONDO_TRY(find_idle_device(*inner, device, "measuring a program", &found));
  if (!sizes.empty()) RONDO_TRY(file->bind(sizes, &file));
  return file->measure(*inner, *found, need);
}

}  // namespace

extern "C" {

rondo_status rondo_program_create_instance(rondo_program* program, rondo_engine* engine, rondo_device device,
                                           rondo_program_instance** instance) {
  return guard_whole("rondo_program_create_instance",
                     [&] { return create_instance(program, engine, device, nullptr, instance); });
}

rondo_status rondo_program_create_instance_with(rondo_program* program, rondo_engine* engine, rondo_device device,
                                                const rondo_program_instance_options* options,
                                                rondo_program_instance** instance) {
  return guard_whole("rondo_program_create_instance_with",
                     [&] { return create_instance(program, engine, device, options, instance); });
}

void rondo_program_instance_destroy(rondo_program_instance* instance) {
  if (!instance) return;
  guard_whole("rondo_program_instance_destroy", [&]() -> Status {
    Ref<Instance> last;
    std::vector<Ref<FollowedGraph>> followed;
    return capi::destroy<Instances>(instance, "instance", "program instance", [&](rondo_program_instance& handle) {
      last = std::move(handle.instance);
      followed = std::move(handle.followed);
    });
  });
}

rondo_status rondo_program_call(rondo_program_instance* instance, const char* function, int32_t n_inputs,
                                rondo_tensor* const* inputs, int32_t n_outputs, rondo_tensor** outputs) {
  return guard("rondo_program_call", [&]() -> Status {
    RONDO_TRY(check_instance(instance));
    return call_function(*instance, function, n_inputs, inputs, n_outputs, outputs, nullptr);
  });
}

rondo_status rondo_program_call_within(rondo_program_instance* instance, const char* function, int64_t timeout_ms,
                                       int32_t n_inputs, rondo_tensor* const* inputs, int32_t n_outputs,
                                       rondo_tensor** outputs) {
  return guard("rondo_program_call_within", [&]() -> Status {
    RONDO_TRY(check_instance(instance));
    return call_in_time(*instance, function, timeout_ms, 1, n_inputs, inputs, n_outputs, outputs);
  });
}

rondo_status rondo_program_call_named(rondo_program_instance* instance, const char* function, int64_t timeout_ms,
                                      int32_t n_inputs, const char* const* input_names, rondo_tensor* const* inputs,
                                      int32_t n_outputs, const char* const* output_names, rondo_tensor** outputs) {
  return guard("rondo_program_call_named", [&]() -> Status {
    RONDO_TRY(check_instance(instance));
    return call_named(*instance, function, timeout_ms, n_inputs, input_names, inputs, n_outputs, output_names, outputs);
  });
}

rondo_status rondo_program_memory(rondo_program* program, rondo_engine* engine, rondo_device device, int32_t n_dims,
                                  const int64_t* dims, rondo_program_memory_info* info) {
  return guard_whole("rondo_program_memory", [&]() -> Status {
    MemoryNeed need;
    RONDO_TRY(measure(program, engine, device, n_dims, dims, &need));
    rondo_program_memory_info facts = RONDO_PROGRAM_MEMORY_INFO_INIT;
    facts.weight_bytes = need.weights;
    facts.state_bytes = need.states;
    facts.graph_bytes = need.graphs;
    return capi::write_info("info", info, facts);
  });
}

rondo_status rondo_program_kernels(rondo_program* program, rondo_engine* engine, rondo_device device, int32_t n_dims,
                                   const int64_t* dims, rondo_program_kernels_info* info) {
  return guard_whole("rondo_program_kernels", [&]() -> Status {
    const rtc::KernelCensus census;
    MemoryNeed need;
    RONDO_TRY(measure(program, engine, device, n_dims, dims, &need));
    rondo_program_kernels_info facts = RONDO_PROGRAM_KERNELS_INFO_INIT;
    facts.needed = census.needed();
    facts.missing = census.missing();
    facts.kept = facts.needed - facts.missing;
    return capi::write_info("info", info, facts);
  });
}

rondo_status rondo_program_missing_kernels(rondo_program* program, rondo_engine* engine, rondo_device device,
                                           int32_t n_dims, const int64_t* dims, char* buffer, size_t capacity,
                                           size_t* length) {
  return guard_whole("rondo_program_missing_kernels", [&]() -> Status {
    const rtc::KernelCensus census;
    MemoryNeed need;
    RONDO_NOT_NULL(length);
    if (capacity && !buffer) return capi::null_argument("buffer");
    RONDO_TRY(measure(program, engine, device, n_dims, dims, &need));
    return capi::hand_out(census.missing_text(), buffer, capacity, length);
  });
}

rondo_status rondo_program_graph(rondo_program_instance* instance, const char* function, rondo_graph** graph) {
  return guard("rondo_program_graph", [&]() -> Status {
    size_t found = 0;
    const Instance::Callee* callee = nullptr;
    RONDO_TRY(find_callee(instance, function, &found, &callee));
    RONDO_NOT_NULL(graph);
    if (!callee->graph)
      return error(
          RONDO_UNSUPPORTED,
          "the sizes of function '%s' vary, and it has a graph for each; an instance of rondo_program_bind has "
          "the one of its sizes",
          models::excerpt(function).c_str());
    *graph = capi::make_graph(callee->graph, instance->followed[found]);
    return {};
  });
}

rondo_status rondo_program_callable(rondo_program_instance* instance, const char* function, rondo_callable** callable) {
  return guard("rondo_program_callable", [&]() -> Status {
    size_t found = 0;
    const Instance::Callee* callee = nullptr;
    RONDO_TRY(find_callee(instance, function, &found, &callee));
    RONDO_NOT_NULL(callable);
    if (!callee->callable)
      return error(RONDO_UNSUPPORTED, "function '%s' has one size; rondo_program_graph gives its graph",
                   models::excerpt(function).c_str());
    *callable = capi::make_callable(callee->callable);
    return {};
  });
}

rondo_status rondo_program_instance_weight(rondo_program_instance* instance, const char* name, rondo_tensor** tensor) {
  return guard("rondo_program_instance_weight", [&]() -> Status {
    RONDO_TRY(check_instance(instance));
    RONDO_NOT_NULL(name);
    RONDO_NOT_NULL(tensor);
    const std::vector<Declared>& weights = instance->instance->file().program().weights;
    for (size_t i = 0; i < weights.size(); ++i)
      if (weights[i].name == name) {
        const rondo_tensor& weight = *instance->instance->weights()[i];
        *tensor = make_view(weight.storage, weight.view);
        return {};
      }
    return error(RONDO_NOT_FOUND, "the program has no weight '%s' among its %zu", models::excerpt(name).c_str(),
                 weights.size());
  });
}

rondo_status rondo_program_instance_save(rondo_program_instance* instance, const char* path,
                                         const rondo_program_save_options* options) {
  return guard_whole("rondo_program_instance_save", [&]() -> Status {
    RONDO_TRY(check_instance(instance));
    RONDO_NOT_NULL(path);
    rondo_program_save_options given = RONDO_PROGRAM_SAVE_OPTIONS_INIT;
    RONDO_TRY(capi::read_options("options", options, &given));
    if (given.inputs || given.outputs || given.n_weights || given.n_metadata || given.reader)
      return error(RONDO_INVALID_ARGUMENT,
                   "options has more than weights_into and weights_from; the program has its names and texts");
    models::ExternalWeights external;
    RONDO_TRY(capi::read_external(given, &external));
    const Ref<Instance> inner = instance->instance;  // another thread may destroy the handle meanwhile
    RONDO_TRY(check_idle(inner->engine(), "saving a program"));
    Engine::NotRecorded not_recorded;
    return inner->save(path, external);
  });
}

}  // extern "C"
