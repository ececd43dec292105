// Checks the handles of user code, expressions and modules, casts their operands, and runs them.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <rondo/user.h>

#include <algorithm>
#include <cstring>

#include "capi/capi.h"
#include "capi/structs.h"
#include "engine/handle.h"
#include "ops/autocast/autocast.h"
#include "ops/text/expression_run.h"
#include "ops/text/user_kernel.h"

struct rondo_expression {
  uint32_t magic = 0;
  rondo::Ref<rondo::ops::ExpressionText> text;
};

struct rondo_module {
  uint32_t magic = 0;
  rondo::Ref<rondo::ops::Module> module;
};

using namespace rondo;
using capi::guard;
using capi::guard_whole;

namespace {

using Expressions = HandleSlab<rondo_expression, HandleKind::expression>;

Status check_expression(const rondo_expression* expression) {
  if (Expressions::alive(expression)) return {};
  return capi::dead_handle("expression", "expression", expression);
}

using Modules = HandleSlab<rondo_module, HandleKind::module>;

Status check_module(const rondo_module* module) {
  if (Modules::alive(module)) return {};
  return capi::dead_handle("module", "module", module);
}

// Arguments, of so many sets, are named if they must be, of a kind, and their tensors alive.
Status check_arguments(int32_t n_arguments, const rondo_argument* arguments, bool named, int32_t sets = 1) {
  if (n_arguments < 0) return error(RONDO_INVALID_ARGUMENT, "n_arguments is %d; 0 or more is needed", n_arguments);
  const int64_t all = int64_t{sets} * n_arguments;
  if (all && !arguments) return capi::null_argument("arguments");
  for (int64_t i = 0; i < all; ++i) {
    const rondo_argument& each = arguments[i];
    const auto at = static_cast<long long>(i);
    if (named && !each.name) return error(RONDO_INVALID_ARGUMENT, "arguments[%lld].name is NULL; a name is needed", at);
    if (each.kind < RONDO_ARGUMENT_TENSOR || each.kind > RONDO_ARGUMENT_INTEGER)
      return error(RONDO_INVALID_ARGUMENT,
                   "arguments[%lld].kind is %d; RONDO_ARGUMENT_TENSOR (0) to RONDO_ARGUMENT_INTEGER (2) are possible",
                   at, static_cast<int>(each.kind));
    if (each.kind == RONDO_ARGUMENT_TENSOR && !alive(each.tensor))
      return error(RONDO_INVALID_ARGUMENT, "arguments[%lld].tensor is %s; a live tensor is needed", at,
                   each.tensor ? "not a live tensor" : "NULL");
  }
  return {};
}

Status check_results(size_t results, int32_t n_out, rondo_tensor** out, int32_t sets = 1) {
  if (n_out < 0 || static_cast<size_t>(n_out) != results)
    return error(RONDO_INVALID_ARGUMENT, "n_out is %d; the expression has %zu results", n_out, results);
  const int64_t all = int64_t{sets} * n_out;
  if (all && !out) return capi::null_argument("out");
  for (int64_t i = 0; i < all; ++i)
    if (out[i] && !alive(out[i]))
      return error(RONDO_INVALID_ARGUMENT,
                   "out[%lld] is not a live tensor: initialise it to NULL for a new one, or pass a tensor that was "
                   "not destroyed",
                   static_cast<long long>(i));
  return {};
}

// The arguments of a text's runs, of which an autocast scope may put casts in the place where something was set for its
// name. A run whose results are given goes without.
class CastArguments {
 public:
  CastArguments(const rondo_argument* arguments, size_t count) : given_(arguments, count) {}
  Status apply(const ops::ExpressionText& text, rondo_tensor* const* out, size_t sets) {
    return casting_.on() && !given_.empty() ? cast(text, out, sets) : Status();
  }
  std::span<const rondo_argument> arguments() const { return given_; }

 private:
  RONDO_COLD Status cast(const ops::ExpressionText& text, rondo_tensor* const* out, size_t sets) {
    copies_.assign(given_.begin(), given_.end());
    const size_t each_has = copies_.size() / sets, results = text.results().size();
    for (size_t set = 0; set < sets; ++set) {
      rondo_tensor* const* const begin = out + set * results;
      if (std::any_of(begin, begin + results, [](const rondo_tensor* each) { return each != nullptr; })) continue;
      std::vector<rondo_tensor**> operands;
      for (size_t i = set * each_has; i < (set + 1) * each_has; ++i)
        if (copies_[i].kind == RONDO_ARGUMENT_TENSOR) operands.push_back(&copies_[i].tensor);
      if (!operands.empty()) RONDO_TRY(ops::Casting::operands({text.name(), nullptr, true}, operands));
    }
    given_ = copies_;
    return {};
  }
  std::span<const rondo_argument> given_;
  std::vector<rondo_argument> copies_;
  const ops::Casting casting_;
};

}  // namespace

bool capi::is_expression_name(const char* name) {
  bool found = false;
  Expressions::for_each([&](const rondo_expression& each) { found |= std::strcmp(each.text->name(), name) == 0; });
  return found;
}

void capi::list_live_modules(const Engine& engine, std::vector<std::string>* objects) {
  Modules::for_each([&](const rondo_module& each) {
    if (&each.module->engine() == &engine) objects->push_back(std::string("module '") + each.module->name() + "'");
  });
}

