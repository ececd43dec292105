// Puts the checks of numbers into programs, and finds in what they have found which operator was the first.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/compile/numbers.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "graph/run/control.h"
#include "ops/elementwise/transfer.h"
#include "ops/invoke/lower.h"
#include "ops/reduce/number_check.h"

namespace rondo {

namespace {

using ops::ProgramNode;
using ops::ProgramOperand;

bool is_infinite(uint64_t word, rondo_dtype dtype) {
  return is_float(dtype) &&
         std::isinf(dtype == RONDO_F64 ? bit_cast<double>(word) : double{bit_cast<float>(static_cast<uint32_t>(word))});
}

// True if an infinity is among the numbers that the program itself has given an operator. An expression knows no more
// of its constants than their words: each that is one in some dtype counts.
bool has_infinity(const ProgramNode& node) {
  const auto& of = node.call->of;
  const auto among = [](const uint64_t* words, size_t count, rondo_dtype dtype) {
    return std::any_of(words, words + count, [&](uint64_t word) { return is_infinite(word, dtype); });
  };
  if (const auto* fill = std::get_if<ops::FillCall>(&of))
    return is_infinite(fill->word, RONDO_F64) || is_infinite(fill->word, RONDO_F32);
  if (const auto* one = std::get_if<ops::ElementwiseCall>(&of)) return among(one->words, one->used(), one->computed);
  if (const auto* sequence = std::get_if<ops::SequenceCall>(&of))
    return std::isinf(sequence->start) || std::isinf(sequence->step) || std::isinf(sequence->last);
  if (std::holds_alternative<ops::PadCall>(of)) return std::get<ops::PadCall>(of).fill != 0;
  const auto in_expression = [&](const ops::Fused& fused) {
    const auto count = static_cast<size_t>(fused.expression.scalars());
    return among(fused.words, count, RONDO_F32) || among(fused.words, count, RONDO_F64);
  };
  if (const auto* fused = std::get_if<ops::FusedCall>(&of)) return in_expression(*fused->fused);
  if (const auto* text = std::get_if<ops::TextCall>(&of))
    return std::any_of(text->expressions.begin(), text->expressions.end(),
                       [&](const auto& each) { return in_expression(*each); });
  return std::holds_alternative<ops::ParameterCall>(of);
}

// True for a result that an operator leaves for its gradient alone, in which an infinity says that there was nothing.
bool is_aside(const ProgramNode& node, size_t operand, size_t inputs, size_t outputs) {
  std::vector<std::string_view> names;
  return ops::name_operands(*node.call, inputs, outputs, &names) && names[operand] == "lse";
}

bool is_transfer(const ProgramNode& node) {
  return std::holds_alternative<ops::CopyCall>(node.call->of) &&
         ops::is_transfer(node.operands[0].view, node.operands[1].view);
}

std::string name_of(const ops::Program& program, size_t number) {
  const ProgramNode& node = program.nodes[number];
  const std::string& operators = node.operators;
  std::string name = format("operator '%s'", operators.empty() ? node.name : operators.c_str());
  if (node.step_of) name += format(" of the kind %s", node.step_of);
  name += format(" (node %zu) on %s", number, device_name(node.device->id()).c_str());
  return node.site.empty() ? name : name + " at " + node.site;
}

// Fails if something was found.
class NumberReport final : public ops::OperatorTask {
 public:
  // outputs: what carries the error then.
  NumberReport(Device& host, std::shared_ptr<const NumberChecks> checks, std::vector<View> records,
               std::span<Storage* const> outputs)
      : ops::OperatorTask("check_numbers", host), checks_(std::move(checks)), records_(std::move(records)) {
    for (const View& each : records_) reads(*each.storage);
    for (Storage* each : outputs) follows(*each), writes(*each);
  }
  Status run(const TaskContext&) override {
    SmallVector<const uint64_t*, 8> words;
    for (const View& each : records_) words.push_back(reinterpret_cast<const uint64_t*>(each.address()));
    return checks_->report(words.begin());
  }

