// The open tapes of a thread, which are told what it submits. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "base/room.h"
#include "base/threads/thread_owned.h"
#include "tape/journal.h"
#include "tape/tape.h"

namespace rondo::tape {

class OpenTapes final : public Observer {
 public:
  OpenTapes() = default;
  OpenTapes(const OpenTapes&) = delete;
  OpenTapes& operator=(const OpenTapes&) = delete;
  ~OpenTapes() override {
    this_thread().tapes = nullptr;
    for (const Ref<Tape>& each : tapes_) each->open_ = false;
  }

  void submitted(const Task& task, const Ref<const OpInfo>& what) noexcept override {
    try {
      std::vector<TaskOperand> operands;
      const ops::OperatorTask* const known = ops::as_operator(task);
      if (known) known->list_operands(&operands);
      if (operands.empty()) operands = whole_storages(task);
      tell(task.name(), what, operands, known ? known->why_no_gradient() : nullptr);
    } catch (const std::bad_alloc&) {
      miss(task.name());
    }
  }
  void done(const char* name, const Ref<const OpInfo>& what,
            const std::vector<TaskOperand>& operands) noexcept override {
    try {
      tell(name, what, operands, nullptr);
    } catch (const std::bad_alloc&) {
      miss(name);
    }
  }

  void open(Journal& journal) {
    journal_ = Ref<Journal>::share(&journal);
    listen();
  }
  void close(const Journal& journal) {
    if (journal_.get() != &journal) return;
    journal_ = {};
    listen();
  }
  void open(Tape& tape) {
    std::erase_if(tapes_, [](const Ref<Tape>& each) { return each->abandoned_.load(std::memory_order_acquire); });
    make_room(&tapes_);
    tape.thread_ = std::this_thread::get_id();
    tape.open_.store(true, std::memory_order_release);
    tapes_.push_back(Ref<Tape>::share(&tape));
    listen();
  }
  void close(Tape& tape) {
    tape.open_.store(false, std::memory_order_release);
    std::erase_if(tapes_, [&](const Ref<Tape>& each) {
      return each.get() == &tape || each->abandoned_.load(std::memory_order_acquire);
    });
    listen();
  }
  void pause() {
    ++this_thread().changes;
    ++paused_;
  }
  bool resume() {
    if (paused_ == 0) return false;
    ++this_thread().changes;
    --paused_;
    return true;
  }
  bool paused() const { return paused_ > 0; }
  void set_aside(std::vector<Ref<Tape>>* tapes, int* paused) {
    tapes_.swap(*tapes);
    *paused = std::exchange(paused_, 0);
    listen();
  }
  // Puts back those that have not ended meanwhile. Tapes that were opened meanwhile end.
  void put_back(std::vector<Ref<Tape>>* tapes, int paused) {
    std::erase_if(*tapes, [](const Ref<Tape>& each) { return !each->open(); });
    tapes_.swap(*tapes);
    paused_ = paused;
    listen();
    for (const Ref<Tape>& left : *tapes) left->open_.store(false, std::memory_order_release);
  }
  bool keep(uint64_t number) const {
    return std::any_of(tapes_.begin(), tapes_.end(), [number](const Ref<Tape>& each) {
      const auto known = each->known_.find(number);
      return known != each->known_.end() && !known->second.keepers.empty();
    });
  }
  static const Status& missed(const Tape& tape) { return tape.missed_; }
  const std::vector<Ref<Tape>>& tapes() const { return tapes_; }
  bool has_journal() const { return static_cast<bool>(journal_); }
  bool note(Engine& engine, const std::shared_ptr<const Custom>& custom, std::span<const View> inputs,
            std::span<const View> outputs) {
    bool noted = false;
    try {
      for (const Ref<Tape>& tape : tapes_) {
        if (&tape->engine() != &engine) continue;
        tape->note(custom, inputs, outputs);
        noted = true;
      }
      if (journal_ && &journal_->engine() == &engine) journal_->note(custom, inputs, outputs);
    } catch (const std::bad_alloc&) {
      miss(custom->name.c_str());  // what has happened already is noted by some at most
      throw;
    }
    return noted;
  }

