// Makes the self-checks that program files carry, reads them, and runs them against outputs that are computed anew.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#endif

#include "base/json_text.h"
#include "base/machine/instructions.h"
#include "base/machine/sha256.h"
#include "base/text.h"
#include "device/cuda/cuda_device.h"
#include "graph/run/run_limit.h"
#include "models/json.h"
#include "ops/ops.h"
#include "program_files/attributes.h"
#include "program_files/load.h"
#include "program_files/save.h"
#include "rtc/compiler.h"
#include "tape/tape.h"

namespace rondo::program_files {

namespace {

using models::excerpt;

struct CheckedOutput {
  std::string digest;
  double largest = 0;  // of the finite elements, without signs
  std::vector<double> samples;
};
struct CheckedCall {
  size_t function = 0;
  std::vector<int64_t> sizes;
  uint64_t seed = 0;
  std::vector<CheckedOutput> outputs;
};
struct SelfCheck {
  std::string made_by, on;
  std::vector<CheckedCall> calls;
};

#if defined(__x86_64__)
constexpr const char* kArchitecture = "x86_64";
#elif defined(__aarch64__)
constexpr const char* kArchitecture = "aarch64";
#else
constexpr const char* kArchitecture = "other";
#endif

// Devices of one class have the same bits of Rondo's own kernels. The C library has several functions for `exp` and the
// like, and takes those that the processor can; NVRTC has such functions in what it compiles.
std::string class_of(const Device& device) {
  if (device.is_host()) {
    std::string of = format("cpu %s%s", kArchitecture, possible_instructions() == Instructions::baseline ? "" : " fma");
#ifdef __GLIBC__
    of += format(" glibc %s", gnu_get_libc_version());
#endif
    return of;
  }
  const auto& gpu = static_cast<const cuda::CudaDevice&>(device);
  rtc::Target target;  // without NVRTC: none
  (void)rtc::choose_target(gpu.capability(), false, &target);
  return format("sm_%d %d nvrtc %d.%d %llx", gpu.capability(), gpu.multiprocessors(), target.nvrtc_major,
                target.nvrtc_minor, static_cast<unsigned long long>(target.nvrtc_build));
}

std::string own_version() {
  return format("%d.%d.%d", RONDO_VERSION_MAJOR, RONDO_VERSION_MINOR, RONDO_VERSION_PATCH);
}

template <class... Kinds>
bool is_of(const ops::Call& call) {
  return (std::holds_alternative<Kinds>(call.of) || ...);
}

// A library, a choice that was measured or the processor's instructions may decide about the bits of these.
bool may_vary(const std::vector<Node>& nodes) {
  for (const Node& node : nodes) {
    if (node.call &&
        is_of<ops::MatmulCall, ops::MatmulIntegerCall, ops::AttentionCall, ops::AttentionGradCall, ops::RecurrentCall,
              ops::RecurrentGradCall, ops::DotInteractionCall, ops::DotInteractionGradCall, ops::ConvolutionCall,
              ops::ConvolutionFilterGradCall>(*node.call))
      return true;
    if (!node.choice) continue;
    for (const Choice::Body& body : node.choice->bodies)
      if (may_vary(body.nodes)) return true;
  }
  return false;
}

// True if outputs of a function have the same bits on all devices of a class. A state may come of any other function.
bool has_bits(const Program& program, const Function& function) {
  const auto varies = [](const Function& each) { return may_vary(each.nodes); };
  // mutation: states_of_products_have_bits
  if (std::none_of(program.weights.begin(), program.weights.end(), [](const Declared& each) { return each.state; }))
    return !varies(function);
  return std::none_of(program.functions.begin(), program.functions.end(), varies);
}

// How far an element may be from what it was, in parts of the output's largest one.
double tolerance(rondo_dtype dtype) {
  switch (dtype) {
    case RONDO_F64: return 0x1p-20;
    case RONDO_F32: return 0x1p-7;  // products may take 11 bits of each factor
    case RONDO_F16: return 0x1p-6;
    case RONDO_BF16: return 0x1p-4;
    case RONDO_F8_E4M3:
    case RONDO_F8_E5M2: return 0x1p-2;
    default: return 0;
  }
}

template <class T>
double number_at(const std::string& bytes, size_t i) {
  T value;
  std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
  return static_cast<double>(value);
}
double f8_at(const std::string& bytes, size_t i, int mantissa) {
  const auto bits = static_cast<uint8_t>(bytes[i]);
  const int exponents = 7 - mantissa, bias = (1 << (exponents - 1)) - 1, exponent = (bits & 127) >> mantissa;
  const int fraction = bits & ((1 << mantissa) - 1);
  const double sign = bits & 128 ? -1 : 1;
  if (mantissa == 2 && exponent == 31) return fraction ? NAN : sign * INFINITY;
  if (mantissa == 3 && (bits & 127) == 127) return NAN;
  return sign * (exponent ? std::ldexp((1 << mantissa) + fraction, exponent - bias - mantissa)
                          : std::ldexp(fraction, 1 - bias - mantissa));
}
double element(rondo_dtype dtype, const std::string& bytes, size_t i) {
  switch (dtype) {
    case RONDO_BOOL:
    case RONDO_U8: return number_at<uint8_t>(bytes, i);
    case RONDO_I8: return number_at<int8_t>(bytes, i);
    case RONDO_I16: return number_at<int16_t>(bytes, i);
    case RONDO_I32: return number_at<int32_t>(bytes, i);
    case RONDO_I64: return number_at<int64_t>(bytes, i);
    case RONDO_U16: return number_at<uint16_t>(bytes, i);
    case RONDO_U32: return number_at<uint32_t>(bytes, i);
    case RONDO_U64: return number_at<uint64_t>(bytes, i);
    case RONDO_F16: return half_to_float(static_cast<uint16_t>(number_at<uint16_t>(bytes, i)));
    case RONDO_BF16: return bf16_to_float(static_cast<uint16_t>(number_at<uint16_t>(bytes, i)));
    case RONDO_F32: return number_at<float>(bytes, i);
    case RONDO_F64: return number_at<double>(bytes, i);
    default: return f8_at(bytes, i, dtype == RONDO_F8_E4M3 ? 3 : 2);
  }
}

// The same numbers everywhere: splitmix64.
uint64_t mixed(uint64_t word) {
  word += 0x9e3779b97f4a7c15;
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
  word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
  return word ^ (word >> 31);
}
template <class T>
void put(std::string* bytes, size_t i, T value) {
  std::memcpy(bytes->data() + i * sizeof value, &value, sizeof value);
}
// One of 8 bits from -1 to 1: without the exponent's first bit less than 2, and less than 1 without its last one too.
uint8_t small_f8(uint64_t random, int mantissa) {
  const int one = ((1 << (6 - mantissa)) - 1) << mantissa;
  const int bits = static_cast<int>(random >> 56) & 0xbf;
  return static_cast<uint8_t>((bits & 127) > one ? bits & ~(1 << mantissa) : bits);
}
// Real numbers are multiples of 1/128 between -1 and 1, which all of the wider dtypes have; whole ones are 0 and 1, so
// that they are places of any list.
void fill(rondo_dtype dtype, uint64_t seed, std::string* bytes) {
  const size_t count = bytes->size() / dtype_size(dtype);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t random = mixed(seed + i);
    const float real = static_cast<float>(static_cast<int64_t>(random >> 56) - 128) / 128;
    switch (dtype) {
      case RONDO_F16: put(bytes, i, float_to_half(real)); break;
      case RONDO_BF16: put(bytes, i, float_to_bf16(real)); break;
      case RONDO_F32: put(bytes, i, real); break;
      case RONDO_F64: put(bytes, i, static_cast<double>(real)); break;
      case RONDO_F8_E4M3: put(bytes, i, small_f8(random, 3)); break;
      case RONDO_F8_E5M2: put(bytes, i, small_f8(random, 2)); break;
      default: put(bytes, i * dtype_size(dtype), static_cast<uint8_t>(random >> 63));  // the lowest byte
    }
  }
}

size_t sample_count(size_t elements) {
  return std::min(elements, kMostSamples);
}
size_t sample_place(size_t elements, size_t k) {
  return elements <= kMostSamples ? k : k * (elements - 1) / (kMostSamples - 1);
}

// "[1, 2]": where an element is in an output.
std::string place_text(const Layout& layout, size_t place) {
  int64_t at[RONDO_MAX_DIMS] = {};
  auto left = static_cast<int64_t>(place);
  for (int d = layout.ndim - 1; d >= 0; --d) {
    at[d] = left % layout.shape[d];
    left /= layout.shape[d];
  }
  return shape_text(layout.ndim, at);
}

// Calls functions of a new instance, whose states are as in the file.
class CheckRun {
 public:
  using See = std::function<Status(size_t output, rondo_dtype dtype, const Layout& layout, const std::string& bytes)>;
  CheckRun(const Ref<ProgramFile>& file, Engine& engine, Device& device, const CheckLimits& limits)
      : file_(file), engine_(engine), device_(device), limits_(limits) {}

