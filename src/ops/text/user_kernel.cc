// Makes modules of users' kernels, and launches the kernels as tasks.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/text/user_kernel.h"

#include <algorithm>
#include <cstdint>

#include "base/text.h"
#include "ops/task/kernel_task.h"
#include "ops/task/output.h"

namespace rondo::ops {

namespace {

// One launch. Its arguments are words.
class UserKernelTask final : public KernelTask {
 public:
  UserKernelTask(const char* name, Device& device, const rtc::UserKernel& kernel, const cuda::CudaDevice::Launch& shape,
                 size_t arguments)
      : KernelTask(name, device), kernel_(kernel), shape_(shape), words_(arguments), parameters_(arguments) {
    leaves_gaps_ = true;
    for (size_t i = 0; i < arguments; ++i) parameters_[i] = &words_[i];
    add_launch(kernel.function, parameters_.data(), shape);
  }

  void number(size_t i, uint64_t word) { words_[i] = word; }
  void tensor(size_t i, const View& view, bool written) {
    operands_.push_back({view, written});
    places_.push_back(i);
    add_address(&words_[i], view);
    if (!written) {
      reads(*view.storage);
      return;
    }
    follows(*view.storage);  // the kernel may add to what is there
    declare_output(*this, view);
  }
  void list_operands(std::vector<TaskOperand>* list) const override { *list = operands_; }
  Ref<OperatorTask> again(const Rebinding& memory) const override {
    auto made = make_ref<UserKernelTask>(name(), device(), kernel_, shape_, words_.size());
    for (size_t i = 0; i < words_.size(); ++i) made->number(i, words_[i]);
    for (size_t k = 0; k < operands_.size(); ++k) {
      View view = operands_[k].view;
      memory.move(&view);
      made->tensor(places_[k], view, operands_[k].written);
    }
    return made;
  }

