// Opens a program file: finds its text among the metadata, or in JSON alone, reads it, and compares its weights with
// the tensors that the file has, or those that the JSON names.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "program_files/load.h"

#include "base/text.h"
#include "graph/recording.h"
#include "models/json.h"
#include "program_files/check.h"
#include "program_files/save.h"
#include "rtc/unkept.h"

namespace rondo::program_files {

using models::excerpt;

Status ProgramFile::open(const char* path, std::string* bytes, Ref<ProgramFile>* file) {
  const Ref<ProgramFile> opened = make_ref<ProgramFile>();
  RONDO_TRY(opened->open(path, bytes));
  *file = opened;
  return {};
}

Status ProgramFile::open(const char* path, std::string* bytes) {
  shared_->name = path;
  bool alone = false;
  models::ProgramJson read;
  RONDO_TRY(models::open_program_json(path, bytes, &alone, &read));
  if (!alone) {
    models::ExternalFile& file = read.files.emplace_back();
    RONDO_TRY(models::ModelFile::open(path, &file.file, false, bytes));
    for (const auto& each : file.file->header().metadata)
      if (each.first == kProgramKey)
        read.text = each.second;
      else
        read.metadata.push_back(each);
  }
  const auto is_program = [](const auto& each) { return each.first == kProgramKey; };
  if (alone && std::any_of(read.metadata.begin(), read.metadata.end(), is_program))
    return about(error(RONDO_IO_ERROR, "its metadata have '%s', which stands for the program of a file with weights",
                       kProgramKey));
  text_ = std::move(read.text);
  metadata_ = std::move(read.metadata);
  for (auto each = metadata_.begin(); each != metadata_.end(); ++each)
    if (each->first == kCheckKey) {
      check_ = std::move(each->second);
      metadata_.erase(each);
      break;
    }
  shared_->files = std::move(read.files);
  return about(find_weights(alone));
}

Status ProgramFile::find_weights(bool alone) {
  if (text_.empty())
    return alone ? error(RONDO_IO_ERROR, "it has no program")
                 : error(RONDO_IO_ERROR, "its metadata have no '%s': it has tensors and no program", kProgramKey);
  {
    const MakingScope limited(*shared_->making);
    RONDO_TRY(read_program(text_, nullptr, &program_));
  }
  size_t tensors = 0;
  for (const models::ExternalFile& each : shared_->files) tensors += each.file->header().entries.size();
  if (!alone && program_.weights.size() != tensors)
    return error(RONDO_IO_ERROR, "its program has %zu weights, and the file %zu tensors", program_.weights.size(),
                 tensors);
  for (const Declared& each : program_.weights) {
    const models::TensorEntry* entry = nullptr;
    for (size_t i = 0; i < shared_->files.size(); ++i) {
      const models::Header& header = shared_->files[i].file->header();
      const auto found = header.by_name.find(each.name);
      if (found == header.by_name.end()) continue;
      if (entry) return error(RONDO_IO_ERROR, "two files have its weight '%s'", excerpt(each.name).c_str());
      entry = &header.entries[found->second];
      shared_->file_of.push_back(i);
    }
    if (!entry)
      return error(RONDO_IO_ERROR, "the weight '%s' of its program is not in %s", excerpt(each.name).c_str(),
                   alone ? "its files" : "it");
    if (entry->rondo_dtype != each.dtype || entry->ndim != each.shape.ndim ||
        !std::equal(entry->shape, entry->shape + each.shape.ndim, each.shape.shape))
      return error(RONDO_IO_ERROR, "the weight '%s' of its program is %s %s, and the tensor is not",
                   excerpt(each.name).c_str(), dtype_name(each.dtype), shape_text(each.shape).c_str());
  }
  // Each file that is named is compared with its digest when an instance is made, for it has a weight.
  for (size_t i = 0; alone && i < shared_->files.size(); ++i)
    if (std::find(shared_->file_of.begin(), shared_->file_of.end(), i) == shared_->file_of.end())
      return shared_->files[i].file->about(error(RONDO_IO_ERROR, "it has none of the weights of the program"));
  return {};
}

models::Metadata ProgramFile::all_metadata() const {
  models::Metadata all = metadata_;
  if (!check_.empty()) all.emplace_back(kCheckKey, check_);
  return all;
}

Status ProgramFile::save_with_check(const char* path, Engine& engine, const std::string& check) const {
  Device* host = nullptr;
  RONDO_TRY(get_device({RONDO_CPU, 0}, &host));
  std::vector<TensorHandle> loaded(program_.weights.size());
  std::vector<models::NamedTensor> tensors;
  for (size_t i = 0; i < loaded.size(); ++i) {
    RONDO_TRY(load(i, engine, *host, &loaded[i]));
    tensors.push_back({program_.weights[i].name, loaded[i]->view});
  }
  models::ExternalWeights external;
  for (const models::ExternalFile& each : shared_->files)
    if (!each.digest.empty()) external.from.push_back(each.name);
  models::Metadata all = metadata_;
  all.emplace_back(kCheckKey, check);
  return save_text(path, external, std::move(tensors), all, text_);
}

Status ProgramFile::load(size_t weight, Engine& engine, Device& device, TensorHandle* tensor) const {
  const models::ExternalFile& file = shared_->files[shared_->file_of[weight]];
  if (!file.digest.empty()) RONDO_TRY(about(models::check_digest(file)));
  rondo_tensor* made = nullptr;
  {
    ops::Output out(&made);
    RONDO_TRY(models::load(file.file, program_.weights[weight].name.c_str(), engine, device, out));
  }
  tensor->reset(made);
  return {};
}

namespace {

Status check_size(const Dim& dim, int64_t size, const std::string& by) {
  if (size >= dim.least && size <= dim.most) return {};
  return error(RONDO_INVALID_ARGUMENT, "the size '%s' is %lld%s; %lld to %lld are possible", dim.name.c_str(),
               printable(size), by.c_str(), printable(dim.least), printable(dim.most));
}

}  // namespace

Status ProgramFile::share_weights(Engine& engine, Device& device, const std::vector<bool>& replaced,
                                  SharedTensors* shared) const {
  const std::lock_guard lock(shared_->mutex);
  std::vector<Shared::Loaded>& all = shared_->loaded;
  std::erase_if(all, [](const Shared::Loaded& each) {
    return std::all_of(each.weights.begin(), each.weights.end(), [](const auto& weight) { return weight.expired(); });
  });
  auto here = std::find_if(all.begin(), all.end(), [&](const Shared::Loaded& each) {
    return each.engine == &engine && each.device == &device;
  });
  const size_t count = program_.weights.size();
  if (here == all.end()) {
    all.push_back({&engine, &device, {}});
    here = all.end() - 1;
    here->weights.resize(count);
  }
  for (size_t i = 0; i < count; ++i) {
    std::shared_ptr<const TensorHandle>& weight = shared->emplace_back(here->weights[i].lock());
    const Declared& each = program_.weights[i];
    if (weight || each.state || replaced[i]) continue;
    TensorHandle loaded;
    RONDO_TRY(load(i, engine, device, &loaded));
    weight = std::make_shared<const TensorHandle>(std::move(loaded));
    here->weights[i] = weight;
  }
  return {};
}

Status ProgramFile::bind(const std::vector<int64_t>& sizes, Ref<ProgramFile>* bound) const {
  for (size_t i = 0; i < program_.dims.size(); ++i) RONDO_TRY(check_size(program_.dims[i], sizes[i], ""));
  const MakingScope limited(*shared_->making);
  const Ref<ProgramFile> made = make_ref<ProgramFile>();
  made->metadata_ = metadata_;
  made->shared_ = shared_;
  RONDO_TRY(about(read_program(text_, &sizes, &made->program_).with_context("at " + sizes_text(program_.dims, sizes))));
  fix_sizes(&made->program_);
  made->text_ = write_program(made->program_);
  *bound = made;
  return {};
}

Status ProgramFile::find_sizes(const Function& function, const Device& device, std::span<rondo_tensor* const> inputs,
                               std::vector<int64_t>* sizes) const {
  for (size_t i = 0; i < inputs.size(); ++i)
    if (const Device& on = inputs[i]->view.device(); &on != &device)
      return error(RONDO_INVALID_ARGUMENT, "inputs[%zu] is on %s; the instance is on %s", i,
                   device_name(on.id()).c_str(), device_name(device.id()).c_str());
  if (inputs.size() != function.inputs.size())
    return error(RONDO_INVALID_ARGUMENT, "n_inputs is %zu; function '%s' has %zu", inputs.size(),
                 excerpt(function.name).c_str(), function.inputs.size());
  sizes->assign(program_.dims.size(), -1);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Declared& declared = function.inputs[i];
    const View& view = inputs[i]->view;
    if (view.dtype != declared.dtype || view.layout.ndim != declared.shape.ndim)
      return error(RONDO_INVALID_ARGUMENT, "inputs[%zu] ('%s') is %s %s; %s with %d axes is needed", i,
                   excerpt(declared.name).c_str(), dtype_name(view.dtype), shape_text(view.layout).c_str(),
                   dtype_name(declared.dtype), declared.shape.ndim);
    for (size_t d = 0; d < declared.axes.size(); ++d)
      for (size_t k = 0; k < program_.dims.size(); ++k) {
        const int64_t times = times_of(declared.axes[d], program_.dims[k].name), size = view.layout.shape[d];
        if (times == 0 || (*sizes)[k] >= 0) continue;
        const std::string by = format("inputs[%zu] ('%s')", i, excerpt(declared.name).c_str()),
                          is = times == 1 ? "" : format(", whose axis %zu is %s", d, declared.axes[d].c_str());
        if (size % times != 0)
          return error(RONDO_INVALID_ARGUMENT, "%s has %lld along axis %zu, which is %s; a multiple of %lld is needed",
                       by.c_str(), printable(size), d, declared.axes[d].c_str(), printable(times));
        (*sizes)[k] = size / times;
        RONDO_TRY(check_size(program_.dims[k], (*sizes)[k], ", by " + by + is));
      }
  }
  for (size_t k = 0; k < sizes->size(); ++k)
    if ((*sizes)[k] < 0) (*sizes)[k] = program_.dims[k].most;  // nothing varies with it
  Sizes at(program_.dims, *sizes);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Declared& declared = function.inputs[i];
    Layout wanted = declared.shape;
    for (size_t d = 0; d < declared.axes.size(); ++d)
      if (!declared.axes[d].empty()) RONDO_TRY(at.read(declared.axes[d], &wanted.shape[d]));
    if (!wanted.same_shape(inputs[i]->view.layout))
      return error(RONDO_INVALID_ARGUMENT, "inputs[%zu] ('%s') has the shape %s; with %s it is %s", i,
                   excerpt(declared.name).c_str(), shape_text(inputs[i]->view.layout).c_str(),
                   sizes_text(program_.dims, *sizes).c_str(), shape_text(wanted).c_str());
  }
  return {};
}

