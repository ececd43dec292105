// Describes, checks and calls program files, through the functions that programs of users have.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tools/program.h"

#include <rondo/rondo.hpp>

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/json_text.h"
#include "base/machine/decimal.h"
#include "tools/program_sizes.h"
#include "tools/usage.h"

namespace rondo::tools {

namespace {

// Names come from the file, whose author is not known.
std::string escaped(const std::string& text) {
  return plain(text, false);
}

using Json = nlohmann::ordered_json;

// "f32 [B, 32*H]": sizes that vary as the program's text has them, where `shape` is the list that it has there.
std::string kind_text(const rondo_program_tensor_info& info, const Json& shape) {
  std::string text = std::string(rondo_dtype_name(info.dtype)) + " [";
  for (int32_t d = 0; d < info.ndim; ++d) {
    const Json& size = shape.at(static_cast<size_t>(d));
    text += (d ? ", " : "") + (size.is_string() ? escaped(size.get<std::string>()) : std::to_string(info.shape[d]));
  }
  return text + "]";
}

// texts: a list for each value in the program's text, with its shape at the place `shape`.
void print_values(const char* what, const std::vector<Program::Value>& values, const Json& texts, size_t shape) {
  for (size_t i = 0; i < values.size(); ++i)
    std::printf("  %-7s %s: %s%s\n", what, escaped(values[i].name).c_str(),
                kind_text(values[i].info, texts.at(i).at(shape)).c_str(), values[i].info.state ? ", a state" : "");
}

void print(const Program& program) {
  const rondo_program_info info = program.info();
  std::printf("needs Rondo %s; this is %s\n", info.needs, rondo_version_string());
  std::printf("%lld weights of %lld bytes, states of %lld bytes\n", static_cast<long long>(info.weights),
              static_cast<long long>(info.weight_bytes), static_cast<long long>(info.state_bytes));
  for (const ProgramDim& each : program.dims())
    std::printf("%s is from %lld to %lld\n", escaped(each.name).c_str(), static_cast<long long>(each.least),
                static_cast<long long>(each.most));
  const Json text = Json::parse(program.text());
  const std::vector<Program::Function> functions = program.functions();
  for (size_t i = 0; i < functions.size(); ++i) {
    const Program::Function& each = functions[i];
    const Json& declared = text.at("functions").at(i);
    std::printf("\nfunction %s: %lld nodes, %d parameters, %d sections\n", escaped(each.name).c_str(),
                static_cast<long long>(each.info.nodes), each.info.parameters, each.info.sections);
    print_values("input", each.inputs, declared.at("inputs"), 2);
    print_values("output", each.outputs, declared.at("outputs"), 3);
  }
  if (info.weights > 0) std::printf("\n");
  print_values("weight", program.weights(), text.at("weights"), 2);
  if (info.metadata > 0) std::printf("\n");
  for (const auto& [key, value] : program.metadata())
    std::printf("  text    %s: %s\n", escaped(key).c_str(), escaped(value).c_str());
}

// Makes instances, which checks all nodes: of a program whose sizes vary at the smallest and at the largest.
void verify(const Program& program, const Engine& engine) {
  const rondo_device device = {RONDO_CPU, 0};
  const std::vector<ProgramDim> dims = program.dims();
  if (dims.empty()) {
    (void)program.instance(engine, device);
    return;
  }
  std::vector<int64_t> least, most;
  for (const ProgramDim& each : dims) {
    least.push_back(each.least);
    most.push_back(each.most);
  }
  (void)program.bind(least).instance(engine, device);
  (void)program.bind(most).instance(engine, device);
}

// "cuda:0"; false: it is no device's name.
bool read_device(const std::string& text, rondo_device* device) {
  const size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon), index = colon == std::string::npos ? "" : text.substr(colon + 1);
  if ((kind != "cpu" && kind != "cuda") || index.empty() || index.size() > 4 ||
      index.find_first_not_of("0123456789") != std::string::npos)
    return false;
  *device = {kind == "cpu" ? RONDO_CPU : RONDO_CUDA, std::stoi(index)};
  return true;
}

// "2GiB", "1500000"; false: it is no size of 1 byte or more.
bool read_size(const std::string& text, int64_t* bytes) {
  const size_t digits = text.find_first_not_of("0123456789");
  const std::string number = text.substr(0, digits), unit = digits == std::string::npos ? "" : text.substr(digits);
  const int shift = unit.empty() ? 0 : unit == "KiB" ? 10 : unit == "MiB" ? 20 : unit == "GiB" ? 30 : -1;
  if (shift < 0 || number.empty() || number.size() > 12) return false;
  return !__builtin_mul_overflow(std::stoll(number), int64_t{1} << shift, bytes) && *bytes > 0;
}

// "30" or "0.5"; false: they are no seconds.
bool read_seconds(const std::string& text, int64_t* milliseconds) {
  if (text.size() > 9 || text.find_first_not_of("0123456789.") != std::string::npos) return false;
  const char* end = nullptr;
  const double seconds = read_decimal(text.c_str(), &end);
  *milliseconds = static_cast<int64_t>(seconds * 1000);
  return !*end && *milliseconds > 0;
}

// Limits the time that making it takes, if that is said. milliseconds: 0 where it is not.
int limit_making(const char* command, const std::string& seconds, const Program& program, int64_t* milliseconds) {
  *milliseconds = 0;
  if (seconds.empty()) return 0;
  if (!read_seconds(seconds, milliseconds))
    return bad_usage(command, "--seconds needs a number like 30 or 0.5, not '" + seconds + "'");
  program.limit_making(*milliseconds);
  return 0;
}

// The memory of the host that opening and making a program may take, for what this process opens from now on. bytes: 0
// where it is not said.
int read_host_memory(const char* command, const std::string& text, int64_t* bytes) {
  *bytes = 0;
  if (text.empty()) return 0;
  constexpr int64_t kMost = int64_t{1} << 40;  // of the setting
  if (!read_size(text, bytes) || *bytes > kMost)
    return bad_usage(command, "--host-memory needs a size like 2GiB, 512MiB or bytes, not '" + text + "'");
  const int64_t whole = (*bytes + (1 << 20) - 1) >> 20;
  setenv("RONDO_PROGRAM_HOST_MB", std::to_string(whole).c_str(), 1);
  return 0;
}

// An engine whose pools hold so much at most, if that is said.
int make_engine(const char* command, const std::string& memory, Engine* engine) {
  rondo_engine_options options = RONDO_ENGINE_OPTIONS_INIT;
  if (!memory.empty() && !read_size(memory, &options.memory_limit))
    return bad_usage(command, "--memory needs a size like 2GiB, 512MiB or bytes, not '" + memory + "'");
  *engine = Engine(options);
  return 0;
}

// Finds the device of that name; "" is the first GPU, and cpu:0 where there is none.
int choose_device(const char* command, const std::string& text, rondo_device* device) {
  *device = {RONDO_CPU, 0};
  if (text.empty()) {
    int32_t gpus = 0;
    throw_on_failure(rondo_device_count(RONDO_CUDA, &gpus));
    if (gpus > 0) *device = {RONDO_CUDA, 0};
  } else if (!read_device(text, device)) {
    return bad_usage(command, "--device needs one like cpu:0 or cuda:0, not '" + text + "'");
  }
  return 0;
}

struct ProgramOptions {
  std::string file, function, inputs, outputs, device, memory, host_memory, seconds;
  bool check_numbers = false, trust = false, check = false;
};

int read_arguments(int count, char** arguments, ProgramOptions* wish) {
  for (int i = 0; i < count; ++i) {
    const std::string word = arguments[i];
    std::string* const option = word == "--function"      ? &wish->function
                                : word == "--inputs"      ? &wish->inputs
                                : word == "--outputs"     ? &wish->outputs
                                : word == "--device"      ? &wish->device
                                : word == "--memory"      ? &wish->memory
                                : word == "--host-memory" ? &wish->host_memory
                                : word == "--seconds"     ? &wish->seconds
                                                          : nullptr;
    if (option) {
      if (!option->empty()) return bad_usage("run", word + " is given twice");
      if (++i == count || !*arguments[i]) return bad_usage("run", word + " needs a value");
      *option = arguments[i];
    } else if (word == "--check-numbers") {
      wish->check_numbers = true;
    } else if (word == "--trust") {
      wish->trust = true;
    } else if (word == "--check") {
      wish->check = true;
    } else if (!word.empty() && word[0] == '-') {
      return bad_usage("run", "there is no option '" + word + "'");
    } else if (!wish->file.empty() || word.empty()) {
      return bad_usage("run", "one program file is needed, not '" + word + "' too");
    } else {
      wish->file = word;
    }
  }
  if (wish->file.empty()) return bad_usage("run", "a program file is needed");
  if (wish->check && !(wish->function.empty() && wish->inputs.empty() && wish->outputs.empty() && !wish->check_numbers))
    return bad_usage("run",
                     "--check calls what the file says: --function, --inputs, --outputs and --check-numbers do not go "
                     "with it");
  if (wish->outputs.empty() && !wish->check) return bad_usage("run", "--outputs is needed: the file for the results");
  return 0;
}

// The function that is wanted, or the only one there is.
int find_function(const Program& program, const ProgramOptions& wish, Program::Function* function) {
  std::vector<Program::Function> all = program.functions();
  std::string names;
  for (Program::Function& each : all) {
    names += (names.empty() ? "'" : ", '") + escaped(each.name) + "'";
    if (each.name != wish.function && !(wish.function.empty() && all.size() == 1)) continue;
    *function = std::move(each);
    return 0;
  }
  std::fprintf(stderr, "rondo: %s; '%s' has %s\n",
               wish.function.empty() ? "--function is needed"
                                     : ("there is no function '" + escaped(wish.function) + "'").c_str(),
               escaped(wish.file).c_str(), names.c_str());
  return 1;
}

// Lists the calls of each function for a self-check: with the sizes of each text, or `calls` times where sizes are
// fixed.
int read_calls(const Program& program, const std::string& calls, const std::vector<std::string>& sizes,
               std::vector<std::vector<int64_t>>* all) {
  if (!sizes.empty() && !calls.empty())
    return bad_usage("program", "--calls and --sizes do not go together: there is a call for each --sizes");
  for (const std::string& each : sizes)
    if (const std::string wrong = read_sizes(program, each, &all->emplace_back()); !wrong.empty())
      return bad_usage("program", wrong);
  if (!sizes.empty()) return 0;
  if (!program.dims().empty())
    return bad_usage("program", "the sizes of the program vary: --sizes is needed, once or several times");
  if (calls.size() > 4 || calls.find_first_not_of("0123456789") != std::string::npos)
    return bad_usage("program", "--calls needs a number like 2, not '" + calls + "'");
  all->resize(calls.empty() ? 1 : static_cast<size_t>(std::stoi(calls)));
  return 0;
}

// Writes a program anew with a self-check.
int add_check(int count, char** arguments) {
  std::string file, calls, device_text, memory;
  std::vector<std::string> sizes;
  for (int i = 0; i < count; ++i) {
    const std::string word = arguments[i];
    std::string* const option = word == "--calls"    ? &calls
                                : word == "--device" ? &device_text
                                : word == "--memory" ? &memory
                                                     : nullptr;
    if (option || word == "--sizes") {
      if ((option && !option->empty()) || ++i == count || !*arguments[i])
        return bad_usage("program", word + (option ? " needs one value" : " needs a value"));
      (option ? *option : sizes.emplace_back()) = arguments[i];
    } else if (word.empty() || word[0] == '-' || !file.empty()) {
      return bad_usage("program", "'" + word + "' does not follow add-check");
    } else {
      file = word;
    }
  }
  if (file.empty()) return bad_usage("program", "add-check needs a file");
  rondo_device device;
  if (const int status = choose_device("program", device_text, &device)) return status;
  Engine engine(nullptr);
  if (const int status = make_engine("program", memory, &engine)) return status;
  std::vector<std::vector<int64_t>> all;
  if (const int status = read_calls(Program(file), calls, sizes, &all)) return status;
  add_program_check(file, engine, device, all);
  std::printf("%s has a self-check now: %zu calls of each function, made on %s:%d\n", escaped(file).c_str(), all.size(),
              device.kind == RONDO_CPU ? "cpu" : "cuda", device.index);
  return 0;
}

}  // namespace

