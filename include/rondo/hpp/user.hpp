// User code: expressions in text and modules of CUDA C++. Part of rondo.hpp, which says what holds for all of it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_USER_HPP
#define RONDO_HPP_USER_HPP

#include <rondo/hpp/engine.hpp>

#include <stdexcept>

namespace rondo {
inline namespace abi_0 {

// One argument: {"x", tensor}, {"scale", 0.5}, {"n", 3}.
class Argument {
 public:
  Argument(const char* name, const Tensor& tensor) : argument_(RONDO_TENSOR(name, tensor.get())) {}
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  Argument(const char* name, T value) : argument_(number(name, value)) {}
  const rondo_argument& get() const noexcept { return argument_; }

 private:
  template <class T>
  static rondo_argument number(const char* name, T value) {
    if constexpr (std::is_integral_v<T>) return RONDO_INTEGER(name, static_cast<int64_t>(value));
    return RONDO_SCALAR(name, static_cast<double>(value));
  }
  rondo_argument argument_;
};

class Expression : public Owner<rondo_expression, rondo_expression_destroy> {
 public:
  explicit Expression(const std::string& text, const char* name = nullptr) : Owner(create(text, name)) {}

  // Names in the order of the text.
  std::vector<std::string> operands() const { return names(rondo_expression_operand); }
  std::vector<std::string> results() const { return names(rondo_expression_result); }
  // New tensors, one per result; of an expression with one result that one.
  std::vector<Tensor> run(std::initializer_list<Argument> arguments) const {
    std::vector<rondo_tensor*> out(results().size());
    run(arguments, out);
    std::vector<Tensor> tensors;
    for (rondo_tensor* each : out) tensors.emplace_back(each);
    return tensors;
  }
  Tensor operator()(std::initializer_list<Argument> arguments) const {
    std::vector<rondo_tensor*> out(1);
    run(arguments, out);
    return Tensor(out[0]);
  }
  // Into tensors that are there.
  void run_into(std::initializer_list<Argument> arguments,
                std::initializer_list<std::reference_wrapper<const Tensor>> results) const {
    std::vector<rondo_tensor*> out;
    for (const Tensor& each : results) out.push_back(each.get());
    run(arguments, out);
  }
  // What run_into does for each of the sets, as one task.
  struct Set {
    std::vector<Argument> arguments;
    std::vector<std::reference_wrapper<const Tensor>> results;
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
    check(rondo_expression_run_each(get(), static_cast<int32_t>(sets.size()), static_cast<int32_t>(n_arguments),
                                    plain.data(), static_cast<int32_t>(n_out), out.data()));
  }

 private:
  static rondo_expression* create(const std::string& text, const char* name) {
    rondo_expression* expression = nullptr;
    check(rondo_expression_create(text.c_str(), name, &expression));
    return expression;
  }
  std::vector<std::string> names(const char* (*name)(rondo_expression*, int32_t)) const {
    std::vector<std::string> all;
    for (int32_t i = 0; const char* each = name(get(), i); ++i) all.emplace_back(each);
    return all;
  }
  void run(std::initializer_list<Argument> arguments, std::vector<rondo_tensor*>& out) const {
    std::vector<rondo_argument> plain;
    for (const Argument& each : arguments) plain.push_back(each.get());
    check(rondo_expression_run(get(), static_cast<int32_t>(plain.size()), plain.data(),
                               static_cast<int32_t>(out.size()), out.data()));
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
  Module(const Engine& engine, rondo_device device, const std::string& text, const std::string& kernels,
         const rondo_module_options& options = module_defaults())
      : Owner(create(engine, device, text, kernels, options)) {}
  void launch(const std::string& kernel, std::initializer_list<Argument> arguments,
              const rondo_launch_options& options) const {
    std::vector<rondo_argument> plain;
    for (const Argument& each : arguments) plain.push_back(each.get());
    check(rondo_module_launch(get(), kernel.c_str(), static_cast<int32_t>(plain.size()), plain.data(), &options));
  }

 private:
  static rondo_module* create(const Engine& engine, rondo_device device, const std::string& text,
                              const std::string& kernels, const rondo_module_options& options) {
    rondo_module* module = nullptr;
    check(rondo_module_create(engine.get(), device, text.c_str(), kernels.c_str(), &options, &module));
    return module;
  }
};

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_USER_HPP
