// The table of patterns, and what stands for each. They are looked for from the first row to the last, so that a row
// may build on those above it.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "onnx/patterns/patterns.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "onnx/patterns/finder.h"
#include "onnx/patterns/nodes.h"
#include "terms/texts.h"

namespace rondo_onnx {

namespace {

// The node is a reduction of the last axis, which stays with the size 1.
bool of_last_axis(const Finder& finder, const NodeProto& node) {
  if (const Attribute* const keeps = attribute_of(node, "keepdims"); keeps && keeps->integer == 0) return false;
  std::vector<int64_t> axes;
  if (const Attribute* const given = attribute_of(node, "axes"))
    axes = given->integers;
  else if (node.inputs.size() < 2 || !finder.integers(node.inputs[1], &axes))
    return false;
  return axes == std::vector<int64_t>{-1};
}

// So are all means that a row has found, two of which may have one label.
bool all_of_last_axis(const Finder& finder, const Found& found) {
  return std::all_of(found.nodes.begin(), found.nodes.end(),
                     [&](const NodeProto* each) { return each->type != "ReduceMean" || of_last_axis(finder, *each); });
}

bool is_epsilon(double number) {
  return number >= 0 && number <= 1;
}

// Makes nodes of what a row has found; false if it is none of that kind after all.
using Build = bool (*)(Finder& finder, Found& found, const NodeProto& last, std::vector<NodeProto>* fresh);

bool layer_norm(Finder& finder, Found& found, const NodeProto& last, std::vector<NodeProto>* fresh) {
  if (!all_of_last_axis(finder, found) || !is_epsilon(found.number("e", 0))) return false;
  fresh->push_back(
      fresh_node(last, "LayerNormalization", {found.value("x"), found.value("w"), found.value("b")}, last.outputs));
  fresh->back().attributes = {real_attribute("epsilon", found.number("e", 0))};
  return true;
}

bool rms_norm(Finder& finder, Found& found, const NodeProto& last, std::vector<NodeProto>* fresh) {
  if (!all_of_last_axis(finder, found) || !is_epsilon(found.number("e", 0))) return false;
  fresh->push_back(fresh_node(last, "RMSNormalization", {found.value("x"), found.value("w")}, last.outputs));
  fresh->back().attributes = {real_attribute("epsilon", found.number("e", 0))};
  return true;
}

bool gelu(Finder&, Found& found, const NodeProto& last, std::vector<NodeProto>* fresh) {
  fresh->push_back(fresh_node(last, "Gelu", {found.value("x")}, last.outputs));
  return true;
}

bool gelu_tanh(Finder& finder, Found& found, const NodeProto& last, std::vector<NodeProto>* fresh) {
  gelu(finder, found, last, fresh);
  fresh->back().attributes = {text_attribute("approximate", "tanh")};
  return true;
}

// softmax(q k^T * scale + mask) v of keys of four dimensions, which the axes of their transpose tell. Queries or a mask
// of more make axis 3 another one than the last, and before version 13 it stands for itself and all that follow.
bool attention(Finder& finder, Found& found, const NodeProto& last, std::vector<NodeProto>* fresh) {
  const Attribute* const axis = attribute_of(*found.labelled("s"), "axis");
  const NodeProto& turn = *found.labelled("t");
  const Attribute* const order = attribute_of(turn, "perm");
  if (!axis || (axis->integer != -1 && axis->integer != 3) || !order || order->integers.size() != 4) return false;
  std::vector<int64_t> axes = order->integers;
  std::swap(axes[2], axes[3]);
  const double scale = found.number("c", 1) / found.number("d", 1);
  if (!(scale >= 1e-30 && scale <= 1e30)) return false;
  const std::string keys = finder.fresh_name(turn.outputs[0]);
  fresh->push_back(fresh_node(turn, "Transpose", {found.value("k")}, {keys}));
  fresh->back().attributes = {integers_attribute("perm", axes)};
  std::vector<std::string> inputs = {found.value("q"), keys, found.value("v")};
  if (found.has("mask")) inputs.push_back(found.value("mask"));
  fresh->push_back(fresh_node(last, "Attention", inputs, last.outputs));
  fresh->back().attributes = {real_attribute("scale", scale)};
  if (axis->integer == 3) fresh->back().attributes.push_back(integer_attribute("axis", 3));
  if (finder.version() < 13) fresh->back().attributes.push_back(integer_attribute("flat", 1));
  return true;
}

// Numbers of a node Slice along one axis, with steps of 1; false: it is another one.
bool is_slice(const Finder& finder, const NodeProto& node, int64_t axis, int64_t* from, int64_t* to) {
  std::vector<int64_t> starts, ends, axes, steps = {1};
  if (node.inputs.size() < 4 || !finder.integers(node.inputs[1], &starts) || !finder.integers(node.inputs[2], &ends) ||
      !finder.integers(node.inputs[3], &axes) ||
      (node.inputs.size() > 4 && !node.inputs[4].empty() && !finder.integers(node.inputs[4], &steps)))
    return false;
  const std::vector<int64_t> along = {axis}, one = {1};
  if (starts.size() != 1 || ends.size() != 1 || axes != along || steps != one) return false;
  *from = starts[0];
  *to = ends[0];
  return true;
}

// x c + (-x[from:], x[:from]) s along an axis.
bool rotary(Finder& finder, Found& found, const NodeProto& last, std::vector<NodeProto>* fresh) {
  const Attribute* const axis = attribute_of(*found.labelled("t"), "axis");
  int64_t from = 0, end = 0, zero = 0, to = 0;
  if (!axis || !is_slice(finder, *found.labelled("h"), axis->integer, &from, &end) ||
      !is_slice(finder, *found.labelled("l"), axis->integer, &zero, &to) || zero != 0 || from != to || from < 1 ||
      end < std::numeric_limits<int32_t>::max())
    return false;
  fresh->push_back(
      fresh_node(last, "RotaryEmbedding", {found.value("x"), found.value("c"), found.value("s")}, last.outputs));
  fresh->back().attributes = {integer_attribute("axis", axis->integer), integer_attribute("from", from)};
  return true;
}

// A bias of one number for each column of a constant matrix.
bool product_and_bias(Finder& finder, Found& found, const NodeProto& last, std::vector<NodeProto>* fresh) {
  const TensorProto* const w = finder.constant(found.value("w"));
  const TensorProto* const b = finder.constant(found.value("b"));
  if (!w || !b || w->dims.size() != 2 || b->dims != std::vector<int64_t>{w->dims[1]} || w->type != b->type ||
      finder.constant(found.value("x")))
    return false;
  fresh->push_back(fresh_node(last, "MatMul", {found.value("x"), found.value("w"), found.value("b")}, last.outputs));
  return true;
}

// The product's own activation, which works on the sum before it is rounded.
bool product_and_activation(Finder&, Found& found, const NodeProto& last, std::vector<NodeProto>* fresh) {
  const NodeProto& product = *found.labelled("p");
  const Attribute* const form = attribute_of(last, "approximate");
  const bool by_tanh = form && form->text == "tanh";
  if (!product.rewritten || attribute_of(product, "activation") || (form && !by_tanh && form->text != "none"))
    return false;
  fresh->push_back(product);
  fresh->back().outputs = last.outputs;
  fresh->back().attributes = {text_attribute("activation", by_tanh ? "GeluTanh" : last.type.c_str())};
  return true;
}

// Constant statistics go into the filter and the bias of the convolution before.
bool batch_norm(Finder& finder, Found& found, const NodeProto& last, std::vector<NodeProto>* fresh) {
  for (const char* each : {"w", "s", "b", "m", "v"})
    if (!finder.constant(found.value(each))) return false;
  const bool biased = found.has("c");
  const Attribute* const training = attribute_of(last, "training_mode");
  const Attribute* const spatial = attribute_of(last, "spatial");
  if ((biased && !finder.constant(found.value("c"))) || (training && training->integer != 0) ||
      (spatial && spatial->integer == 0) || attribute_of(last, "is_test"))
    return false;
  NodeProto node = fresh_node(last, "Conv",
                              {found.value("x"), found.value("w"), biased ? found.value("c") : "", found.value("s"),
                               found.value("b"), found.value("m"), found.value("v")},
                              last.outputs);
  node.attributes = found.labelled("n")->attributes;
  if (const Attribute* const epsilon = attribute_of(last, "epsilon")) node.attributes.push_back(*epsilon);
  fresh->push_back(std::move(node));
  return true;
}

struct Row {
  const char* name;
  const char* text;
  Build build;
};

#define CENTRED "Sub(x, ReduceMean(x ...))"
#define SQUARE(a) "[Pow(" a ", 2) | Mul(" a ", " a ")]"
#define DEVIATION(a) "Sqrt(Add(ReduceMean(" SQUARE(a) " ...), #e))"
#define OVER(a, b) "[Div(" a ", " b ") | Mul(" a ", [Reciprocal(" b ") | Div(1, " b ")])]"
#define SCORES "MatMul(q, Transpose:t(k))"
#define SCALED "[Div(" SCORES ", #d) | Mul(" SCORES ", #c) | " SCORES "]"

constexpr Row kRows[] = {
    {"layer normalisation", "Add(Mul(" OVER(CENTRED, DEVIATION(CENTRED)) ", w), b)", layer_norm},
    {"RMS normalisation", "Mul(" OVER("x", DEVIATION("x")) ", w)", rms_norm},
    {"GELU", RONDO_HALF_OF(RONDO_ERF_FACTOR), gelu},
    {"GELU by tanh", RONDO_HALF_OF(RONDO_TANH_FACTOR), gelu_tanh},
    {"attention", "MatMul(Softmax:s([Add(" SCALED ", mask) | " SCALED "]), v)", attention},
    {"rotary embedding", RONDO_ROTARY_TEXT("Slice:h(x ...)", "Slice:l(x ...)"), rotary},
    {"product and bias", "Add(MatMul(x, w), b)", product_and_bias},
    {"product and activation", "[Gelu(MatMul:p(x, w, b)) | Relu(MatMul:p(x, w, b))]", product_and_activation},
    {"batch normalisation in a convolution", "BatchNormalization([Conv:n(x, w) | Conv:n(x, w, c)], s, b, m, v)",
     batch_norm},
};

// Puts others in the place of nodes that a row describes; says how often.
size_t find(Finder& finder, const Row& row) {
  const rondo::Term term = rondo::read_term(row.text);
  size_t times = 0;
  std::vector<const NodeProto*> nodes;
  for (const NodeProto& each : finder.nodes()) nodes.push_back(&each);
  std::unordered_set<const NodeProto*> gone;
  for (const NodeProto* each : nodes) {
    Found found;
    std::vector<NodeProto> fresh;
    if (gone.count(each) != 0 || !finder.matches(term, *each, &found) || !row.build(finder, found, *each, &fresh))
      continue;
    gone.insert(found.nodes.begin(), found.nodes.end());
    finder.replace(found.nodes, std::move(fresh));
    ++times;
  }
  return times;
}

// Gives convolutions with a bias the ReLU that follows them: limits follow a rounding too, so the result is the same.
// After all that changes a convolution otherwise.
size_t join_limits(Finder& finder) {
  constexpr size_t kBias = 2;
  size_t joined = 0;
  std::vector<const NodeProto*> nodes;
  for (const NodeProto& each : finder.nodes()) nodes.push_back(&each);
  for (const NodeProto* each : nodes) {
    if (!each->domain.empty() || each->type != "Relu" || each->inputs.size() != 1 || each->outputs.size() != 1)
      continue;
    const std::string& sum = each->inputs[0];
    const NodeProto* const maker = finder.maker(sum);
    if (!maker || !maker->domain.empty() || maker->type != "Conv" || maker->outputs.size() != 1 ||
        maker->inputs.size() <= kBias || maker->inputs.back().empty() || attribute_of(*maker, "activation") ||
        finder.readers(sum) != 1 || finder.is_output(sum) || !finder.made_once(sum))
      continue;
    NodeProto node = fresh_node(*each, "Conv", maker->inputs, each->outputs);
    node.attributes = maker->attributes;
    node.attributes.push_back(text_attribute("activation", "Relu"));
    finder.replace({each, maker}, {std::move(node)});
    ++joined;
  }
  return joined;
}

}  // namespace

std::vector<NodeProto> find_patterns(const GraphProto& graph, int64_t version, const std::string& path,
                                     int64_t memory_limit, Findings* findings) {
  Finder finder(graph, version, path, memory_limit);
  const auto note = [findings](const char* name, size_t times) {
    if (times > 0) findings->emplace_back(name, times);
  };
  for (const Row& row : kRows) note(row.name, find(finder, row));
  note("constants of channels in a convolution", join_channels(finder));
  note("products of one value", join_products(finder));
  note("product of whole numbers", join_scales(finder));
  note("convolution and activation", join_limits(finder));
  finder.drop_unread();
  return {finder.nodes().begin(), finder.nodes().end()};
}

}  // namespace rondo_onnx
