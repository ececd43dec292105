// A recorded program as it is written down, and those of the bodies of its control flow: which views its nodes are of.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ops/program/views.h"

namespace rondo::program_files {

struct RecordedScope {
  static constexpr uint32_t kNone = ops::OperandViews::kNone;

  RecordedScope(const ops::Program& of, RecordedScope* outside);
  // Its views of tensors that are not made in it.
  std::vector<View> from_around() const;
  // True if another node than this one, recurrent layers, uses the storage.
  bool used_besides(const Storage& storage, size_t node) const;

  const ops::Program& program;
  RecordedScope* const around;
  ops::OperandViews views;
  std::vector<uint32_t> numbers;  // by view: the value that it has become, or kNone
  std::unordered_map<size_t, std::vector<std::unique_ptr<RecordedScope>>> bodies;  // by node; null: nothing to do
  std::unordered_map<const Device*, uint64_t> drawn;

 private:
  // The view is one that some node of the file uses, with all that it is a view of.
  void need(uint32_t of);
  void need(const View& view) { need(views.of(view)); }

  std::vector<bool> needed_;                                            // by view
  std::unordered_map<const Storage*, std::pair<size_t, size_t>> uses_;  // first and last node; if there are layers
};

}  // namespace rondo::program_files
