// Collects what the functions of a program have in common while they are saved: the tensors from outside, and
// everything that cannot be saved. One thread.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/text.h"
#include "models/json.h"
#include "program_files/known_words.h"
#include "program_files/program_text.h"
#include "program_files/save.h"

namespace rondo::program_files {

// Everything that cannot be saved, for one message.
class Refusals {
 public:
  RONDO_COLD void add(const std::string& function, const std::string& what) {
    constexpr size_t kShown = 20;
    if (count_++ < kShown) text_ += "\n  function '" + models::excerpt(function) + "', " + what;
  }
  Status status() const {
    if (count_ == 0) return {};
    return error(RONDO_UNSUPPORTED, "%zu operator%s cannot be saved:%s", count_, count_ == 1 ? "" : "s", text_.c_str());
  }

 private:
  size_t count_ = 0;
  std::string text_;
};

// The tensors from outside of all functions.
class Weights {
 public:
  explicit Weights(const std::vector<models::NamedTensor>& named) {
    for (const models::NamedTensor& each : named) names_.emplace(each.view.storage, &each);
  }
  Status check(const std::vector<models::NamedTensor>& named) const {
    std::unordered_set<std::string_view> taken;
    for (const models::NamedTensor& each : named) {
      RONDO_TRY(check_name("weight", each.name));
      if (!taken.insert(each.name).second)
        return error(RONDO_INVALID_ARGUMENT, "two weights have the name '%s'", models::excerpt(each.name).c_str());
      if (!ops::is_whole(each.view))
        return error(RONDO_INVALID_ARGUMENT, "the weight '%s' is a part of a tensor, or not row-major; name the tensor",
                     models::excerpt(each.name).c_str());
    }
    if (names_.size() != named.size()) return error(RONDO_INVALID_ARGUMENT, "a weight has two names");
    return {};
  }
  // The number of the one on this storage, which `used` shows.
  uint32_t number(Storage& storage, const View& used) {
    const auto [found, fresh] = numbers_.try_emplace(&storage, static_cast<uint32_t>(tensors.size()));
    if (!fresh) return found->second;
    const auto named = names_.find(&storage);
    models::NamedTensor tensor;
    tensor.view = ops::whole_of(named != names_.end() ? named->second->view : used);
    if (named != names_.end()) tensor.name = named->second->name;
    tensors.push_back(std::move(tensor));
    written.push_back(false);
    return found->second;
  }
  // Names for those that have none.
  void name_others() {
    std::unordered_set<std::string> taken;
    for (const auto& [storage, each] : names_) taken.insert(each->name);
    size_t next = 0;
    for (models::NamedTensor& each : tensors)
      while (each.name.empty())
        if (const std::string name = format("weight%zu", next++); !taken.count(name)) each.name = name;
  }

  std::vector<models::NamedTensor> tensors;
  std::vector<bool> written;  // by a function

 private:
  std::unordered_map<const Storage*, const models::NamedTensor*> names_;
  std::unordered_map<const Storage*, uint32_t> numbers_;
};

Status check_functions(const std::vector<SavedFunction>& functions);
// Writes down one graph: its function of the program. Adds its steps of recurrent layers to those of the program.
Status make_saved(const SavedFunction& saved, Weights* weights, Refusals* refusals, int64_t* steps, Function* function);
// Says what a function does at some sizes, in one text: operators with their attributes and the elements that they work
// on, however views lead there. A copy of what lies in order is what it copies, and all without elements is the same.
// So two recordings that do the same have the same outline, though one of them needs fewer views and copies. An error
// if a node that is a view cannot be one of its input.
Status outline(const Program& program, const Function& function, std::string* text);
// The words of the version that shall read the file.
KnownWords words_of(const SaveOptions& options);
// Names of weights, versions: what is left of a program whose functions are there.
Status complete(const SaveOptions& options, const KnownWords& words, Weights* weights, Program* program);

}  // namespace rondo::program_files
