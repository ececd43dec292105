// Saves functions whose sizes vary. Each is recorded at several sizes, which gives as many texts: what they have in
// common stays, and numbers that differ become expressions (fit.h). The text is compared with recordings at sizes that
// were not among them, and a function is made of it at the smallest.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "base/text.h"
#include "engine/engine.h"
#include "models/json.h"
#include "program_files/attributes.h"
#include "program_files/collected.h"
#include "program_files/fit.h"
#include "program_files/load.h"

namespace rondo::program_files {

namespace {

using SampleSizes = std::vector<int64_t>;

// A program at some sizes.
struct Sample {
  SampleSizes sizes;
  Program program;
  std::string text;
  std::vector<NodeMark> marks;
};

bool is_digit_or_sign(char c) {
  return (c >= '0' && c <= '9') || c == '-';
}
// A text, a number, or one character.
size_t token_end(std::string_view text, size_t at) {
  if (text[at] == '"') {
    for (++at; at < text.size() && text[at] != '"'; ++at)
      if (text[at] == '\\') ++at;
    return std::min(at + 1, text.size());
  }
  if (!is_digit_or_sign(text[at])) return at + 1;
  while (at < text.size() && is_digit_or_sign(text[at])) ++at;
  return at;
}

// Names the first node that differs between two lists, apart from numbers in it, and says how.
struct Difference {
  const Node* node = nullptr;
  size_t number = 0;
  std::string how;
};
bool same_values(const Node& a, const Node& b) {
  const auto same = [](const Written& x, const Written& y) {
    return x.value == y.value && x.made == y.made && x.dtype == y.dtype;
  };
  return a.inputs == b.inputs &&
         std::equal(a.outputs.begin(), a.outputs.end(), b.outputs.begin(), b.outputs.end(), same);
}
bool differ(const std::vector<Node>& a, const std::vector<Node>& b, Difference* found) {
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    *found = {&a[i], i, ""};
    const bool same_kind = a[i].role == b[i].role && !a[i].call == !b[i].call &&
                           (!a[i].call || a[i].call->of.index() == b[i].call->of.index());
    if (!same_kind)
      found->how = "is " + node_name(b[i], i);
    else if (!same_values(a[i], b[i]))
      found->how = "has other operands";
    else if (a[i].section != b[i].section)
      found->how = "is in another section";
    if (!found->how.empty()) return true;
    if (!a[i].choice) continue;
    const Choice &one = *a[i].choice, &other = *b[i].choice;
    if (one.kind != other.kind || one.bodies.size() != other.bodies.size()) {
      found->how = "is other control flow";
      return true;
    }
    for (size_t k = 0; k < one.bodies.size(); ++k)
      if (differ(one.bodies[k].nodes, other.bodies[k].nodes, found)) return true;
  }
  if (a.size() == b.size()) return false;
  const bool longer = a.size() > b.size();
  const size_t at = std::min(a.size(), b.size());
  *found = {longer ? &a[at] : &b[at], at, longer ? "is not there" : "is there"};
  return true;
}

class SizesSaver {
 public:
  SizesSaver(std::vector<SavedFunction> functions, const std::vector<Dim>& dims, const RecordAt& record,
             const SaveOptions& options)
      : functions_(std::move(functions)), dims_(dims), record_(record), options_(options), weights_(options.weights) {}

  Status save(const char* path) {
    RONDO_TRY(weights_.check(options_.weights));
    RONDO_TRY(check_functions(functions_));
    for (const SampleSizes& each : first_sizes()) RONDO_TRY(add_sample(each));
    std::string text;
    constexpr int kMostRounds = 40;  // each halves at least what quotients there may be
    for (int round = 0; round < kMostRounds; ++round) {
      std::optional<SampleSizes> more;
      RONDO_TRY(join(&text, &more));
      if (!more) break;
      RONDO_TRY(add_sample(*more));
    }
    RONDO_TRY(refusals_.status());
    SampleSizes most, between, least;
    for (const Dim& each : dims_) {
      most.push_back(each.most);
      between.push_back(each.most - (each.most - each.least) / 3);
      least.push_back(each.least);
    }
    RONDO_TRY(verify(text, most));
    RONDO_TRY(verify(text, between));
    RONDO_TRY(refusals_.status());
    RONDO_TRY(make_at(text, least));
    return write_file(path, options_, weights_, std::move(text));
  }

