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
  if (!node.call) return false;
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
  if (const auto* fused = std::get_if<ops::FusedCall>(&of)) {
    const auto count = static_cast<size_t>(fused->fused->expression.scalars());
    return among(fused->fused->words, count, RONDO_F32) || among(fused->fused->words, count, RONDO_F64);
  }
  return std::holds_alternative<ops::ParameterCall>(of);
}

// True for a result that an operator leaves for its gradient alone, in which an infinity says that there was nothing.
bool is_aside(const ProgramNode& node, size_t operand, size_t inputs, size_t outputs) {
  std::vector<std::string_view> names;
  return node.call && ops::name_operands(*node.call, inputs, outputs, &names) && names[operand] == "lse";
}

std::string name_of(const ops::Program& program, size_t number) {
  const ProgramNode& node = program.nodes[number];
  const std::string& operators = node.operators;
  std::string name = format("operator '%s'", operators.empty() ? node.task->name() : operators.c_str());
  for (const ops::ProgramGroup& each : program.groups)
    if (each.begin <= number && number < each.end && each.operators.size() == 1 && each.operators[0].call)
      name = format("operator '%s' of the kind %s", node.task->name(), row_of(*each.operators[0].call).name);
  name += format(" (node %zu) on %s", number, device_name(node.task->device().id()).c_str());
  return node.site.empty() ? name : name + " at " + node.site;
}

