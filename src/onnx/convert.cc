// The steps of a conversion: read, give inputs their sizes, record, save under the model's names.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "onnx/convert.h"

#include <functional>
#include <limits>
#include <string_view>

#include "onnx/converter.h"
#include "onnx/file/failure.h"
#include "onnx/temporary.h"

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
    if (taken[each])
      throw Failure(RONDO_UNSUPPORTED, std::string("its ") + what + " " + excerpt(each) + " comes twice");
    taken[each] = true;
    if (!may_be_name(each))
      throw Failure(RONDO_UNSUPPORTED,
                    std::string("its ") + what + " " + excerpt(each) +
                        " has a name that program files cannot have: it must have 1 to 1024 bytes of "
                        "UTF-8 without control characters");
  }
}

using Weights = std::vector<std::pair<std::string, Tensor>>;
using Texts = std::vector<std::pair<std::string, std::string>>;

Weights weights_of(const Session& session) {
  Weights weights;
  std::map<std::string, bool> taken;
  for (const auto& [variable, weight] : session.weights)
    if (weight.used && weight.whole.numel() > 0 && may_be_name(weight.name) && !taken[weight.name]) {
      taken[weight.name] = true;
      weights.emplace_back(weight.name, weight.whole);
    }
  return weights;
}

Texts metadata_of(const Model& model) {
  Texts metadata;
  std::map<std::string, bool> keys;
  for (const auto& [key, value] : model.metadata) {
    if (key.compare(0, 6, "rondo.") == 0 || !may_be_name(key) || keys[key]) continue;
    keys[key] = true;
    if (value.find('\0') != std::string::npos)
      throw Failure(RONDO_UNSUPPORTED,
                    "its text " + excerpt(key) + " has a zero byte, which program files cannot have");
    metadata.emplace_back(key, value);
  }
  return metadata;
}

// Runs what saves a program, whose names are checked. A weight of which only nothing is computed is not in the graph,
// and cannot be in a file.
void save(const std::function<void()>& saves) {
  try {
    saves();
  } catch (const rondo::Error& error) {
    if (error.status() != RONDO_INVALID_ARGUMENT) throw;
    throw Failure(RONDO_UNSUPPORTED, error.message());
  }
}

