// Opens program files, and makes graphs of their functions on a device.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "callable/callable.h"
#include "graph/run/graph.h"
#include "models/model_file.h"
#include "models/save.h"
#include "ops/task/output.h"
#include "program_files/program_text.h"

namespace rondo::program_files {

// Tensors as a handle owns them.
struct DestroyTensor {
  void operator()(rondo_tensor* tensor) const { destroy_tensor(tensor); }
};
using TensorHandle = std::unique_ptr<rondo_tensor, DestroyTensor>;
using InstanceTensors = std::shared_ptr<const std::vector<TensorHandle>>;
// By number; null: not there.
using SharedTensors = std::vector<std::shared_ptr<const TensorHandle>>;

// Does not change, but for the weights that its instances share. Held by its handle and its instances; any thread.
class ProgramFile final : public RefCounted {
 public:
  static Status open(const char* path, Ref<ProgramFile>* file);

  const Program& program() const { return program_; }
  // As the file has it, or what was made of that for fixed sizes.
  const std::string& text() const { return text_; }
  // The same program at sizes, one for each dim, and no others. Its instances share weights with this one's.
  Status bind(const std::vector<int64_t>& sizes, Ref<ProgramFile>* bound) const;
  // The sizes that inputs of a function have. RONDO_INVALID_ARGUMENT if they are not on the device, or not of its
  // dtypes and shapes.
  Status find_sizes(const Function& function, const Device& device, std::span<rondo_tensor* const> inputs,
                    std::vector<int64_t>* sizes) const;
  // The author's texts.
  const models::Metadata& metadata() const { return metadata_; }
  const Ref<models::ModelFile>& data() const { return data_; }
  // The weights on a device, by number; of states and of replaced ones nothing. Loaded where no instance on it has
  // them. Asynchronous. replaced: by number, those that are not needed.
  Status share_weights(Engine& engine, Device& device, const std::vector<bool>& replaced, SharedTensors* shared) const;

 private:
  Status read();
  Ref<models::ModelFile> data_;
  Program program_;
  std::string text_;
  models::Metadata metadata_;
  struct Shared {
    struct Loaded {
      Engine* engine;
      Device* device;
      std::vector<std::weak_ptr<const TensorHandle>> weights;
    };
    std::mutex mutex;
    std::vector<Loaded> loaded;  // guarded by mutex
  };
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

// Says what callers of an instance want otherwise than the file does.
struct InstanceOptions {
  rondo_callable_options callables = RONDO_CALLABLE_OPTIONS_INIT;  // of functions whose sizes vary
  std::vector<models::NamedTensor> weights;                        // in place of the file's
  int64_t most_turns = 0;                                          // of each loop; 0: as the file says
  std::vector<std::vector<uint32_t>> extra;                        // by function: values that are outputs too
};

// A program on a device, as it is called. Held by its handle and by calls; any thread.
class Instance final : public RefCounted {
 public:
  // A function: a graph, or if its sizes vary a callable.
  struct Callee {
    Ref<Graph> graph;
    Ref<Callable> callable;
  };
  // On a thread without a recording. options: of the callables.
  static Status make(const Ref<ProgramFile>& file, Engine& engine, Device& device, const InstanceOptions& options,
                     Ref<Instance>* instance);

  const ProgramFile& file() const { return *file_; }
  Engine& engine() const { return *engine_; }
  Device& device() const { return *device_; }
  // By their number in the program.
  const std::vector<Callee>& functions() const { return functions_; }
  const std::vector<TensorHandle>& weights() const { return *weights_; }

 private:
  Status load_weights(const InstanceOptions& options);
  Status check_smallest(const InstanceOptions& options) const;
  Ref<Callable> make_callable(size_t function, const InstanceOptions& options) const;

  Ref<ProgramFile> file_;
  Ref<Engine> engine_;
  Device* device_ = nullptr;
  SharedTensors shared_;
  InstanceTensors weights_;  // views of the shared ones, and the instance's states
  std::vector<Callee> functions_;
};

// A function that is recorded anew.
struct FunctionSource {
  const Program& program;
  const Function& function;
  Engine& engine;
  Device& device;
  const std::vector<TensorHandle>& weights;  // of the program
  int64_t most_turns = 0;
  std::span<const uint32_t> extra = {};  // values that are outputs too
};
// On a thread without a recording.
Status make_function(const FunctionSource& source, Ref<Graph>* graph);
// Issues a function's nodes on inputs in the calling thread's recording. outputs: hold null, and are given new tensors.
Status issue_function(const FunctionSource& source, std::span<rondo_tensor* const> inputs, rondo_tensor** outputs);

}  // namespace rondo::program_files
