// Handles of program files and their instances, and checks of what callers give for both.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cinttypes>

#include "capi/graph.h"
#include "capi/operators.h"
#include "engine/handle.h"
#include "models/json.h"
#include "program_files/load.h"

struct rondo_program {
  uint32_t magic = 0;
  rondo::Ref<rondo::program_files::ProgramFile> file;
};

struct rondo_program_instance {
  uint32_t magic = 0;
  rondo::Ref<rondo::program_files::Instance> instance;
  std::vector<rondo::Ref<rondo::FollowedGraph>> followed;  // by function
};

namespace rondo::capi {

using Programs = HandleSlab<rondo_program, HandleKind::program>;
using ProgramInstances = HandleSlab<rondo_program_instance, HandleKind::program_instance>;

inline Status check_program(const rondo_program* program) {
  return Programs::alive(program) ? Status() : dead_handle("program", "program", program);
}

inline Status check_instance(const rondo_program_instance* instance) {
  if (!ProgramInstances::alive(instance)) return dead_handle("instance", "program instance", instance);
  return instance->instance->engine().usable();
}

inline Status check_number(const char* name, int64_t index, size_t count, const char* what) {
  if (index >= 0 && static_cast<uint64_t>(index) < count) return {};
  return error(RONDO_INVALID_ARGUMENT, "%s is %" PRId64 "; there are %zu %s", name, index, count, what);
}

inline Status find_function(const program_files::Program& program, const char* name, size_t* index) {
  std::string names;
  for (*index = 0; *index < program.functions.size(); ++*index) {
    const std::string& each = program.functions[*index].name;
    if (each == name) return {};
    if (*index < 10) names += (names.empty() ? "'" : ", '") + models::excerpt(each) + "'";
  }
  return error(RONDO_NOT_FOUND, "the program has no function '%s'; it has %s", models::excerpt(name).c_str(),
               names.c_str());
}

// texts[i] of an array, which may be NULL where texts may be left out.
inline Status copy_text(const char* array, const char* const* texts, size_t i, bool optional, std::string* text) {
  if (!texts) return optional ? Status() : null_argument(array);
  if (texts[i])
    *text = texts[i];
  else if (!optional)
    return error(RONDO_INVALID_ARGUMENT, "%s[%zu] is NULL", array, i);
  return {};
}

inline Status check_idle(const Engine& engine, const char* what) {
  const Sink* const sink = Engine::thread_sink();
  if (sink && &sink->engine == &engine)
    return error(RONDO_INVALID_STATE, "%s cannot be recorded; do it before the recording or after it", what);
  if (Engine::in_task()) return error(RONDO_INVALID_STATE, "%s inside a task is refused; do it outside", what);
  return {};
}

// Finds a device for work on a program that is not recorded, by an engine that can be used.
inline Status find_idle_device(Engine& engine, rondo_device id, const char* what, Device** device) {
  RONDO_TRY(engine.usable());
  RONDO_TRY(check_idle(engine, what));
  return get_device(id, device);
}

// The weights that options of either kind have.
template <class Options>
Status read_weights(const Options& given, std::vector<models::NamedTensor>* weights) {
  for (size_t i = 0; i < given.n_weights; ++i) {
    models::NamedTensor& weight = weights->emplace_back();
    RONDO_TRY(copy_text("options->weight_names", given.weight_names, i, false, &weight.name));
    if (!given.weights) return null_argument("options->weights");
    RONDO_TRY(check_each(given.weights, i, "options->weights"));
    weight.view = given.weights[i]->view;
  }
  return {};
}

// The files of weights that options name.
inline Status read_external(const rondo_program_save_options& given, models::ExternalWeights* external) {
  if (given.weights_into) {
    external->into = given.weights_into;
    if (external->into.empty())
      return error(RONDO_INVALID_ARGUMENT, "options->weights_into is empty; a name is needed");
  }
  for (size_t i = 0; i < given.n_weights_from; ++i)
    RONDO_TRY(copy_text("options->weights_from", given.weights_from, i, false, &external->from.emplace_back()));
  return {};
}

// Sizes that a caller gives, one for each dimension.
inline Status read_sizes(const program_files::ProgramFile& file, int32_t n_dims, const int64_t* dims,
                         std::vector<int64_t>* sizes) {
  const size_t count = file.program().dims.size();
  if (n_dims < 0 || static_cast<size_t>(n_dims) != count)
    return error(RONDO_INVALID_ARGUMENT, "n_dims is %d; the program has %zu dimensions", n_dims, count);
  if (count) RONDO_NOT_NULL(dims);
  sizes->assign(dims, dims + count);
  return {};
}

}  // namespace rondo::capi