 private:
  // Sizes that differ for each dim, and from 0, 1 and the largest, where there are as many.
  std::vector<SampleSizes> first_sizes() const {
    std::vector<SampleSizes> of_dims, all;
    for (size_t i = 0; i < dims_.size(); ++i) {
      const Dim& dim = dims_[i];
      const int64_t first = std::max(dim.least, std::min<int64_t>(2, dim.most));
      const int64_t room = dim.most - first;  // sizes below the largest
      SampleSizes& sizes = of_dims.emplace_back();
      const int64_t shift = room >= 40 ? 3 + 2 * static_cast<int64_t>(i) : 0;
      for (const int64_t step : {0, 1, 4, 11})
        if (room >= 15 || step < 2) {
          if (shift + step < std::max<int64_t>(room, 1)) sizes.push_back(first + shift + step);
        }
      if (room < 15)
        for (int64_t size = first + 2; size < dim.most && sizes.size() < 4; ++size) sizes.push_back(size);
      if (sizes.size() < 2 && room > 0) sizes.push_back(dim.most);
    }
    const auto add = [&](SampleSizes sizes) {
      if (std::find(all.begin(), all.end(), sizes) == all.end()) all.push_back(std::move(sizes));
    };
    SampleSizes base;
    for (const SampleSizes& each : of_dims) base.push_back(each[0]);
    add(base);
    for (size_t i = 0; i < dims_.size(); ++i)
      for (const int64_t size : of_dims[i]) {
        SampleSizes other = base;
        other[i] = size;
        add(std::move(other));
      }
    for (const size_t which : {1, 2}) {
      SampleSizes mixed = base;
      for (size_t i = 0; i < dims_.size(); ++i) mixed[i] = of_dims[i][std::min(which, of_dims[i].size() - 1)];
      add(std::move(mixed));
    }
    return all;
  }

  Status record(const SampleSizes& sizes, Sample* sample) {
    sample->sizes = sizes;
    Program& program = sample->program;
    program.functions.resize(functions_.size());
    for (size_t i = 0; i < functions_.size(); ++i) {
      SavedFunction saved = functions_[i];
      const Status status = record_(i, sizes, &saved);
      if (!status.ok())
        return status.with_context("recording function '" + models::shown(saved.name) + "' at " +
                                   sizes_text(dims_, sizes));
      kept_.push_back(saved.graph);  // and so the tensors that it uses
      if (samples_.empty()) find_device(*saved.graph);
      RONDO_TRY(make_saved(saved, &weights_, &refusals_, &program.functions[i]));
    }
    RONDO_TRY(refusals_.status());
    if (!samples_.empty()) compare(*sample);
    RONDO_TRY(refusals_.status());
    program.dims = dims_;
    RONDO_TRY(complete(options_, &weights_, &program));
    sample->text = write_program(program, &sample->marks);
    return {};
  }
  Status add_sample(const SampleSizes& sizes) {
    auto sample = std::make_unique<Sample>();
    RONDO_TRY(record(sizes, sample.get()));
    samples_.push_back(std::move(sample));
    return {};
  }
  void find_device(const Graph& graph) {
    if (!device_ && graph.bindings().size() > 0) device_ = &graph.bindings()[0].storage->device();
    engine_ = &graph.engine();
  }

