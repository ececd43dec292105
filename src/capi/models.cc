// Opens, reads, describes and writes model files, after checking their handles and the caller's arguments.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "models/model_file.h"

#include <algorithm>
#include <cinttypes>

#include "capi/operators.h"
#include "capi/structs.h"
#include "engine/handle.h"
#include "models/save.h"

struct rondo_model_file {
  uint32_t magic = 0;
  rondo::Ref<rondo::models::ModelFile> file;
};

using namespace rondo;
using capi::guard_whole;

namespace {

using ModelFiles = HandleSlab<rondo_model_file, HandleKind::model_file>;

Status check_file(const rondo_model_file* file) {
  if (ModelFiles::alive(file)) return {};
  return capi::dead_handle("file", "model file", file);
}

Status check_index(int64_t index, size_t count, const char* what) {
  if (index >= 0 && static_cast<uint64_t>(index) < count) return {};
  return error(RONDO_INVALID_ARGUMENT, "index is %" PRId64 "; the file has %zu %s", index, count, what);
}

Status check_not_recording(const Engine& engine) {
  const Sink* sink = Engine::thread_sink();
  if (!sink || &sink->engine != &engine) return {};
  return error(RONDO_INVALID_STATE, "files cannot be recorded; read and write them before the recording or after it");
}

rondo_model_tensor_info describe(const models::TensorEntry& entry) {
  rondo_model_tensor_info facts = RONDO_MODEL_TENSOR_INFO_INIT;
  facts.loadable = entry.loadable();
  if (entry.rondo_dtype >= 0) facts.dtype = static_cast<rondo_dtype>(entry.rondo_dtype);
  facts.ndim = static_cast<int32_t>(entry.ndim);
  facts.bytes = static_cast<int64_t>(entry.end - entry.begin);
  std::copy_n(entry.shape, kMaxDims, facts.shape);
  entry.dtype.copy(facts.format_dtype, sizeof facts.format_dtype - 1);
  return facts;
}

// texts[i], by the name of its array.
Status text_at(const char* name, const char* const* texts, size_t i, std::string* text) {
  if (!texts) return capi::null_argument(name);
  if (!texts[i]) return error(RONDO_INVALID_ARGUMENT, "%s[%zu] is NULL", name, i);
  *text = texts[i];
  return {};
}

}  // namespace