// Names of dimensions as program files have them: letters, digits and _.
std::vector<rondo::ProgramDim> dims_of(const ConvertOptions& options) {
  std::vector<rondo::ProgramDim> dims;
  std::map<std::string, bool> taken;
  for (const ConvertOptions::Dim& dim : options.dims) {
    std::string word;
    for (const char each : dim.names[0].substr(0, 200)) {
      const bool digit = each >= '0' && each <= '9',
                 letter = (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z');
      if (digit && word.empty()) word = "_";
      word += digit || letter ? each : '_';
    }
    while (taken[word]) word += "_";
    taken[word] = true;
    dims.push_back({word, dim.least / dim.step, dim.most / dim.step});
  }
  return dims;
}

class Conversion {
 public:
  Conversion(const Model& model, Session& session, const ConvertOptions& options)
      : options_(options), session_(session), converter_(model, session, options) {}

  const Converter& converter() const { return converter_; }
  // The model failed at sizes of its dimensions in a way that others may not have.
  bool failed_at_sizes() const { return failed_at_sizes_; }

  void check_names() const {
    rondo_onnx::check_names(converter_.inputs(), "input");
    rondo_onnx::check_names(converter_.outputs(), "output");
  }
  rondo::Graph record(const std::map<std::string, int64_t>& sizes) {
    converter_.size_inputs(sizes);
    rondo_record_options record = rondo::record_defaults(options_.function.c_str());
    record.flags = RONDO_RECORD_CALLABLE;
    if (options_.fewer_roundings) record.flags |= RONDO_RECORD_FEWER_ROUNDINGS;
    return session_.engine.record(
        [&] {
          converter_.record();
          if (!converter_.report().empty()) throw Failure(RONDO_UNSUPPORTED, converter_.report().text());
        },
        record);
  }
  void save_one_size(const std::string& out_path, const Texts& metadata) {
    const rondo::Graph graph = record({});
    check_names();
    save([&] {
      rondo::save_program(out_path, {{options_.function, graph, converter_.inputs(), converter_.outputs()}},
                          weights_of(session_), metadata);
    });
  }
  void save_with_dims(const std::string& out_path, const Texts& metadata) {
    const std::vector<rondo::ProgramDim> dims = dims_of(options_);
    const auto record_at = [&](const std::vector<int64_t>& numbers) {
      try {
        return record(sizes_of(numbers));
      } catch (const Failure& failure) {
        throw fails_at(numbers, failure.status(), failure.what());
      } catch (const rondo::Error& error) {
        throw fails_at(numbers, error.status(), error.message());
      }
    };
    session_.sizes.set_vary();
    look_for_what_varies(dims, record_at);
    // Constants that were the same at the sizes so far may differ at those that saving asks for.
    for (int turn = 0;; ++turn) {
      try {
        return save([&] {
          rondo::save_program_with_dims(out_path, dims,
                                        {{options_.function, record_at, converter_.inputs(), converter_.outputs()}},
                                        weights_of(session_), metadata);
        });
      } catch (const std::exception&) {
        if (turn == kMostTurns || !session_.sizes.found_more()) throw;
      }
      failed_at_sizes_ = false;
      look_for_what_varies(dims, record_at);
    }
  }

 private:
  static constexpr int kMostTurns = 16;

  // Sizes by their names in the model. numbers: how many steps each dimension has.
  std::map<std::string, int64_t> sizes_of(const std::vector<int64_t>& numbers) const {
    std::map<std::string, int64_t> sizes;
    for (size_t i = 0; i < numbers.size(); ++i)
      for (const std::string& name : options_.dims[i].names) sizes[name] = numbers[i] * options_.dims[i].step;
    return sizes;
  }
  Failure fails_at(const std::vector<int64_t>& numbers, rondo_status status, const std::string& why) {
    failed_at_sizes_ =
        (status == RONDO_UNSUPPORTED || status == RONDO_INVALID_ARGUMENT) && !converter_.report().lacks_operators();
    return Failure(status, at(numbers) + why);
  }
  std::string at(const std::vector<int64_t>& numbers) const {
    std::string text = "at ";
    for (size_t i = 0; i < numbers.size(); ++i)
      text += (i ? ", " : "") + excerpt(options_.dims[i].names[0]) + " = " +
              std::to_string(numbers[i] * options_.dims[i].step);
    return text + ": ";
  }
  void look_for_what_varies(const std::vector<rondo::ProgramDim>& dims,
                            const std::function<rondo::Graph(const std::vector<int64_t>&)>& record_at) {
    // Sizes that differ from each other, and from those of one element where that can be.
    std::vector<int64_t> some, others;
    for (const rondo::ProgramDim& each : dims) {
      const int64_t more = 3 + 2 * static_cast<int64_t>(some.size());
      some.push_back(each.most - each.least > more ? each.least + more : each.most);
      others.push_back(each.most - some.back() > more ? some.back() + more : each.least);
    }
    for (int turn = 0; turn < kMostTurns; ++turn) {
      for (auto& [variable, weight] : session_.weights) weight.used = false;
      record_at(turn % 2 == 0 ? some : others);
      check_names();
      if (!session_.sizes.found_more() && turn > 0) return;
    }
  }

  const ConvertOptions& options_;
  Session& session_;
  Converter converter_;
  bool failed_at_sizes_ = false;
};

// One conversion from the model on, which shares nothing with others. Gives the patterns that were found, a line each.
// *failed_at_sizes: that of the Conversion, if it fails.
std::string convert_model(const Model& model, const std::string& path, const std::string& out_path,
                          const ConvertOptions& options, bool* failed_at_sizes) {
  rondo_engine_options engine = rondo::engine_defaults();
  engine.mode = RONDO_ENGINE_NAIVE;  // so that a failure is known at its node
  engine.check_indices = -1;
  engine.memory_limit = options.memory_limit;
  Session session(engine);
  session.path = path;
  session.limits = options.limits;
  Conversion conversion(model, session, options);
  if (options.dims.empty()) {
    conversion.save_one_size(out_path, metadata_of(model));
  } else {
    try {
      conversion.save_with_dims(out_path, metadata_of(model));
    } catch (const std::exception&) {
      *failed_at_sizes = conversion.failed_at_sizes();
      throw;
    }
  }
  std::string found;
  for (const auto& [name, times] : conversion.converter().findings())
    found += name + ": " + std::to_string(times) + "\n";
  return found;
}

// Names the smallest power of 2 with which as the step of all dimensions the model is converted, if there is one, for
// messages of its failure.
std::string step_that_works(const Model& model, const std::string& path, const ConvertOptions& options) {
  constexpr int64_t kMostStep = 64;
  for (int64_t step = 2; step <= kMostStep; step *= 2) {
    ConvertOptions stepped = options;
    bool fits = true;  // two multiples or more, also of the steps that are given
    for (ConvertOptions::Dim& dim : stepped.dims) {
      fits = fits && step % dim.step == 0;
      dim.least = (dim.least + step - 1) / step * step;
      dim.most = dim.most / step * step;
      dim.step = step;
      fits = fits && dim.least < dim.most;
    }
    if (!fits) continue;
    try {
      const TemporaryFolder folder;
      bool ignored = false;
      convert_model(model, path, folder.path() + "/program.safetensors", stepped, &ignored);
    } catch (const Failure& failure) {
      if (failure.status() != RONDO_UNSUPPORTED && failure.status() != RONDO_INVALID_ARGUMENT) return "";
      continue;
    } catch (const std::exception&) {
      return "";  // there is no room to try, for example; larger steps would fail likewise
    }
    return "; it can be at multiples of " + std::to_string(step) + ", which a step says (--dim NAME=N..N:STEP)";
  }
  return "";
}

}  // namespace

std::string convert(const std::string& path, const std::string& out_path, const ConvertOptions& options) {
  const uint64_t most =
      options.memory_limit > 0 ? static_cast<uint64_t>(options.memory_limit) : std::numeric_limits<uint64_t>::max();
  if (!may_be_name(options.function))
    throw Failure(RONDO_INVALID_ARGUMENT, "options->function is " + excerpt(options.function) +
                                              "; it must have 1 to 1024 bytes of UTF-8 without control characters");
  if (out_path.empty()) throw Failure(RONDO_INVALID_ARGUMENT, "out_path is empty");
  const std::string bytes = read_file(path, most);
  try {
    const Model model = read_model(bytes);
    bool failed_at_sizes = false;
    const auto with_advice = [&](const std::string& message) {
      return message + (failed_at_sizes ? step_that_works(model, path, options) : "");
    };
    try {
      return convert_model(model, path, out_path, options, &failed_at_sizes);
    } catch (const Failure& failure) {
      throw Failure(failure.status(), with_advice(failure.what()));
    } catch (const rondo::Error& error) {
      throw Failure(error.status(), with_advice(error.message()));
    }
  } catch (const Failure& failure) {
    throw Failure(failure.status(), excerpt(path) + ": " + failure.what());
  } catch (const rondo::Error& error) {
    throw Failure(error.status(), excerpt(path) + ": " + error.message());
  }
}

}  // namespace rondo_onnx
