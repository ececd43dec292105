// Making steps of nodes. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/run/step.h"

#include <utility>
#include <variant>

namespace rondo {

namespace {
const std::string kUnknown;
}  // namespace

Step::Step(ops::ProgramNode&& node)
    : task(std::move(node.task)),
      call(std::move(node.call)),
      random_offset(node.random_offset),
      choice_offset(node.choice_offset),
      section(node.section) {
  if (!node.operators.empty() || !node.site.empty())
    origin = std::make_unique<const Origin>(Origin{std::move(node.operators), std::move(node.site)});
  if (const auto* written = call ? std::get_if<ops::ParameterCall>(&call->of) : nullptr) parameter = written->number;
}

const std::string& Step::operators() const {
  return origin ? origin->operators : kUnknown;
}

const std::string& Step::site() const {
  return origin ? origin->site : kUnknown;
}

}  // namespace rondo