namespace {

int64_t bytes_of(const Declared& each) {
  return each.shape.elements() * static_cast<int64_t>(dtype_size(each.dtype));
}

// As many as there can be if there are more.
void add_bytes(int64_t* all, int64_t more) {
  if (__builtin_add_overflow(*all, more, all)) *all = INT64_MAX;
}

}  // namespace

Status ProgramFile::measure(Engine& engine, Device& device, MemoryNeed* need) const {
  const rtc::Unkept unkept(!trusted());
  const MakingScope limited(*shared_->making);
  std::vector<TensorHandle> weights;
  for (const Declared& each : program_.weights) {
    add_bytes(each.state ? &need->states : &need->weights, bytes_of(each));
    Ref<Storage> storage;
    const View view = make_temporary(engine, device, each.dtype, each.shape, &storage);  // without memory
    weights.emplace_back(make_view(storage, view));
  }
  const auto budget = std::make_shared<Budget>(0, kMostSteps, shared_->making, true);
  const std::vector<uint32_t> no_extra;
  for (const Function& each : program_.functions) {
    Ref<Graph> graph;
    int64_t bytes = 0;
    // mutation: kernels_not_made_ahead
    RONDO_TRY(about(make_function({program_, each, engine, device, weights, budget, 0, no_extra}, &graph, &bytes)
                        .with_context("function '" + excerpt(each.name) + "'")));
    add_bytes(&need->graphs, bytes);
  }
  return {};
}

