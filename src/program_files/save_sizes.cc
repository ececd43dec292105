// Saves functions whose sizes vary. Each is recorded at several sizes, which gives as many texts: what they have in
// common stays, and numbers that differ become expressions (fit.h). The text is compared with recordings at sizes that
// were not among them, and a function is made of it at the smallest.
//
// The smallest sizes are recorded too. There a right function may have other nodes than elsewhere: operators do nothing
// about tensors without elements, and a part of one row is the whole. Such a recording is compared with that of a
// function which is made of the text at these sizes.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <memory>

#include "base/text.h"
#include "engine/engine.h"
#include "models/json.h"
#include "program_files/attributes.h"
#include "program_files/check.h"
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
  bool small = false;    // it may have other nodes than the first one
  Refusals differences;  // how it has
};

// The smallest size of a dim at which recordings have the same nodes as at larger ones: 2, if the bounds have that.
int64_t ordinary(const Dim& dim) {
  return std::max(dim.least, std::min<int64_t>(2, dim.most));
}

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
    if (!vary(samples_, false))
      for (const auto& each : aside_) RONDO_TRY(each->differences.status());
    std::string text;
    constexpr int kMostRounds = 40;  // each halves at least what quotients there may be
    for (int round = 0; round < kMostRounds; ++round) {
      SampleSizes more;
      RONDO_TRY(join(&text, &more));
      if (more.empty()) break;
      RONDO_TRY(add_sample(more));
    }
    RONDO_TRY(refusals_.status());
    SampleSizes most, between;
    for (const Dim& each : dims_) {
      most.push_back(each.most);
      between.push_back(each.most - (each.most - each.least) / 3);
    }
    RONDO_TRY(verify(text, most));  // mutation: largest_size_not_recorded
    RONDO_TRY(verify(text, between));
    RONDO_TRY(verify_all_small(text));  // mutation: small_sizes_not_compared
    RONDO_TRY(refusals_.status());
    std::vector<Ref<Graph>> made;
    RONDO_TRY(make_at(text, least(), &made));
    return save_text(path, options_.external, std::move(weights_.tensors), options_.metadata, std::move(text));
  }

 private:
  // For each dim all its sizes if they are few; else some that differ from those of other dims, and from 0, 1 and the
  // largest. At last the small ones: of one dim, so that what depends on it alone is told of it, and of all.
  std::vector<SampleSizes> first_sizes() const {
    constexpr int kEach = 4;
    constexpr int64_t kFew = 5;
    const size_t count = dims_.size();
    std::vector<SampleSizes> of_dims(count), all;
    for (size_t i = 0; i < count; ++i) {
      const Dim& dim = dims_[i];
      int64_t size = ordinary(dim);
      if (dim.most - dim.least < kFew) {
        for (int64_t each = size; each <= dim.most; ++each) of_dims[i].push_back(each);
        while (size > dim.least) of_dims[i].push_back(--size);
        continue;
      }
      const int64_t room = dim.most - size;  // sizes below the largest
      if (room >= 40) size += 3 + 2 * static_cast<int64_t>(i);
      for (int k = 0; k < kEach && (k < 2 || size < dim.most); ++k) {
        of_dims[i].push_back(std::min(size, dim.most));
        size += room < 15 || k == 0 ? 1 : k == 1 ? 3 : 7;
      }
    }
    const auto add = [&](SampleSizes sizes) {
      if (std::find(all.begin(), all.end(), sizes) == all.end()) all.push_back(std::move(sizes));
    };
    const auto add_all = [&](size_t which) {
      SampleSizes sizes;
      for (const SampleSizes& each : of_dims) sizes.push_back(each[std::min(which, each.size() - 1)]);
      add(std::move(sizes));
    };
    add_all(0);
    for (size_t i = 0; i < count; ++i)
      for (const int64_t each : of_dims[i]) {
        SampleSizes sizes = all[0];
        sizes[i] = each;
        add(std::move(sizes));
      }
    add_all(1);
    add_all(2);
    SampleSizes ones;  // what has no elements may hide what is done about one
    for (const Dim& each : dims_) ones.push_back(std::max(each.least, std::min<int64_t>(1, each.most)));
    for (size_t i = 0; i < count; ++i) {
      SampleSizes sizes = all[0];
      sizes[i] = ones[i];
      if (is_small(sizes)) add(std::move(sizes));
    }
    add(least());
    add(std::move(ones));
    return all;
  }
  SampleSizes least() const {
    SampleSizes sizes;
    for (const Dim& each : dims_) sizes.push_back(each.least);
    return sizes;
  }
  bool is_small(const SampleSizes& sizes) const { return sizes == least() || count_small(sizes) > 0; }
  size_t count_small(const SampleSizes& sizes) const {
    size_t count = 0;
    for (size_t i = 0; i < dims_.size(); ++i) count += sizes[i] < ordinary(dims_[i]);
    return count;
  }

  Status record(const SampleSizes& sizes, Sample* sample) {
    sample->sizes = sizes;
    Program& program = sample->program;
    const size_t weights = weights_.tensors.size();
    program.functions.resize(functions_.size());
    int64_t steps = 0;
    for (size_t i = 0; i < functions_.size(); ++i) {
      SavedFunction saved = functions_[i];
      const Status status = record_(i, sizes, &saved);
      if (!status.ok())
        return status.with_context("recording function '" + models::excerpt(saved.name) + "' at " +
                                   sizes_text(dims_, sizes));
      if (samples_.empty()) {
        kept_.push_back(saved.graph);  // and so the tensors that all of them use
        find_device(*saved.graph);
      }
      RONDO_TRY(make_saved(saved, &weights_, &refusals_, &steps, &program.functions[i]));
    }
    RONDO_TRY(refusals_.status());
    sample->small = !samples_.empty() && is_small(sizes);
    const bool same_weights = weights_.tensors.size() == weights;
    if (!samples_.empty()) compare(*sample, sample->small && same_weights ? &sample->differences : &refusals_);
    RONDO_TRY(refusals_.status());
    program.dims = dims_;
    RONDO_TRY(complete(options_, words_, &weights_, &program));
    sample->text = write_program(program, words_, &sample->marks);
    return {};
  }
  Status add_sample(const SampleSizes& sizes) {
    auto sample = std::make_unique<Sample>();
    RONDO_TRY(record(sizes, sample.get()));
    (sample->differences.status().ok() ? samples_ : aside_).push_back(std::move(sample));
    return {};
  }
  // True if there are two sizes of each dim that has two. ordinary_only: small samples do not count.
  bool vary(const std::vector<std::unique_ptr<Sample>>& among, bool ordinary_only) const {
    for (size_t i = 0; i < dims_.size(); ++i) {
      const bool found = std::any_of(among.begin(), among.end(), [&](const auto& each) {
        return each->sizes[i] != among[0]->sizes[i] && !(ordinary_only && each->small);
      });
      if (!found && dims_[i].least < dims_[i].most) return false;
    }
    return true;
  }
  bool is_aside(const SampleSizes& sizes) const {
    return std::any_of(aside_.begin(), aside_.end(), [&](const auto& each) { return each->sizes == sizes; });
  }
  // Leaves samples out whose numbers may be others than expressions give. False if there are none, or all are needed.
  bool set_small_aside() {
    if (!vary(samples_, true)) return false;
    const auto small =
        std::stable_partition(samples_.begin(), samples_.end(), [](const auto& each) { return !each->small; });
    if (small == samples_.end()) return false;
    std::move(small, samples_.end(), std::back_inserter(aside_));
    samples_.erase(small, samples_.end());
    return true;
  }
  void find_device(const Graph& graph) {
    if (!device_ && graph.bindings().size() > 0) device_ = &graph.bindings()[0].storage->device();
    engine_ = &graph.engine();
  }

  // node null: of the function as such.
  RONDO_COLD void refuse(const Function& function, const Node* node, size_t number, const char* why) {
    refuse(function, node, number, why, &refusals_);
  }
  RONDO_COLD static void refuse(const Function& function, const Node* node, size_t number, const char* why,
                                Refusals* refusals) {
    refusals->add(function.name,
                  format("%s%s%s: %s", node ? node_name(*node, number).c_str() : "its signature",
                         node && !node->site.empty() ? " at " : "", node ? node->site.c_str() : "", why));
  }
  // That a program has other nodes or tensors than the first one is a refusal.
  void compare(const Sample& sample, Refusals* refusals) const {
    const Sample& first = *samples_[0];
    for (size_t i = 0; i < functions_.size(); ++i) {
      const Function &a = first.program.functions[i], &b = sample.program.functions[i];
      Difference found;
      size_t weight = 0;
      if (differ(a.nodes, b.nodes, &found)) {
      } else if (signatures_differ(a, b)) {
        found.how = "has other inputs or outputs";
      } else {
        while (weight < a.weights.size() && weight < b.weights.size() && a.weights[weight] == b.weights[weight])
          ++weight;
        if (weight == a.weights.size()) continue;
        const auto value = static_cast<uint32_t>(a.inputs.size() + weight);
        while (found.number + 1 < a.nodes.size() && !reads(a.nodes[found.number], value)) ++found.number;
        found.node = &a.nodes[found.number];
        found.how = "uses another tensor from outside (make it once, before what is recorded)";
      }
      refuse(a, found.node, found.number,
             format("at %s it %s, unlike at %s", sizes_text(dims_, sample.sizes).c_str(), found.how.c_str(),
                    sizes_text(dims_, first.sizes).c_str())
                 .c_str(),
             refusals);
    }
  }
  static bool reads(const Node& node, uint32_t value) {
    return std::find(node.inputs.begin(), node.inputs.end(), value) != node.inputs.end();
  }
  static bool signatures_differ(const Function& a, const Function& b) {
    if (a.inputs.size() != b.inputs.size() || a.outputs.size() != b.outputs.size()) return true;
    for (size_t k = 0; k < a.inputs.size(); ++k)
      if (a.inputs[k].dtype != b.inputs[k].dtype) return true;
    for (size_t k = 0; k < a.outputs.size(); ++k)
      if (a.outputs[k].value != b.outputs[k].value || a.outputs[k].dtype != b.outputs[k].dtype) return true;
    return false;
  }

  // Finds the node at a place in the text of a sample.
  RONDO_COLD void refuse_at(const Sample& sample, size_t at, const char* why) {
    size_t mark = 0;  // the one after the place
    while (mark < sample.marks.size() && sample.marks[mark].at <= at) ++mark;
    const size_t line = sample.text.rfind('\n', at) + 1;
    if (mark > 0 && sample.marks[mark - 1].at >= line) {
      const NodeMark& of = sample.marks[mark - 1];
      return refuse(*of.function, of.node, of.number, why);
    }
    const bool outputs = mark > 0 && sample.text.compare(line, 10, "\"outputs\":") == 0;
    refuse(mark == sample.marks.size() && !outputs ? sample.program.functions.back()
                                                   : *sample.marks[outputs ? mark - 1 : mark].function,
           nullptr, 0, why);
  }

  // The text with expressions. more: sizes to sample before that is certain.
  Status join(std::string* text, SampleSizes* more) {
    std::vector<SampleSizes> sizes;
    for (const auto& each : samples_) sizes.push_back(each->sizes);
    Fitter fitter(dims_, sizes);
    std::vector<std::pair<size_t, std::string>> failures;  // where, and why
    std::vector<size_t> at(samples_.size());
    std::vector<std::string_view> tokens(samples_.size());
    text->clear();
    while (at[0] < samples_[0]->text.size()) {
      bool same = true;
      for (size_t s = 0; s < at.size(); ++s) {
        const std::string_view of = samples_[s]->text;
        tokens[s] = of.substr(at[s], at[s] < of.size() ? token_end(of, at[s]) - at[s] : 0);
        at[s] += tokens[s].size();
        same = same && tokens[s] == tokens[0];
      }
      const std::string found = same ? std::string(tokens[0]) : solve(tokens, &fitter);
      if (same)
        *text += found;
      else
        *text += "\"" + found + "\"";
      if (!found.empty()) continue;
      std::string why = "no expression of the sizes gives ";
      for (size_t s = 0; s < std::min<size_t>(at.size(), 4); ++s)
        why += format("%s%s at %s", s ? ", " : "", models::excerpt(tokens[s]).c_str(),
                      sizes_text(dims_, sizes[s]).c_str());
      failures.emplace_back(at[0] - tokens[0].size(), std::move(why));
      // The rest of the line may not go together.
      for (size_t s = 0; s < at.size(); ++s)
        at[s] = std::min(samples_[s]->text.find('\n', at[s]), samples_[s]->text.size());
    }
    more->clear();
    for (size_t i = 0; i < dims_.size(); ++i) {
      if (fitter.wanted()[i] < 0) continue;
      if (more->empty()) *more = samples_[0]->sizes;
      (*more)[i] = fitter.wanted()[i];
    }
    if (is_aside(*more)) more->clear();  // the recording there does not help
    if (!more->empty()) return {};
    if (!failures.empty() && set_small_aside()) return join(text, more);
    for (const auto& [where, why] : failures) refuse_at(*samples_[0], where, why.c_str());
    return refusals_.status();
  }
  // An expression for numbers that differ; empty: there is none.
  static std::string solve(const std::vector<std::string_view>& tokens, Fitter* fitter) {
    std::vector<int64_t> numbers;
    std::vector<double> reals;
    for (int kind = 0; kind < 3; ++kind) {
      bool all = true;
      numbers.clear();
      for (const std::string_view each : tokens) {
        models::JsonReader json(each);
        uint64_t word = 0;
        Status read = kind == 0   ? json.integer(&numbers.emplace_back())
                      : kind == 1 ? read_bits(&json, &word)
                                  : read_real(&json, &reals.emplace_back());
        if (kind == 1) numbers.push_back(static_cast<int64_t>(word));
        all = all && read.ok();
      }
      if (all) return kind == 0 ? fitter->whole(numbers) : kind == 1 ? fitter->bits(numbers) : fitter->real(reals);
    }
    return "";
  }

  // A recording at sizes that are not among the samples has the text that the expressions give.
  Status verify(const std::string& text, const SampleSizes& sizes) {
    for (const auto& each : samples_)
      if (each->sizes == sizes) return {};
    if (is_aside(sizes)) return {};
    Sample sample;
    RONDO_TRY(record(sizes, &sample));
    std::string given;
    RONDO_TRY(read_at(text, &sample, &given));
    refuse_differences(sample, given);
    return {};
  }
  // The text at the sizes of a sample, and that of the sample, without dims.
  Status read_at(const std::string& text, Sample* sample, std::string* given) const {
    Program loaded;
    if (const Status read = read_program(text, &sample->sizes, &loaded); !read.ok())
      return error(RONDO_UNSUPPORTED, "what was found at other sizes is wrong at %s: %s",
                   sizes_text(dims_, sample->sizes).c_str(), read.message());
    fix_sizes(&loaded);
    *given = write_program(loaded, words_);
    sample->program.dims.clear();
    sample->marks.clear();
    sample->text = write_program(sample->program, words_, &sample->marks);
    return {};
  }
  void refuse_differences(const Sample& sample, const std::string& given) {
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
        refuse_at(
            sample, a,
            format("at %s it is recorded as '%s', and by what was found at other sizes it is '%s'",
                   sizes_text(dims_, sample.sizes).c_str(), models::excerpt(is.substr(from, same - from + 20)).c_str(),
                   models::excerpt(says.substr(from, same - from + 20)).c_str())
                .c_str());
      }
      a = end;
      b = end_given;
    }
  }
  // Differences that one dim explains are not told again of several.
  Status verify_all_small(const std::string& text) {
    for (const auto& each : aside_)
      if (count_small(each->sizes) <= 1 || refusals_.status().ok()) RONDO_TRY(verify_small(text, each.get()));
    return {};
  }
  // The recording at small sizes is what expressions give, or does the same as a function that is made of these.
  Status verify_small(const std::string& text, Sample* sample) {
    std::string given;
    RONDO_TRY(read_at(text, sample, &given));
    if (given == sample->text) return {};
    std::vector<Ref<Graph>> made;
    RONDO_TRY(make_at(text, sample->sizes, &made));
    Program again;
    again.functions.resize(functions_.size());
    int64_t steps = 0;
    for (size_t i = 0; i < made.size(); ++i) {
      SavedFunction saved = functions_[i];
      for (const Declared& each : sample->program.functions[i].inputs) saved.inputs.push_back(each.name);
      for (const Function::Output& each : sample->program.functions[i].outputs) saved.outputs.push_back(each.name);
      saved.graph = made[i];
      RONDO_TRY(make_saved(saved, &weights_, &refusals_, &steps, &again.functions[i]));
    }
    RONDO_TRY(refusals_.status());
    RONDO_TRY(complete(options_, words_, &weights_, &again));
    for (size_t i = 0; i < functions_.size(); ++i) {
      std::string recorded, found;
      RONDO_TRY(outline(sample->program, sample->program.functions[i], &recorded));
      RONDO_TRY(outline(again, again.functions[i], &found));
      if (recorded == found) continue;
      refuse_differences(*sample, write_program(again, words_));
      break;
    }
    return {};
  }
  // All functions are made as a loader makes them.
  Status make_at(const std::string& text, const SampleSizes& sizes, std::vector<Ref<Graph>>* made) {
    if (!device_) return {};
    Program program;
    Status status = read_program(text, &sizes, &program);
    const auto budget = std::make_shared<Budget>(0, kMostSteps);
    std::vector<TensorHandle> weights;
    for (const models::NamedTensor& each : weights_.tensors)
      weights.emplace_back(make_view(Ref<Storage>::share(each.view.storage), each.view));
    for (size_t i = 0; status.ok() && i < program.functions.size(); ++i) {
      status =
          make_function({program, program.functions[i], *engine_, *device_, weights, budget}, &made->emplace_back())
              .with_context("function '" + models::excerpt(program.functions[i].name) + "'");
    }
    if (status.code() == RONDO_OUT_OF_MEMORY || status.ok()) return status;
    return error(RONDO_UNSUPPORTED, "what was recorded cannot be made at %s: %s", sizes_text(dims_, sizes).c_str(),
                 status.message());
  }

  const std::vector<SavedFunction> functions_;
  const std::vector<Dim>& dims_;
  const RecordAt& record_;
  const SaveOptions& options_;
  const KnownWords words_ = words_of(options_);
  Refusals refusals_;
  Weights weights_;
  std::vector<Ref<Graph>> kept_;
  std::vector<std::unique_ptr<Sample>> samples_;  // of which the text is made
  std::vector<std::unique_ptr<Sample>> aside_;    // small ones, with which it is compared
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