 private:
  const std::shared_ptr<const NumberChecks> checks_;
  const std::vector<View> records_;
};

View whole_of(const Ref<Storage>& storage, int64_t words) {
  View view;
  view.storage = storage.get();
  view.dtype = RONDO_U64;
  view.layout = Layout::row_major(1, &words);
  return view;
}

constexpr int64_t kWord = sizeof(uint64_t);

}  // namespace

void NumberChecks::find(const ops::Program& program, std::vector<uint32_t>* order) {
  std::vector<bool> seen(program.values.size());
  std::string operands;
  std::vector<const Storage*> read;
  const auto check = [&](const ProgramOperand& operand, size_t i, bool outside) {
    const View& view = operand.view;
    if (!is_float(view.dtype) || view.elements() == 0) return;
    order->push_back(static_cast<uint32_t>(checks_.size()));
    checks_.push_back(
        {name_of(program, i), operands, view, i, outside, !outside && has_infinity(program.nodes[i]), read});
    checks_.back().view.accumulate = false;
  };
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    const ProgramNode& node = program.nodes[i];
    const auto* const control = Control::of(node);
    if (control) {
      for (const Body& body : control->bodies()) order->insert(order->end(), body.checks.begin(), body.checks.end());
      continue;
    }
    // The bytes that are moved are looked at when they are read.
    if (is_transfer(node)) {
      seen[node.operands[1].value] = false;
      continue;
    }
    operands.clear();
    read.clear();
    size_t inputs = 0, outputs = 0;
    for (const ProgramOperand& each : node.operands) {
      if (!each.known) continue;
      ++(each.written ? outputs : inputs);
      if (each.written) continue;
      read.push_back(each.view.storage);
      operands += (operands.empty() ? "" : ", ") + operand_text(each.view);
    }
    for (const ProgramOperand& each : node.operands) {
      if (each.written || !each.known || !program.values[each.value].given() || seen[each.value]) continue;
      check(each, i, true);
      seen[each.value] = node.section == ops::kAlways;
    }
    size_t at = 0;
    for (const ProgramOperand& each : node.operands) {
      // A task that does not say what it writes leaves what is to be looked at when it is read.
      if (each.written) seen[each.value] = each.known;
      if (each.written && each.known && !is_aside(node, at, inputs, outputs)) check(each, i, false);
      at += each.known ? 1 : 0;
    }
  }
}

View NumberChecks::words_of(size_t record, int64_t first, int64_t count) const {
  View view = whole_of(records_[record].storage, count);
  view.offset = first * kWord;
  return view;
}

View NumberChecks::turn_on(Device& device) {
  size_t i = 0;
  while (i < records_.size() && !(records_[i].turns && records_[i].device == &device)) ++i;
  if (i == records_.size()) records_.push_back({make_ref<Storage>(engine_, device, kWord), &device, 1, true});
  return words_of(i, 0, 1);
}

// Gives the checks from one on their places in records.
void NumberChecks::place(size_t first) {
  const size_t before = records_.size();
  for (size_t i = first; i < checks_.size(); ++i) {
    Device& device = checks_[i].view.device();
    size_t record = before;
    while (record < records_.size() && records_[record].device != &device) ++record;
    if (record == records_.size()) records_.push_back({{}, &device, 0, false});
    checks_[i].record = record;
    checks_[i].place = records_[record].words;
    records_[record].words += ops::kNumberWords;
  }
  for (size_t i = before; i < records_.size(); ++i)
    records_[i].storage =
        make_ref<Storage>(engine_, *records_[i].device, static_cast<size_t>(records_[i].words * kWord));
}

namespace {

// Checks wait for others of their form, as long as nothing writes the tensors that they are of.
struct WaitingChecks {
  Device* device;
  int form;
  uint32_t section;
  std::vector<ops::NumberItem> items;
  std::string site;
};

void add_check_node(ops::Program* program, Ref<ops::OperatorTask> task, uint32_t section) {
  program->append(std::move(task), make_ref<const ops::Call>(ops::NumberCheckCall{}), 0, section);
}

}  // namespace