// Before they are loaded. Those that the caller gives are the caller's.
Status Instance::budget_weights(const InstanceOptions& options) {
  int64_t bytes = 0;
  for (const Declared& each : file_->program().weights)
    if (std::none_of(options.weights.begin(), options.weights.end(),
                     [&](const models::NamedTensor& given) { return given.name == each.name; }))
      add_bytes(&bytes, bytes_of(each));
  of_weights_ = std::make_unique<Budget::Share>(budget_);
  return of_weights_->take_bytes(bytes, "the file with its weights");
}

Status Instance::make_room(const RunLimit* limit) const {
  for (const Callee& each : functions_)
    if (each.callable) RONDO_TRY(each.callable->clear_and_wait(limit));
  return {};
}

// Those of the options stand in place of the file's.
Status Instance::load_weights(const InstanceOptions& options) {
  const std::vector<Declared>& declared = file_->program().weights;
  std::vector<const View*> given(declared.size(), nullptr);
  for (const models::NamedTensor& each : options.weights) {
    size_t i = 0;
    while (i < declared.size() && declared[i].name != each.name) ++i;
    const char* const name = "the weight '%s' %s";
    const std::string shown_name = excerpt(each.name);
    if (i == declared.size()) return error(RONDO_INVALID_ARGUMENT, name, shown_name.c_str(), "is not the program's");
    if (given[i]) return error(RONDO_INVALID_ARGUMENT, name, shown_name.c_str(), "is given twice");
    const View& view = each.view;
    if (view.dtype != declared[i].dtype || !view.layout.same_shape(declared[i].shape))
      return error(RONDO_INVALID_ARGUMENT, "the weight '%s' is %s %s; what is given is %s %s", shown_name.c_str(),
                   dtype_name(declared[i].dtype), shape_text(declared[i].shape).c_str(), dtype_name(view.dtype),
                   shape_text(view.layout).c_str());
    if (&view.engine() != engine_.get() || &view.device() != device_)
      return error(RONDO_INVALID_ARGUMENT, name, shown_name.c_str(), "is given on another engine or device");
    if (view.accumulate || view.offset != 0 || !view.layout.contiguous() || view.bytes() != view.storage->bytes())
      return error(RONDO_INVALID_ARGUMENT, name, shown_name.c_str(),
                   "is given as a part of a tensor, or not row-major; give a copy");
    given[i] = &view;
  }
  std::vector<bool> replaced;
  for (const View* each : given) replaced.push_back(each != nullptr);
  RONDO_TRY(file_->share_weights(*engine_, *device_, replaced, &shared_));
  auto weights = std::make_shared<std::vector<TensorHandle>>();
  for (size_t i = 0; i < declared.size(); ++i) {
    TensorHandle& tensor = weights->emplace_back();
    if (given[i])
      tensor.reset(make_view(Ref<Storage>::share(given[i]->storage), *given[i]));
    else if (declared[i].state)
      RONDO_TRY(file_->load(i, *engine_, *device_, &tensor));
    else
      tensor.reset(make_view((*shared_[i])->storage, (*shared_[i])->view));
  }
  weights_ = std::move(weights);
  return {};
}

