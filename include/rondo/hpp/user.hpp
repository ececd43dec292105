// User code: expressions in text and modules of CUDA C++. Part of rondo.hpp, which says what holds for all of it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_USER_HPP
#define RONDO_HPP_USER_HPP

#include <rondo/hpp/engine.hpp>

#include <stdexcept>

namespace rondo {
inline namespace abi_0 {

// One argument: {"x", tensor}, {"scale", 0.5}, {"n", 3}. It refers to the name and the tensor.
class Argument {
 public:
  Argument(const char* name, const Tensor& tensor)
      : argument_(RONDO_TENSOR(name, tensor.get())), engine_(tensor.engine()) {}
  Argument(const char* name, Number value)
      : argument_(value.whole() ? rondo_argument(RONDO_INTEGER(name, value.i64()))
                                : rondo_argument(RONDO_SCALAR(name, value.f64()))) {}
  const rondo_argument& get() const noexcept { return argument_; }
  rondo_engine* engine() const noexcept { return engine_; }

 private:
  rondo_argument argument_;
  rondo_engine* engine_ = nullptr;
};

namespace detail {

inline std::vector<rondo_argument> plain(const std::vector<Argument>& arguments) {
  std::vector<rondo_argument> all;
  all.reserve(arguments.size());
  for (const Argument& each : arguments) all.push_back(each.get());
  return all;
}
inline rondo_engine* engine_of(const std::vector<Argument>& arguments) {
  for (const Argument& each : arguments)
    if (each.engine()) return each.engine();
  return nullptr;
}

}  // namespace detail

class Expression : public Owner<rondo_expression, rondo_expression_destroy> {
 public:
  using Owner::Owner;
  explicit Expression(const std::string& text, const char* name = nullptr) : Owner(create(text, name)) {}

  // Names in the order of the text.
  std::vector<std::string> operands() const { return names(rondo_expression_operand); }
  std::vector<std::string> results() const { return names(rondo_expression_result); }
  // New tensors, one per result; of an expression with one result that one.
  std::vector<Tensor> run(const std::vector<Argument>& arguments) const {
    detail::Made made(results().size(), detail::engine_of(arguments));
    run(arguments, made.count(), made.data());
    return made.take_all();
  }
  Tensor operator()(const std::vector<Argument>& arguments) const {
    detail::Made made(1, detail::engine_of(arguments));
    run(arguments, made.count(), made.data());
    return made.take(0);
  }
  // Into tensors that are there.
  void run_into(const std::vector<Argument>& arguments, const Tensors& results) const {
    std::vector<rondo_tensor*> out = results.handles();
    run(arguments, results.count(), out.data());
  }
  // What run_into does for each of the sets, as one task.
  struct Set {
    std::vector<Argument> arguments;
    std::vector<Tensor> results;
  };
  void run_each_into(const std::vector<Set>& sets) const {
    std::vector<rondo_argument> plain;
    std::vector<rondo_tensor*> out;
    const size_t n_arguments = sets.empty() ? 0 : sets[0].arguments.size(), n_out = results().size();
    for (const Set& set : sets) {
      if (set.arguments.size() != n_arguments || set.results.size() != n_out)
        throw std::invalid_argument(
            "rondo::Expression::run_each_into: each set needs as many arguments as the first, and all results");
      for (const Argument& each : set.arguments) plain.push_back(each.get());
      for (const Tensor& each : set.results) out.push_back(each.get());
    }
    throw_on_failure(rondo_expression_run_each(get(), detail::count(sets.size(), "rondo::Expression: sets"),
                                               detail::count(n_arguments, "rondo::Expression: arguments"), plain.data(),
                                               detail::count(n_out, "rondo::Expression: results"), out.data()));
  }

 private:
  static rondo_expression* create(const std::string& text, const char* name) {
    rondo_expression* expression = nullptr;
    throw_on_failure(rondo_expression_create(text.c_str(), name, &expression));
    return expression;
  }
  std::vector<std::string> names(const char* (*name)(rondo_expression*, int32_t)) const {
    std::vector<std::string> all;
    for (int32_t i = 0; const char* each = name(get(), i); ++i) all.emplace_back(each);
    return all;
  }
  void run(const std::vector<Argument>& arguments, int32_t n_out, rondo_tensor** out) const {
    const std::vector<rondo_argument> plain = detail::plain(arguments);
    throw_on_failure(rondo_expression_run(get(), detail::count(plain.size(), "rondo::Expression: arguments"),
                                          plain.data(), n_out, out));
  }
};

inline rondo_module_options module_defaults(const char* name = nullptr) {
  rondo_module_options options = RONDO_MODULE_OPTIONS_INIT;
  options.name = name;
  return options;
}
// So many blocks of so many threads.
inline rondo_launch_options launch_shape(uint32_t blocks, uint32_t threads, uint32_t shared_bytes = 0) {
  rondo_launch_options options = RONDO_LAUNCH_OPTIONS_INIT;
  options.grid_x = blocks;
  options.block_x = threads;
  options.shared_bytes = shared_bytes;
  return options;
}

// Kernels in CUDA C++: Module module(engine, device, text, "scale<float>(const float* x, float* y, int n)").
class Module : public Owner<rondo_module, rondo_module_destroy> {
 public:
  using Owner::Owner;
  Module(const Engine& engine, rondo_device device, const std::string& text, const std::string& kernels,
         const rondo_module_options& options = module_defaults())
      : Owner(create(engine, device, text, kernels, options)) {}
  void launch(const std::string& kernel, const std::vector<Argument>& arguments,
              const rondo_launch_options& options) const {
    const std::vector<rondo_argument> plain = detail::plain(arguments);
    throw_on_failure(rondo_module_launch(get(), kernel.c_str(),
                                         detail::count(plain.size(), "rondo::Module::launch: arguments"), plain.data(),
                                         &options));
  }

 private:
  static rondo_module* create(const Engine& engine, rondo_device device, const std::string& text,
                              const std::string& kernels, const rondo_module_options& options) {
    rondo_module* module = nullptr;
    throw_on_failure(rondo_module_create(engine.get(), device, text.c_str(), kernels.c_str(), &options, &module));
    return module;
  }
};

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_USER_HPP
