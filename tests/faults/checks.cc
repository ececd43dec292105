// Running the program with a fault and checking what it told and left. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include "checks.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace faults {

bool of_nvrtc(const std::string& entry) {
  return entry.rfind("nvrtc", 0) == 0;
}

const char* mode_name(rondo_engine_mode mode) {
  return mode == RONDO_ENGINE_ASYNC ? "async" : mode == RONDO_ENGINE_THREADED ? "threaded" : "naive";
}

std::vector<Case> cases(When when, std::initializer_list<Shows> shows) {
  std::vector<Case> all;
  for (const Entry& entry : entries())
    if (entry.when == when && (shows.size() == 0 || std::find(shows.begin(), shows.end(), entry.shows) != shows.end()))
      for (const rondo_engine_mode mode : kModes) all.push_back({&entry, mode});
  return all;
}

std::vector<Case> sticky_cases(When when) {
  std::vector<Case> all = cases(when, {Shows::reported, Shows::nothing});
  std::erase_if(all, [](const Case& each) { return of_nvrtc(each.entry->name); });
  return all;
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  return std::string(info.param.entry->name) + "_" + mode_name(info.param.mode);
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

rondo_engine* create(rondo_engine_mode mode) {
  rondo_engine_options options = RONDO_ENGINE_OPTIONS_INIT;
  options.mode = mode;
  options.workers = 2;
  options.streams = 2;
  options.max_tasks = 32;  // running ahead is bounded now and then, but first after the first read
  rondo_engine* engine = nullptr;
  if (rondo_engine_create(&options, &engine) != RONDO_OK) throw std::runtime_error(rondo_last_error());
  return engine;
}

// --- faults ---

bool Fault::sticky() const {
  return !of_nvrtc(entry->name) && (code == 214 || code == 700 || code == 719);
}

rondo_status Fault::status() const {
  const std::string name = entry->name;
  if (name == "cuDriverGetVersion" || name == "nvrtcVersion") return RONDO_LIBRARY_MISSING;
  if (of_nvrtc(name)) {
    if (code == kCompilation && name == "nvrtcCompileProgram") return RONDO_COMPILE_FAILED;
    return code == 1 ? RONDO_OUT_OF_MEMORY : RONDO_DEVICE_ERROR;
  }
  return sticky() ? RONDO_DEVICE_LOST : code == 2 ? RONDO_OUT_OF_MEMORY : RONDO_DEVICE_ERROR;
}

// Memory is given back and asked for again; what a device refuses as a cubin is loaded as PTX.
bool Fault::healed() const {
  const std::string name = entry->name;
  if (name == "cuMemAlloc_v2" || name == "cuMemHostAlloc") return code == 2;
  return name == "cuModuleLoadDataEx" && code == 200;
}

std::string Fault::text() const {
  return std::string(entry->name) + " fails at call " + std::to_string(call) + " with " + std::to_string(code);
}

Fault parse(const std::string& text) {
  const size_t first = text.find(':'), second = text.rfind(':');
  for (const Entry& entry : entries())
    if (text.compare(0, first, entry.name) == 0)
      return {&entry, std::stoll(text.substr(first + 1)), std::stoi(text.substr(second + 1))};
  throw std::runtime_error("no entry in " + text);
}

std::set<long long> some_calls(long long count) {
  return {1, std::max(1LL, (count + 1) / 2), std::max(1LL, count)};
}

std::vector<int> passing_codes(const std::string& entry) {
  return of_nvrtc(entry) ? std::vector<int>{11, 1, kCompilation} : std::vector<int>{1, 2, 200};
}

std::vector<Fault> passing_faults(const Entry& entry, long long calls) {
  std::vector<Fault> all;
  const std::vector<int> codes = passing_codes(entry.name);
  for (const int code : codes) all.push_back({&entry, 1, code});
  size_t turn = 0;
  for (const long long call : some_calls(calls))
    if (call > 1) all.push_back({&entry, call, codes[turn++ % codes.size()]});
  return all;
}

Environment settings_for(const Entry& entry) {
  if (!*entry.driver) return {};
  const char* path = std::getenv("RONDO_CUDA_DRIVER");
  const std::string here = path ? path : "";
  return {{"RONDO_CUDA_DRIVER", here.substr(0, here.rfind('/') + 1) + entry.driver + "/libcuda.so.1"},
          {"SIMCUDA_NVRTC", std::string(entry.driver).substr(1)}};
}

// --- checks ---

namespace {

// The name as messages have it: the number of a version tells two entries apart in few cases only.
std::string plain_name(const std::string& name) {
  const size_t at = name.rfind("_v");
  return at == std::string::npos || name == "cuGraphGetEdges_v2" || name == "cuGraphInstantiate_v2"
             ? name
             : name.substr(0, at);
}

// The cause in a message: without the function that tells it.
std::string cause_of(const std::string& text) {
  const size_t colon = text.find(": ");
  return colon == std::string::npos ? text : text.substr(colon + 2);
}

// What the driver keeps when the release of one object fails.
void keep_one(const Entry& entry, const Live& after, Live* expected) {
  const std::string kept = entry.keeps;
  if (kept == "allocations") {
    ++expected->allocations;
    expected->bytes = after.bytes;
  }
  expected->pinned += kept == "pinned";
  expected->streams += kept == "streams";
  expected->events += kept == "events";
  expected->modules += kept == "modules";
  expected->graphs += kept == "graphs";
  expected->execs += kept == "execs";
  expected->programs += kept == "programs";
}

}  // namespace

void check_attribution(Child& child, const Fault& fault, const Failure& failure) {
  const std::string told = "'" + failure.step + "' gave " + rondo_status_name(failure.status) + ": " + failure.text;
  // The program's task zeroes nothing: it makes a call of its own, and what it says is a user's failure.
  const bool own = has(failure.text, "task 'fill_with_ones'") && has(failure.text, "cuMemsetD8Async failed");
  const rondo_status right = own ? RONDO_USER_ERROR : fault.status();
  child.expect(failure.status == right, told + " | expected " + rondo_status_name(right));
  child.expect(failure.text.rfind("rondo_", 0) == 0, told + " | names no function");
  child.expect(has(failure.text, "cuda:0"), told + " | does not name the device");
  if (fault.status() == RONDO_COMPILE_FAILED) {
    child.expect(has(failure.text, "could not compile"), told + " | does not say that it does not compile");
    return;
  }
  child.expect(has(failure.text, plain_name(fault.entry->name) + " "), told + " | does not name the entry point");
  child.expect(has(failure.text, " " + std::to_string(fault.code)), told + " | does not have the code");
}

void check_values(Child& child, const Program& program, const std::map<std::string, std::string>& reference, bool all) {
  for (const auto& [name, bytes] : reference) {
    const auto got = program.values().find(name);
    if (got == program.values().end())
      child.expect(!all, "'" + name + "' has no value");
    else
      child.expect(got->second == bytes, "'" + name + "' has a wrong value");
  }
}

void check_left(Child& child, const Live& expected) {
  const Live after = live();
  child.expect(after == expected, "left behind: " + text(after) + " | expected: " + text(expected));
  child.expect(reports().empty(), "the driver complains: " + reports());
}

void check_lost(Child& child, rondo_engine* engine, const Program& program, int code) {
  rondo_engine_wait_all(engine);
  const std::string first = cause_of(rondo_last_error());
  const auto lost = [&](const char* what, rondo_status status) {
    child.expect(status == RONDO_DEVICE_LOST,
                 std::string(what) + " on a lost engine gives " + rondo_status_name(status));
    child.expect(cause_of(rondo_last_error()) == first,
                 std::string(what) + " tells another cause: " + rondo_last_error() + " | first: " + first);
  };
  child.expect(has(first, "cuda:0"), "the cause names no device: " + first);
  child.expect(has(first, " " + std::to_string(code) + " "), "the cause has no code: " + first);
  constexpr rondo_device kCuda = {RONDO_CUDA, 0};
  const auto nothing = [](void*, rondo_task_context*) { return RONDO_OK; };
  rondo_tensor* made = nullptr;
  rondo_variable* variable = nullptr;
  const int64_t one = 1;
  std::vector<float> data(128);
  lost("wait_all", rondo_engine_wait_all(engine));
  lost("tensor_create", rondo_tensor_create(engine, kCuda, RONDO_F32, 1, &one, &made));
  lost("from_host", rondo_tensor_from_host(engine, kCuda, RONDO_F32, 1, &one, data.data(), &made));
  lost("from_host, cpu", rondo_tensor_from_host(engine, {RONDO_CPU, 0}, RONDO_F32, 1, &one, data.data(), &made));
  lost("variable_create", rondo_variable_create(engine, &variable));
  lost("record_begin", rondo_record_begin(engine, nullptr));
  lost("seed", rondo_engine_seed(engine, 1));
  lost("trim", rondo_memory_trim(engine, kCuda));
  lost("push", rondo_engine_push(engine, nothing, nullptr, nullptr, nullptr, 0, nullptr, 0, nullptr));
  if (program.graph()) lost("graph_launch", rondo_graph_launch(program.graph()));
  rondo_tensor* a = program.tensor("a");
  if (!a) return;
  lost("tensor_wait", rondo_tensor_wait(a));
  lost("tensor_read", rondo_tensor_read(a, data.data(), data.size() * sizeof(float)));
  lost("tensor_write", rondo_tensor_write(a, data.data(), data.size() * sizeof(float)));
  lost("an operator", rondo_binary(RONDO_ADD, a, a, &made));   // whose kernel is loaded
  lost("another operator", rondo_unary(RONDO_ERF, a, &made));  // whose kernel is not
}

// --- runs ---

Reference run_without_faults(Child& child, rondo_engine_mode mode) {
  Reference reference;
  for (const std::string& entry : entries_of_the_product()) reference.calls[entry] = -calls(entry);
  rondo_engine* engine = create(mode);
  {
    Program program(engine, [&](const std::string& step) { child.at("the run without faults, " + step); });
    program.run();
    for (const Failure& failure : program.failures())
      child.complain("without faults, '" + failure.step + "' gave " + failure.text);
    reference.values = program.values();
  }
  rondo_engine_destroy(engine);
  for (auto& [entry, count] : reference.calls) count += calls(entry);
  reference.live = live();
  child.expect(reports().empty(), "the driver complains without faults: " + reports());
  return reference;
}

bool run_passing(Child& child, const Fault& fault, rondo_engine_mode mode, const Reference& reference, Live before,
                 const Fault* cause) {
  child.in(fault.text());
  const auto at = [&](const std::string& step) { child.at(fault.text() + ", " + step); };
  const long long first = calls(fault.entry->name);
  if (cause) arm(cause->entry->name, cause->call, cause->code);
  arm(fault.entry->name, fault.call, fault.code);
  const auto fired = [&] { return calls(fault.entry->name) - first >= fault.call; };
  // Whose failure the user sees.
  const Fault& seen = cause && !cause->healed() ? *cause : fault;
  const Shows shows = seen.healed() ? Shows::nothing : seen.entry->shows;

  rondo_engine* engine = create(mode);
  bool during = false, told = false;
  {
    Program program(engine, at);
    program.run();
    during = fired();
    check_values(child, program, reference.values, !during);
    std::vector<Failure> failures = program.failures();
    const std::map<std::string, std::string> early = program.values();
    if (during) {
      told = !failures.empty();
      child.expect(shows != Shows::nothing || !told, "a failure that should not show");
      child.expect(shows != Shows::reported || told, "nobody is told");
      clear_faults();
      program.forget_failures();
      program.read_again();
      for (const Failure& failure : program.failures()) {
        failures.push_back(failure);
        child.expect(!early.count(failure.step.substr(std::string("read ").size())),
                     "'" + failure.step + "' fails though it was read before");
      }
      for (const auto& [name, bytes] : early)
        if (program.tensor(name))
          child.expect(program.values().at(name) == bytes, "'" + name + "' lost the value it had");
    }
    for (const Failure& failure : failures) check_attribution(child, seen, failure);
    if (during) {
      // wait_all tells once what nobody has asked about.
      if (const rondo_status status = rondo_engine_wait_all(engine); status != RONDO_OK)
        check_attribution(child, seen, {"wait_all", status, rondo_last_error()});
      child.expect(rondo_engine_wait_all(engine) == RONDO_OK,
                   std::string("wait_all goes on to fail: ") + rondo_last_error());
      Program again(engine, [&](const std::string& step) { at("again, " + step); });
      again.run();
      for (const Failure& failure : again.failures())
        child.complain("the engine does not go on: '" + failure.step + "' gave " + failure.text);
      check_values(child, again, reference.values, true);
      check_values(child, program, again.values(), false);
    }
  }
  at("engine_destroy");
  rondo_engine_destroy(engine);
  clear_faults();
  child.expect(fired() || fault.call > 1 || fault.entry->by_chance, "the first call was never made");
  if (fired()) keep_one(*fault.entry, live(), &before);
  check_left(child, before);
  return told;
}

void run_sticky(Child& child, const Fault& fault, rondo_engine_mode mode, const Fault* cause) {
  child.in(fault.text());
  const auto at = [&](const std::string& step) { child.at(fault.text() + ", " + step); };
  if (cause) arm(cause->entry->name, cause->call, cause->code);
  arm(fault.entry->name, fault.call, fault.code);
  const auto fired = [&] { return calls(fault.entry->name) >= fault.call; };
  rondo_engine* engine = create(mode);
  {
    Program program(engine, at);
    program.run();
    if (fired()) {
      for (const auto& [name, bytes] : program.values())
        child.expect(expected(name).empty() || expected(name) == bytes, "'" + name + "' has a wrong value");
      at("the calls after the loss");
      // Some wait must find it.
      std::vector<float> data(128);
      rondo_tensor* a = program.tensor("a");
      const rondo_status status =
          a ? rondo_tensor_read(a, data.data(), data.size() * sizeof(float)) : rondo_engine_wait_all(engine);
      child.expect(status == RONDO_DEVICE_LOST, std::string("the loss is not found: ") + rondo_status_name(status));
      check_lost(child, engine, program, fault.code);
      for (const Failure& failure : program.failures()) {
        if (failure.status == RONDO_USER_ERROR && has(failure.text, "cuMemsetD8Async"))
          continue;  // the user's own call
        if (cause && failure.status == cause->status() && has(failure.text, plain_name(cause->entry->name) + " "))
          continue;  // what led to this fault
        child.expect(failure.status == RONDO_DEVICE_LOST,
                     "'" + failure.step + "' gave " + rondo_status_name(failure.status) + ": " + failure.text);
        child.expect(failure.text.rfind("rondo_", 0) == 0 && has(failure.text, "cuda:0") &&
                         has(failure.text, " " + std::to_string(fault.code) + " "),
                     "'" + failure.step + "' does not tell function, device and code: " + failure.text);
      }
    }
  }
  at("engine_destroy");
  rondo_engine_destroy(engine);
  child.expect(fired() || fault.call > 1 || fault.entry->by_chance, "the first call was never made");
  if (fired()) {
    // The context is the process's: another engine finds it as it is.
    at("another engine");
    rondo_engine* other = create(mode);
    rondo_tensor* made = nullptr;
    const int64_t one = 1;
    const float value = 0;
    rondo_status status = rondo_tensor_from_host(other, {RONDO_CUDA, 0}, RONDO_F32, 1, &one, &value, &made);
    if (status == RONDO_OK) status = rondo_tensor_wait(made);
    child.expect(status == RONDO_DEVICE_LOST, std::string("another engine finds ") + rondo_status_name(status));
    rondo_tensor_destroy(made);
    rondo_engine_destroy(other);
  }
  Live left = only_modules(live().modules);
  if (fired() && std::string(fault.entry->keeps) != "modules") keep_one(*fault.entry, live(), &left);  // counted above
  // A graph and its body are given up where the body's capture broke: destroying them may end the process.
  if (fired()) left.graphs = std::max(left.graphs, std::min(live().graphs, 2LL));
  clear_faults();
  check_left(child, left);
}

}  // namespace faults