Status Instance::make(const Ref<ProgramFile>& file, Engine& engine, Device& device, const InstanceOptions& options,
                      Ref<Instance>* instance) {
  const rtc::Unkept unkept(!file->trusted());
  const MakingScope limited(file->making());
  const Ref<Instance> made = make_ref<Instance>();
  made->file_ = file;
  made->engine_ = Ref<Engine>::share(&engine);
  made->device_ = &device;
  made->budget_ = std::make_shared<Budget>(options.most_bytes, kMostSteps, file->shared_making());
  RONDO_TRY(file->about(made->budget_weights(options)));
  RONDO_TRY(made->load_weights(options));
  const Program& program = file->program();
  RONDO_TRY(made->check_smallest(options));
  for (size_t i = 0; i < program.functions.size(); ++i) {
    const Function& each = program.functions[i];
    Callee& callee = made->functions_.emplace_back();
    callee.outputs = each.outputs.size() + options.extra[i].size();
    if (each.sizes)
      callee.callable = made->make_callable(i, options);
    else
      RONDO_TRY(
          file->about(make_function({program, each, engine, device, made->weights(), made->budget_, options.most_turns,
                                     options.extra[i], options.callables.arenas, options.host_decides},
                                    &callee.graph)
                          .with_context("function '" + excerpt(each.name) + "'")));
  }
  *instance = made;
  return {};
}

