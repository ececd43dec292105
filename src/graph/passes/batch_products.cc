// One product of small ones that are alike, whose operands lie evenly spaced: projections of the heads of an attention,
// or of queries, keys and values by parts of one weight. Each has the bits that it has alone, unless a recording wants
// fewer roundings, as for `epilogue`.
//
// Results that are temporaries, each in memory of its own, get places one after the other in one; what reads them is
// made again for those. Results that lie evenly spaced already stay there.
//
// On a GPU alone, as `horizontal_fuse`, and like there nodes stay apart that depend on each other or cannot run in one
// step.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

#include "engine/tasks/making_limit.h"
#include "graph/passes/groups.h"
#include "graph/passes/passes.h"
#include "graph/passes/step_ranges.h"
#include "ops/matmul/matmul.h"

namespace rondo {

namespace {

using ops::BatchStrides;
using ops::Product;
using ops::ProgramNode;

constexpr size_t kSmallBytes = size_t{1} << 22;     // of each operand
constexpr int64_t kSmallResult = int64_t{1} << 19;  // elements: more keep a GPU busy by themselves
constexpr size_t kTried = 4;                        // stacks of one kind that a node may join, the latest
constexpr size_t kMost = 256;                       // products of a stack
constexpr size_t kLooks = 64;                       // at products of one kind, for one that is nearer

// The product that a node is, if it may be stacked.
std::optional<Product> small_product(const ProgramNode& node) {
  if (node.opaque() || node.device->is_host()) return {};
  const auto* call = std::get_if<ops::MatmulCall>(&node.call->of);
  if (!call) return {};
  std::vector<View> inputs;
  for (const ops::ProgramOperand& each : node.operands) {
    if (!each.known || static_cast<size_t>(each.end - each.begin) > kSmallBytes) return {};
    if (!each.written) inputs.push_back(each.view);
  }
  Product product = product_of(*call, inputs, node.operands.back().view);
  if (product.m * product.n > kSmallResult || product.k == 0) return {};
  return product;
}

// Tells products apart while passes move nodes about: the value that a node writes, and from which byte on.
using ResultPlace = std::pair<uint32_t, int64_t>;
ResultPlace place_of(const ProgramNode& node) {
  return {node.operands.back().value, node.operands.back().begin};
}

int64_t result_bytes(const Product& product) {
  return product.out.elements() * static_cast<int64_t>(dtype_size(product.out.dtype));
}

class ProductBatches {
 public:
  // alone: what is made by products that stay by themselves.
  ProductBatches(ops::Program& program, const std::set<ResultPlace>& alone)
      : program_(program), alone_(alone), groups_(program), ranges_(groups_.dependences(), program.nodes.size()) {
    find_temporaries();
  }
  void form_groups();
  // Lays out each stack. False if there are products that cannot be one launch: they are `alone` now.
  bool lay_out(std::set<ResultPlace>* alone);
  // False if there was nothing to stack.
  bool rewrite(PassReport* report);
  size_t steps() const { return groups_.steps(); }

 private:
  struct Batch {
    BatchStrides apart;
    bool own_memory = false;            // each result is a temporary
    std::vector<TaskOperand> operands;  // of the stack
    Ref<Storage> results;               // of own memory
    int64_t bytes = 0;                  // from one to the next
  };

  void find_temporaries();
  bool is_temporary(const ProgramNode& node) const;
  bool is_nearest(uint32_t first, const BatchStrides& apart, const std::vector<const Product*>& alike) const;
  bool join(uint32_t i, const std::vector<const Product*>& alike, uint32_t group);
  bool lay_out(const std::vector<uint32_t>& nodes, Batch* batch) const;

