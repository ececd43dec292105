// The steps of a conversion: read, give inputs their sizes, record, save under the model's names.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "onnx/convert.h"

#include <limits>
#include <string_view>

#include "onnx/converter.h"
#include "onnx/file/failure.h"

namespace rondo_onnx {

namespace {

// Says whether a program file may have this name of an input, an output or a weight, or this key of a text.
bool may_be_name(const std::string& name) {
  if (name.empty() || name.size() > 1024) return false;
  for (size_t i = 0; i < name.size();) {
    const size_t length = printable_character(std::string_view(name).substr(i));
    if (length == 0) return false;
    i += length;
  }
  return true;
}

void check_names(const std::vector<std::string>& names, const char* what) {
  std::map<std::string, bool> taken;
  for (const std::string& each : names) {
    if (taken[each]) throw Failure(RONDO_UNSUPPORTED, std::string("its ") + what + " " + shown(each) + " comes twice");
    taken[each] = true;
    if (!may_be_name(each))
      throw Failure(RONDO_UNSUPPORTED,
                    std::string("its ") + what + " " + shown(each) +
                        " has a name that program files cannot have: it must have 1 to 1024 bytes of "
                        "UTF-8 without control characters");
  }
}

void save(const Converter& converter, const Session& session, const Model& model, const rondo::Graph& graph,
          const std::string& out_path, const std::string& function) {
  check_names(converter.inputs(), "input");
  check_names(converter.outputs(), "output");
  std::vector<std::pair<std::string, Tensor>> weights;
  std::map<std::string, bool> taken;
  for (const auto& [variable, weight] : session.weights)
    if (weight.used && weight.whole.numel() > 0 && may_be_name(weight.name) && !taken[weight.name]) {
      taken[weight.name] = true;
      weights.emplace_back(weight.name, weight.whole);
    }
  std::vector<std::pair<std::string, std::string>> metadata;
  std::map<std::string, bool> keys;
  for (const auto& [key, value] : model.metadata) {
    if (key.compare(0, 6, "rondo.") == 0 || !may_be_name(key) || keys[key]) continue;
    keys[key] = true;
    if (value.find('\0') != std::string::npos)
      throw Failure(RONDO_UNSUPPORTED, "its text " + shown(key) + " has a zero byte, which program files cannot have");
    metadata.emplace_back(key, value);
  }
  try {
    rondo::save_program(out_path, {{function, graph, converter.inputs(), converter.outputs()}}, weights, metadata);
  } catch (const rondo::Error& error) {
    // Names are checked above. A weight of which only nothing is computed is not in the graph, and cannot be in a file.
    if (error.status() != RONDO_INVALID_ARGUMENT) throw;
    throw Failure(RONDO_UNSUPPORTED, error.message());
  }
}

}  // namespace

std::string convert(const std::string& path, const std::string& out_path, const ConvertOptions& options) {
  const uint64_t most =
      options.memory_limit > 0 ? static_cast<uint64_t>(options.memory_limit) : std::numeric_limits<uint64_t>::max();
  if (!may_be_name(options.function))
    throw Failure(RONDO_INVALID_ARGUMENT, "options->function is " + shown(options.function) +
                                              "; it must have 1 to 1024 bytes of UTF-8 without control characters");
  if (out_path.empty()) throw Failure(RONDO_INVALID_ARGUMENT, "out_path is empty");
  const std::string bytes = read_file(path, most);
  try {
    const Model model = read_model(bytes);
    rondo_engine_options engine = rondo::engine_defaults();
    engine.mode = RONDO_ENGINE_NAIVE;  // so that a failure is known at its node
    engine.check_indices = -1;
    engine.memory_limit = options.memory_limit;
    Session session(engine);
    session.path = path;
    Converter converter(model, session, options);
    converter.size_inputs();
    rondo_record_options record = rondo::record_defaults(options.function.c_str());
    record.flags = RONDO_RECORD_CALLABLE;
    if (options.fewer_roundings) record.flags |= RONDO_RECORD_FEWER_ROUNDINGS;
    const rondo::Graph graph = session.engine.record(
        [&] {
          converter.record();
          if (!converter.report().empty()) throw Failure(RONDO_UNSUPPORTED, converter.report().text());
        },
        record);
    save(converter, session, model, graph, out_path, options.function);
    std::string found;
    for (const auto& [name, times] : converter.findings()) found += name + ": " + std::to_string(times) + "\n";
    return found;
  } catch (const Failure& failure) {
    throw Failure(failure.status(), shown(path) + ": " + failure.what());
  } catch (const rondo::Error& error) {
    throw Failure(error.status(), shown(path) + ": " + error.message());
  }
}

}  // namespace rondo_onnx