Status Instance::save(const char* path, const models::ExternalWeights& external) const {
  std::vector<models::NamedTensor> tensors;
  for (size_t i = 0; i < weights_->size(); ++i)
    tensors.push_back({file_->program().weights[i].name, (*weights_)[i]->view});
  return save_text(path, external, std::move(tensors), file_->metadata(), file_->text());
}

// Functions whose sizes vary are made once at the smallest, as others are now, and then at each call's.
Status Instance::check_smallest(const InstanceOptions& options) const {
  const std::vector<Function>& functions = file_->program().functions;
  if (std::none_of(functions.begin(), functions.end(), [](const Function& each) { return each.sizes != 0; })) return {};
  std::vector<int64_t> sizes;
  for (const Dim& each : file_->program().dims) sizes.push_back(each.least);
  Program program;
  Status status = read_program(file_->text(), &sizes, &program);
  for (size_t i = 0; status.ok() && i < functions.size(); ++i) {
    if (!functions[i].sizes) continue;
    Ref<Graph> graph;
    status = make_function({program, program.functions[i], *engine_, *device_, weights(), budget_, options.most_turns,
                            options.extra[i]},
                           &graph)
                 .with_context("function '" + excerpt(functions[i].name) + "'");
  }
  return file_->about(status.with_context("at " + sizes_text(file_->program().dims, sizes)));
}

// Its function reads the program anew at the sizes of its inputs.
Ref<Callable> Instance::make_callable(size_t function, const InstanceOptions& options) const {
  const Function& of = file_->program().functions[function];
  rondo_callable_options chosen = options.callables;
  if (of.fewer_roundings) chosen.flags |= RONDO_CALLABLE_FEWER_ROUNDINGS;
  const std::vector<uint32_t>& extra = options.extra[function];
  const auto issue = [file = file_, &engine = *engine_, &device = *device_, shared = shared_, weights = weights_,
                      budget = budget_, function, most_turns = options.most_turns, extra,
                      host_decides = options.host_decides, pads = options.callables.pad_sizes[0] != 0](
                         int32_t n_inputs, rondo_tensor* const* inputs, int32_t, rondo_tensor** outputs) -> Status {
    const std::span given(inputs, static_cast<size_t>(n_inputs));
    std::vector<int64_t> sizes;
    // The call has looked at the sizes that were given: those that they were filled up to do not go.
    const Status found = file->find_sizes(file->program().functions[function], device, given, &sizes);
    if (!found.ok()) return pads ? found.with_context("filled up to a size of options->callables->pad_sizes") : found;
    if (!file->trusted()) keep_nothing(engine);
    Program program;
    Status status = read_program(file->text(), &sizes, &program);
    if (status.ok())
      status = issue_function(
          {program, program.functions[function], engine, device, *weights, budget, most_turns, extra, 0, host_decides},
          given, outputs);
    return file->about(status.with_context("at " + sizes_text(file->program().dims, sizes)));
  };
  return make_ref<Callable>(*engine_, Engine::intern(of.name.c_str()), chosen,
                            static_cast<int32_t>(of.outputs.size() + extra.size()), issue, Gradient::Grown(), budget_);
}

}  // namespace rondo::program_files
