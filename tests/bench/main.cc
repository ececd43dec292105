// bench: prints the table of submission and replay costs, each beside the floor and the peers of the same run.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

#include "bench.h"
#include "handles.h"
#include "peers/peers.h"
#include "report.h"

#ifndef BENCH_SOURCE_DIR  // the build defines it: where peers/peer.py is
#define BENCH_SOURCE_DIR "tests/bench"
#endif

namespace {

using namespace bench;

constexpr char kUsage[] =
    "usage: bench [options]\n"
    "  --device cpu|cuda:0    what to measure (cuda:0 where there is one, else cpu)\n"
    "  --filter TEXT          only rows whose id contains TEXT; may be given several times\n"
    "  --list                 ids and descriptions of the rows\n"
    "  --operators            single operators on large operands instead of the other rows\n"
    "  --layers               on a cpu, layers beside onnxruntime and beside their operators apart, instead of the "
    "other rows\n"
    "  --networks             whole networks (ResNet-50, encoders) instead of the other rows: minutes\n"
    "  --quick                shorter samples, to see that everything runs; not for claims\n"
    "  --processor-time       what the processors spent instead of the clock's time: on a cpu that others use as well\n"
    "  --json FILE            also write everything measured, with card, driver, versions and date\n"
    "  --peers no|FILE        do not measure peers, or use this script instead of peer.py beside the sources\n"
    "  --python PROGRAM       interpreter for the peers (python3)\n"
    "  --compile-seconds N    limit of PyTorch's compiler for one row in one way (120 on a GPU; 0, as on a cpu: "
    "without "
    "it)\n"
    "  --help                 this text\n";

struct Command {
  Options options;
  bool list = false;
  std::string json, peers, python = "python3", compile_seconds;
  std::vector<std::string> filters;
};

[[noreturn]] void refuse(const std::string& text) {
  std::fprintf(stderr, "bench: %s\n", text.c_str());
  std::exit(2);
}

rondo_device default_device() {
  int32_t count = 0;
  return rondo_device_count(RONDO_CUDA, &count) == RONDO_OK && count > 0 ? rondo_device{RONDO_CUDA, 0}
                                                                         : rondo_device{RONDO_CPU, 0};
}

// Beside the sources this was built from, else below the current folder (a build that was moved to another machine).
std::string find_peer_script() {
  for (const char* path : {BENCH_SOURCE_DIR "/peers/peer.py", "tests/bench/peers/peer.py"}) {
    struct stat info = {};
    if (stat(path, &info) == 0) return path;
  }
  return BENCH_SOURCE_DIR "/peers/peer.py";
}

Command parse(int argc, char** argv) {
  Command c;
  std::string device;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--help") {
      std::fputs(kUsage, stdout);
      std::exit(0);
    }
    if (option == "--quick" || option == "--list") {
      (option == "--quick" ? c.options.quick : c.list) = true;
      continue;
    }
    if (option == "--processor-time") {
      c.options.processor_time = counts_processors = true;
      continue;
    }
    if (option == "--networks" || option == "--operators" || option == "--layers") {
      c.options.table = option == "--networks"    ? Options::kNetworks
                        : option == "--operators" ? Options::kOperators
                                                  : Options::kLayers;
      continue;
    }
    std::string* value = option == "--device"            ? &device
                         : option == "--json"            ? &c.json
                         : option == "--peers"           ? &c.peers
                         : option == "--python"          ? &c.python
                         : option == "--filter"          ? &c.filters.emplace_back()
                         : option == "--compile-seconds" ? &c.compile_seconds
                                                         : nullptr;
    if (value == nullptr) refuse("unknown option '" + option + "' (--help lists them)");
    if (++i == argc) refuse(option + " needs a value");
    *value = argv[i];
  }
  if (device.empty()) {
    c.options.device = default_device();
  } else if (rondo_device_parse(device.c_str(), &c.options.device) != RONDO_OK) {
    refuse("--device must be cpu or cuda:0, not '" + device + "'");
  }
  if (!c.compile_seconds.empty()) {
    const std::size_t digits = c.compile_seconds.find_first_not_of("0123456789");
    if (digits != std::string::npos || c.compile_seconds.size() > 5)
      refuse("--compile-seconds must be a whole number of seconds, not '" + c.compile_seconds + "'");
    c.options.compile_seconds = std::stoi(c.compile_seconds);
  }
  if (c.options.processor_time && c.options.device.kind == RONDO_CUDA)
    refuse("--processor-time is for --device cpu: a GPU's time is not the processors'");
  return c;
}