  Status open() {
    InstanceOptions options;
    options.most_bytes = limits_.most_bytes;
    options.host_decides = limits_.timeout_ms != 0;  // a loop on a GPU knows no time
    options.extra.resize(file_->program().functions.size());
    return Instance::make(file_, engine_, device_, options, &instance_);
  }
  Status call(const CheckedCall& call, const See& see) {
    Ref<ProgramFile> bound = file_;
    if (!call.sizes.empty()) RONDO_TRY(file_->bind(call.sizes, &bound));
    const Function& function = bound->program().functions[call.function];
    RONDO_TRY(check_bytes(function));
    const Instance::Callee& callee = instance_->functions()[call.function];
    std::vector<TensorHandle> owned(function.inputs.size()), made(function.outputs.size());
    std::vector<rondo_tensor*> inputs, outputs(made.size(), nullptr);
    for (size_t i = 0; i < owned.size(); ++i) {
      const Declared& each = function.inputs[i];
      owned[i].reset(make_tensor(engine_, device_, each.dtype, each.shape));
      inputs.push_back(owned[i].get());
      std::string bytes(owned[i]->view.bytes(), '\0');
      fill(each.dtype, mixed(mixed(call.seed) + i), &bytes);
      RONDO_TRY(ops::initialise_from_host(owned[i]->view, bytes.data(), bytes.size()));
    }
    const RunLimit limit = limits_.timeout_ms ? RunLimit(limits_.timeout_ms) : RunLimit();
    const RunLimit* const within = limit.none() ? nullptr : &limit;
    const Status called = callee.graph ? callee.graph->call(inputs.data(), outputs.data(), within)
                                       : instance_->call_with_room(
                                             within, [&] { return callee.callable->call(inputs, outputs, within); });
    for (size_t i = 0; i < made.size(); ++i) made[i].reset(outputs[i]);
    RONDO_TRY(called);
    for (size_t i = 0; i < made.size(); ++i) {
      const View& view = made[i]->view;
      RONDO_TRY(engine_.wait(*made[i]->storage, Awaited::contents, limit.time()));
      std::string bytes(view.bytes(), '\0');
      RONDO_TRY(ops::read_to_host(view, bytes.data()));
      RONDO_TRY(see(i, view.dtype, view.layout, bytes));
    }
    return {};
  }