  void refuse(const Function& function, const Node* node, size_t number, const std::string& why) {
    refusals_.add(function.name, (node ? node_name(*node, number) + (node->site.empty() ? "" : " at " + node->site)
                                       : "its signature") +
                                     ": " + why);
  }
  // That a program has other nodes or tensors than the first one is a refusal.
  void compare(const Sample& sample) {
    const Sample& first = *samples_[0];
    const std::string when = "at " + sizes_text(dims_, sample.sizes) + " it ",
                      then = ", unlike at " + sizes_text(dims_, first.sizes);
    for (size_t i = 0; i < functions_.size(); ++i) {
      const Function &a = first.program.functions[i], &b = sample.program.functions[i];
      Difference found;
      if (differ(a.nodes, b.nodes, &found)) {
        refuse(a, found.node, found.number, when + found.how + then);
        continue;
      }
      const auto inputs_differ = [](const Declared& x, const Declared& y) { return x.dtype != y.dtype; };
      bool signature = a.inputs.size() != b.inputs.size() || a.outputs.size() != b.outputs.size();
      for (size_t k = 0; !signature && k < a.inputs.size(); ++k) signature = inputs_differ(a.inputs[k], b.inputs[k]);
      for (size_t k = 0; !signature && k < a.outputs.size(); ++k)
        signature = a.outputs[k].dtype != b.outputs[k].dtype || a.outputs[k].value != b.outputs[k].value;
      if (signature) refuse(a, nullptr, 0, when + "has other inputs or outputs" + then);
      for (size_t k = 0; k < std::min(a.weights.size(), b.weights.size()); ++k)
        if (a.weights[k] != b.weights[k]) {
          const auto value = static_cast<uint32_t>(a.inputs.size() + k);
          size_t at = 0;
          while (at + 1 < b.nodes.size() &&
                 std::find(b.nodes[at].inputs.begin(), b.nodes[at].inputs.end(), value) == b.nodes[at].inputs.end())
            ++at;
          refuse(a, &b.nodes[at], at,
                 when + "uses another tensor from outside" + then + "; make the tensor once, before what is recorded");
          break;
        }
    }
  }

  // Finds the node at a place in the text of a sample.
  void refuse_at(const Sample& sample, size_t at, const std::string& why) {
    auto mark = std::upper_bound(sample.marks.begin(), sample.marks.end(), at,
                                 [](size_t place, const NodeMark& each) { return place < each.at; });
    const size_t line = sample.text.rfind('\n', at) + 1;
    if (mark != sample.marks.begin() && std::prev(mark)->at >= line) {
      --mark;
      return refuse(*mark->function, mark->node, mark->number, why);
    }
    const bool outputs = sample.text.compare(line, 10, "\"outputs\":") == 0;
    const Function* function = outputs && mark != sample.marks.begin() ? std::prev(mark)->function
                               : mark != sample.marks.end()            ? mark->function
                                                                       : &sample.program.functions.back();
    refuse(*function, nullptr, 0, why);
  }

  // The text with expressions. more: sizes to sample before that is certain.
  Status join(std::string* text, std::optional<SampleSizes>* more) {
    std::vector<SampleSizes> all;
    for (const auto& each : samples_) all.push_back(each->sizes);
    Fitter fitter(dims_, all);
    struct Failure {
      size_t at;
      std::string why;
    };
    std::vector<Failure> failures;
    std::vector<size_t> at(samples_.size());
    text->clear();
    while (at[0] < samples_[0]->text.size()) {
      std::vector<std::string_view> tokens;
      for (size_t s = 0; s < samples_.size(); ++s) {
        const std::string_view of = samples_[s]->text;
        const size_t end = at[s] < of.size() ? token_end(of, at[s]) : at[s];
        tokens.push_back(of.substr(at[s], end - at[s]));
      }
      std::string joined;
      if (!join_tokens(tokens, &fitter, &joined)) {
        std::string why = "no expression of the sizes gives ";
        for (size_t s = 0; s < std::min<size_t>(samples_.size(), 4); ++s)
          why += format("%s%s at %s", s ? ", " : "", models::shown(tokens[s]).c_str(),
                        sizes_text(dims_, samples_[s]->sizes).c_str());
        failures.push_back({at[0], std::move(why)});
        // The rest of the line may not go together.
        for (size_t s = 0; s < samples_.size(); ++s)
          at[s] = std::min(samples_[s]->text.find('\n', at[s]), samples_[s]->text.size());
        continue;
      }
      *text += joined;
      for (size_t s = 0; s < samples_.size(); ++s) at[s] += tokens[s].size();
    }
    SampleSizes next = samples_[0]->sizes;
    for (size_t i = 0; i < dims_.size(); ++i)
      if (fitter.wanted()[i]) {
        next[i] = *fitter.wanted()[i];
        *more = next;
      }
    if (*more) return {};
    for (const Failure& each : failures) refuse_at(*samples_[0], each.at, each.why);
    return refusals_.status();
  }
  static bool join_tokens(const std::vector<std::string_view>& tokens, Fitter* fitter, std::string* joined) {
    const auto all = [&](const auto& test) { return std::all_of(tokens.begin(), tokens.end(), test); };
    *joined = tokens[0];
    if (all([&](std::string_view each) { return each == tokens[0]; })) return true;
    std::string found;
    const auto read_all = [&](auto read, auto* values) {
      for (const std::string_view each : tokens) {
        models::JsonReader json(each);
        auto& value = values->emplace_back();
        if (!read(json, &value).ok()) return false;
      }
      return true;
    };
    std::vector<int64_t> numbers;
    std::vector<uint64_t> bits;
    std::vector<double> reals;
    if (read_all([](models::JsonReader& json, int64_t* value) { return json.integer(value); }, &numbers))
      found = fitter->whole(numbers);
    else if (read_all([](models::JsonReader& json, uint64_t* value) { return read_bits(&json, value); }, &bits))
      found = fitter->bits(bits);
    else if (read_all([](models::JsonReader& json, double* value) { return read_real(&json, value); }, &reals))
      found = fitter->real(reals);
    *joined = "\"" + found + "\"";
    return !found.empty();
  }

