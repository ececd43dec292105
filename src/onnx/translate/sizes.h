// Constants of a model that is recorded at several sizes. Those that are the same at all of them are made once, so that
// all recordings use the same tensors. Others vary with the sizes: they are known while the model is converted, as
// shapes are, and where they are operands the program computes them of its sizes.
//
// The converter finds what varies by recording at sizes that differ, until nothing more is found. Constants are told
// from each other by the node that makes them, counted in the order in which nodes are walked.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/rondo.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "onnx/file/model.h"

namespace rondo_onnx {

using rondo::Shape;
using rondo::Tensor;

struct Session;

// A value is what a name stands for. Immutable once a node has made it.
struct Value {
  Tensor tensor;
  bool constant = false;                     // its contents are there already
  int bits = 0;                              // of each integer, if it is a byte that stands for one of 4 or 2 bits
  std::function<Tensor()> remake = nullptr;  // of a constant that varies with sizes: records how it is computed
  int depth = 0;                             // how many remakes may be within each other there
  mutable Tensor made = Tensor();            // by remake, once in a recording
};
using ValueRef = std::shared_ptr<const Value>;

// How numbers that vary with sizes are made: one number everywhere, numbers at equal distances, or one by one.
enum class Form { kFill, kSteps, kList };

// Belongs to one conversion, and is used by its thread.
class Sizes {
 public:
  struct Place {
    int64_t node = 0, table = 0;
  };

  bool vary() const { return vary_; }
  void set_vary() { vary_ = true; }
  // A recording begins.
  void begin() { place_ = Place(); }
  void next_node() { place_ = {place_.node + 1, 0}; }
  Place place() const { return place_; }
  // Lets that node be the one that makes what comes next; gives the place before.
  Place enter(Place place) { return std::exchange(place_, place); }
  // Something was found to vary since the last call.
  bool found_more() { return std::exchange(found_more_, false); }

  // True if a size that the node asks about was another one in a recording before, so what it records may not depend
  // on it. One question for each node.
  bool varies(int64_t size);

  // Gives what the node made before of the same constants; null: it did not, or that varies.
  const std::vector<ValueRef>* known(const NodeProto& node, const std::vector<ValueRef>& inputs) const;
  // True if what the node gives varies. Otherwise outputs that it gave before take the place of those with the same
  // contents.
  bool keep(Session& session, Place place, const NodeProto& node, std::vector<ValueRef>* outputs);
  void remember(Place place, const NodeProto& node, const std::vector<ValueRef>& inputs,
                const std::vector<ValueRef>& outputs);

  // The constant at the next place of the node: that of earlier recordings if it has the same contents. *form: how the
  // program makes it if it varies, or null.
  Tensor keep_table(Session& session, const Tensor& made, const Form** form);
  // Records how these numbers are made. Refused where there is no such way.
  static Tensor made_by_program(Session& session, const Tensor& numbers, Form form);

 private:
  struct Kept {
    const NodeProto* node = nullptr;
    std::vector<ValueRef> inputs, outputs;  // null: no constant
    bool varies = false;
  };
  struct Table {
    Tensor tensor;
    bool varies = false, has_form = false;
    Form form = Form::kFill;
  };
  bool vary_ = false, found_more_ = false;
  Place place_;
  std::unordered_map<int64_t, Kept> kept_;  // by node
  std::map<std::pair<int64_t, int64_t>, Table> tables_;
  std::unordered_map<int64_t, int64_t> asked_;  // sizes by the node that asked; -1: it varies
};

}  // namespace rondo_onnx