 private:
  // Before any of it is taken.
  Status check_bytes(const Function& function) const {
    int64_t bytes = 0;
    const auto add = [&bytes](rondo_dtype dtype, const Layout& shape) {
      int64_t more = 0;
      if (__builtin_mul_overflow(shape.elements(), static_cast<int64_t>(dtype_size(dtype)), &more) ||
          __builtin_add_overflow(bytes, more, &bytes))
        bytes = INT64_MAX;
    };
    for (const Declared& each : function.inputs) add(each.dtype, each.shape);
    for (const Function::Output& each : function.outputs) add(each.dtype, each.shape);
    const int64_t most = limits_.most_bytes ? limits_.most_bytes : kUsualCheckBytes;
    if (bytes <= most) return {};  // mutation: checks_of_any_size
    return error(RONDO_OUT_OF_MEMORY, "inputs and outputs of a call have %lld bytes, and may have %lld",
                 printable(bytes), printable(most));
  }

  const Ref<ProgramFile> file_;
  Engine& engine_;
  Device& device_;
  const CheckLimits limits_;
  Ref<Instance> instance_;
};

CheckedOutput summary(rondo_dtype dtype, const std::string& bytes) {
  CheckedOutput output;
  output.digest = hex(bytes_of(sha256(bytes)));
  const size_t count = bytes.size() / dtype_size(dtype);
  for (size_t i = 0; i < count; ++i)
    if (const double value = std::fabs(element(dtype, bytes, i)); std::isfinite(value))
      output.largest = std::max(output.largest, value);
  for (size_t k = 0; k < sample_count(count); ++k)
    output.samples.push_back(element(dtype, bytes, sample_place(count, k)));
  return output;
}

std::string write_check(const SelfCheck& check, const Program& program) {
  std::string text =
      "{\"rondo_check\":1,\"made_by\":" + json_text(check.made_by) + ",\"on\":" + json_text(check.on) + ",\"calls\":[";
  const char* between = "\n";
  for (const CheckedCall& call : check.calls) {
    text += between + ("{\"function\":" + json_text(program.functions[call.function].name)) + ",\"sizes\":[";
    for (size_t i = 0; i < call.sizes.size(); ++i) text += format("%s%lld", i ? "," : "", printable(call.sizes[i]));
    text += format("],\"seed\":%llu,\"outputs\":[", static_cast<unsigned long long>(call.seed));
    for (size_t i = 0; i < call.outputs.size(); ++i) {
      const CheckedOutput& output = call.outputs[i];
      text += (i ? ",\n[" : "\n[") + json_text(output.digest) + "," + real_text(output.largest) + ",[";
      for (size_t k = 0; k < output.samples.size(); ++k) text += (k ? "," : "") + real_text(output.samples[k]);
      text += "]]";
    }
    text += "]}";
    between = ",\n";
  }
  return text + "]}";
}

class CheckReader {
 public:
  CheckReader(std::string_view text, const Program& program, SelfCheck* check)
      : json_(text, "its self-check"), program_(program), check_(*check) {}
  Status read() {
    RONDO_TRY(members({"rondo_check", "made_by", "on", "calls"}, [&](size_t i) -> Status {
      uint64_t version = 0;
      switch (i) {
        case 0:
          RONDO_TRY(json_.number(&version));
          return version == 1 ? Status() : error(RONDO_UNSUPPORTED, "its self-check needs a later version");
        case 1: return json_.text(&check_.made_by);
        case 2: return json_.text(&check_.on);
        default: return json_.array([&] { return read_call(); });
      }
    }));
    return json_.end();
  }

