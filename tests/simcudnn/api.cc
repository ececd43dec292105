// The exported functions, with the signatures of src/dynlib/cudnn.def, and what tests ask beside them
// (simcudnn_control). Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "engines.h"

namespace simcudnn {

#define RONDO_FN(result, name, parameters, since) \
  extern "C" __attribute__((visibility("default"))) result name parameters;
#include "dynlib/cudnn.def"
#undef RONDO_FN

namespace {

enum class Entry : unsigned {
#define RONDO_FN(result, name, parameters, since) name,
#include "dynlib/cudnn.def"
#undef RONDO_FN
  count
};
const char* const kNames[] = {
#define RONDO_FN(result, name, parameters, since) #name,
#include "dynlib/cudnn.def"
#undef RONDO_FN
};

struct Fault {
  unsigned entry;
  std::uint64_t call;
  int code;
};
std::uint64_t g_calls[static_cast<unsigned>(Entry::count)] = {};
std::vector<Fault> g_faults;
thread_local std::string t_why;

bool parse_faults(const std::string& text) {
  char name[64];
  unsigned long long call = 0;
  int code = 0, used = 0;
  for (const char* at = text.c_str(); *at != 0; at += used + (at[used] == ',')) {
    if (std::sscanf(at, "%63[^:]:%llu:%d%n", name, &call, &code, &used) != 3 || call == 0) return false;
    const auto found = std::find(std::begin(kNames), std::end(kNames), std::string(name));
    if (found == std::end(kNames)) return false;
    g_faults.push_back({static_cast<unsigned>(found - std::begin(kNames)), call, code});
  }
  return true;
}

// Counts the call and fails it where that was asked for; otherwise does it, with the lock. Refusals become numbers.
template <class Body>
cudnnStatus_t entered(Entry entry, const Body& body) {
  std::lock_guard lock(state().mutex);
  static const bool parsed = [] {
    const char* text = std::getenv("SIMCUDNN_FAULT");
    if (text != nullptr && !parse_faults(text)) {
      std::fprintf(stderr, "simcudnn: SIMCUDNN_FAULT=%s is not entry:call:code,...\n", text);
      std::exit(2);
    }
    return true;
  }();
  (void)parsed;
  ++g_calls[static_cast<unsigned>(entry)];
  int code = 0;
  for (Fault& fault : g_faults)
    if (fault.entry == static_cast<unsigned>(entry) && fault.call != 0 && --fault.call == 0 && code == 0)
      code = fault.code;
  if (code != 0) {
    t_why = std::string(kNames[static_cast<unsigned>(entry)]) + " was made to fail";
    return code;
  }
  try {
    body();
    return CUDNN_STATUS_SUCCESS;
  } catch (const Refusal& refusal) {
    t_why = refusal.why;
    return code_of(refusal.problem);
  }
}

void finalize_heuristics(Object& object) {
  const int mode = object.one<int>(CUDNN_ATTR_ENGINEHEUR_MODE);
  const int version = settings().version;
  const bool known = mode == CUDNN_HEUR_MODE_INSTANT || mode == CUDNN_HEUR_MODE_B ||
                     (version >= 809 && (mode == CUDNN_HEUR_MODE_FALLBACK || mode == CUDNN_HEUR_MODE_A));
  if (!known) throw Refusal{Problem::bad_param, "this version has no heuristics of mode " + std::to_string(mode)};
  const std::string lt = "libcublasLt.so." + std::to_string(settings().cuda / 1000);
  if (dlopen(lt.c_str(), RTLD_NOW | RTLD_NOLOAD) == nullptr) {
    std::fprintf(stderr, "simcudnn: %s cannot be loaded. Cannot load symbol cublasLtGetVersion\n", lt.c_str());
    std::abort();
  }
  object.results = propose(
      read_pattern(*behind(object, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR)),
      mode);
}

void finalize_configuration(Object& object) {
  const std::shared_ptr<Object> engine = behind(object, CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  std::vector<std::pair<int, std::int64_t>> knobs;
  for (void* each : object.list<void*>(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES)) {
    const std::shared_ptr<Object> choice = finalized(each, CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR);
    knobs.emplace_back(choice->one<int>(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE),
                       choice->one<std::int64_t>(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE));
  }
  object.engine = with_knobs(*engine->engine, std::move(knobs));
}

void finalize_plan(Object& object) {
  object.engine = behind(object, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR)->engine;
  const auto mood = settings().engines.find(object.engine->number);
  if (mood != settings().engines.end() && mood->second.refuses)
    throw Refusal{Problem::unsupported,
                  "engine " + std::to_string(object.engine->number) + " refuses, as it was told to"};
}

void finalize(Object& object) {
  if (object.finalized) throw Refusal{Problem::bad_param, "the descriptor is finalized already"};
  check_complete(object);
  switch (object.type) {
    case CUDNN_BACKEND_TENSOR_DESCRIPTOR: check_tensor(object); break;
    case CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR: check_convolution(object); break;
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR: check_operation(object); break;
    case CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_SDPA_BWD_DESCRIPTOR: check_attention(object); break;
    case CUDNN_BACKEND_OPERATION_DIAGONAL_BAND_MASK_DESCRIPTOR: check_side(object); break;
    case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
      if (finalized(object.list<void*>(CUDNN_ATTR_OPERATIONGRAPH_OPS)[0], -2)->type ==
          CUDNN_BACKEND_OPERATION_DIAGONAL_BAND_MASK_DESCRIPTOR)
        check_sides(object);
      else
        record(read_pattern(object));
      break;
    case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR: finalize_heuristics(object); break;
    case CUDNN_BACKEND_ENGINE_DESCRIPTOR:
      object.engine = engine_for(
          read_pattern(*behind(object, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR)),
          object.one<std::int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX));
      break;
    case CUDNN_BACKEND_ENGINECFG_DESCRIPTOR: finalize_configuration(object); break;
    case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR: finalize_plan(object); break;
    case CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR:
      if (object.list<std::int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS).size() !=
          object.list<void*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS).size())
        throw Refusal{Problem::size, "a variant pack has as many pointers as ids"};
      break;
    default: break;
  }
  object.finalized = true;
}

