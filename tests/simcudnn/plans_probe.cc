// Asks for convolutions, and attention, as its arguments say and prints what came of it, one `key<tab>value` a line.
// plans_test starts it with the environment of each case, because a process chooses plans only once.
//
//   problem WORDS       forward|data|filter, f16|bf16|f32|f64, nhwc|nchw, 3d, groups, strided, odd, small, bias,
//                       residual, relu, beta, tf32, deterministic: what the commands below are about, joined by commas
//   attention WORDS     gradient, f16, causal, last, window, shared, strided, large: what `choose` is about then
//   choose              the plans that were chosen: status, plan (a line for each), capturable
//   run                 runs the choice eagerly and captured and compares with sums taken here: worst, bits
//   thread              another thread runs the choice, as `run` does
//   nan                 runs the choice with a bias, or a residual, of NaN: kept, if all of the result is that
//   workspace BYTES     runs with no more workspace than that
//   engines MOODS       moods of engines from now on
//   fault FAULTS        faults of cuDNN from now on
//   calls ENTRY         how often a function of cuDNN was called so far
//   live WHAT           descriptors or handles that are alive
//   reports             of the simulated driver
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/dtype.h"
#include "ops/attention/sdpa_problem.h"
#include "ops/convolution/cudnn_problem.h"