bool chosen(const Command& c, const Row& row) {
  return c.filters.empty() || std::any_of(c.filters.begin(), c.filters.end(), [&](const std::string& text) {
           return row.id.find(text) != std::string::npos;
         });
}

Result measure(const Row& row, int repetitions) {
  Result result;
  result.row = row;
  try {
    const Samplers samplers = row.prepare();
    std::vector<double> rondo, floor;
    for (int i = -2; i < repetitions; ++i) {  // the first two warm up
      const double mine = samplers.rondo();
      const double bare = samplers.floor ? samplers.floor() : 0;
      if (i < 0) continue;
      rondo.push_back(mine);
      floor.push_back(bare);
    }
    result.rondo = summarize(std::move(rondo));
    if (samplers.floor) result.floor = summarize(std::move(floor));
  } catch (const std::exception& error) {
    result.cannot = error.what();
  }
  return result;
}

int run(const Command& c) {
  const int repetitions = c.options.quick ? 9 : 15;
  std::vector<Row> rows;
  if (c.options.table == Options::kNetworks) {
    add_network_rows(c.options, rows);
    add_encoder_rows(c.options, rows);
  } else if (c.options.table == Options::kOperators) {
    add_operator_rows(c.options, rows);
    add_backward_rows(c.options, rows);
    add_attention_rows(c.options, rows);
    add_recurrent_rows(c.options, rows);
    add_projection_rows(c.options, rows);
    add_gate_rows(c.options, rows);
    add_optimizer_rows(c.options, rows);
    add_recommender_rows(c.options, rows);
  } else if (c.options.table == Options::kLayers) {
    add_layer_rows(c.options, rows);
  } else {
    add_submission_rows(c.options, rows);
    add_task_rows(c.options, rows);
    add_graph_rows(c.options, rows);
    add_control_rows(c.options, rows);
    add_scaling_rows(c.options, rows);
    add_training_rows(c.options, rows);
  }
  rows.erase(std::remove_if(rows.begin(), rows.end(), [&](const Row& row) { return !chosen(c, row); }), rows.end());
  if (rows.empty()) refuse("no row matches --filter (--list shows them)");
  if (c.list) {
    for (const Row& row : rows)
      std::printf("%-20s %s; floor: %s\n", row.id.c_str(), row.what.c_str(), row.floor.c_str());
    return 0;
  }

  Setting setting = describe(c.options, repetitions);
  std::vector<Result> results;
  for (const Row& row : rows) {
    std::fprintf(stderr, "%s\n", row.id.c_str());  // so that a row that hangs is known
    results.push_back(measure(row, repetitions));
  }
  if (c.peers != "no")
    measure_peers(c.python, c.peers.empty() ? find_peer_script() : c.peers, c.options, setting, results);
  print_table(setting, results);
  if (!c.json.empty() && !write_json(c.json, setting, results)) {
    std::fprintf(stderr, "bench: cannot write %s: %s\n", c.json.c_str(), std::strerror(errno));
    return 1;
  }
  return std::any_of(results.begin(), results.end(), [](const Result& r) { return !r.cannot.empty(); }) ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const Command command = parse(argc, argv);
  try {
    return run(command);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench: %s\n", error.what());
    return 1;
  }
}
