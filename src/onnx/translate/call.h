// One node while it is translated: what a function of the table of operators sees of it, and what it gives back.
//
// A translation is written once, for values of any kind. If all inputs are constants it runs apart, eagerly, and its
// results are constants again; otherwise it runs under the open recording. Sizes are known in both cases.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rondo/rondo.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "onnx/file/model.h"
#include "onnx/translate/apart.h"
#include "onnx/translate/sizes.h"

namespace rondo_onnx {

// A node that cannot be converted, and why. The converter gathers these and goes on with other nodes.
struct Refusal {
  std::string why;
};
[[noreturn]] inline void refuse(const std::string& why) {
  throw Refusal{why};
}

// Attributes of the call of a function of the model, which nodes within it refer to.
using Bound = std::unordered_map<std::string, const Attribute*>;

// All calls of a conversion share it. One conversion, one thread (and the one apart).
struct Session {
  rondo::Engine engine;
  rondo_device device{RONDO_CPU, 0};
  Apart apart;
  std::string path;  // of the model
  // Constants that may become weights, by the storage that they lie in: names, and handles of the whole.
  struct Weight {
    std::string name;
    Tensor whole;
    bool used = false;
  };
  std::unordered_map<rondo_variable*, Weight> weights;
  std::unordered_map<rondo_variable*, Tensor> made_of_weights;  // by `once`

  Sizes sizes;  // what varies with sizes, where they do

  // Limits of results whose size the program computes, by their first result or their operator, and which were used.
  std::map<std::string, int64_t> limits;
  std::map<std::string, bool> limits_used;
  // How many elements such results have, by the name of an output of the program.
  std::vector<std::pair<std::string, Tensor>> counts;

  int64_t memory_limit;  // in bytes; 0: none
  int64_t nodes = 0;     // that were written out so far
  int64_t steps = 0;     // of recurrent layers so far

  explicit Session(const rondo_engine_options& options) : engine(options), memory_limit(options.memory_limit) {}
  // Says before a list of the converter's own is made that it takes so many bytes. Failure beyond the limit.
  void may_take(uint64_t bytes) const;
  template <class T>
  void may_take(int64_t count) const {
    may_take(static_cast<uint64_t>(count) * sizeof(T));
  }
  // Counts what a node becomes, so that loops in loops end. Failure beyond what a function of a program file may have.
  void count_nodes(int64_t more);
  // The same of steps of recurrent layers that are one node of the program.
  void count_steps(int64_t more);
  // False: no limit is given for the node.
  bool find_limit(const NodeProto& node, int64_t* limit);
  void add_count(const NodeProto& node, const Tensor& count);
  // Lets a constant that owns all of its storage be a weight of this name.
  void name_weight(const std::string& name, const Tensor& whole);
  // Gives what `make` makes of a constant. One that may be a weight is made something of once for all nodes that read
  // it, which is a weight of its name and the ending.
  Tensor once(const Tensor& constant, const char* ending, const std::function<Tensor()>& make);
  // The tensor becomes an operand of what is recorded.
  void use(const Tensor& constant);
  // The value as an operand: a constant as a weight, or where it varies with sizes as what the program computes of
  // them.
  Tensor operand(const Value& value);
  // A constant that a translation has made: the same tensor in each recording, or numbers that the program makes.
  Tensor table(const Tensor& made);
};

class Call {
 public:
  Call(Session& session, const NodeProto& node, int64_t opset, const Bound& bound, std::vector<ValueRef> inputs)
      : session_(session),
        node_(node),
        opset_(opset),
        bound_(bound),
        inputs_(std::move(inputs)),
        outputs_(node.outputs.size()) {}

  int64_t opset() const { return opset_; }
  const NodeProto& node() const { return node_; }
  const rondo::Engine& engine() const { return session_.engine; }
  rondo_device device() const { return session_.device; }