 private:
  void listen() {
    ThreadState& thread = this_thread();
    ++thread.changes;
    thread.tapes = tapes_.empty() && !journal_ ? nullptr : this;
  }

  void tell(const char* name, const Ref<const OpInfo>& what, const std::vector<TaskOperand>& operands,
            const char* why_none) {
    Ref<const ops::Call> call = Ref<const ops::Call>::share(static_cast<const ops::Call*>(what.get()));
    if (call && !ops::row_of(*call).gradient) call = {};
    for (const Ref<Tape>& tape : tapes_)
      if (!tape->abandoned_.load(std::memory_order_acquire))
        tape->note(name, call, operands, paused() && !tape->inner_, why_none);
    if (journal_) journal_->note(name, call, operands, paused());
  }

  void miss(const char* name) {
    for (const Ref<Tape>& tape : tapes_) tape->miss(name);
    if (journal_) journal_->miss();
  }

  // The operands of a task that cannot say more than which storages it uses: all of their bytes.
  static std::vector<TaskOperand> whole_storages(const Task& task) {
    std::vector<TaskOperand> operands;
    for (const bool written : {false, true}) {
      for (const Access& access : task.accesses()) {
        Storage* storage = access.variable->storage();
        if (!storage || !(written ? access.write : access.read)) continue;
        const int64_t elements = static_cast<int64_t>((storage->bytes() + sizeof(float) - 1) / sizeof(float));
        View view;
        view.storage = storage;
        view.layout = Layout::row_major(1, &elements);
        operands.push_back({view, written});
      }
    }
    return operands;
  }

  std::vector<Ref<Tape>> tapes_;
  Ref<Journal> journal_;
  int paused_ = 0;
};

namespace {
constinit const ThreadOwned<OpenTapes> open_tapes;
}

void open_tape(Tape& tape) {
  open_tapes.get().open(tape);
}
void close_tape(Tape& tape) {
  if (OpenTapes* open = open_tapes.find()) open->close(tape);
}
void open_journal(Journal& journal) {
  open_tapes.get().open(journal);
}
void close_journal(const Journal& journal) {
  if (OpenTapes* open = open_tapes.find()) open->close(journal);
}
Status noted_all(const Tape& tape) {
  return OpenTapes::missed(tape);
}
bool any_open() {
  return this_thread().tapes && !open_tapes.find()->tapes().empty();
}
bool journal_open() {
  return this_thread().tapes && open_tapes.find()->has_journal();
}
void pause_tapes() {
  open_tapes.get().pause();
}
bool contents_kept(const Storage& storage) {
  const uint64_t number = storage.number.load(std::memory_order_acquire);
  return number && this_thread().tapes && open_tapes.find()->keep(number);
}
Status resume_tapes() {
  if (OpenTapes* open = open_tapes.find(); open && open->resume()) return {};
  return error(RONDO_INVALID_STATE, "the thread's tapes are not paused; call rondo_tape_pause first");
}

Aside::Aside() {
  if (this_thread().tapes) open_tapes.find()->set_aside(&tapes_, &paused_);
}
Aside::~Aside() {
  if (OpenTapes* open = open_tapes.find()) open->put_back(&tapes_, paused_);
}
bool depends_on_watched(const View& view) {
  if (!this_thread().tapes || open_tapes.find()->paused()) return false;
  const std::vector<Ref<Tape>>& tapes = open_tapes.find()->tapes();
  return std::any_of(tapes.begin(), tapes.end(), [&view](const Ref<Tape>& each) { return each->depends(view); });
}

bool note_custom(Engine& engine, const std::shared_ptr<const Custom>& custom, std::span<const View> inputs,
                 std::span<const View> outputs) {
  if (!this_thread().tapes || open_tapes.find()->paused()) return false;
  ++this_thread().changes;
  return open_tapes.find()->note(engine, custom, inputs, outputs);
}

}  // namespace rondo::tape