  // A recording at sizes that are not among the samples has the text that the expressions give.
  Status verify(const std::string& text, const SampleSizes& sizes) {
    for (const auto& each : samples_)
      if (each->sizes == sizes) return {};
    Sample sample;
    RONDO_TRY(record(sizes, &sample));
    Program loaded;
    if (const Status read = read_program(text, &sizes, &loaded); !read.ok())
      return error(RONDO_UNSUPPORTED, "what was found at other sizes is wrong at %s: %s",
                   sizes_text(dims_, sizes).c_str(), read.message());
    fix_sizes(&loaded);
    sample.program.dims.clear();
    sample.marks.clear();
    sample.text = write_program(sample.program, &sample.marks);
    const std::string given = write_program(loaded);
    size_t a = 0, b = 0;
    while (a < sample.text.size() && b < given.size()) {
      const size_t end = std::min(sample.text.find('\n', a), sample.text.size() - 1) + 1,
                   end_given = std::min(given.find('\n', b), given.size() - 1) + 1;
      const std::string_view is = std::string_view(sample.text).substr(a, end - a),
                             says = std::string_view(given).substr(b, end_given - b);
      if (is != says) {
        size_t same = 0;
        while (same < std::min(is.size(), says.size()) && is[same] == says[same]) ++same;
        const size_t from = same - std::min<size_t>(same, 20);
        refuse_at(sample, a,
                  "at " + sizes_text(dims_, sizes) + " it is recorded as '" +
                      models::shown(is.substr(from, same - from + 20)) +
                      "', and by what was found at other sizes it is '" +
                      models::shown(says.substr(from, same - from + 20)) + "'");
      }
      a = end;
      b = end_given;
    }
    return {};
  }
  // All functions are made as a loader makes them.
  Status make_at(const std::string& text, const SampleSizes& sizes) {
    if (!device_) return {};
    Program program;
    Status status = read_program(text, &sizes, &program);
    std::vector<TensorHandle> weights;
    for (const models::NamedTensor& each : weights_.tensors)
      weights.emplace_back(make_view(Ref<Storage>::share(each.view.storage), each.view));
    for (size_t i = 0; status.ok() && i < program.functions.size(); ++i) {
      Ref<Graph> graph;
      status = make_function({program, program.functions[i], *engine_, *device_, weights}, &graph)
                   .with_context("function '" + models::shown(program.functions[i].name) + "'");
    }
    if (status.code() == RONDO_OUT_OF_MEMORY || status.ok()) return status;
    return error(RONDO_UNSUPPORTED, "what was recorded cannot be made at %s: %s", sizes_text(dims_, sizes).c_str(),
                 status.message());
  }

  const std::vector<SavedFunction> functions_;
  const std::vector<Dim>& dims_;
  const RecordAt& record_;
  const SaveOptions& options_;
  Refusals refusals_;
  Weights weights_;
  std::vector<Ref<Graph>> kept_;
  std::vector<std::unique_ptr<Sample>> samples_;
  Engine* engine_ = nullptr;
  Device* device_ = nullptr;
};

}  // namespace

Status save_with_sizes(const char* path, std::vector<SavedFunction> functions, const std::vector<Dim>& dims,
                       const RecordAt& record, const SaveOptions& options) {
  RONDO_TRY(check_dims(dims));
  if (dims.empty()) return error(RONDO_INVALID_ARGUMENT, "no size has a name");
  return SizesSaver(std::move(functions), dims, record, options).save(path);
}

}  // namespace rondo::program_files