  // --- inputs; those that are not given count as far as a later one is
  size_t inputs() const { return inputs_.size(); }
  bool has(size_t i) const { return i < inputs_.size() && inputs_[i] != nullptr; }
  bool constant(size_t i) const { return has(i) && inputs_[i]->constant; }
  // Refuses constant indices that are outside of an axis of this size; others are checked when the program runs.
  void check_indices(size_t i, int64_t size) const;
  // As an operand. Ask for facts alone by shape() and dtype(), since a constant that is asked for becomes a weight.
  Tensor in(size_t i) const;
  std::vector<Tensor> all() const;
  Shape shape(size_t i) const { return given(i).shape(); }
  int64_t ndim(size_t i) const { return given(i).dim(); }
  rondo_dtype dtype(size_t i) const { return given(i).dtype(); }
  int bits(size_t i) const { return has(i) ? inputs_[i]->bits : 0; }
  // Contents of a constant, which must be of whole numbers, or of any numbers; refused for a value of the program.
  std::vector<int64_t> whole_numbers(size_t i, const char* what) const;
  std::vector<double> numbers(size_t i, const char* what) const;
  // The only element of a constant; false for other inputs, and where there are more.
  bool scalar(size_t i, double* number) const;

  // True if a size is another one in other recordings of the model. One question for each node.
  bool varies(int64_t size) { return session_.sizes.varies(size); }

  // --- attributes
  bool has_attribute(const char* name) const { return attribute(name) != nullptr; }
  int64_t integer(const char* name, int64_t otherwise) const;
  double real(const char* name, double otherwise) const;
  std::string text(const char* name, const std::string& otherwise) const;
  std::vector<int64_t> integers(const char* name) const;
  std::vector<double> reals(const char* name) const;
  const Attribute* attribute(const char* name) const;
  // An axis of a tensor of `ndim` dimensions, from the start.
  int64_t axis(const char* name, int64_t otherwise, int64_t ndim) const;

  // --- results
  size_t outputs() const { return outputs_.size(); }
  bool wants(size_t i) const { return i < outputs_.size() && !node_.outputs[i].empty(); }
  void out(size_t i, Tensor tensor);
  // The elements of a result are integers of so many bits.
  void narrow(size_t i, int bits);
  // So are those of all results that have the dtype of the first input, which has such elements.
  void keep_narrow();
  // A result that is the input itself.
  void forward(size_t i, size_t input);
  // A result whose contents are known, whatever the inputs are.
  void out_constant(size_t i, rondo_dtype dtype, const Shape& shape, const void* data);
  void out_integers(size_t i, const std::vector<int64_t>& numbers);
  // A constant as an operand.
  Tensor constant_tensor(rondo_dtype dtype, const Shape& shape, const void* data) const;
  Tensor constant_integers(const std::vector<int64_t>& numbers) const;
  Tensor constant_reals(rondo_dtype dtype, const Shape& shape, const std::vector<double>& numbers) const;
  // Gives what `make` computes of constants alone, now, as an operand of what is recorded.
  Tensor precomputed(const std::function<Tensor()>& make) const;
  bool folding() const { return session_.apart.here(); }
  std::vector<ValueRef> take_outputs() { return std::move(outputs_); }
  Session& session() const { return session_; }
  // See Session::may_take.
  template <class T>
  void may_take(int64_t count) const {
    session_.may_take<T>(count);
  }

 private:
  const Tensor& given(size_t i) const;

  Session& session_;
  const NodeProto& node_;
  int64_t opset_;
  const Bound& bound_;
  std::vector<ValueRef> inputs_;
  std::vector<ValueRef> outputs_;
};

bool is_float(rondo_dtype dtype);
// rondo::where. Program files cannot have it of floats of 16 bits and fewer yet, which pass through f32, exactly.
Tensor choose(const Tensor& condition, const Tensor& a, const Tensor& b);
// An axis from the start, of one that may count from the end; refused where there is none of that number.
int64_t axis_of(int64_t axis, int64_t ndim);
// The shape that both broadcast to; refused if there is none.
Shape broadcast_shape(const Shape& a, const Shape& b);
// Product of the sizes from one axis on, before another.
int64_t product(const Shape& shape, size_t from, size_t before);
inline int64_t product(const Shape& shape) {
  return product(shape, 0, shape.size());
}

}  // namespace rondo_onnx