extern "C" {

rondo_status rondo_expression_create(const char* text, const char* name, rondo_expression** expression) {
  return guard("rondo_expression_create", [&]() -> Status {
    RONDO_NOT_NULL(text);
    RONDO_NOT_NULL(expression);
    Ref<ops::ExpressionText> parsed;
    RONDO_TRY(ops::ExpressionText::parse(text, Engine::intern(name ? name : "expression"), &parsed));
    *expression = Expressions::create([&](rondo_expression& handle) { handle.text = std::move(parsed); });
    return {};
  });
}

void rondo_expression_destroy(rondo_expression* expression) {
  if (!expression) return;
  guard("rondo_expression_destroy", [&]() -> Status {
    Ref<ops::ExpressionText> text;
    return capi::destroy<Expressions>(expression, "expression", "expression",
                                      [&text](rondo_expression& each) { text = std::move(each.text); });
  });
}

const char* rondo_expression_operand(rondo_expression* expression, int32_t index) {
  if (!Expressions::alive(expression)) return nullptr;
  const auto& names = expression->text->operands();
  return index >= 0 && static_cast<size_t>(index) < names.size() ? names[static_cast<size_t>(index)].c_str() : nullptr;
}

const char* rondo_expression_result(rondo_expression* expression, int32_t index) {
  if (!Expressions::alive(expression)) return nullptr;
  const auto& results = expression->text->results();
  return index >= 0 && static_cast<size_t>(index) < results.size() ? results[static_cast<size_t>(index)].name.c_str()
                                                                   : nullptr;
}

rondo_status rondo_expression_run(rondo_expression* expression, int32_t n_arguments, const rondo_argument* arguments,
                                  int32_t n_out, rondo_tensor** out) {
  return guard("rondo_expression_run", [&]() -> Status {
    RONDO_TRY(check_expression(expression));
    const Ref<ops::ExpressionText> text = expression->text;
    RONDO_TRY(check_arguments(n_arguments, arguments, true));
    RONDO_TRY(check_results(text->results().size(), n_out, out));
    CastArguments given(arguments, static_cast<size_t>(n_arguments));
    RONDO_TRY(given.apply(*text, out, 1));
    return ops::run_expression(*text, given.arguments(), out);
  });
}

rondo_status rondo_expression_run_each(rondo_expression* expression, int32_t count, int32_t n_arguments,
                                       const rondo_argument* arguments, int32_t n_out, rondo_tensor** out) {
  return guard("rondo_expression_run_each", [&]() -> Status {
    RONDO_TRY(check_expression(expression));
    const Ref<ops::ExpressionText> text = expression->text;
    if (count < 0) return error(RONDO_INVALID_ARGUMENT, "count is %d; 0 or more is needed", count);
    RONDO_TRY(check_arguments(n_arguments, arguments, true, count));
    RONDO_TRY(check_results(text->results().size(), n_out, out, count));
    const auto sets = static_cast<size_t>(count);
    CastArguments given(arguments, sets * static_cast<size_t>(n_arguments));
    RONDO_TRY(given.apply(*text, out, sets));
    return ops::run_expression_each(*text, sets, given.arguments(), out);
  });
}

rondo_status rondo_module_create(rondo_engine* engine, rondo_device device, const char* text, const char* kernels,
                                 const rondo_module_options* options, rondo_module** module) {
  return guard_whole("rondo_module_create", [&]() -> Status {
    RONDO_TRY(capi::check_engine(engine, "engine"));
    RONDO_NOT_NULL(text);
    RONDO_NOT_NULL(kernels);
    RONDO_NOT_NULL(module);
    rondo_module_options with = RONDO_MODULE_OPTIONS_INIT;
    RONDO_TRY(capi::read_options("options", options, &with));
    Engine& inner = *engine->engine;
    RONDO_TRY(inner.usable());
    Device* on = nullptr;
    RONDO_TRY(get_device(device, &on));
    Ref<ops::Module> made;
    RONDO_TRY(ops::Module::create(inner, *on, text, kernels, with.name, with.options, &made));
    *module = Modules::create([&](rondo_module& handle) { handle.module = std::move(made); });
    return {};
  });
}

void rondo_module_destroy(rondo_module* module) {
  if (!module) return;
  guard_whole("rondo_module_destroy", [&]() -> Status {
    Ref<ops::Module> inner;
    return capi::destroy<Modules>(module, "module", "module",
                                  [&inner](rondo_module& each) { inner = std::move(each.module); });
  });
}

rondo_status rondo_module_launch(rondo_module* module, const char* kernel, int32_t n_arguments,
                                 const rondo_argument* arguments, const rondo_launch_options* options) {
  return guard("rondo_module_launch", [&]() -> Status {
    rondo_launch_options with = RONDO_LAUNCH_OPTIONS_INIT;
    RONDO_TRY(capi::read_options("options", options, &with));
    RONDO_TRY(check_module(module));
    RONDO_NOT_NULL(kernel);
    RONDO_TRY(check_arguments(n_arguments, arguments, false));
    if (with.flags & ~static_cast<uint32_t>(RONDO_LAUNCH_STRIDED))
      return error(RONDO_INVALID_ARGUMENT, "options->flags is 0x%x; 0 and RONDO_LAUNCH_STRIDED (0x1) are possible",
                   with.flags);
    if (with.stream < -1)
      return error(RONDO_INVALID_ARGUMENT, "options->stream is %d; -1 (the engine picks) or more is needed",
                   with.stream);
    const Ref<ops::Module> held = module->module;
    return held->launch(kernel, {arguments, static_cast<size_t>(n_arguments)}, with);
  });
}

}  // extern "C"