std::vector<uint32_t> NumberChecks::add(ops::Program* program, bool loop) {
  std::vector<uint32_t> order;
  const size_t first = checks_.size(), first_record = records_.size();
  find(*program, &order);
  place(first);
  const size_t end_record = records_.size();
  std::vector<ProgramNode> nodes = std::move(program->nodes);
  program->nodes.clear();
  for (size_t i = first_record; i < end_record; ++i)
    // mutation: turn_not_counted
    if (loop) add_check_node(program, ops::make_number_turn(turn_on(*records_[i].device)), ops::kAlways);
  std::vector<WaitingChecks> waiting;
  const auto add_first = [&](size_t count) {
    for (size_t i = 0; i < count; ++i) {
      WaitingChecks& each = waiting[i];
      add_check_node(program, ops::make_number_check(std::move(each.items), turn_on(*each.device)), each.section);
      program->nodes.back().site = std::move(each.site);
    }
    waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(count));
  };
  size_t next = first;
  const auto add_checks = [&](size_t node, bool outside, uint32_t section, const std::string& site) {
    for (; next < checks_.size() && checks_[next].node == node && checks_[next].outside == outside; ++next) {
      const Check& check = checks_[next];
      Device* const device = &check.view.device();
      const int form = ops::number_form(check.view);
      size_t at = 0;
      while (at < waiting.size() &&
             !(waiting[at].device == device && waiting[at].form == form && waiting[at].section == section &&
               waiting[at].items.size() < ops::kMostNumberItems))
        ++at;
      if (at == waiting.size()) waiting.push_back({device, form, section, {}, site});
      waiting[at].items.push_back({check.view, words_of(check.record, check.place, ops::kNumberWords)});
    }
    constexpr size_t kMostWaiting = 4;
    if (waiting.size() > kMostWaiting) add_first(waiting.size() - kMostWaiting);
  };
  const auto disturbs = [&](const ProgramNode& node) {
    if (node.effects() >= ops::Effects::ordered || Control::of(node)) return true;
    for (const ProgramOperand& each : node.operands)
      for (const WaitingChecks& some : waiting)
        for (const ops::NumberItem& item : some.items)
          if (each.written && program->values[each.value].storage.get() == item.view.storage) return true;
    return false;
  };
  for (size_t i = 0; i < nodes.size(); ++i) {
    const uint32_t section = nodes[i].section;
    const std::string site = nodes[i].site;
    add_checks(i, true, section, site);
    if (disturbs(nodes[i])) add_first(waiting.size());  // mutation: overwritten_before_it_is_checked
    program->nodes.push_back(std::move(nodes[i]));
    add_checks(i, false, section, site);
  }
  add_first(waiting.size());
  return order;
}