 private:
  // All of them are there, in this order.
  Status members(std::initializer_list<const char*> names, const std::function<Status(size_t)>& member) {
    size_t next = 0;
    RONDO_TRY(json_.object([&](const std::string& key) -> Status {
      if (next == names.size() || key != names.begin()[next])
        return json_.wrong(next == names.size() ? "no further member is expected"
                                                : format("the member '%s' is expected", names.begin()[next]));
      return member(next++);
    }));
    return next == names.size() ? Status() : json_.wrong(format("the member '%s' is missing", names.begin()[next]));
  }
  Status read_call() {
    if (check_.calls.size() == kMostCheckCalls)
      return json_.wrong(format("it has more than %zu calls", kMostCheckCalls));
    CheckedCall& call = check_.calls.emplace_back();
    RONDO_TRY(members({"function", "sizes", "seed", "outputs"}, [&](size_t i) -> Status {
      switch (i) {
        case 0: return read_function(&call.function);
        case 1:
          return json_.array([&]() -> Status {
            if (call.sizes.size() == program_.dims.size()) return json_.wrong("it has more sizes than the program");
            call.sizes.push_back(0);
            return read_size(program_.dims[call.sizes.size() - 1], &call.sizes.back());
          });
        case 2: return json_.number(&call.seed);
        default: return json_.array([&] { return read_output(&call); });
      }
    }));
    if (call.sizes.size() != program_.dims.size()) return json_.wrong("it has fewer sizes than the program");
    return call.outputs.size() == program_.functions[call.function].outputs.size()
               ? Status()
               : json_.wrong("it has other outputs than the function");
  }
  Status read_size(const Dim& dim, int64_t* size) {
    RONDO_TRY(json_.integer(size));
    if (*size >= dim.least && *size <= dim.most) return {};
    return json_.wrong(format("the size '%s' is %lld; %lld to %lld are possible", excerpt(dim.name).c_str(),
                              printable(*size), printable(dim.least), printable(dim.most)));
  }
  Status read_function(size_t* function) {
    std::string name;
    RONDO_TRY(json_.text(&name));
    for (*function = 0; *function < program_.functions.size(); ++*function)
      if (program_.functions[*function].name == name) return {};
    return json_.wrong(format("the program has no function '%s'", excerpt(name).c_str()));
  }
  Status read_output(CheckedCall* call) {
    if (call->outputs.size() == program_.functions[call->function].outputs.size())
      return json_.wrong("it has other outputs than the function");
    CheckedOutput& output = call->outputs.emplace_back();
    size_t next = 0;
    RONDO_TRY(json_.array([&]() -> Status {
      switch (next++) {
        case 0: return json_.text(&output.digest);
        case 1:
          RONDO_TRY(read_real(&json_, &output.largest));
          return output.largest >= 0 && std::isfinite(output.largest)
                     ? Status()
                     : json_.wrong("the largest element of an output is 0 or more, and finite");
        case 2:
          return json_.array([&]() -> Status {
            if (output.samples.size() == kMostSamples) return json_.wrong("an output has too many samples");
            double& sample = output.samples.emplace_back();
            RONDO_TRY(read_real(&json_, &sample));
            return std::isfinite(sample) && std::fabs(sample) > output.largest
                       ? json_.wrong("an element of an output is larger than its largest one")
                       : Status();
          });
        default: return json_.wrong("an output has a digest, a number and samples");
      }
    }));
    return next == 3 ? Status() : json_.wrong("an output has a digest, a number and samples");
  }