int program(int count, char** arguments) {
  const std::string action = count > 0 ? arguments[0] : "";
  if (action == "bind" || action == "copy") return write_program(action, count - 1, arguments + 1);
  if (action == "diff") return diff_programs(count - 1, arguments + 1);
  if (action == "compile") return compile_program(count - 1, arguments + 1);
  if (action == "add-check") return add_check(count - 1, arguments + 1);
  if (action != "show" && action != "verify")
    return bad_usage("program", "show, verify, copy, bind, diff, compile or add-check is needed");
  bool text = false;
  std::string file, memory, host_memory, seconds, device;
  std::vector<std::string> sizes;
  for (int i = 1; i < count; ++i) {
    const std::string word = arguments[i];
    if (action == "show" && word == "--text")
      text = true;
    else if (action == "verify" && word == "--memory" && i + 1 < count)
      memory = arguments[++i];
    else if (action == "verify" && word == "--host-memory" && i + 1 < count)
      host_memory = arguments[++i];
    else if (action == "verify" && word == "--seconds" && i + 1 < count)
      seconds = arguments[++i];
    else if (action == "show" && word == "--for" && device.empty() && i + 1 < count && *arguments[i + 1])
      device = arguments[++i];
    else if (action == "show" && word == "--sizes" && i + 1 < count)
      sizes.emplace_back(arguments[++i]);
    else if (word.empty() || word[0] == '-' || !file.empty())
      return bad_usage("program", "'" + word + "' does not follow " + action);
    else
      file = word;
  }
  if (file.empty()) return bad_usage("program", action + " needs a file");
  if (device.empty() ? !sizes.empty() : text)
    return bad_usage("program", device.empty() ? "--sizes belong to --for" : "--text and --for do not go together");
  int64_t most_bytes = 0;
  if (const int status = read_host_memory("program", host_memory, &most_bytes)) return status;
  const Program opened(file);
  if (text) {
    std::printf("%s\n", plain(opened.text()).c_str());
  } else if (action == "show") {
    print(opened);
    if (!device.empty()) return print_kernels(file, device, sizes);
  } else {
    Engine engine(nullptr);
    int64_t limit = 0;
    if (const int status = make_engine("program", memory, &engine)) return status;
    if (const int status = limit_making("program", seconds, opened, &limit)) return status;
    opened.limit_host_memory(most_bytes);
    verify(opened, engine);
    std::printf("%s is whole: each node is one that Rondo %s records\n", escaped(file).c_str(), rondo_version_string());
  }
  return 0;
}

