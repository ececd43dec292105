// Holds a function of the user's, which is recorded once per signature of its inputs and then called as a graph. Graphs
// that were not called for longest go when all of them take more memory than they may.
//
// Owned by reference count; used by any number of threads. The first call of a signature records, on its thread, while
// others of that signature wait; calls that find their graph take a lock for a look into a table.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/callable.h>

#include <condition_variable>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "callable/record.h"

namespace rondo {

// Sizes that an axis of inputs is filled up to.
struct Padding {
  int axis = 0;
  std::vector<int64_t> sizes;  // ascending; none: nothing is filled up
  // Which; 0: all that have the axis, and all outputs that come out with the size.
  uint64_t inputs = 0, outputs = 0;
};

class Callable final : public RefCounted {
 public:
  // grown: of a gradient's, which counts with the callable that has the gradient; else empty. budget: of its graphs, or
  // null.
  Callable(Engine& engine, const char* name, const rondo_callable_options& options, int32_t n_outputs,
           CallableFunction function, Gradient::Grown grown = {}, std::shared_ptr<Budget> budget = nullptr);
  ~Callable() override;

  Engine& engine() const { return recipe_.engine; }
  const char* name() const { return recipe_.name; }
  // Live tensors; outputs: null or live.
  Status call(std::span<rondo_tensor* const> inputs, std::span<rondo_tensor*> outputs, const RunLimit* limit = nullptr);
  rondo_callable_info query() const;
  std::string report() const;
  // Lets go of all graphs.
  void clear();
  // The same, and waits until their calls are done, and what they have of a budget is free. RONDO_TIMED_OUT if that
  // takes longer than the limit, which may be null.
  Status clear_and_wait(const RunLimit* limit);

 private:
  struct Entry;
  using Entries = std::list<std::shared_ptr<Entry>>;  // the one that was called last comes first
  // The way from gradients, which tapes may keep for longer, to the callable that they count with.
  struct BackReference {
    std::mutex mutex;
    Callable* callable = nullptr;  // null: it is gone
    Ref<Callable> find();
  };

  Status check(std::span<rondo_tensor* const> inputs, std::span<rondo_tensor*> outputs) const;
  Status call_plainly(std::span<rondo_tensor* const> inputs, std::span<rondo_tensor*> outputs) const;
  Status call_filled_up(std::span<rondo_tensor* const> inputs, std::span<rondo_tensor*> outputs, int64_t size,
                        int64_t full, const RunLimit* limit);
  Status call_graph(std::span<rondo_tensor* const> inputs, std::span<rondo_tensor*> outputs, const RunLimit* limit);
  Status find_or_record(std::span<const Arranged> inputs, std::shared_ptr<Entry>* entry);
  Status find_size(std::span<rondo_tensor* const> inputs, int64_t* size, int64_t* full) const;
  bool is_filled_up(size_t input, const View& view) const;
  Status hand_over(std::span<const View> made, std::span<rondo_tensor*> outputs) const;
  // Under the lock. Graphs that are dropped are left to be destroyed without the lock, for they may hold objects that
  // call the user's functions when they go.
  std::shared_ptr<Entry> find(const Signature& signature);
  void forget(Entries::iterator entry, Entries* gone);
  void forget_recorded(Entries* gone);  // not under the lock
  void evict(Entries* gone);
  void keep_to_limit();  // not under the lock
  int64_t bytes() const;

  const Ref<Engine> keep_engine_;
  const std::shared_ptr<BackReference> way_ = std::make_shared<BackReference>();
  const Recipe recipe_;
  const Padding padding_;
  const int64_t limit_;

  mutable std::mutex mutex_;
  std::condition_variable recorded_;
  Entries entries_;
  std::unordered_multimap<Signature, Entries::iterator, Signature::Hash> by_signature_;
  rondo_callable_info counts_ = RONDO_CALLABLE_INFO_INIT;
  std::string last_fallback_;
};

}  // namespace rondo