namespace rondo {
namespace {

using namespace ops::dnn;

void print(const char* key, const std::string& value) {
  std::printf("%s\t%s\n", key, value.c_str());
}

long long control(const char* soname, const char* function, const std::string& command, const std::string& argument) {
  void* library = dlopen(soname, RTLD_NOW | RTLD_NOLOAD);
  auto* call = library ? reinterpret_cast<long long (*)(const char*, const char*)>(dlsym(library, function)) : nullptr;
  return call ? call(command.c_str(), argument.c_str()) : -2;
}

long long simcudnn(const std::string& command, const std::string& argument) {
  const long long nine = control("libcudnn.so.9", "simcudnn_control", command, argument);
  return nine != -2 ? nine : control("libcudnn.so.8", "simcudnn_control", command, argument);
}

void pack(Operand* operand, int dims, bool channels_last) {
  std::vector<int> order;
  if (channels_last) order.push_back(1);
  for (int i = dims; i-- > 2;) order.push_back(i);
  if (!channels_last) order.push_back(1);
  order.push_back(0);
  int64_t step = 1;
  for (const int i : order) {
    operand->stride[i] = step;
    step *= operand->size[i];
  }
}

int64_t elements(const Operand& operand, int dims) {
  int64_t count = 1;
  for (int i = 0; i < dims; ++i) count *= operand.size[i];
  return count;
}

Problem make_problem(const std::string& words) {
  const auto has = [&](const std::string& word) {
    return ("," + words + ",").find("," + word + ",") != std::string::npos;
  };
  Problem p;
  p.way = has("data") ? kData : has("filter") ? kFilter : kForward;
  p.dtype = has("f16") ? RONDO_F16 : has("bf16") ? RONDO_BF16 : has("f64") ? RONDO_F64 : RONDO_F32;
  p.spatial = has("3d") ? 3 : 2;
  const int dims = p.spatial + 2;
  const int64_t groups = has("groups") ? 2 : 1;
  // Small: what an engine is told to wait counts for more than its sums.
  const bool small = has("small");
  const int64_t sizes[5] = {small ? 1 : 2, small ? 2 : 8, small ? 3 : 7, small ? 3 : 6, 3};
  for (int i = 0; i < dims; ++i) p.image.size[i] = has("odd") && i == 1 ? 6 : sizes[i];
  p.filter.size[0] = small ? 2 : 8;
  p.filter.size[1] = p.image.size[1] / groups;
  p.result.size[0] = p.image.size[0];
  p.result.size[1] = p.filter.size[0];
  for (int i = 0; i < p.spatial; ++i) {
    p.filter.size[i + 2] = 3;
    p.stride[i] = has("strided") ? 2 : 1;
    p.dilation[i] = has("strided") && i == 0 ? 2 : 1;
    p.before[i] = 1;
    p.after[i] = has("strided") ? 2 : 1;
    const int64_t room = p.image.size[i + 2] + p.before[i] + p.after[i] - 2 * p.dilation[i] - 1;
    p.result.size[i + 2] = room / p.stride[i] + 1;
  }
  for (Operand* each : {&p.image, &p.filter, &p.result}) pack(each, dims, !has("nchw"));
  std::memcpy(p.residual_stride, p.result.stride, sizeof p.residual_stride);
  p.residual = has("residual");
  p.bias = has("bias");
  p.relu = has("relu");
  p.beta = has("beta");
  p.tf32 = has("tf32");
  p.deterministic = has("deterministic");
  return p;
}

Sdpa make_attention(const std::string& words) {
  const auto has = [&](const std::string& word) {
    return ("," + words + ",").find("," + word + ",") != std::string::npos;
  };
  Sdpa p;
  p.gradient = has("gradient");
  p.dtype = has("f16") ? RONDO_F16 : RONDO_BF16;
  p.batch = 2, p.heads = 4, p.key_heads = has("shared") ? 2 : 4, p.size = 16;
  p.queries = has("large") ? 40 : 9, p.keys = has("large") ? 70 : 13;
  p.shift = has("last") ? p.keys - p.queries : 0;
  if (has("causal")) p.after = 0;
  if (has("window")) p.before = 3, p.after = 2;
  for (int t = 0; t < kSdpaTensors; ++t) {
    const int64_t row = p.elements(t), places = p.places(t), heads = p.heads_of(t);
    // Strided: heads inside places, with a gap behind each row.
    const int64_t wide = has("strided") && t != kSdpaStats ? row + 8 : row;
    p.stride[t][0] = heads * places * wide;
    p.stride[t][1] = has("strided") ? wide : places * wide;
    p.stride[t][2] = has("strided") ? heads * wide : wide;
  }
  return p;
}

// --- numbers ---

double to_double(int32_t dtype, const void* data, int64_t at) {
  switch (dtype) {
    case RONDO_F16: return half_to_float(static_cast<const uint16_t*>(data)[at]);
    case RONDO_BF16: return bf16_to_float(static_cast<const uint16_t*>(data)[at]);
    case RONDO_F64: return static_cast<const double*>(data)[at];
    default: return static_cast<const float*>(data)[at];
  }
}

std::vector<unsigned char> random_data(int32_t dtype, int64_t count, uint32_t seed) {
  const size_t size = dtype_size(static_cast<rondo_dtype>(dtype));
  std::vector<unsigned char> data(static_cast<size_t>(count) * size);
  for (int64_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    const double value = static_cast<double>(seed >> 8) / (1 << 23) - 1;
    const auto single = static_cast<float>(value);
    const uint16_t half = dtype == RONDO_F16 ? float_to_half(single) : float_to_bf16(single);
    const void* from = dtype == RONDO_F64 ? static_cast<const void*>(&value)
                       : size == 4        ? static_cast<const void*>(&single)
                                          : &half;
    std::memcpy(data.data() + static_cast<size_t>(i) * size, from, size);
  }
  return data;
}

struct Data {
  std::vector<unsigned char> image, filter, result, residual, bias;
};

// The sums in double, by visiting every pair of image and filter elements; [index of the written one in its own order].
std::vector<double> reference(const Problem& p, const Data& data) {
  const int dims = p.spatial + 2;
  const Operand& out = p.out();
  std::vector<double> sums(static_cast<size_t>(elements(out, dims)), 0);
  const int64_t groups = p.image.size[1] / p.filter.size[1], k_group = p.filter.size[0] / groups;
  int64_t r[5], o[5], i[5];
  for (int64_t f = 0; f < elements(p.filter, dims); ++f) {
    int64_t rest = f;
    for (int d = dims; d-- > 0; rest /= p.filter.size[d]) r[d] = rest % p.filter.size[d];
    for (int64_t y = 0; y < elements(p.result, dims); ++y) {
      rest = y;
      for (int d = dims; d-- > 0; rest /= p.result.size[d]) o[d] = rest % p.result.size[d];
      if (o[1] != r[0]) continue;
      i[0] = o[0];
      i[1] = r[0] / k_group * p.filter.size[1] + r[1];
      bool inside = true;
      for (int d = 0; d < p.spatial; ++d) {
        i[d + 2] = o[d + 2] * p.stride[d] + r[d + 2] * p.dilation[d] - p.before[d];
        inside &= i[d + 2] >= 0 && i[d + 2] < p.image.size[d + 2];
      }
      if (!inside) continue;
      const auto place = [dims](const Operand& operand, const int64_t* at) {
        int64_t sum = 0;
        for (int d = 0; d < dims; ++d) sum += at[d] * operand.stride[d];
        return sum;
      };
      const int64_t pi = place(p.image, i), pf = place(p.filter, r), po = place(p.result, o);
      if (p.way == kForward)
        sums[static_cast<size_t>(po)] +=
            to_double(p.dtype, data.image.data(), pi) * to_double(p.dtype, data.filter.data(), pf);
      if (p.way == kData)
        sums[static_cast<size_t>(pi)] +=
            to_double(p.dtype, data.result.data(), po) * to_double(p.dtype, data.filter.data(), pf);
      if (p.way == kFilter)
        sums[static_cast<size_t>(pf)] +=
            to_double(p.dtype, data.image.data(), pi) * to_double(p.dtype, data.result.data(), po);
    }
  }
  const std::vector<unsigned char>& before = p.way == kForward ? data.result
                                             : p.way == kData  ? data.image
                                                               : data.filter;
  for (size_t at = 0; at < sums.size(); ++at) {
    const auto index = static_cast<int64_t>(at);
    if (p.beta) sums[at] += to_double(p.dtype, before.data(), index);
    if (p.residual) sums[at] += to_double(p.dtype, data.residual.data(), index);
    if (p.bias) sums[at] += to_double(p.dtype, data.bias.data(), index / p.result.stride[1] % p.result.size[1]);
    if (p.relu) sums[at] = std::max(sums[at], 0.0);
  }
  return sums;
}

class Runner {
 public:
  Runner(cuda::CudaDevice& device, const Problem& problem) : device_(device), p_(problem) {}