  ops::Program& program_;
  const std::set<ResultPlace>& alone_;
  Groups groups_;
  StepRanges ranges_;
  std::vector<std::optional<Product>> products_;  // by node
  std::vector<bool> temporary_;                   // by value: what uses it can be made again for other memory
  std::vector<size_t> number_;                    // by node that is a product: among those of its kind
  std::unordered_map<uint32_t, Batch> batches_;   // by group of several
};

void ProductBatches::find_temporaries() {
  for (const ops::ProgramValue& value : program_.values)
    temporary_.push_back(!value.outlives() && !value.storage->pinned());
  for (const ProgramNode& node : program_.nodes) {
    const bool fixed = !node.moves();
    for (const ops::ProgramOperand& each : node.operands)
      if (fixed || !each.known) temporary_[each.value] = false;
  }
}

bool ProductBatches::is_temporary(const ProgramNode& node) const {
  const ops::ProgramOperand& result = node.operands.back();
  return temporary_[result.value] && result.covers && result.view.offset == 0 &&
         result.end == static_cast<int64_t>(program_.values[result.value].storage->bytes());
}

// True if no product lies between the first of a stack and one that is to be the second: where queries and keys of each
// head are made in turn, the next of the queries is nearer than the keys.
bool ProductBatches::is_nearest(uint32_t first, const BatchStrides& apart,
                                const std::vector<const Product*>& alike) const {
  const auto at = alike.begin() + static_cast<std::ptrdiff_t>(number_[first]);
  const auto end = alike.end() - at > static_cast<std::ptrdiff_t>(kLooks) ? at + kLooks : alike.end();
  return std::none_of(at + 1, end, [&](const Product* each) {
    const std::optional<BatchStrides> near = (*at)->apart(*each);
    return near && *near != apart && near->a <= apart.a && near->b <= apart.b && near->out <= apart.out;
  });
}

bool ProductBatches::join(uint32_t i, const std::vector<const Product*>& alike, uint32_t group) {
  if (!groups_.open(group)) return false;
  const std::vector<uint32_t>& nodes = groups_.nodes(group);
  const auto count = static_cast<int64_t>(nodes.size());
  const std::optional<BatchStrides> apart = products_[nodes[0]]->apart(*products_[i]);
  if (!apart || nodes.size() == kMost) return false;
  Batch batch = batches_[group];
  if (count == 1) {
    batch.own_memory = apart->out == 0;
    batch.apart = *apart;
    if (batch.own_memory && !is_temporary(program_.nodes[nodes[0]])) return false;
    if (!is_nearest(nodes[0], *apart, alike)) return false;
  }
  // mutation: stack_is_not_evenly_spaced
  if (*apart != BatchStrides{batch.apart.a * count, batch.apart.b * count, batch.apart.out * count}) return false;
  if (batch.own_memory && !is_temporary(program_.nodes[i])) return false;
  if (!ranges_.join(i, group, &groups_)) return false;
  batches_[group] = batch;
  return true;
}

void ProductBatches::form_groups() {
  struct Alike {
    std::vector<const Product*> products;
    std::vector<uint32_t> groups;
  };
  std::map<std::tuple<const Device*, int64_t, int64_t, int64_t>, Alike> kinds;
  std::vector<Alike*> kind_of;
  for (const ProgramNode& node : program_.nodes) {
    products_.push_back(small_product(node));
    if (products_.back() && alone_.count(place_of(node))) products_.back().reset();
  }
  for (const std::optional<Product>& each : products_) {
    const Product* product = each ? &*each : nullptr;
    kind_of.push_back(product ? &kinds[{&product->out.device(), product->m, product->n, product->k}] : nullptr);
    number_.push_back(product ? kind_of.back()->products.size() : 0);
    if (product) kind_of.back()->products.push_back(product);
  }
  for (uint32_t i = 0; i < program_.nodes.size(); ++i) {
    groups_.begin(i);
    if (kind_of[i]) {
      std::vector<uint32_t>& groups = kind_of[i]->groups;
      const auto joins = [&](uint32_t each) { return join(i, kind_of[i]->products, each); };
      if (!std::any_of(groups.rbegin(), groups.rend(), joins)) {
        if (groups.size() == kTried) groups.erase(groups.begin());
        groups.push_back(i);
      }
    }
    groups_.end(i);
  }
}

bool ProductBatches::lay_out(const std::vector<uint32_t>& nodes, Batch* batch) const {
  const auto count = static_cast<int64_t>(nodes.size());
  Product product = *products_[nodes[0]];
  if (batch->own_memory) {
    batch->bytes = (result_bytes(product) + Product::kAligned - 1) / Product::kAligned * Product::kAligned;
    batch->apart.out = batch->bytes / static_cast<int64_t>(dtype_size(product.out.dtype));
    batch->results =
        make_ref<Storage>(product.out.engine(), product.out.device(), static_cast<size_t>(count * batch->bytes));
    product.out.storage = batch->results.get();
  }
  product = product.stacked(count, batch->apart);
  product.as_alone = !program_.fewer_roundings;
  product.list_operands(&batch->operands);
  return is_one_launch(product);
}

bool ProductBatches::lay_out(std::set<ResultPlace>* alone) {
  bool all = true;
  for (auto& [group, batch] : batches_) {
    const std::vector<uint32_t>& nodes = groups_.nodes(group);
    if (nodes.size() < 2 || lay_out(nodes, &batch)) continue;
    all = false;
    for (const uint32_t each : nodes) alone->insert(place_of(program_.nodes[each]));
  }
  return all;
}

bool ProductBatches::rewrite(PassReport* report) {
  std::unordered_map<uint32_t, std::pair<Storage*, int64_t>> moved;  // by value
  const size_t before = program_.nodes.size();
  groups_.rewrite(&program_, [&](const std::vector<uint32_t>& nodes, auto*) {
    Batch& batch = batches_.at(groups_.of(nodes[0]));
    const ProgramNode& first = program_.nodes[nodes[0]];
    if (batch.own_memory) {
      for (size_t i = 0; i < nodes.size(); ++i)
        moved[program_.nodes[nodes[i]].operands.back().value] = {batch.results.get(),
                                                                 static_cast<int64_t>(i) * batch.bytes};
      program_.add(*batch.results);
    }
    report->lines.push_back("one product of" + groups_.some(nodes));
    const ops::BatchedMatmulCall call{std::get<ops::MatmulCall>(first.call->of), !program_.fewer_roundings};
    return program_.make_node("matmul", make_ref<const ops::Call>(call), batch.operands, first.section);
  });
  for (ProgramNode& node : program_.nodes) {
    Rebinding memory;
    bool moves = false;
    for (const ops::ProgramOperand& each : node.operands)
      if (const auto found = moved.find(each.value); found != moved.end()) {
        memory.put(*program_.values[each.value].storage, *found->second.first, found->second.second);
        moves = true;
      }
    if (moves) program_.rebind(&node, memory);
  }
  return program_.nodes.size() < before;
}

}  // namespace

Status batch_products(ops::Program& program, PassReport* report) {
  std::set<ResultPlace> alone;  // of which cannot be made one
  const auto has_some = [&] {
    size_t count = 0;
    for (const ProgramNode& node : program.nodes) count += small_product(node) ? 1 : 0;
    return count > 1;
  };
  // Nodes that read evenly spaced results may be a stack next. A chain of these takes a round for each link: of a long
  // one the rest stays as it is.
  constexpr size_t kMostLooks = size_t{1} << 24;  // at nodes, in all rounds
  size_t looks = 0;
  for (bool more = has_some(); more && looks < kMostLooks; looks += program.nodes.size()) {
    RONDO_TRY(MakingLimit::check());
    ProductBatches pass(program, alone);
    pass.form_groups();
    const bool all = pass.lay_out(&alone);
    more = !all || pass.rewrite(report);
    report->steps += pass.steps();
  }
  return {};
}

}  // namespace rondo
