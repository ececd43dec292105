// Opens program files, and makes graphs of their functions on a device.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "callable/callable.h"
#include "engine/tasks/making_limit.h"
#include "graph/run/graph.h"
#include "models/external_weights.h"
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

// The memory that an instance takes, in bytes.
struct MemoryNeed {
  int64_t weights = 0, states = 0, graphs = 0;
};

// Does not change, but for the weights that its instances share. Held by its handle and its instances; any thread.
class ProgramFile final : public RefCounted {
 public:
  // bytes: null, or what the file would have, and is moved from. `path` is their name then.
  static Status open(const char* path, std::string* bytes, Ref<ProgramFile>* file);

  const Program& program() const { return program_; }
  // As the file has it, which may be JSON with more than that, or what was made of that for fixed sizes.
  const std::string& text() const { return text_; }
  // The same program at sizes, one for each dim, and no others. Its instances share weights with this one's.
  Status bind(const std::vector<int64_t>& sizes, Ref<ProgramFile>* bound) const;
  // The sizes that inputs of a function have. RONDO_INVALID_ARGUMENT if they are not on the device, or not of its
  // dtypes and shapes.
  Status find_sizes(const Function& function, const Device& device, std::span<rondo_tensor* const> inputs,
                    std::vector<int64_t>* sizes) const;
  // The author's texts.
  const models::Metadata& metadata() const { return metadata_; }
  // The text of its self-check, which the author's texts are without; empty: it has none. A
  // program that was bound from it has none.
  const std::string& check() const { return check_; }
  // The author's texts, and the check.
  models::Metadata all_metadata() const;
  // Writes the program of this file anew, in the form that it has, with this check.
  Status save_with_check(const char* path, Engine& engine, const std::string& check) const;
  // Its kernels and choices may be kept on disk, from now on, with those of programs that were bound from it.
  void trust() const { shared_->trusted.store(true, std::memory_order_relaxed); }
  bool trusted() const { return shared_->trusted.load(std::memory_order_relaxed); }
  // The limits of making something of it, from now on and of programs that were bound from it.
  MakingLimits& making() const { return *shared_->making; }
  std::shared_ptr<const MakingLimits> shared_making() const { return shared_->making; }
  // The same error with the file's name.
  Status about(const Status& status) const { return status.with_context(models::excerpt(shared_->name)); }
  // A new tensor with a weight of the file, by number. Reads and compares the whole of a file that the program names
  // the first time; else asynchronous.
  Status load(size_t weight, Engine& engine, Device& device, TensorHandle* tensor) const;
  // The weights on a device, by number; of states and of replaced ones nothing. Loaded where no instance on it has
  // them. Asynchronous. replaced: by number, those that are not needed.
  Status share_weights(Engine& engine, Device& device, const std::vector<bool>& replaced, SharedTensors* shared) const;
  // Finds the memory that an instance of this program, whose sizes are fixed, takes on a device. Loads and makes
  // nothing, but for kernels that are missing. On a thread without a recording.
  Status measure(Engine& engine, Device& device, MemoryNeed* need) const;

 private:
  Status open(const char* path, std::string* bytes);
  Status find_weights(bool alone);
  Program program_;
  std::string text_, check_;
  models::Metadata metadata_;
  struct Shared {
    std::string name;                         // its path
    std::vector<models::ExternalFile> files;  // the file, or those that its JSON names
    std::vector<size_t> file_of;              // by weight
    struct Loaded {
      Engine* engine;
      Device* device;
      std::vector<std::weak_ptr<const TensorHandle>> weights;
    };
    std::mutex mutex;
    std::vector<Loaded> loaded;  // guarded by mutex
    std::atomic<bool> trusted{false};
    const std::shared_ptr<MakingLimits> making = std::make_shared<MakingLimits>();
  };
  std::shared_ptr<Shared> shared_ = std::make_shared<Shared>();
};

// Says what callers of an instance want otherwise than the file does.
struct InstanceOptions {
  rondo_callable_options callables = RONDO_CALLABLE_OPTIONS_INIT;  // of functions whose sizes vary; arenas: of all
  std::vector<models::NamedTensor> weights;                        // in place of the file's
  int64_t most_turns = 0;                                          // of each loop; 0: as the file says
  int64_t most_bytes = 0;                                          // of weights and graphs; 0: any
  std::vector<std::vector<uint32_t>> extra;                        // by function: values that are outputs too
  bool host_decides = false;                                       // all control flow: loops end with a call's time
};