// --- what a getter makes ---

// Fills descriptors that the caller made, at most as many as there are.
template <class Fill>
void give(int type, std::int64_t there, std::int64_t announced, std::int64_t requested, std::int64_t* count,
          void* values, const Fill& fill) {
  const std::int64_t given = std::min(requested, there);
  if (count != nullptr) *count = requested == 0 ? announced : given;
  for (std::int64_t i = 0; i < given; ++i) {
    const std::shared_ptr<Object> empty = find(static_cast<void**>(values)[i]);
    if (empty->type != type || empty->finalized || !empty->values.empty())
      throw Refusal{Problem::descriptor_type, "descriptors that are asked for are given as empty ones of their type"};
    fill(*empty, static_cast<std::size_t>(i));
    empty->finalized = true;
  }
}

void give_numbers(const std::vector<int>& from, std::int64_t requested, std::int64_t* count, void* values) {
  const auto there = static_cast<std::int64_t>(from.size());
  if (count != nullptr) *count = there;
  std::copy_n(from.begin(), std::min(requested, there), static_cast<int*>(values));
}

void put_number(Object& object, int attribute, int type, std::int64_t number) {
  Value value;
  value.type = type;
  value.count = 1;
  value.bytes.resize(size_of(type));
  std::memcpy(value.bytes.data(), &number, value.bytes.size());
  object.values[attribute] = std::move(value);
}

