// A tape: the operators that a thread submitted while it was open, as far as gradients can flow through them from
// watched tensors, with the values that their gradients need and no others.
//
// Storages are noted by numbers that are never used again: a tape keeps no memory only to know it. Each write of the
// thread is compared with the values that are kept in that storage: those it touches are marked.
//
// A tape is used by one thread at a time, while it is open by the one that opened it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <optional>
#include <span>
#include <thread>
#include <unordered_map>

#include "tape/node.h"
#include "tape/ranges.h"

namespace rondo::tape {

class Tape final : public RefCounted {
 public:
  // inner: of a rule, which runs a formula on it (formula.cc). The user's pauses do not concern it.
  Tape(Engine& engine, bool keeps, bool inner = false)
      : keep_engine_(Ref<Engine>::share(&engine)), keeps_(keeps), inner_(inner) {}

  Engine& engine() const { return *keep_engine_; }
  bool open() const { return open_.load(std::memory_order_acquire); }
  // Its handle is gone: it notes nothing more. Another thread that has it open drops it at its next step.
  void abandon();
  // An open tape belongs to its thread.
  Status check_thread() const;

  Status watch(const View& view);
  // True if what a view shows depends on a watched tensor, as far as is noted.
  bool depends(const View& view) const;
  // The tape notes what the thread's observer is told (open.cc).
  // constant: what is written depends on nothing as far as gradients are concerned.
  // why_none: where there is no call, OperatorTask::why_no_gradient.
  void note(const char* name, Ref<const ops::Call> call, const std::vector<TaskOperand>& operands, bool constant,
            const char* why_none);
  void note(const std::shared_ptr<const Custom>& custom, std::span<const View> inputs, std::span<const View> outputs);

  // --- of a tape that a graph is recorded under, of which other tapes note one node (callable/gradient.h)
  // Watches what depends on a watched tensor of another tape.
  void watch_as(const Tape& other);
  // The storages whose contents it keeps, each once, and as what they are kept.
  std::vector<std::pair<Ref<Storage>, rondo_dtype>> kept() const;
  // By storage, the operands whose values it keeps there; there as long as it notes nothing more.
  std::unordered_map<const Storage*, std::vector<Operand*>> kept_operands();
  // How operators that gradients flow through read active storages: by number of those that they read, a view of all of
  // it, without the storage itself.
  std::unordered_map<uint64_t, View> read() const;

  // There was no memory to note this operator: the tape gives no gradients any more.
  void miss(const char* name) noexcept;

  // One gradient per source, given in `gradients` (null: a new tensor), of outputs with the gradients `given` (null:
  // ones). Closes the tape and takes its nodes, unless it keeps them.
  // `finished` is called with each source whose gradient was given as a tensor, when all that makes it is submitted,
  // which may be long before the last.
  using Finished = std::function<Status(size_t source)>;
  Status gradients(std::span<const View> outputs, std::span<const View* const> given, std::span<const View> sources,
                   std::span<rondo_tensor*> gradients, const Finished& finished = {});

  size_t nodes() const { return nodes_.size(); }
  size_t kept_bytes() const;

 private:
  friend class Backward;
  friend class OpenTapes;

  // An operand of a node that keeps its value.
  struct Keeper {
    size_t node;
    bool output;
    uint32_t operand;
  };
  // All that the tape knows of a storage.
  struct Known {
    bool active = false;
    bool written = false;          // by a node
    size_t watched = kNotWatched;  // number of nodes when it was
    size_t last_written = 0;       // nodes until the last one that wrote there, that one included
    Ranges<Keeper, 2> keepers;     // of values there
  };
  static constexpr size_t kNotWatched = ~size_t{0};

  Operand operand_of(const View& view);
  void add(Node&& node, std::span<const View> inputs, std::span<const View> outputs, bool constant);
  void forget_last_write(const View& view);
  // Marks the kept values that a write touches.
  void overwrite(const Operand& written, const char* name);

  const Ref<Engine> keep_engine_;
  const bool keeps_, inner_;
  Status missed_;       // why the tape is incomplete
  bool spent_ = false;  // gave its gradients and did not keep its nodes
  std::atomic<bool> open_{false}, abandoned_{false};
  std::thread::id thread_;  // that has it open
  std::vector<Node> nodes_;
  std::unordered_map<uint64_t, Known> known_;
};

// --- open.cc: the calling thread's open tapes
void open_tape(Tape& tape);
void close_tape(Tape& tape);
bool any_open();
// While it lives, the thread has no tapes open, and what it opens does not nest in those.
class Aside {
 public:
  Aside();
  ~Aside();
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;
  // Those that were open; none if they were paused.
  std::span<const Ref<Tape>> heard() const { return paused_ ? std::span<const Ref<Tape>>() : tapes_; }

 private:
  std::vector<Ref<Tape>> tapes_;
  int paused_ = 0;
};
// True if a view depends on a watched tensor of an open tape of the thread that is not paused.
bool depends_on_watched(const View& view);
// Operators between are noted by no tape of the thread; nests.
void pause_tapes();
// True if an open tape of the thread keeps values in a storage: a caller that adds something up there works on a copy.
bool contents_kept(const Storage& storage);
Status resume_tapes();
// Notes a gradient of the user's on every open tape of the thread; true if there is any.
bool note_custom(Engine& engine, const std::shared_ptr<const Custom>& custom, std::span<const View> inputs,
                 std::span<const View> outputs);

}  // namespace rondo::tape
