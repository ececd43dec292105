// What the tests of model files share: a folder of their own, files as bytes, handles. Copyright 2026 the Rondo
// developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "harness.h"

namespace conformance {

struct ModelFileDeleter {
  void operator()(rondo_model_file* file) const { rondo_model_file_destroy(file); }
};
using ModelFile = std::unique_ptr<rondo_model_file, ModelFileDeleter>;

inline ModelFile open_model(const std::string& path) {
  rondo_model_file* file = nullptr;
  must(rondo_model_file_open(path.c_str(), &file));
  return ModelFile(file);
}

// A file of the format from its two parts.
inline std::string file_bytes(const std::string& header, const std::string& data) {
  const uint64_t length = header.size();
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes + header + data;
}

class OnModelFiles : public OnEngine {
 protected:
  void SetUp() override {
    OnEngine::SetUp();
    std::string pattern = (std::filesystem::temp_directory_path() / "rondo_models_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    std::filesystem::remove_all(folder_);
    OnEngine::TearDown();
  }
  std::string path(const std::string& name = "model.safetensors") const { return folder_ / name; }
  std::string put(const std::string& bytes, const std::string& name = "model.safetensors") const {
    std::ofstream(path(name), std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path(name);
  }
  static std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  size_t files() const { return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder_), {})); }

  using Named = std::vector<std::pair<std::string, rondo_tensor*>>;
  using Texts = std::vector<std::pair<std::string, std::string>>;
  static rondo_status write(const std::string& path, const Named& tensors, const Texts& metadata = {}) {
    std::vector<const char*> names, keys, values;
    std::vector<rondo_tensor*> handles;
    for (const auto& [name, tensor] : tensors) {
      names.push_back(name.c_str());
      handles.push_back(tensor);
    }
    for (const auto& [key, value] : metadata) {
      keys.push_back(key.c_str());
      values.push_back(value.c_str());
    }
    return rondo_model_file_write(path.c_str(), names.data(), handles.data(), handles.size(), keys.data(),
                                  values.data(), keys.size());
  }
  Tensor load(const ModelFile& file, const std::string& name) const {
    return make(rondo_model_file_load, file.get(), name.c_str(), engine(), device());
  }
  struct Listed {
    std::string name;
    rondo_model_tensor_info info;
  };
  static std::vector<Listed> list(const ModelFile& file) {
    rondo_model_file_info facts = RONDO_MODEL_FILE_INFO_INIT;
    must(rondo_model_file_query(file.get(), &facts));
    std::vector<Listed> all;
    for (int64_t i = 0; i < facts.tensors; ++i) {
      const char* name = nullptr;
      rondo_model_tensor_info info = RONDO_MODEL_TENSOR_INFO_INIT;
      must(rondo_model_file_tensor(file.get(), i, &name, &info));
      all.push_back({name, info});
    }
    return all;
  }

  std::filesystem::path folder_;
};

}  // namespace conformance