Status NumberChecks::finish(const std::shared_ptr<NumberChecks>& checks, ops::Program* program,
                            std::span<const Binding> inputs) {
  checks->order_ = checks->add(program, false);
  if (checks->checks_.empty()) return {};
  for (const Binding& each : inputs) checks->inputs_.push_back(each.storage.get());
  std::vector<ProgramNode> nodes = std::move(program->nodes);
  program->nodes.clear();
  Device* host = nullptr;
  RONDO_TRY(get_device({RONDO_CPU, 0}, &host));
  const std::vector<Record>& records = checks->records_;
  for (size_t i = 0; i < records.size(); ++i) {
    program->add(*records[i].storage);
    const View words = checks->words_of(i, 0, records[i].words);
    add_check_node(program, ops::make_number_begin(words, records[i].turns ? 0 : UINT64_MAX), ops::kAlways);
  }
  for (ProgramNode& each : nodes) program->nodes.push_back(std::move(each));
  std::vector<View> on_host;
  for (size_t i = 0; i < records.size(); ++i) {
    const View from = checks->words_of(i, 0, records[i].words);
    on_host.push_back(from);
    if (records[i].device->is_host()) continue;
    const Ref<Storage> copy = make_ref<Storage>(checks->engine_, *host, from.bytes());
    program->add(*copy);
    on_host.back().storage = copy.get();
    std::vector<ops::SubmittedTask> tasks;
    std::vector<Ref<Storage>> made;
    RONDO_TRY(ops::collect(
        checks->engine_, [&] { return ops::copy_across(from, on_host.back()); }, &tasks, &made));
    for (const Ref<Storage>& each : made) program->add(*each);
    for (ops::SubmittedTask& each : tasks) program->append(std::move(each.task), std::move(each.call), 0);
  }
  // The error goes to the results that the user sees; of a launch that leaves none, to the tensors that it writes.
  std::vector<bool> written(program->values.size());
  bool has_outputs = false;
  for (const ProgramNode& node : program->nodes)
    for (const ProgramOperand& each : node.operands) {
      written[each.value] = written[each.value] || each.written;
      has_outputs |= each.written && program->values[each.value].role == ops::ValueRole::output;
    }
  std::vector<Storage*> outputs;
  for (size_t v = 0; v < written.size(); ++v) {
    const ops::ProgramValue& value = program->values[v];
    if (written[v] && (has_outputs ? value.role == ops::ValueRole::output : value.outlives()))
      outputs.push_back(value.storage.get());
  }
  program->append(make_ref<NumberReport>(*host, checks, std::move(on_host), outputs), {}, 0);
  return {};
}

Status NumberChecks::report(const uint64_t* const* words) const {
  std::vector<Find> finds[] = {std::vector<Find>(order_.size()), std::vector<Find>(order_.size())};
  Find first;
  bool infinity = false;
  for (size_t i = 0; i < order_.size(); ++i)
    for (const int k : {0, 1}) {
      const Check& check = checks_[order_[i]];
      const uint64_t word = words[check.record][check.place + k];
      if (word == device::kNotFound) continue;
      finds[k][i] = {word >> device::kElementBits, i,
                     static_cast<int64_t>(word & ((uint64_t{1} << device::kElementBits) - 1))};
    }
  // An operator that has read an infinity has not made the one in its result.
  const auto has_read_one = [&](const Check& check, const Find& at) {
    for (size_t i = 0; i < order_.size(); ++i)
      for (const Storage* each : check.reads)
        if (each == checks_[order_[i]].view.storage && (finds[0][i] < at || finds[1][i] < at))
          return true;  // mutation: infinity_blamed_on_its_reader
    return false;
  };
  for (const int k : {0, 1})
    for (const Find& each : finds[k]) {
      if (!each.there() || (first.there() && !(each < first))) continue;
      const Check& check = checks_[order_[each.order]];
      if (k == 1 && (check.outside || check.infinite || has_read_one(check, each))) continue;
      first = each;
      infinity = k == 1;
    }
  return first.there() ? describe(checks_[order_[first.order]], infinity, first.element) : Status();
}

Status NumberChecks::describe(const Check& check, bool infinity, int64_t element) const {
  const Layout& layout = check.view.layout;
  int64_t at[kMaxDims];
  for (int d = layout.ndim - 1; d >= 0; --d) {
    at[d] = element % layout.shape[d];
    element /= layout.shape[d];
  }
  const std::string place = shape_text(Layout::row_major(layout.ndim, at)), type = operand_text(check.view);
  if (!check.outside)
    return error(RONDO_INVALID_ARGUMENT, "%s made the first %s of graph '%s': element %s of its result %s%s%s",
                 check.maker.c_str(), infinity ? "infinity" : "NaN", graph_, place.c_str(), type.c_str(),
                 check.operands.empty() ? "" : ", from ", check.operands.c_str());
  std::string what = "a tensor from outside";
  for (size_t i = 0; i < inputs_.size(); ++i)
    if (inputs_[i] == check.view.storage) what = format("input %zu", i);
  return error(RONDO_INVALID_ARGUMENT, "graph '%s' was given a NaN: element %s of %s, %s, which %s reads", graph_,
               place.c_str(), what.c_str(), type.c_str(), check.maker.c_str());
}

}  // namespace rondo
