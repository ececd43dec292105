// Model files. Part of rondo.hpp, which says what holds for all of it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_MODELS_HPP
#define RONDO_HPP_MODELS_HPP

#include <rondo/hpp/engine.hpp>

namespace rondo {
inline namespace abi_0 {

class ModelFile : public Owner<rondo_model_file, rondo_model_file_destroy> {
 public:
  using Owner::Owner;
  explicit ModelFile(const std::string& path) : Owner(open(path)) {}

  rondo_model_file_info info() const {
    rondo_model_file_info info = RONDO_MODEL_FILE_INFO_INIT;
    throw_on_failure(rondo_model_file_query(get(), &info));
    return info;
  }
  struct Entry {
    std::string name;
    rondo_model_tensor_info info;
  };
  Entry entry(int64_t index) const {
    Entry entry = {std::string(), RONDO_MODEL_TENSOR_INFO_INIT};
    const char* name = nullptr;
    throw_on_failure(rondo_model_file_tensor(get(), index, &name, &entry.info));
    entry.name = name;
    return entry;
  }
  // In the order of their data.
  std::vector<Entry> entries() const {
    std::vector<Entry> all;
    all.reserve(static_cast<size_t>(info().tensors));
    for (int64_t i = 0, n = info().tensors; i < n; ++i) all.push_back(entry(i));
    return all;
  }
  int64_t find(const std::string& name) const {
    int64_t index = 0;
    throw_on_failure(rondo_model_file_find(get(), name.c_str(), &index));
    return index;
  }
  std::vector<std::pair<std::string, std::string>> metadata() const {
    std::vector<std::pair<std::string, std::string>> all;
    for (int64_t i = 0, n = info().metadata; i < n; ++i) {
      const char *key = nullptr, *value = nullptr;
      throw_on_failure(rondo_model_file_metadata(get(), i, &key, &value));
      all.emplace_back(key, value);
    }
    return all;
  }
  Tensor load(const std::string& name, const Engine& engine, rondo_device device) const {
    return Tensor::made_by(engine.get(), [&](rondo_tensor** out) {
      return rondo_model_file_load(get(), name.c_str(), engine.get(), device, out);
    });
  }
  void load_into(const std::string& name, const Engine& engine, const Tensor& out) const {
    const rondo_device device = out.info().device;
    detail::into(out, [&](rondo_tensor** given) {
      return rondo_model_file_load(get(), name.c_str(), engine.get(), device, given);
    });
  }

 private:
  static rondo_model_file* open(const std::string& path) {
    rondo_model_file* file = nullptr;
    throw_on_failure(rondo_model_file_open(path.c_str(), &file));
    return file;
  }
};

inline void write_model_file(const std::string& path, const std::vector<std::pair<std::string, Tensor>>& tensors,
                             const std::vector<std::pair<std::string, std::string>>& metadata = {}) {
  std::vector<const char*> names, keys, values;
  std::vector<rondo_tensor*> handles;
  for (const auto& [name, tensor] : tensors) {
    names.push_back(name.c_str());
    handles.push_back(tensor.get());
  }
  for (const auto& [key, value] : metadata) {
    keys.push_back(key.c_str());
    values.push_back(value.c_str());
  }
  throw_on_failure(rondo_model_file_write(path.c_str(), names.data(), handles.data(), handles.size(), keys.data(),
                                          values.data(), keys.size()));
}

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_MODELS_HPP