// Fails if something was found.
class NumberReport final : public Task {
 public:
  // outputs: what carries the error then.
  NumberReport(Device& host, std::shared_ptr<const NumberChecks> checks, std::vector<View> records,
               std::span<Storage* const> outputs)
      : Task("check_numbers", host), checks_(std::move(checks)), records_(std::move(records)) {
    for (const View& each : records_) reads(*each.storage);
    for (Storage* each : outputs) follows(*each), writes(*each);
  }
  Status run(const TaskContext&) override {
    NumberChecks::Words words;
    for (const View& each : records_) words.push_back(reinterpret_cast<const uint64_t*>(each.address()));
    return checks_->report(words);
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

void NumberChecks::find(const ops::Program& program, std::vector<Inserted>* inserted, std::vector<uint32_t>* order) {
  std::unordered_set<const Storage*> seen;
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    const ProgramNode& node = program.nodes[i];
    const auto* const control = dynamic_cast<const Control*>(node.task.get());
    std::vector<const Storage*> read;
    std::string operands;
    size_t inputs = 0, outputs = 0;
    for (const ProgramOperand& each : node.operands) {
      if (!each.known) continue;
      ++(each.written ? outputs : inputs);
      if (each.written) continue;
      read.push_back(each.view.storage);
      operands += (operands.empty() ? "" : ", ") + operand_text(each.view);
    }
    const auto check = [&](const View& view, bool outside) {
      if (!is_float(view.dtype) || view.elements() == 0) return;
      const auto number = static_cast<uint32_t>(checks_.size());
      checks_.push_back({name_of(program, i), operands, view.storage, view.dtype, view.layout, outside,
                         !outside && has_infinity(node), read});
      inserted->push_back({i, outside, number, view});
      inserted->back().view.accumulate = false;
      order->push_back(number);
    };
    for (const ProgramOperand& each : node.operands) {
      const Storage* const storage = program.values[each.value].storage;
      if (each.written || !each.known || control || program.values[each.value].made || seen.count(storage)) continue;
      check(each.view, true);
      if (node.section == ops::kAlways) seen.insert(storage);
    }
    if (control)
      for (const Body& body : control->bodies()) order->insert(order->end(), body.checks.begin(), body.checks.end());
    size_t at = 0;
    for (const ProgramOperand& each : node.operands) {
      const Storage* const storage = program.values[each.value].storage;
      if (each.written && each.known && !control) {
        if (!is_aside(node, at, inputs, outputs)) check(each.view, false);
        seen.insert(storage);
      } else if (each.written && !control) {
        seen.erase(storage);  // by a task that does not say what it writes
      }
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
  const auto [found, fresh] = turns_.try_emplace(&device, records_.size());
  if (fresh) records_.push_back({make_ref<Storage>(engine_, device, kWord), &device, 1});
  return words_of(found->second, 0, 1);
}

std::vector<uint32_t> NumberChecks::add(ops::Program* program, bool loop) {
  std::vector<Inserted> inserted;
  std::vector<uint32_t> order;
  find(*program, &inserted, &order);
  std::unordered_map<Device*, int64_t> counts;
  for (const Inserted& each : inserted) ++counts[&each.view.device()];
  std::unordered_map<Device*, size_t> record_on;
  std::vector<Device*> devices;
  for (const Inserted& each : inserted) {
    Device& device = each.view.device();
    const auto [found, fresh] = record_on.try_emplace(&device, records_.size());
    if (fresh) {
      const int64_t words = counts[&device] * ops::kNumberWords;
      records_.push_back({make_ref<Storage>(engine_, device, static_cast<size_t>(words * kWord)), &device, words});
      devices.push_back(&device);
      counts[&device] = 0;
    }
    Check& check = checks_[each.check];
    check.record = found->second;
    check.place = counts[&device]++ * ops::kNumberWords;
  }
  std::vector<ProgramNode> nodes = std::move(program->nodes);
  program->nodes.clear();
  const auto add_node = [&](Ref<Task> task, uint32_t section) {
    program->append(std::move(task), make_ref<const ops::Call>(ops::NumberCheckCall{}), 0, section);
  };
  for (Device* each : devices)
    if (loop) add_node(ops::make_number_turn(turn_on(*each)), ops::kAlways);  // mutation: turn_not_counted
  // Checks wait for others of their form, as long as nothing writes the tensors that they are of.
  struct Waiting {
    Device* device;
    int form;
    uint32_t section;
    std::vector<ops::NumberItem> items;
    std::string site;
  };
  std::vector<Waiting> waiting;
  const auto add_task = [&](Waiting& each) {
    add_node(ops::make_number_check(std::move(each.items), turn_on(*each.device)), each.section);
    program->nodes.back().site = each.site;
  };
  const auto add_waiting = [&] {
    for (Waiting& each : waiting) add_task(each);
    waiting.clear();
  };
  size_t next = 0;
  const auto add_checks = [&](size_t node, bool before, uint32_t section, const std::string& site) {
    for (; next < inserted.size() && inserted[next].node == node && inserted[next].before == before; ++next) {
      const Check& check = checks_[inserted[next].check];
      const View& view = inserted[next].view;
      Device* const device = &view.device();
      const int form = ops::number_form(view);
      auto found = std::find_if(waiting.begin(), waiting.end(), [&](const Waiting& each) {
        return each.device == device && each.form == form && each.section == section;
      });
      if (found == waiting.end()) found = waiting.insert(found, {device, form, section, {}, site});
      found->items.push_back({view, words_of(check.record, check.place, ops::kNumberWords)});
      if (found->items.size() < ops::kMostNumberItems) continue;
      add_task(*found);
      waiting.erase(found);
    }
  };
  const auto disturbs = [&](const ProgramNode& node) {
    if (node.effects() >= ops::Effects::ordered || dynamic_cast<const Control*>(node.task.get())) return true;
    for (const ProgramOperand& each : node.operands)
      for (const Waiting& some : waiting)
        for (const ops::NumberItem& item : some.items)
          if (each.written && program->values[each.value].storage == item.view.storage) return true;
    return false;
  };
  for (size_t i = 0; i < nodes.size(); ++i) {
    const uint32_t section = nodes[i].section;
    const std::string site = nodes[i].site;
    add_checks(i, true, section, site);
    if (disturbs(nodes[i])) add_waiting();  // mutation: overwritten_before_it_is_checked
    program->nodes.push_back(std::move(nodes[i]));
    add_checks(i, false, section, site);
  }
  add_waiting();
  return order;
}

Status NumberChecks::finish(const std::shared_ptr<NumberChecks>& checks, ops::Program* program,
                            std::span<const Binding> inputs) {
  checks->order_ = checks->add(program, false);
  if (checks->checks_.empty()) return {};
  for (size_t i = 0; i < inputs.size(); ++i) checks->inputs_.emplace(inputs[i].storage.get(), i);
  std::vector<ProgramNode> nodes = std::move(program->nodes);
  program->nodes.clear();
  Device* host = nullptr;
  RONDO_TRY(get_device({RONDO_CPU, 0}, &host));
  std::vector<View> on_host;
  const std::vector<Record>& records = checks->records_;
  std::unordered_set<size_t> turns;
  for (const auto& [device, record] : checks->turns_) turns.insert(record);
  for (size_t i = 0; i < records.size(); ++i) {
    program->add(records[i].storage);
    program->append(ops::make_number_begin(checks->words_of(i, 0, records[i].words), turns.count(i) ? 0 : UINT64_MAX),
                    make_ref<const ops::Call>(ops::NumberCheckCall{}), 0);
  }
  std::move(nodes.begin(), nodes.end(), std::back_inserter(program->nodes));
  for (size_t i = 0; i < records.size(); ++i) {
    on_host.push_back(checks->words_of(i, 0, records[i].words));
    if (records[i].device->is_host()) continue;
    const View from = on_host.back();
    const Ref<Storage> copy = make_ref<Storage>(checks->engine_, *host, static_cast<size_t>(records[i].words * kWord));
    program->add(copy);
    on_host.back() = whole_of(copy, records[i].words);
    std::vector<ops::Lowered> tasks;
    std::vector<Ref<Storage>> made;
    RONDO_TRY(ops::collect(
        checks->engine_, [&] { return ops::copy_across(from, on_host.back()); }, &tasks, &made));
    for (Ref<Storage>& each : made) program->add(std::move(each));
    for (ops::Lowered& each : tasks) program->append(std::move(each.task), std::move(each.call), 0);
  }
  // The error goes to the results that the user sees; of a launch that leaves none, to the tensors that it writes.
  std::vector<Storage*> outputs, written;
  std::unordered_set<uint32_t> taken;
  for (const ProgramNode& node : program->nodes)
    for (const ProgramOperand& each : node.operands) {
      const ops::ProgramValue& value = program->values[each.value];
      if (each.written && value.outlives() && taken.insert(each.value).second)
        (value.output ? outputs : written).push_back(value.storage);
    }
  program->append(make_ref<NumberReport>(*host, checks, std::move(on_host), outputs.empty() ? written : outputs), {},
                  0);
  return {};
}

// An operator that has read an infinity has not made the one in its result.
bool NumberChecks::is_tainted(const Check& check, const Found& at, const std::vector<Found> (&found)[2]) const {
  for (size_t i = 0; i < order_.size(); ++i) {
    const Storage* const storage = checks_[order_[i]].storage;
    if (std::find(check.reads.begin(), check.reads.end(), storage) == check.reads.end()) continue;
    for (const std::vector<Found>& each : found)
      if (each[i].there() && each[i] < at) return true;  // mutation: infinity_blamed_on_its_reader
  }
  return false;
}

Status NumberChecks::report(const Words& words) const {
  std::vector<Found> found[2];
  Found first;
  bool infinity = false;
  for (const bool infinite : {false, true}) {
    for (size_t i = 0; i < order_.size(); ++i) {
      const Check& check = checks_[order_[i]];
      const uint64_t word = words[check.record][check.place + (infinite ? 1 : 0)];
      Found& each = found[infinite].emplace_back();
      if (word == device::kNotFound) continue;
      each = {word >> device::kElementBits, i,
              static_cast<int64_t>(word & ((uint64_t{1} << device::kElementBits) - 1))};
    }
  }
  for (const bool infinite : {false, true})
    for (const Found& each : found[infinite]) {
      if (!each.there() || (first.there() && !(each < first))) continue;
      const Check& check = checks_[order_[each.order]];
      if (infinite && (check.outside || check.infinite || is_tainted(check, each, found))) continue;
      first = each;
      infinity = infinite;
    }
  return first.there() ? describe(checks_[order_[first.order]], infinity, first.element) : Status();
}

Status NumberChecks::describe(const Check& check, bool infinity, int64_t element) const {
  int64_t at[kMaxDims];
  for (int d = check.shape.ndim - 1; d >= 0; --d) {
    at[d] = element % check.shape.shape[d];
    element /= check.shape.shape[d];
  }
  const std::string place = shape_text(Layout::row_major(check.shape.ndim, at));
  const std::string type = std::string(dtype_name(check.dtype)) + " " + shape_text(check.shape);
  if (check.outside) {
    const auto input = inputs_.find(check.storage);
    const std::string what = input == inputs_.end() ? "a tensor from outside" : format("input %zu", input->second);
    return error(RONDO_INVALID_ARGUMENT, "graph '%s' was given a NaN: element %s of %s, %s, which %s reads", graph_,
                 place.c_str(), what.c_str(), type.c_str(), check.maker.c_str());
  }
  return error(RONDO_INVALID_ARGUMENT, "%s made the first %s of graph '%s': element %s of its result %s%s%s",
               check.maker.c_str(), infinity ? "infinity" : "NaN", graph_, place.c_str(), type.c_str(),
               check.operands.empty() ? "" : ", from ", check.operands.c_str());
}

}  // namespace rondo