extern "C" {

rondo_status rondo_model_file_open(const char* path, rondo_model_file** file) {
  return guard_whole("rondo_model_file_open", [&]() -> Status {
    RONDO_NOT_NULL(path);
    RONDO_NOT_NULL(file);
    Ref<models::ModelFile> opened;
    RONDO_TRY(models::ModelFile::open(path, &opened));
    *file = ModelFiles::create([&opened](rondo_model_file& handle) { handle.file = std::move(opened); });
    return {};
  });
}

void rondo_model_file_destroy(rondo_model_file* file) {
  if (!file) return;
  guard_whole("rondo_model_file_destroy", [&]() -> Status {
    Ref<models::ModelFile> last;
    return capi::destroy<ModelFiles>(file, "file", "model file",
                                     [&last](rondo_model_file& handle) { last = std::move(handle.file); });
  });
}

rondo_status rondo_model_file_query(rondo_model_file* file, rondo_model_file_info* info) {
  return guard_whole("rondo_model_file_query", [&]() -> Status {
    RONDO_TRY(check_file(file));
    rondo_model_file_info facts = RONDO_MODEL_FILE_INFO_INIT;
    facts.tensors = static_cast<int64_t>(file->file->header().entries.size());
    facts.metadata = static_cast<int64_t>(file->file->header().metadata.size());
    facts.bytes = static_cast<int64_t>(file->file->data_bytes());
    return capi::write_info("info", info, facts);
  });
}

rondo_status rondo_model_file_tensor(rondo_model_file* file, int64_t index, const char** name,
                                     rondo_model_tensor_info* info) {
  return guard_whole("rondo_model_file_tensor", [&]() -> Status {
    RONDO_TRY(check_file(file));
    RONDO_NOT_NULL(name);
    const auto& entries = file->file->header().entries;
    RONDO_TRY(check_index(index, entries.size(), "tensors"));
    const models::TensorEntry& entry = entries[static_cast<size_t>(index)];
    RONDO_TRY(capi::write_info("info", info, describe(entry)));
    *name = entry.name.c_str();
    return {};
  });
}

rondo_status rondo_model_file_find(rondo_model_file* file, const char* name, int64_t* index) {
  return guard_whole("rondo_model_file_find", [&]() -> Status {
    RONDO_TRY(check_file(file));
    RONDO_NOT_NULL(name);
    RONDO_NOT_NULL(index);
    const models::TensorEntry* entry = nullptr;
    RONDO_TRY(file->file->find(name, &entry));
    *index = entry - file->file->header().entries.data();
    return {};
  });
}

rondo_status rondo_model_file_metadata(rondo_model_file* file, int64_t index, const char** key, const char** value) {
  return guard_whole("rondo_model_file_metadata", [&]() -> Status {
    RONDO_TRY(check_file(file));
    RONDO_NOT_NULL(key);
    RONDO_NOT_NULL(value);
    const models::Metadata& metadata = file->file->header().metadata;
    RONDO_TRY(check_index(index, metadata.size(), "entries of metadata"));
    *key = metadata[static_cast<size_t>(index)].first.c_str();
    *value = metadata[static_cast<size_t>(index)].second.c_str();
    return {};
  });
}

rondo_status rondo_model_file_load(rondo_model_file* file, const char* name, rondo_engine* engine, rondo_device device,
                                   rondo_tensor** out) {
  return guard_whole("rondo_model_file_load", [&]() -> Status {
    RONDO_TRY(check_file(file));
    RONDO_NOT_NULL(name);
    RONDO_TRY(capi::check_engine(engine, "engine"));
    RONDO_TRY(capi::check_out(out));
    Engine& inner = *engine->engine;
    RONDO_TRY(inner.usable());
    RONDO_TRY(check_not_recording(inner));
    Device* found = nullptr;
    RONDO_TRY(get_device(device, &found));
    Engine::NotRecorded not_recorded;
    ops::Output output(out);
    return models::load(file->file, name, inner, *found, output);
  });
}

rondo_status rondo_model_file_write(const char* path, const char* const* names, rondo_tensor* const* tensors,
                                    size_t n_tensors, const char* const* keys, const char* const* values,
                                    size_t n_metadata) {
  return guard_whole("rondo_model_file_write", [&]() -> Status {
    RONDO_NOT_NULL(path);
    if (n_tensors) RONDO_NOT_NULL(tensors);
    std::vector<models::NamedTensor> named(n_tensors);
    for (size_t i = 0; i < n_tensors; ++i) {
      RONDO_TRY(text_at("names", names, i, &named[i].name));
      RONDO_TRY(capi::check_each(tensors, i, "tensors"));
      named[i].view = tensors[i]->view;
      RONDO_TRY(named[i].view.engine().usable());
      RONDO_TRY(check_not_recording(named[i].view.engine()));
      RONDO_TRY(ops::check_written(format("tensors[%zu]", i).c_str(), named[i].view));
    }
    models::Metadata metadata(n_metadata);
    for (size_t i = 0; i < n_metadata; ++i) {
      RONDO_TRY(text_at("keys", keys, i, &metadata[i].first));
      RONDO_TRY(text_at("values", values, i, &metadata[i].second));
    }
    if (Engine::in_task())
      return error(RONDO_INVALID_STATE,
                   "waiting inside a task is refused: the task may be what it would wait for; write outside");
    Engine::NotRecorded not_recorded;
    return models::save(path, std::move(named), metadata);
  });
}

}  // extern "C"