namespace {

constexpr int64_t kCheckMs = 60000;  // of each call

int check_program(const Program& program, const ProgramOptions& wish, int64_t limit, rondo_device device) {
  Engine engine(nullptr);
  if (const int status = make_engine("run", wish.memory, &engine)) return status;
  int64_t most_bytes = 0;
  (void)read_size(wish.memory, &most_bytes);
  const rondo_program_check_info info = program.check(engine, device, most_bytes, limit ? limit : kCheckMs);
  std::printf("%s passes its self-check: %lld calls, %lld outputs, %lld of them with the same bits\n",
              escaped(wish.file).c_str(), static_cast<long long>(info.calls), static_cast<long long>(info.outputs),
              static_cast<long long>(info.exact));
  return 0;
}

}  // namespace

int run_program(int count, char** arguments) {
  ProgramOptions wish;
  if (const int status = read_arguments(count, arguments, &wish)) return status;
  if (wish.check_numbers) setenv("RONDO_CHECK_NUMBERS", "on", 1);  // of all that this process records
  rondo_device device;
  if (const int status = choose_device("run", wish.device, &device)) return status;
  int64_t most_bytes = 0;
  if (const int status = read_host_memory("run", wish.host_memory, &most_bytes)) return status;
  const Program opened(wish.file);
  opened.limit_host_memory(most_bytes);
  if (wish.trust) opened.trust();
  int64_t limit = 0;
  if (const int status = limit_making("run", wish.seconds, opened, &limit)) return status;
  if (wish.check) return check_program(opened, wish, limit, device);
  Program::Function function;
  if (const int status = find_function(opened, wish, &function)) return status;
  if (wish.inputs.empty() && !function.inputs.empty())
    return bad_usage(
        "run", "--inputs is needed: a safetensors file with the tensor '" + escaped(function.inputs[0].name) + "'");
  if (!wish.inputs.empty() && function.inputs.empty())
    return bad_usage("run", "--inputs is given, and the function has no inputs");
  Engine engine(nullptr);
  if (const int status = make_engine("run", wish.memory, &engine)) return status;
  const ProgramInstance instance = opened.instance(engine, device);
  std::vector<Tensor> inputs;
  if (!function.inputs.empty()) {
    const ModelFile given(wish.inputs);
    for (const Program::Value& each : function.inputs) inputs.push_back(given.load(each.name, engine, device));
  }
  const std::vector<Tensor> outputs =
      limit ? instance.call_within(limit, function.name, inputs) : instance.call(function.name, inputs);
  std::vector<std::pair<std::string, Tensor>> named;
  for (size_t i = 0; i < outputs.size(); ++i) named.emplace_back(function.outputs[i].name, outputs[i]);
  write_model_file(wish.outputs, named);
  return 0;
}

}  // namespace rondo::tools
