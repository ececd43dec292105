// Makes operation graphs of cuDNN, asks for its proposals, and makes and runs plans.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/cudnn/plan.h"

#include <algorithm>
#include <string_view>

#include "base/dtype.h"
#include "base/log.h"
#include "base/machine/decimal.h"
#include "base/text.h"

namespace rondo::ops::dnn {

using namespace cuda;

namespace {

constexpr int64_t kAlignment = 16;

Status create_part(std::vector<std::unique_ptr<Descriptor>>* parts, cudnnBackendDescriptorType_t type,
                   Descriptor** made) {
  auto part = std::make_unique<Descriptor>();
  RONDO_TRY(part->create(type));
  *made = part.get();
  parts->push_back(std::move(part));
  return {};
}

// The numbers of an engine's notes.
Status notes_of(const Descriptor& engine, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                std::vector<int>* notes) {
  notes->assign(16, 0);
  int64_t count = 0;
  RONDO_TRY(engine.get(name, type, static_cast<int64_t>(notes->size()), &count, notes->data()));
  notes->resize(static_cast<size_t>(std::clamp<int64_t>(count, 0, 16)));
  return {};
}

}  // namespace

cudnnDataType_t data_type(int32_t dtype) {
  switch (dtype) {
    case RONDO_F16: return CUDNN_DATA_HALF;
    case RONDO_BF16: return CUDNN_DATA_BFLOAT16;
    case RONDO_F64: return CUDNN_DATA_DOUBLE;
    default: return CUDNN_DATA_FLOAT;
  }
}

std::string text_of(const Recipe& recipe) {
  std::string text = format("%lld", static_cast<long long>(recipe.engine));
  for (const auto& [type, value] : recipe.knobs) text += format(" %d:%lld", type, static_cast<long long>(value));
  return text;
}

bool read_recipe(const std::string& text, Recipe* recipe) {
  std::string_view rest = text, part;
  long long value = 0;
  int used = 0;
  // Each word apart and as a whole: no number is read beyond it.
  const auto reads = [&](const char* form, auto... to) {
    const std::string word(part);
    return scan(word.c_str(), form, to..., &used) == sizeof...(to) && static_cast<size_t>(used) == word.size();
  };
  if (!take_word(&rest, &part) || !reads("%lld%n", &value)) return false;
  recipe->engine = value;
  recipe->knobs.clear();
  while (take_word(&rest, &part)) {
    int type = 0;
    if (!reads("%d:%lld%n", &type, &value)) return false;
    recipe->knobs.emplace_back(type, value);
  }
  return true;
}

Status OperationGraph::create(cudnnBackendDescriptorType_t type, Descriptor** made) {
  return create_part(&parts_, type, made);
}

Status OperationGraph::add_tensor(const TensorSpec& spec, const Descriptor** tensor) {
  const bool yes = true;
  Descriptor* made = nullptr;
  RONDO_TRY(create(CUDNN_BACKEND_TENSOR_DESCRIPTOR, &made));
  RONDO_TRY(made->set_enum(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, spec.type));
  RONDO_TRY(made->set_int64s(CUDNN_ATTR_TENSOR_DIMENSIONS, spec.sizes));
  RONDO_TRY(made->set_int64s(CUDNN_ATTR_TENSOR_STRIDES, spec.strides));
  RONDO_TRY(made->set_int64(CUDNN_ATTR_TENSOR_UNIQUE_ID, spec.id));
  RONDO_TRY(made->set_int64(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, kAlignment));
  if (spec.is_virtual) RONDO_TRY(made->set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, &yes));
  if (spec.by_value) RONDO_TRY(made->set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, 1, &yes));
  *tensor = made;
  return made->finalize();
}

Status OperationGraph::add_operation(Descriptor& operation) {
  RONDO_TRY(operation.finalize());
  operations_.push_back(operation.native());
  return {};
}

Status OperationGraph::finish() {
  const std::lock_guard lock(handles_.mutex);  // the handle is used, as below by plans
  RONDO_TRY(graph_.create(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR));
  RONDO_TRY(handles_.give(graph_, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, {}));
  RONDO_TRY(graph_.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                       static_cast<int64_t>(operations_.size()), operations_.data()));
  return graph_.finalize();
}