  // Whether every number of the result is NaN if every one of the bias, or of the residual, is.
  Status run_nan(const ops::dnn::Choice& choice) {
    RONDO_TRY(prepare(size_t{1} << 20));
    void* const added = p_.bias ? addresses_.bias : addresses_.residual;
    RONDO_TRY(device_.fill_bytes(added, 0xff, (p_.bias ? data_.bias : data_.residual).size(), stream_));
    RONDO_TRY(choice.run(device_, pointers_of(p_, addresses_), workspace_, size_t{1} << 20, stream_, false));
    std::vector<unsigned char> found;
    RONDO_TRY(down(&found));
    const auto count = static_cast<int64_t>(found.size() / dtype_size(static_cast<rondo_dtype>(p_.dtype)));
    bool kept = true;
    for (int64_t i = 0; i < count; ++i) kept &= std::isnan(to_double(p_.dtype, found.data(), i));
    print("nan", kept ? "kept" : "lost");
    return {};
  }

  Status run(const ops::dnn::Choice& choice, size_t most_workspace) {
    RONDO_TRY(prepare(most_workspace));
    RONDO_TRY(choice.run(device_, pointers_of(p_, addresses_), workspace_, most_workspace, stream_, false));
    std::vector<unsigned char> eager;
    RONDO_TRY(down(&eager));
    compare(eager);

    // Again from what was there before, captured.
    const auto& before = p_.way == kForward ? data_.result : p_.way == kData ? data_.image : data_.filter;
    RONDO_TRY(device_.copy(CopyKind::host_to_device, out(), before.data(), before.size(), stream_));
    RONDO_TRY(device_.stream_synchronize(stream_));
    NativeGraph graph;
    RONDO_TRY(device_.capture_begin(stream_));
    const Status captured = choice.run(device_, pointers_of(p_, addresses_), workspace_, most_workspace, stream_, true);
    RONDO_TRY(device_.capture_end(stream_, captured.ok(), &graph));
    RONDO_TRY(captured);
    print("nodes", std::to_string(graph.nodes));
    RONDO_TRY(device_.graph_instantiate(&graph, stream_));
    RONDO_TRY(device_.graph_launch(graph, stream_));
    std::vector<unsigned char> replayed;
    RONDO_TRY(down(&replayed));
    device_.graph_destroy(&graph);
    print("bits", eager == replayed ? "equal" : "different");
    return {};
  }