void get_attribute(const Object& object, int attribute, int type, std::int64_t requested, std::int64_t* count,
                   void* values) {
  const auto expect = [&](int wanted) {
    if (type != wanted)
      throw Refusal{Problem::attribute_type, "attribute " + std::to_string(attribute) + " is of another type"};
  };
  switch (attribute) {
    case CUDNN_ATTR_ENGINEHEUR_RESULTS: {
      expect(CUDNN_TYPE_BACKEND_DESCRIPTOR);
      const auto there = static_cast<std::int64_t>(object.results.size());
      // Only an upper bound is known before they are asked for.
      give(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, there, there + 5, requested, count, values,
           [&](Object& empty, std::size_t i) { empty.engine = object.results[i]; });
      return;
    }
    case CUDNN_ATTR_ENGINECFG_ENGINE:
      expect(CUDNN_TYPE_BACKEND_DESCRIPTOR);
      give(CUDNN_BACKEND_ENGINE_DESCRIPTOR, 1, 1, requested, count, values, [&](Object& empty, std::size_t) {
        empty.engine = object.engine;
        put_number(empty, CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, object.engine->number);
      });
      return;
    case CUDNN_ATTR_ENGINECFG_KNOB_CHOICES: {
      expect(CUDNN_TYPE_BACKEND_DESCRIPTOR);
      const auto there = static_cast<std::int64_t>(object.engine->knobs.size());
      // Asked for none, the library says that there are none.
      give(CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR, there, 0, requested, count, values, [&](Object& empty, std::size_t i) {
        put_number(empty, CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, object.engine->knobs[i].first);
        put_number(empty, CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_TYPE_INT64, object.engine->knobs[i].second);
      });
      return;
    }
    case CUDNN_ATTR_ENGINE_NUMERICAL_NOTE:
      expect(CUDNN_TYPE_NUMERICAL_NOTE);
      return give_numbers(object.engine->notes, requested, count, values);
    case CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE:
      expect(CUDNN_TYPE_BEHAVIOR_NOTE);
      return give_numbers(object.engine->behaviours, requested, count, values);
    case CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE:
      expect(CUDNN_TYPE_INT64);
      if (count != nullptr) *count = 1;
      if (requested > 0) std::memcpy(values, &object.engine->workspace, 8);
      return;
    default: get(object, attribute, type, requested, count, values);
  }
}

// The pointers of a plan's operands, by their ids.
std::vector<void*> pointers_of(const Object& pack, const Pattern& pattern) {
  const std::vector<std::int64_t> ids = pack.list<std::int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  const std::vector<void*> all = pack.list<void*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  std::vector<void*> pointers;
  for (const Tensor* operand : pattern.operands()) {
    const auto found = std::find(ids.begin(), ids.end(), operand->id);
    if (found == ids.end())
      throw Refusal{Problem::bad_param, "the variant pack has no pointer for tensor " + std::to_string(operand->id)};
    pointers.push_back(all[static_cast<std::size_t>(found - ids.begin())]);
    if (pointers.back() == nullptr) throw Refusal{Problem::null, "the variant pack has a null pointer"};
  }
  return pointers;
}

// All a plan was made of must live as long as it is used: nothing says that cuDNN keeps copies.
void check_alive(const Object& object) {
  for (const auto& [attribute, value] : object.values)
    if (value.type == CUDNN_TYPE_BACKEND_DESCRIPTOR)
      for (void* each : object.list<void*>(attribute)) check_alive(*find(each));
}

}  // namespace

extern "C" {

size_t cudnnGetVersion() {
  const int version = settings().version;
  return static_cast<size_t>(settings().older() ? version / 100 * 1000 + version % 100 * 100 + 7 : version * 100);
}

size_t cudnnGetCudartVersion() {
  return static_cast<size_t>(settings().cuda);
}

const char* cudnnGetErrorString(cudnnStatus_t status) {
  return status == 0 ? "CUDNN_STATUS_SUCCESS" : "CUDNN_STATUS_SIMULATED";
}

void cudnnGetLastErrorString(char* message, size_t max_size) {
  std::lock_guard lock(state().mutex);
  ++g_calls[static_cast<unsigned>(Entry::cudnnGetLastErrorString)];
  if (max_size > 0) std::snprintf(message, max_size, "%s", t_why.c_str());
}

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  return entered(Entry::cudnnCreate, [&] {
    void* context = nullptr;
    auto* current = reinterpret_cast<int (*)(void**)>(driver_function("cuCtxGetCurrent"));
    if (current == nullptr || current(&context) != 0 || context == nullptr)
      throw Refusal{Problem::device_memory, "no context is current"};
    State& s = state();
    s.handles[s.next += 16] = nullptr;
    *handle = reinterpret_cast<cudnnHandle_t>(s.next);
  });
}

cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  return entered(Entry::cudnnDestroy, [&] {
    if (state().handles.erase(reinterpret_cast<std::uint64_t>(handle)) == 0)
      throw Refusal{Problem::bad_param, "no handle"};
  });
}

cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  return entered(Entry::cudnnSetStream, [&] {
    const auto found = state().handles.find(reinterpret_cast<std::uint64_t>(handle));
    if (found == state().handles.end()) throw Refusal{Problem::bad_param, "no handle"};
    found->second = stream;
  });
}

cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t* descriptor) {
  return entered(Entry::cudnnBackendCreateDescriptor, [&] { *descriptor = create(type); });
}

cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
  return entered(Entry::cudnnBackendDestroyDescriptor, [&] {
    if (state().objects.erase(reinterpret_cast<std::uint64_t>(descriptor)) == 0)
      throw Refusal{Problem::bad_param, "not a descriptor"};
  });
}

cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor) {
  return entered(Entry::cudnnBackendFinalize, [&] { finalize(*find(descriptor)); });
}

cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t count, const void* values) {
  return entered(Entry::cudnnBackendSetAttribute, [&] { set(*find(descriptor), name, type, count, values); });
}

cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t const descriptor, cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t requested, int64_t* count,
                                       void* values) {
  return entered(Entry::cudnnBackendGetAttribute, [&] {
    const std::shared_ptr<Object> object = find(descriptor);
    if (!object->finalized)
      throw Refusal{Problem::not_finalized, "an attribute is read before the descriptor is finalized"};
    get_attribute(*object, name, type, requested, count, values);
  });
}

cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t plan_handle,
                                  cudnnBackendDescriptor_t pack_handle) {
  return entered(Entry::cudnnBackendExecute, [&] {
    const auto found = state().handles.find(reinterpret_cast<std::uint64_t>(handle));
    if (found == state().handles.end()) throw Refusal{Problem::bad_param, "no handle"};
    const std::shared_ptr<Object> plan = finalized(plan_handle, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    const std::shared_ptr<Object> pack = finalized(pack_handle, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    check_alive(*plan);
    void* workspace = pack->one<void*>(CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
    if (plan->engine->workspace > 0 && workspace == nullptr)
      throw Refusal{Problem::null, "the plan needs a workspace and has none"};
    execute(plan->engine, pointers_of(*pack, plan->engine->pattern), workspace, found->second);
  });
}

// "fault" (entry:call:code,...), "clear-faults", "calls" (entry), "live" (descriptors, handles), "engines" (moods, from
// now on). -1 to what it does not understand.
__attribute__((visibility("default"))) long long simcudnn_control(const char* command_text, const char* argument_text) {
  std::lock_guard lock(state().mutex);
  const std::string command = command_text, argument = argument_text == nullptr ? "" : argument_text;
  if (command == "fault") return parse_faults(argument) ? 0 : -1;
  if (command == "clear-faults") return g_faults.clear(), 0;
  if (command == "engines") return settings().engines.clear(), parse_moods(argument, &settings().engines) ? 0 : -1;
  if (command == "live" && argument == "descriptors") return static_cast<long long>(state().objects.size());
  if (command == "live" && argument == "handles") return static_cast<long long>(state().handles.size());
  if (command == "calls") {
    const auto found = std::find(std::begin(kNames), std::end(kNames), argument);
    return found == std::end(kNames) ? -1 : static_cast<long long>(g_calls[found - std::begin(kNames)]);
  }
  return -1;
}

}  // extern "C"
}  // namespace simcudnn