Status OperationGraph::propose(std::vector<Recipe>* recipes) const {
  recipes->clear();
  const int version = cudnn().number();
  // Asks two modes that the version has: the one that orders best, then the one that lists all that works.
  std::vector<int> modes = {version >= 8050 ? CUDNN_HEUR_MODE_A : CUDNN_HEUR_MODE_B};
  if (version >= 8030) modes.push_back(CUDNN_HEUR_MODE_FALLBACK);
  Status refusal;
  bool asked = false;
  for (const int mode : modes) {
    const Status status = ask(mode, recipes);
    if (status.code() == RONDO_OUT_OF_MEMORY) return status;
    asked |= status.ok();
    if (!status.ok()) refusal = status;
  }
  if (!asked) return refusal;
  std::stable_partition(recipes->begin(), recipes->end(), [](const Recipe& each) { return each.deterministic; });
  return {};
}

Status OperationGraph::ask(int mode, std::vector<Recipe>* recipes) const {
  const std::lock_guard lock(handles_.mutex);
  Descriptor heuristics;
  RONDO_TRY(heuristics.create(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR));
  RONDO_TRY(heuristics.set_descriptor(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph_));
  RONDO_TRY(heuristics.set_enum(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode));
  RONDO_TRY(handles_.give(heuristics, {}, CUDNN_ATTR_ENGINEHEUR_DEVICEPROP));
  RONDO_TRY(heuristics.finalize());
  int64_t most = 0;  // no more than an upper bound
  RONDO_TRY(heuristics.get(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, &most, nullptr));
  most = std::clamp<int64_t>(most, 0, 256);
  std::vector<Descriptor> found(static_cast<size_t>(most));
  std::vector<cudnnBackendDescriptor_t> natives;
  for (Descriptor& each : found) {
    RONDO_TRY(each.create(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR));
    natives.push_back(each.native());
  }
  int64_t count = 0;
  if (most > 0)
    RONDO_TRY(
        heuristics.get(CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, most, &count, natives.data()));
  for (int64_t i = 0; i < std::min(count, most); ++i)
    if (const Status status = read_configuration(found[static_cast<size_t>(i)], recipes); !status.ok())
      log(RONDO_LOG_DEBUG, "%s: a proposal of cuDNN cannot be read: %s", promises_.family, status.message());
  return {};
}

// Adds what a configuration is made of, unless it breaks a promise: engines that compile for seconds, that round
// between, that take floats for less than they are, whose sums come out differently each time.
Status OperationGraph::read_configuration(const Descriptor& configuration, std::vector<Recipe>* recipes) const {
  Descriptor engine;
  RONDO_TRY(engine.create(CUDNN_BACKEND_ENGINE_DESCRIPTOR));
  auto native = engine.native();
  int64_t count = 0;
  RONDO_TRY(configuration.get(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, &native));
  Recipe recipe;
  RONDO_TRY(engine.get(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1, &count, &recipe.engine));

  std::vector<int> notes;
  RONDO_TRY(notes_of(engine, CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, CUDNN_TYPE_BEHAVIOR_NOTE, &notes));
  for (const int note : notes)
    if ((note == CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION && !promises_.compiled) ||
        note == CUDNN_BEHAVIOR_NOTE_REQUIRES_FILTER_INT8x32_REORDER ||
        note == CUDNN_BEHAVIOR_NOTE_REQUIRES_BIAS_INT8x32_REORDER)
      return {};
  RONDO_TRY(notes_of(engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE, &notes));
  for (const int note : notes) switch (note) {
      case CUDNN_NUMERICAL_NOTE_TENSOR_CORE:
        if (!promises_.tensor_cores) return {};
        break;
      case CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS:
        if (!promises_.narrowed) return {};
        break;
      case CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION: return {};
      case CUDNN_NUMERICAL_NOTE_FFT: return {};
      case CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC:
        if (promises_.deterministic) return {};
        recipe.deterministic = false;
        break;
      default:
        if (note >= CUDNN_NUMERICAL_NOTE_WINOGRAD && note <= CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13) return {};
    }

  // Asked how many there are, the library says none: it wants room for as many as there may be.
  constexpr int64_t kMostKnobs = 64;
  std::vector<Descriptor> choices(kMostKnobs);
  std::vector<cudnnBackendDescriptor_t> natives;
  for (Descriptor& each : choices) {
    RONDO_TRY(each.create(CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR));
    natives.push_back(each.native());
  }
  count = 0;
  RONDO_TRY(configuration.get(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, CUDNN_TYPE_BACKEND_DESCRIPTOR, kMostKnobs, &count,
                              natives.data()));
  for (size_t i = 0; i < choices.size() && static_cast<int64_t>(i) < count; ++i) {
    int64_t one = 0, value = 0;
    int type = 0;
    RONDO_TRY(choices[i].get(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, 1, &one, &type));
    RONDO_TRY(choices[i].get(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_TYPE_INT64, 1, &one, &value));
    recipe.knobs.emplace_back(type, value);
  }
  if (std::find(recipes->begin(), recipes->end(), recipe) == recipes->end()) recipes->push_back(std::move(recipe));
  return {};
}

