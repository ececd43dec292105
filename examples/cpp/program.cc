// A classifier of any number of rows that is saved as a program file, and called where nothing but the file is: by this
// program, or by those of the same name in C, Rust and Java. They write the same bytes.
// usage: program save FILE | call FILE [DEVICE]   "cpu" (without an argument) or "cuda:0"
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>
#include <rondo/rondo.hpp>
#include <string>
#include <vector>

namespace {

void save(const std::string& path) {
  const rondo_device device = {RONDO_CPU, 0};
  const rondo::Engine engine;
  const rondo::Tensor w = engine.from_host<float>(device, {{1, 0}, {0, 1}, {0.5, 0.5}});
  const rondo::Tensor b = engine.from_host<float>(device, {0, 0.25});

  rondo_record_options options = rondo::record_defaults();
  options.flags = RONDO_RECORD_CALLABLE;
  rondo_matmul_options biased = rondo::matmul_defaults();
  biased.bias = b.get();
  // It is called for a few numbers of rows, and the file takes any other.
  const auto record = [&](const std::vector<int64_t>& sizes) {
    return engine.record(
        [&] {
          const rondo::Tensor x = engine.record_input(device, RONDO_F32, {sizes[0], 3});
          engine.record_output(softmax(matmul(x, w, biased), 1));
        },
        options);
  };
  rondo::save_program_with_dims(path, {{"rows", 1, 64}}, {{"classify", record, {"pixels"}, {"scores"}}},
                                {{"w", w}, {"b", b}}, {{"labels", "cat dog"}});
}

// "pixels [rows, 3]"
std::string text(const rondo::Program& program, const rondo::Program::Value& value) {
  const std::vector<rondo::ProgramDim> dims = program.dims();
  std::string text = value.name + " [";
  for (int i = 0; i < value.info.ndim; ++i) {
    const int dim = value.info.dims[i];
    text += (i ? ", " : "") + (dim > 0 ? dims[static_cast<size_t>(dim) - 1].name : std::to_string(value.info.shape[i]));
  }
  return text + "]";
}

void call(const std::string& path, rondo_device device) {
  const rondo::Engine engine;
  const rondo::Program program(path);  // says what is in it before any weight is read
  const rondo::Program::Function function = program.functions().at(0);
  std::printf("%s: %s -> %s\n", function.name.c_str(), text(program, function.inputs.at(0)).c_str(),
              text(program, function.outputs.at(0)).c_str());
  for (const auto& [key, value] : program.metadata()) std::printf("%s: %s\n", key.c_str(), value.c_str());

  const rondo::ProgramInstance instance = program.instance(engine, device);
  const rondo::Tensor x = engine.from_host<float>(device, {{2, 0, 1}, {0, 2, 1}});
  const std::vector<float> scores = instance.call(function.name, {x}).at(0).read<float>();
  for (size_t i = 0; i + 1 < scores.size(); i += 2)
    std::printf("%.3f %.3f\n", static_cast<double>(scores[i]), static_cast<double>(scores[i + 1]));
}

}  // namespace

int main(int count, char** arguments) try {
  const std::vector<std::string> words(arguments + 1, arguments + count);
  if (words.size() == 2 && words[0] == "save") {
    save(words[1]);
  } else if ((words.size() == 2 || words.size() == 3) && words[0] == "call") {
    rondo_device device = {RONDO_CPU, 0};
    if (words.size() == 3) rondo::throw_on_failure(rondo_device_parse(words[2].c_str(), &device));
    call(words[1], device);
  } else {
    std::fprintf(stderr, "usage: program save FILE | call FILE [DEVICE]\n");
    return 2;
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "program: %s\n", error.what());
  return 1;
}