 private:
  const rtc::UserKernel& kernel_;
  const cuda::CudaDevice::Launch shape_;
  std::vector<uint64_t> words_;
  std::vector<void*> parameters_;
  std::vector<TaskOperand> operands_;
  std::vector<size_t> places_;  // of the operands among the arguments
};

std::vector<std::string> split(const char* options) {
  std::vector<std::string> words;
  for (const char* at = options ? options : ""; *at;) {
    const char* end = at;
    while (*end && *end != ' ' && *end != '\n' && *end != '\t') ++end;
    if (end != at) words.emplace_back(at, end);
    at = *end ? end + 1 : end;
  }
  return words;
}

// After the text, one line per kernel that does not compile unless the kernel is what its declaration says. The
// compiler's message then names the declaration.
std::string checks(const std::vector<KernelDeclaration>& declarations) {
  std::string text;
  for (size_t i = 0; i < declarations.size(); ++i)
    text += format("\n#line 1 \"kernels[%zu]\"\n", i) +
            format("typedef decltype(static_cast<void (*)(%s)>(&%s)) rondo_declared_%zu;\n",
                   declarations[i].parameters_text.c_str(), declarations[i].name.c_str(), i);
  return text;
}

// 0 means 1, as for every option that is not set.
Status launch_shape(const rtc::UserKernel& kernel, const rondo_launch_options& options,
                    cuda::CudaDevice::Launch* shape) {
  const struct {
    const char* name;
    uint32_t value;
    uint32_t most;
    unsigned* to;
  } sizes[] = {
      {"grid_x", options.grid_x, INT32_MAX, &shape->grid[0]}, {"grid_y", options.grid_y, 65535, &shape->grid[1]},
      {"grid_z", options.grid_z, 65535, &shape->grid[2]},     {"block_x", options.block_x, 1024, &shape->block[0]},
      {"block_y", options.block_y, 1024, &shape->block[1]},   {"block_z", options.block_z, 64, &shape->block[2]}};
  for (const auto& each : sizes) {
    if (each.value > each.most)
      return error(RONDO_INVALID_ARGUMENT, "options->%s is %u; at most %u is possible", each.name, each.value,
                   each.most);
    *each.to = std::max(each.value, 1u);
  }
  const uint64_t threads = uint64_t{shape->block[0]} * shape->block[1] * shape->block[2];
  if (threads > static_cast<uint64_t>(kernel.max_threads))
    return error(RONDO_INVALID_ARGUMENT, "a block of %u x %u x %u threads; as compiled the kernel runs at most %d",
                 shape->block[0], shape->block[1], shape->block[2], kernel.max_threads);
  if (options.shared_bytes > static_cast<uint32_t>(kernel.max_dynamic_shared))
    return error(RONDO_INVALID_ARGUMENT,
                 "options->shared_bytes is %u; beside what the kernel has of its own the device has %d",
                 options.shared_bytes, kernel.max_dynamic_shared);
  shape->shared_bytes = options.shared_bytes;
  return {};
}

}  // namespace

Status Module::create(Engine& engine, Device& device, const char* text, const char* kernels, const char* name,
                      const char* options, Ref<Module>* made) {
  if (device.is_host())
    return error(RONDO_UNSUPPORTED,
                 "device is %s, which does not run CUDA C++; an expression (rondo_expression_create) runs on every "
                 "device, and rondo_engine_push runs a function of the host",
                 device_name(device.id()).c_str());
  std::vector<KernelDeclaration> declarations;
  RONDO_TRY(parse_declarations(kernels, &declarations));
  rtc::UserSource source;
  source.file = name ? name : "module";
  source.text = text + checks(declarations);
  source.options = split(options);
  for (const KernelDeclaration& each : declarations) source.expressions.push_back(each.name);
  const rtc::UserModule* loaded = nullptr;
  RONDO_TRY(rtc::find_user_module(static_cast<cuda::CudaDevice&>(device), source, &loaded));
  auto module = make_ref<Module>();
  module->engine_ = Ref<Engine>::share(&engine);
  module->device_ = &device;
  module->name_ = Engine::intern(source.file.c_str());
  for (size_t i = 0; i < declarations.size(); ++i) {
    const char* const task_name = Engine::intern(declarations[i].name.c_str());
    module->kernels_.push_back({std::move(declarations[i]), task_name, &loaded->kernels[i]});
  }
  *made = std::move(module);
  return {};
}

Status Module::launch(const char* kernel, std::span<const rondo_argument> arguments,
                      const rondo_launch_options& options) const {
  const auto found = std::find_if(kernels_.begin(), kernels_.end(),
                                  [kernel](const Kernel& each) { return each.declaration.name == kernel; });
  if (found == kernels_.end()) {
    std::string names;
    for (const Kernel& each : kernels_) names += (names.empty() ? "" : ", ") + each.declaration.name;
    return error(RONDO_INVALID_ARGUMENT, "kernel is '%s', which '%s' was not created with; its kernels are %s", kernel,
                 name_, names.c_str());
  }
  const std::vector<KernelParameter>& parameters = found->declaration.parameters;
  if (arguments.size() != parameters.size())
    return error(RONDO_INVALID_ARGUMENT, "n_arguments is %zu; kernel '%s' takes %zu", arguments.size(), kernel,
                 parameters.size());
  cuda::CudaDevice::Launch shape;
  RONDO_TRY(launch_shape(*found->code, options, &shape));
  auto task = make_ref<UserKernelTask>(found->task_name, *device_, *found->code, shape, arguments.size());
  task->priority = options.priority;
  task->stream_hint = options.stream;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const rondo_argument& given = arguments[i];
    const KernelParameter& wanted = parameters[i];
    const std::string name = format("arguments[%zu]", i) + (wanted.name.empty() ? "" : " (" + wanted.name + ")");
    if (given.name && !wanted.name.empty() && wanted.name != given.name)
      return error(RONDO_INVALID_ARGUMENT, "arguments[%zu] is named '%s'; the parameter of '%s' there is '%s'", i,
                   given.name, kernel, wanted.name.c_str());
    if (wanted.pointer != (given.kind == RONDO_ARGUMENT_TENSOR))
      return error(RONDO_INVALID_ARGUMENT, "%s is %s; the parameter is a %s, which takes %s", name.c_str(),
                   wanted.pointer ? "a number" : "a tensor", wanted.type.c_str(),
                   wanted.pointer ? "a tensor" : "a number");
    if (!wanted.pointer) {
      const Scalar number =
          given.kind == RONDO_ARGUMENT_INTEGER ? Scalar::of_i64(given.integer) : Scalar::of(given.scalar);
      uint64_t word = 0;
      if (!argument_word(wanted, number, &word))
        return error(RONDO_INVALID_ARGUMENT, "%s is %s, which the parameter's type, %s, does not hold", name.c_str(),
                     number.integer ? format("%lld", static_cast<long long>(number.i)).c_str()
                                    : format("%.17g", number.f).c_str(),
                     wanted.type.c_str());
      task->number(i, word);
      continue;
    }
    const View& view = given.tensor->view;
    if (&view.engine() != engine_.get())
      return error(RONDO_INVALID_ARGUMENT, "%s belongs to another engine than the module", name.c_str());
    if (&view.device() != device_)
      return error(RONDO_INVALID_ARGUMENT, "%s is on %s and the module on %s; copy it with rondo_copy_to first",
                   name.c_str(), device_name(view.device().id()).c_str(), device_name(device_->id()).c_str());
    if (view.accumulate)
      return error(RONDO_INVALID_ARGUMENT,
                   "%s is an accumulator view, which only operators add to; give the tensor itself", name.c_str());
    if (!accepts(wanted, view.dtype))
      return error(RONDO_INVALID_ARGUMENT, "%s has dtype %s; the parameter is a %s", name.c_str(),
                   dtype_name(view.dtype), wanted.type.c_str());
    if (!view.layout.contiguous() && !(options.flags & RONDO_LAUNCH_STRIDED))
      return error(RONDO_INVALID_ARGUMENT,
                   "%s is not contiguous, and a kernel is given the address only: rondo_copy makes a contiguous "
                   "tensor; RONDO_LAUNCH_STRIDED says that the kernel knows the strides",
                   name.c_str());
    RONDO_TRY(wanted.written ? check_writable(name.c_str(), view) : check_written(name.c_str(), view));
    task->tensor(i, view, wanted.written);
  }
  return engine_->submit(std::move(task));
}

}  // namespace rondo::ops
