// Opens program files, and makes graphs of their functions on a device.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "graph/run/graph.h"
#include "models/model_file.h"
#include "ops/task/output.h"
#include "program_files/program_text.h"

namespace rondo::program_files {

// Tensors as a handle owns them.
struct DestroyTensor {
  void operator()(rondo_tensor* tensor) const { destroy_tensor(tensor); }
};
using TensorHandle = std::unique_ptr<rondo_tensor, DestroyTensor>;
using SharedTensors = std::shared_ptr<const std::vector<TensorHandle>>;

// Does not change, but for the weights that its instances share. Held by its handle and its instances; any thread.
class ProgramFile final : public RefCounted {
 public:
  static Status open(const char* path, Ref<ProgramFile>* file);

  const Program& program() const { return program_; }
  // As the file has it.
  const std::string& text() const { return *text_; }
  // The author's texts.
  const models::Metadata& metadata() const { return metadata_; }
  const Ref<models::ModelFile>& data() const { return data_; }
  // The weights on a device, by number; of states nothing. Loaded where no instance on it has them. Asynchronous.
  Status share_weights(Engine& engine, Device& device, SharedTensors* shared) const;

 private:
  Status read();
  Ref<models::ModelFile> data_;
  Program program_;
  const std::string* text_ = nullptr;  // the file's
  models::Metadata metadata_;
  struct Shared {
    Engine* engine;
    Device* device;
    std::weak_ptr<const std::vector<TensorHandle>> weights;
  };
  mutable std::mutex mutex_;
  mutable std::vector<Shared> shared_;  // guarded by mutex_
};

// A program on a device, as it is called. Held by its handle and by calls; any thread.
class Instance final : public RefCounted {
 public:
  // On a thread without a recording.
  static Status make(const Ref<ProgramFile>& file, Engine& engine, Device& device, Ref<Instance>* instance);

  const ProgramFile& file() const { return *file_; }
  // By their number in the program.
  const std::vector<Ref<Graph>>& graphs() const { return graphs_; }
  const std::vector<TensorHandle>& weights() const { return weights_; }

 private:
  Ref<ProgramFile> file_;
  SharedTensors shared_;
  std::vector<TensorHandle> weights_;  // views of the shared ones, and the instance's states
  std::vector<Ref<Graph>> graphs_;
};

// Records a function anew. weights: of the program. On a thread without a recording.
Status make_function(const Program& program, const Function& function, Engine& engine, Device& device,
                     const std::vector<TensorHandle>& weights, Ref<Graph>* graph);

}  // namespace rondo::program_files