 private:
  Status prepare(size_t most_workspace) {
    RONDO_TRY(device_.stream_create(false, &stream_));
    const int dims = p_.spatial + 2;
    data_ = {random_data(p_.dtype, elements(p_.image, dims), 1), random_data(p_.dtype, elements(p_.filter, dims), 2),
             random_data(p_.dtype, elements(p_.result, dims), 3), random_data(p_.dtype, elements(p_.result, dims), 4),
             random_data(p_.dtype, p_.result.size[1], 5)};
    RONDO_TRY(up(data_.image, &addresses_.image));
    RONDO_TRY(up(data_.filter, &addresses_.filter));
    RONDO_TRY(up(data_.result, &addresses_.result));
    RONDO_TRY(up(data_.residual, &addresses_.residual));
    RONDO_TRY(up(data_.bias, &addresses_.bias));
    if (most_workspace) RONDO_TRY(device_.allocate(most_workspace, &workspace_));
    return {};
  }
  Status up(const std::vector<unsigned char>& from, void** address) {
    RONDO_TRY(device_.allocate(from.size(), address));
    RONDO_TRY(device_.copy(CopyKind::host_to_device, *address, from.data(), from.size(), stream_));
    return device_.stream_synchronize(stream_);
  }
  void* out() const {
    return p_.way == kForward ? addresses_.result : p_.way == kData ? addresses_.image : addresses_.filter;
  }
  Status down(std::vector<unsigned char>* to) {
    const int dims = p_.spatial + 2;
    to->resize(static_cast<size_t>(elements(p_.out(), dims)) * dtype_size(static_cast<rondo_dtype>(p_.dtype)));
    RONDO_TRY(device_.stream_synchronize(stream_));
    RONDO_TRY(device_.copy(CopyKind::device_to_host, to->data(), out(), to->size(), stream_));
    return device_.stream_synchronize(stream_);
  }
  void compare(const std::vector<unsigned char>& found) {
    const std::vector<double> expected = reference(p_, data_);
    double worst = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
      const double error = std::fabs(to_double(p_.dtype, found.data(), static_cast<int64_t>(i)) - expected[i]);
      worst = error <= worst ? worst : error;  // and what is not a number counts
      if (std::isnan(error)) worst = INFINITY;
    }
    char text[32];
    std::snprintf(text, sizeof text, "%g", worst);
    print("worst", text);
  }

  cuda::CudaDevice& device_;
  const Problem p_;
  Data data_;
  Addresses addresses_;
  void* workspace_ = nullptr;
  void* stream_ = nullptr;
};

int run_words(const std::vector<std::string>& words) {
  Device* opened = nullptr;
  if (const Status status = get_device({RONDO_CUDA, 0}, &opened); !status.ok()) {
    print("status", status.message());
    return 3;
  }
  auto& device = static_cast<cuda::CudaDevice&>(*opened);
  Problem problem;
  Sdpa attention;
  std::unique_ptr<Question> question;
  const ops::dnn::Choice* choice = nullptr;
  const auto say = [](const Status& status) {
    print("status", std::to_string(status.code()));
    print("message", status.message());
  };
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const auto next = [&]() -> const std::string& { return words.at(++i); };
    if (word == "problem") {
      problem = make_problem(next());
      question = std::make_unique<ConvolutionQuestion>(problem);
    } else if (word == "attention") {
      attention = make_attention(next());
      question = std::make_unique<SdpaQuestion>(attention);
    } else if (word == "choose") {
      const Status status = find_choice(device, *question, &choice);
      say(status);
      if (!status.ok()) continue;
      for (const auto& plan : choice->plans()) print("plan", text_of(plan->recipe()));
      print("count", std::to_string(choice->plans().size()));
      print("capturable", choice->capturable() ? "yes" : "no");
    } else if (word == "run" || word == "workspace") {
      const size_t most = word == "workspace" ? std::stoul(next()) : size_t{1} << 20;
      say(choice && choice->plan() ? Runner(device, problem).run(*choice, most)
                                   : error(RONDO_UNSUPPORTED, "there is no plan"));
    } else if (word == "thread") {
      std::thread([&] { say(Runner(device, problem).run(*choice, size_t{1} << 20)); }).join();
    } else if (word == "nan") {
      say(choice && choice->plan() ? Runner(device, problem).run_nan(*choice)
                                   : error(RONDO_UNSUPPORTED, "there is no plan"));
    } else if (word == "engines" || word == "fault") {
      print(word.c_str(), std::to_string(simcudnn(word, next())));
    } else if (word == "calls" || word == "live") {
      print(word.c_str(), std::to_string(simcudnn(word, next())));
    } else if (word == "reports") {
      print("reports", std::to_string(control("libcuda.so.1", "simcuda_control", "reports", "")));
    } else {
      std::fprintf(stderr, "no command %s\n", word.c_str());
      return 2;
    }
  }
  return 0;
}

}  // namespace
}  // namespace rondo

int main(int argc, char** argv) {
  return rondo::run_words({argv + 1, argv + argc});
}
