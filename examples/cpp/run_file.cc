// Calls functions of any program file, one after the other, on tensors of a safetensors file, and writes what the last
// one gives. States are the instance's, so a step of training that is named three times is three steps.
// usage: run_file DEVICE PROGRAM INPUTS OUTPUTS FUNCTION...
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>
#include <rondo/rondo.hpp>
#include <string>
#include <vector>

int main(int argc, char** argv) try {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 5) {
    std::fprintf(stderr, "usage: run_file DEVICE PROGRAM INPUTS OUTPUTS FUNCTION...\n");
    return 2;
  }
  rondo_device device = {RONDO_CPU, 0};
  rondo::throw_on_failure(rondo_device_parse(words[0].c_str(), &device));
  const rondo::Engine engine;
  const rondo::Program program(words[1]);
  const rondo::ProgramInstance instance = program.instance(engine, device);
  const rondo::ModelFile given(words[2]);
  for (size_t i = 4; i < words.size(); ++i) {
    const auto number = static_cast<size_t>(program.find(words[i]));
    const rondo::Program::Function function = program.functions()[number];
    std::vector<rondo::Tensor> inputs;
    for (const auto& each : function.inputs) inputs.push_back(given.load(each.name, engine, device));
    const std::vector<rondo::Tensor> made = instance.call(function.name, inputs);
    std::vector<std::pair<std::string, rondo::Tensor>> outputs;
    for (size_t k = 0; k < made.size(); ++k) outputs.emplace_back(function.outputs[k].name, made[k]);
    if (i + 1 == words.size()) rondo::write_model_file(words[3], outputs);
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "run_file: %s\n", error.what());
  return 1;
}
