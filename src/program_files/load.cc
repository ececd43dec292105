// Opens a program file: finds its text among the metadata, reads it, and compares its weights with the tensors that the
// file has.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "program_files/load.h"

#include "base/text.h"
#include "models/json.h"

namespace rondo::program_files {

using models::shown;

Status ProgramFile::open(const char* path, Ref<ProgramFile>* file) {
  const Ref<ProgramFile> opened = make_ref<ProgramFile>();
  RONDO_TRY(models::ModelFile::open(path, &opened->data_));
  RONDO_TRY(opened->data_->about(opened->read()));
  *file = opened;
  return {};
}

Status ProgramFile::read() {
  for (const auto& [key, value] : data_->header().metadata)
    if (key == kProgramKey)
      text_ = &value;
    else
      metadata_.emplace_back(key, value);
  if (!text_) return error(RONDO_IO_ERROR, "its metadata have no '%s': it has tensors and no program", kProgramKey);
  RONDO_TRY(read_program(*text_, &program_));
  if (program_.weights.size() != data_->header().entries.size())
    return error(RONDO_IO_ERROR, "its program has %zu weights, and the file %zu tensors", program_.weights.size(),
                 data_->header().entries.size());
  for (const Declared& each : program_.weights) {
    const auto found = data_->header().by_name.find(each.name);
    if (found == data_->header().by_name.end())
      return error(RONDO_IO_ERROR, "the weight '%s' of its program is not in it", shown(each.name).c_str());
    const models::Entry& entry = data_->header().entries[found->second];
    if (entry.rondo_dtype != each.dtype || entry.ndim != each.shape.ndim ||
        !std::equal(entry.shape, entry.shape + each.shape.ndim, each.shape.shape))
      return error(RONDO_IO_ERROR, "the weight '%s' of its program is %s %s, and the tensor is not",
                   shown(each.name).c_str(), dtype_name(each.dtype), shape_text(each.shape).c_str());
  }
  return {};
}

namespace {

Status load_weight(const ProgramFile& file, const Declared& weight, Engine& engine, Device& device,
                   TensorHandle* tensor) {
  rondo_tensor* made = nullptr;
  {
    ops::Output out(&made);
    RONDO_TRY(models::load(file.data(), weight.name.c_str(), engine, device, out));
  }
  tensor->reset(made);
  return {};
}

}  // namespace

Status ProgramFile::share_weights(Engine& engine, Device& device, SharedTensors* shared) const {
  const std::lock_guard lock(mutex_);
  std::erase_if(shared_, [](const Shared& each) { return each.weights.expired(); });
  for (const Shared& each : shared_)
    if (each.engine == &engine && each.device == &device)
      if ((*shared = each.weights.lock())) return {};
  auto loaded = std::make_shared<std::vector<TensorHandle>>();
  for (const Declared& each : program_.weights) {
    TensorHandle& tensor = loaded->emplace_back();
    if (!each.state) RONDO_TRY(load_weight(*this, each, engine, device, &tensor));
  }
  *shared = loaded;
  shared_.push_back({&engine, &device, loaded});
  return {};
}

Status Instance::make(const Ref<ProgramFile>& file, Engine& engine, Device& device, Ref<Instance>* instance) {
  const Ref<Instance> made = make_ref<Instance>();
  made->file_ = file;
  RONDO_TRY(file->share_weights(engine, device, &made->shared_));
  const Program& program = file->program();
  for (size_t i = 0; i < program.weights.size(); ++i) {
    TensorHandle& tensor = made->weights_.emplace_back();
    if (program.weights[i].state)
      RONDO_TRY(load_weight(*file, program.weights[i], engine, device, &tensor));
    else
      tensor.reset(make_view((*made->shared_)[i]->storage, (*made->shared_)[i]->view));
  }
  for (const Function& each : program.functions)
    RONDO_TRY(
        file->data()->about(make_function(program, each, engine, device, made->weights_, &made->graphs_.emplace_back())
                                .with_context("function '" + shown(each.name) + "'")));
  *instance = made;
  return {};
}

}  // namespace rondo::program_files