  models::JsonReader json_;
  const Program& program_;
  SelfCheck& check_;
};

// Compares an output with what it was. exact: its bits have to be those.
Status compare(const CheckedOutput& was, rondo_dtype dtype, const Layout& layout, const std::string& bytes,
               bool exact) {
  const size_t count = bytes.size() / dtype_size(dtype);
  if (was.samples.size() != sample_count(count))
    return error(RONDO_IO_ERROR, "its self-check has %zu samples of it; %zu are expected", was.samples.size(),
                 sample_count(count));
  const double bound = exact ? 0 : tolerance(dtype) * was.largest;
  for (size_t k = 0; k < was.samples.size(); ++k) {
    const size_t place = sample_place(count, k);
    const double is = element(dtype, bytes, place), before = was.samples[k];
    if (is == before || (std::isnan(is) && std::isnan(before))) continue;
    // mutation: samples_not_compared
    if (std::isfinite(is) && std::isfinite(before) && std::fabs(is - before) <= bound) continue;
    return error(RONDO_IO_ERROR, "the element %s is %.9g, and was %.9g where the check was made; it may differ by %.3g",
                 place_text(layout, place).c_str(), is, before, bound);
  }
  if (!exact) return {};
  const std::string digest = hex(bytes_of(sha256(bytes)));
  if (digest == was.digest) return {};  // mutation: digests_not_compared
  return error(RONDO_IO_ERROR, "its bytes have the SHA-256 %s, and had %s where the check was made", digest.c_str(),
               excerpt(was.digest).c_str());
}

struct Seen {
  size_t call, output;
  rondo_dtype dtype;
  const Layout& layout;
  const std::string& bytes;
};

// Makes all calls of a check on an instance that is gone afterwards.
Status call_all(const Ref<ProgramFile>& file, const SelfCheck& check, Engine& engine, Device& device,
                const CheckLimits& limits, const std::function<Status(const Seen&)>& see) {
  CheckRun run(file, engine, device, limits);
  RONDO_TRY(run.open());
  for (size_t k = 0; k < check.calls.size(); ++k) {
    const CheckedCall& call = check.calls[k];
    const Function& function = file->program().functions[call.function];
    const auto see_output = [&](size_t i, rondo_dtype dtype, const Layout& layout, const std::string& bytes) {
      return see({k, i, dtype, layout, bytes}).with_context("output '" + excerpt(function.outputs[i].name) + "'");
    };
    const std::string at = call.sizes.empty() ? "" : " at " + sizes_text(file->program().dims, call.sizes);
    RONDO_TRY(file->about(run.call(call, see_output).with_context("function '" + excerpt(function.name) + "'" + at)));
  }
  return {};
}

}  // namespace

