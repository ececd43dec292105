// Loads the weights of a program file into the host's memory, and writes them anew with the program's text.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tools/program_write.h"

#include "capi/programs.h"
#include "program_files/save.h"

namespace rondo::tools {

Status write_with_weights(const rondo_program& program, const rondo_engine& engine, const std::string& path,
                          const std::string& weights) {
  const program_files::ProgramFile& file = *program.file;
  Device* host = nullptr;
  RONDO_TRY(get_device({RONDO_CPU, 0}, &host));
  const std::vector<program_files::Declared>& declared = file.program().weights;
  std::vector<program_files::TensorHandle> loaded(declared.size());
  std::vector<models::NamedTensor> tensors;
  for (size_t i = 0; i < loaded.size(); ++i) {
    RONDO_TRY(file.load(i, *engine.engine, *host, &loaded[i]));
    tensors.push_back({declared[i].name, loaded[i]->view});
  }
  return program_files::save_text(path.c_str(), {weights, {}}, std::move(tensors), file.all_metadata(), file.text());
}

}  // namespace rondo::tools
