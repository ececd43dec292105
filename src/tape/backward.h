// The walk from outputs to sources, and what a rule sees of it at one node: the gradients that came in, the values that
// were kept, and where the gradients of its inputs go.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "ops/operators/expression.h"
#include "ops/task/output.h"
#include "tape/adjoint.h"
#include "tape/elements.h"
#include "tape/tape.h"

namespace rondo::tape {

class GradientBuilder;

class Backward {
 public:
  Backward(Tape& tape, const Tape::Finished& finished) : tape_(tape), finished_(finished) {}

  // --- the walk (backward.cc)
  Status run(std::span<const View> outputs, std::span<const View* const> given, std::span<const View> sources,
             std::span<rondo_tensor*> gradients);

  // --- what a rule sees
  const Node& node() const { return *node_; }
  Engine& engine() const { return tape_.engine(); }
  // True if the gradient of an input is wanted; the same as a mask.
  bool wants(size_t input) const { return (wanted_ & bit(input)) != 0; }
  unsigned wanted() const { return wanted_; }
  // True if the gradient of an input goes where values are that the other inputs' gradients need: it is made after
  // them.
  bool last(size_t input) const {
    const auto found = last_input_.find(node_);
    return found != last_input_.end() && found->second == input;
  }
  // Values that the rule said it needs.
  const View& input(size_t i) const { return node_->inputs[i].view; }
  const View& output(size_t i) const { return node_->outputs[i].view; }
  // The incoming gradient of an output, as it is or as a tensor of the output's shape. Only the first is sure to have
  // one.
  const Value& incoming(size_t output = 0) const { return incoming_[output]; }
  bool has_incoming(size_t output) const { return has_incoming_[output]; }
  Status incoming_view(View* view, size_t output = 0);
  // The same of any output, zeros where none came.
  Status incoming_or_zeros(View* view, size_t output);

  // The gradient of an input, made by an operator in the tensor it is given, of a shape that the input broadcasts to
  // (then it is summed).
  using Make = std::function<Status(ops::Output& out)>;
  Status give(size_t input, const Layout& shape, const Make& make);
  // The gradient of an input that is there already, of such a shape.
  Status pass(size_t input, const Layout& shape, const Value& value);
  // Memory for the gradients of the first inputs, if these are evenly spaced parts of one tensor and all of it, and
  // nothing came to it yet: then one operator writes there, and there is nothing to pass.
  bool begin_parts(std::span<OwnedTensor> slots);
  // Memory of a value that others may show is never written.
  void pin(const Value& value) { pinned_.push_back(value.memory); }
  // The outputs of an elementwise expression, of the shape of the node's first output, as gradients of inputs: one
  // kernel.
  Status give_all(const char* name, const ops::Expression& expression, std::span<const View* const> operands,
                  const uint64_t* words, std::span<const size_t> inputs);
  // An elementwise expression of one output, as a temporary.
  Status compute(const char* name, const ops::Expression& expression, std::span<const View* const> operands,
                 const uint64_t* words, const Layout& shape, OwnedTensor* out);
  // The gradients of the inputs that are wanted, where what the node computes is made by a formula of operators that
  // have gradients: it is run on a tape of its own, which then gives them. Inputs: the node's, all of which it needs.
  // Outputs: the node's; those that depend on none of the inputs may be left out. (formula.cc)
  using Formula = std::function<void(GradientBuilder& steps, std::span<const View> inputs, std::span<View> outputs)>;
  Status differentiate(const Formula& formula);

 private:
  static unsigned bit(size_t operand) { return operand_bit(operand); }
  static constexpr size_t kAtTheEnd = ~size_t{0};
  // The gradient of an input goes here: at once, or summed over the axes in which the input is broadcast.
  struct Target {
    StorageRegion place;
    Adjoint* adjoint = nullptr;
    SmallVector<int32_t, 8> summed;
    bool later = false;  // added when it is there
    OwnedTensor slot;
  };
  Status begin(size_t input, const Layout& shape, Target* target);
  Status end(Target* target);
  static Status place_of(const View& view, const Layout& shape, Target* target);

  // --- direct.cc
  // How the nodes that gradients flow through use a storage.
  struct StorageUse {
    size_t count = 0, node = 0, input = 0;  // as an input: how often, and where the first time
    size_t first_read = kAtTheEnd;          // the first node that keeps its values
  };
  const StorageUse& use_of(uint64_t number);
  bool reads_first(uint64_t source, uint64_t written);
  void find_direct(std::span<const View> sources, std::span<rondo_tensor*> gradients);
  std::vector<bool> find_shared(std::span<const View> sources, std::span<rondo_tensor*> gradients) const;
  void find_watched(std::span<const View> sources);
  void find_last(std::span<const View> sources, std::span<rondo_tensor*> gradients);

  // --- nothing.cc
  void follow_nothing(size_t number);
  void tell_of_nothing(std::span<const View> outputs, std::span<const View* const> given, std::span<const View> sources,
                       std::span<rondo_tensor* const> gradients) const;

  Adjoint& adjoint_of(const Operand& operand);
  Status check_sources(std::span<const View> sources) const;
  Status seed(std::span<const View> outputs, std::span<const View* const> given);
  void find_wanted(std::span<const View> sources);
  void find_met(std::span<const View> outputs);
  Status check_values() const;
  Status visit(size_t number);
  Status capture(size_t nodes, std::span<const View> sources);
  Status finish(size_t node, std::span<const View> sources, std::span<rondo_tensor*> gradients);
  Status deliver(std::span<const View> sources, std::span<rondo_tensor*> gradients);
  // Runs an expression into `outs`.
  Status evaluate(const char* name, ops::Expression expression, std::span<const View* const> operands,
                  const uint64_t* words, const Layout& shape, std::span<rondo_tensor* const> outs);

  Tape& tape_;
  const Tape::Finished& finished_;
  // Sources, in the order in which the way back comes to them: by the number of nodes when each was watched, and by the
  // last node that adds to its gradient, of those of which that is known and asked for.
  struct Turn {
    size_t node, source;
  };
  std::vector<Turn> watched_, last_;
  size_t captures_ = 0, finishes_ = 0;  // of them that have had their turn
  std::vector<bool> delivered_;
  std::unordered_map<uint64_t, Adjoint> adjoints_;
  // The masks of each node: the inputs whose gradients lead to sources, and the outputs that gradients come to.
  struct NodeMasks {
    unsigned wanted = 0;
    unsigned met = 0;
    bool passed() const { return wanted != 0 && met != 0; }
  };
  std::vector<NodeMasks> ways_;
  std::optional<std::unordered_map<uint64_t, StorageUse>> uses_;
  size_t first_custom_ = kAtTheEnd;                     // the first node with a gradient of the user's
  std::unordered_map<const Node*, size_t> last_input_;  // see last()
  std::vector<Memory> pinned_;                          // memory of others: never to be written
  std::vector<bool> captured_;
  std::vector<bool> nothing_came_;         // by source
  std::unordered_set<uint64_t> nothings_;  // storages that outputs depend on through tensors without elements
  std::vector<Value> results_;

  const Node* node_ = nullptr;
  unsigned wanted_ = 0;
  std::vector<Value> incoming_;
  std::vector<bool> has_incoming_;
};

}  // namespace rondo::tape