Status Plan::make(const std::shared_ptr<const OperationGraph>& graph, const Recipe& recipe,
                  std::unique_ptr<Plan>* plan) {
  std::unique_ptr<Plan> made(new Plan(graph, recipe));
  RONDO_TRY(made->build());
  *plan = std::move(made);
  return {};
}

Status Plan::build() {
  RONDO_TRY(engine_.create(CUDNN_BACKEND_ENGINE_DESCRIPTOR));
  RONDO_TRY(engine_.set_descriptor(CUDNN_ATTR_ENGINE_OPERATION_GRAPH, graph_->graph_));
  RONDO_TRY(engine_.set_int64(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, recipe_.engine));
  RONDO_TRY(graph_->handles_.give(engine_, {}, CUDNN_ATTR_ENGINE_DEVICEPROP));
  RONDO_TRY(engine_.finalize());
  std::vector<cudnnBackendDescriptor_t> natives;
  for (const auto& [type, value] : recipe_.knobs) {
    Descriptor* choice = nullptr;
    RONDO_TRY(create_part(&knobs_, CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR, &choice));
    RONDO_TRY(choice->set_enum(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, type));
    RONDO_TRY(choice->set_int64(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, value));
    RONDO_TRY(choice->finalize());
    natives.push_back(choice->native());
  }
  RONDO_TRY(configuration_.create(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR));
  RONDO_TRY(configuration_.set_descriptor(CUDNN_ATTR_ENGINECFG_ENGINE, engine_));
  if (!natives.empty())
    RONDO_TRY(configuration_.set(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                                 static_cast<int64_t>(natives.size()), natives.data()));
  RONDO_TRY(configuration_.finalize());
  const std::lock_guard lock(graph_->handles_.mutex);
  RONDO_TRY(plan_.create(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR));
  RONDO_TRY(graph_->handles_.give(plan_, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP));
  RONDO_TRY(plan_.set_descriptor(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, configuration_));
  RONDO_TRY(plan_.finalize());
  int64_t count = 0, bytes = 0;
  RONDO_TRY(plan_.get(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, CUDNN_TYPE_INT64, 1, &count, &bytes));
  if (bytes < 0)
    return error(RONDO_DEVICE_ERROR, "cuDNN asks for a workspace of %lld bytes", static_cast<long long>(bytes));
  workspace_bytes_ = static_cast<size_t>((bytes + 255) / 256 * 256);
  return {};
}

Status Plan::run(CudaDevice& device, const Pointers& pointers, void* workspace, void* stream) const {
  Descriptor pack;
  RONDO_TRY(pack.create(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR));
  RONDO_TRY(pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, pointers.count(), pointers.ids()));
  RONDO_TRY(
      pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, pointers.count(), pointers.addresses()));
  RONDO_TRY(pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace));
  RONDO_TRY(pack.finalize());
  const CudaDevice::Current current(device);
  RONDO_TRY(current.status());
  const std::lock_guard lock(graph_->handles_.mutex);
  cudnnHandle_t handle = nullptr;
  RONDO_TRY(own_handle(device, graph_->handles_, &handle));
  RONDO_TRY(check(cudnn().cudnnSetStream(handle, static_cast<CUstream>(stream)), "cudnnSetStream"));
  return check(cudnn().cudnnBackendExecute(handle, plan_.native(), pack.native()), "cudnnBackendExecute");
}

}  // namespace rondo::ops::dnn