Status run_check(const Ref<ProgramFile>& file, Engine& engine, Device& device, const CheckLimits& limits,
                 CheckCounts* counts) {
  const tape::Aside aside;
  *counts = {};
  if (file->check().empty())
    return file->about(error(RONDO_NOT_FOUND, "it has no self-check (rondo_program_add_check)"));
  if (file->check().size() > kMostCheckText)
    return file->about(
        error(RONDO_IO_ERROR, "its self-check has %zu bytes; %zu are possible", file->check().size(), kMostCheckText));
  SelfCheck check;
  RONDO_TRY(file->about(CheckReader(file->check(), file->program(), &check).read()));
  const bool same = check.made_by == own_version() && check.on == class_of(device);
  const auto see = [&](const Seen& seen) -> Status {
    const CheckedCall& call = check.calls[seen.call];
    const bool exact = same && has_bits(file->program(), file->program().functions[call.function]);
    RONDO_TRY(compare(call.outputs[seen.output], seen.dtype, seen.layout, seen.bytes, exact));
    ++counts->outputs;
    counts->exact += exact;
    return {};
  };
  RONDO_TRY(call_all(file, check, engine, device, limits, see));
  counts->calls = static_cast<int64_t>(check.calls.size());
  return {};
}

Status add_check(const Ref<ProgramFile>& file, const char* path, Engine& engine, Device& device,
                 const std::vector<std::vector<int64_t>>& sizes) {
  const tape::Aside aside;
  const Program& program = file->program();
  if (sizes.size() * program.functions.size() > kMostCheckCalls)
    return error(RONDO_INVALID_ARGUMENT, "n_calls is %zu; %zu functions can be called %zu times together", sizes.size(),
                 program.functions.size(), kMostCheckCalls);
  SelfCheck check = {own_version(), class_of(device), {}};
  for (const std::vector<int64_t>& each : sizes)
    for (size_t i = 0; i < program.functions.size(); ++i) check.calls.push_back({i, each, check.calls.size() + 1, {}});
  RONDO_TRY(call_all(file, check, engine, device, {}, [&check](const Seen& seen) -> Status {
    check.calls[seen.call].outputs.push_back(summary(seen.dtype, seen.bytes));
    return {};
  }));
  const std::string text = write_check(check, program);
  if (text.size() > kMostCheckText)
    return error(RONDO_INVALID_ARGUMENT, "n_calls is %zu: the check would have %zu bytes, and can have %zu",
                 sizes.size(), text.size(), kMostCheckText);
  // The same process and device have the same bits, whatever decides about them.
  RONDO_TRY(call_all(file, check, engine, device, {}, [&check](const Seen& seen) -> Status {
    const Status same = compare(check.calls[seen.call].outputs[seen.output], seen.dtype, seen.layout, seen.bytes, true);
    if (same.ok()) return {};  // mutation: second_runs_not_compared
    return error(RONDO_UNSUPPORTED, "a second run has other results, as of random numbers: %s", same.message());
  }));
  return file->save_with_check(path, engine, text);
}

}  // namespace rondo::program_files