// A program on a device, as it is called. Held by its handle and by calls; any thread.
class Instance final : public RefCounted {
 public:
  // A function: a graph, or if its sizes vary a callable.
  struct Callee {
    Ref<Graph> graph;
    Ref<Callable> callable;
    size_t outputs = 0;  // with those of the options
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
  // Writes the program with its weights and states as they are now, and the author's texts. Waits for them.
  Status save(const char* path, const models::ExternalWeights& external) const;
  // Calls a function whose sizes vary by `call`; after one that the budget refused once more, without the graphs of
  // other sizes.
  template <class Call>
  Status call_with_room(const RunLimit* limit, const Call& call) const {
    const Budget::Refusals refusals(*budget_);
    const auto attempt = [&] {
      const MakingScope limited(file_->making());
      return call();
    };
    const Status status = attempt();
    // A recording keeps what it has of the first attempt, and a task must not wait.
    if (status.ok() || !refusals.any() || Engine::thread_sink() || Engine::in_task()) return status;
    RONDO_TRY(make_room(limit));
    return attempt();
  }

 private:
  Status make_room(const RunLimit* limit) const;
  Status load_weights(const InstanceOptions& options);
  Status budget_weights(const InstanceOptions& options);
  Status check_smallest(const InstanceOptions& options) const;
  Ref<Callable> make_callable(size_t function, const InstanceOptions& options) const;

  Ref<ProgramFile> file_;
  Ref<Engine> engine_;
  Device* device_ = nullptr;
  std::shared_ptr<Budget> budget_;
  std::unique_ptr<Budget::Share> of_weights_;
  SharedTensors shared_;
  InstanceTensors weights_;  // views of the shared ones, and the instance's states
  std::vector<Callee> functions_;
};

// A file may carry a self-check: calls of its functions with inputs that a seed gives, and the results that they had.
// It is an entry of the metadata, which readers that do not know it take for a text of the author's. Limits of what a
// file may ask for.
inline constexpr size_t kMostCheckCalls = 64, kMostCheckText = 1 << 22, kMostSamples = 16;
// Inputs and outputs of a call may take so much of the host where the caller does not say it.
inline constexpr int64_t kUsualCheckBytes = int64_t{1} << 30;

struct CheckLimits {
  int64_t most_bytes = 0;  // of an instance, and again of inputs and outputs of a call; 0: any, and the usual ones
  int64_t timeout_ms = 0;  // of each call; 0: none
};
struct CheckCounts {
  int64_t calls = 0, outputs = 0, exact = 0;  // exact: outputs whose digests were compared
};

// Runs the check of a file. RONDO_NOT_FOUND if it has none; RONDO_IO_ERROR if it is not valid, or if an output is
// another one: with function, output, place and both values. On a thread without a recording.
Status run_check(const Ref<ProgramFile>& file, Engine& engine, Device& device, const CheckLimits& limits,
                 CheckCounts* counts);
// Calls each function of a file once for each list of sizes, and writes it anew to `path` with what came of it. A check
// that is there is replaced.
Status add_check(const Ref<ProgramFile>& file, const char* path, Engine& engine, Device& device,
                 const std::vector<std::vector<int64_t>>& sizes);

// A function that is recorded anew.
struct FunctionSource {
  const Program& program;
  const Function& function;
  Engine& engine;
  Device& device;
  const std::vector<TensorHandle>& weights;  // of the program
  std::shared_ptr<Budget> budget;
  int64_t most_turns = 0;
  std::span<const uint32_t> extra = {};  // values that are outputs too
  int32_t arenas = 0;                    // of a graph; 0: one
  bool host_decides = false;
};
// On a thread without a recording. measured: null, or given the bytes of a graph that the budget only measures.
Status make_function(const FunctionSource& source, Ref<Graph>* graph, int64_t* measured = nullptr);
// Issues a function's nodes on inputs in the calling thread's recording. outputs: hold null, and are given new tensors.
Status issue_function(const FunctionSource& source, std::span<rondo_tensor* const> inputs, rondo_tensor** outputs);

}  // namespace rondo::program_files
