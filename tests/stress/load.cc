// A load on the driver: graphs of every shape that Rondo gives it, made, launched and destroyed without end by several
// threads. On a GPU, in several processes at once, it shows whether a driver stands still over one of them
// (docs/driver-faults.md); on the simulated driver, whether one of the shapes is given that drivers stand still over.
//
//   load PIECE [--seconds S] [--rounds N] [--threads N] [--seed N] [--device cuda:0]
//
// PIECE: choices (random control flow), branches (sums side by side), calls (changing addresses, parameters, sections),
// gradients (of convolutions, on two streams), ranks (two GPUs' first launches of branches with a collective). Each
// thread has an engine of its own. Ends with 0, with 1 after an error or a wrong result, with 2 when a thread has made
// no progress for 20 seconds, and with 77 where what the piece needs is not there.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../bench/handles.h"

namespace {

using bench::Engine;
using bench::Graph;
using bench::Tensor;
using Random = std::mt19937;
using Issue = std::function<void()>;

constexpr int kNotHere = 77;

struct Options {
  std::string piece;
  double seconds = 10;
  long rounds = -1;  // of each thread; negative: as many as the seconds allow
  int threads = 4;
  unsigned seed = 1;
  rondo_device device = {RONDO_CUDA, 0};
};

unsigned below(Random& random, unsigned bound) {
  return static_cast<unsigned>(random()) % bound;
}

// What an operator makes: `made(function, arguments...)` is its new tensor, `put(tensor, function, arguments...)`
// writes into one that is there.
template <class Function, class... Arguments>
Tensor made(Function function, Arguments... arguments) {
  rondo_tensor* out = nullptr;
  BENCH_CHECK(function(arguments..., &out));
  return Tensor(out);
}
template <class Function, class... Arguments>
void put(rondo_tensor* into, Function function, Arguments... arguments) {
  BENCH_CHECK(function(arguments..., &into));
}

Tensor filled(rondo_engine* engine, rondo_device device, const std::vector<int64_t>& shape, double value) {
  Tensor tensor =
      made(rondo_tensor_create, engine, device, RONDO_F32, static_cast<int32_t>(shape.size()), shape.data());
  BENCH_CHECK(rondo_fill(tensor.get(), value));
  return tensor;
}

std::vector<float> read(rondo_tensor* tensor) {
  rondo_tensor_info info = RONDO_TENSOR_INFO_INIT;
  BENCH_CHECK(rondo_tensor_query(tensor, &info));
  std::vector<float> values(static_cast<size_t>(info.elements));
  BENCH_CHECK(rondo_tensor_read(tensor, values.data(), values.size() * sizeof(float)));
  return values;
}

Graph recorded(rondo_engine* engine, uint32_t flags, const Issue& program) {
  rondo_record_options options = RONDO_RECORD_OPTIONS_INIT;
  options.flags = flags;
  BENCH_CHECK(rondo_record_begin(engine, &options));
  try {
    program();
  } catch (...) {
    rondo_record_abort(engine);
    throw;
  }
  rondo_graph* graph = nullptr;
  BENCH_CHECK(rondo_record_end(engine, &graph));
  return Graph(graph);
}

void demand(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(std::string("a wrong result: ") + what);
}

// One thread's part of a piece.
class Piece {
 public:
  Piece(const Options& options, int thread)
      : device_(options.device), mode_(static_cast<rondo_engine_mode>(1 + thread % 3)), streams_(thread % 2 * 2) {
    renew();
  }
  virtual ~Piece() = default;
  virtual void round(Random& random) = 0;
  long launches() const { return launches_; }

 protected:
  rondo_engine* engine() const { return engine_.get(); }
  // Another engine, and with it other streams; nothing of the old one is left.
  void renew() {
    engine_.reset();
    engine_ = bench::make_engine(mode_, streams_);
  }
  void launch(const Graph& graph) {
    BENCH_CHECK(rondo_graph_launch(graph.get()));
    count();
  }
  void count() { launches_.fetch_add(1, std::memory_order_relaxed); }

  const rondo_device device_;

 private:
  const rondo_engine_mode mode_;
  const int streams_;
  Engine engine_;
  std::atomic<long> launches_{0};
};

// --- random control flow ---

rondo_status call_issue(void* issue) {
  try {
    (*static_cast<const Issue*>(issue))();
    return RONDO_OK;
  } catch (const std::exception& exception) {
    std::fprintf(stderr, "load: in a body: %s\n", exception.what());
    return RONDO_USER_ERROR;
  }
}
rondo_status call_second(void* issue) {
  return call_issue(static_cast<Issue*>(issue) + 1);
}

class Choices final : public Piece {
 public:
  using Piece::Piece;

  // A program is recorded, launched and destroyed while its launches are under way; now and then its results are
  // compared with what the host decides.
  void round(Random& random) override {
    static constexpr int64_t kSizes[] = {6, 300, 20000};
    size_ = kSizes[below(random, 3)];
    if (below(random, 20) == 0) renew();
    const Block program = block(random, 0);
    const uint32_t flags = below(random, 3) == 0 ? RONDO_RECORD_AS_WRITTEN : RONDO_RECORD_DEFAULT;
    std::vector<Tensor> given;
    for (size_t i = 0; i < kTensors; ++i) given.push_back(filled(engine(), device_, {size_}, 0));
    const auto run = [&] { run_program(program, given); };
    const bool compares = below(random, 6) == 0;
    const auto results = [&](uint32_t with) {
      BENCH_CHECK(rondo_engine_seed(engine(), 7));
      for (size_t i = 0; i < kTensors; ++i) BENCH_CHECK(rondo_fill(given[i].get(), static_cast<double>(i) - 1.5));
      std::vector<std::vector<float>> all;
      {
        const Graph graph = recorded(engine(), flags | with, run);
        for (int i = 0; i < 6; ++i) launch(graph);
      }
      if (compares)
        for (const Tensor& each : given) all.push_back(read(each.get()));
      return all;
    };
    const auto chosen = results(RONDO_RECORD_DEFAULT);
    if (compares) {
      const auto decided = results(RONDO_RECORD_HOST_DECIDES);
      for (size_t i = 0; i < kTensors; ++i)
        demand(std::memcmp(chosen[i].data(), decided[i].data(), chosen[i].size() * sizeof(float)) == 0,
               "a graph that decides differs from the host");
    }
    for (const Tensor& each : given) BENCH_CHECK(rondo_tensor_wait(each.get()));
  }

 private:
  struct Statement {
    enum Kind { binary, unary, draw, sums, rows, condition, loop, index, kinds } kind = binary;
    size_t to = 0, a = 0, b = 0;
    int operation = 0;
    double constant = 0;
    std::vector<std::vector<Statement>> blocks;
  };
  using Block = std::vector<Statement>;
  static constexpr size_t kTensors = 5, kLocal = 2;

  static Block block(Random& random, int depth) {
    Block all;
    const unsigned length = 1 + below(random, depth == 0 ? 8 : 3);
    for (unsigned i = 0; i < length; ++i) {
      Statement each;
      each.kind = static_cast<Statement::Kind>(below(random, depth < 3 ? Statement::kinds : Statement::condition));
      each.to = below(random, kTensors + kLocal);
      each.a = below(random, kTensors + kLocal);
      each.b = below(random, kTensors + kLocal);
      each.operation = static_cast<int>(below(random, 3));
      each.constant = static_cast<double>(below(random, 9)) - 4;
      const unsigned blocks = each.kind == Statement::condition ? 1 + below(random, 2)
                              : each.kind == Statement::loop    ? 1
                              : each.kind == Statement::index   ? 1 + below(random, 3)
                                                                : 0;
      for (unsigned k = 0; k < blocks; ++k) each.blocks.push_back(block(random, depth + 1));
      all.push_back(std::move(each));
    }
    return all;
  }

  void run_program(const Block& statements, const std::vector<Tensor>& given) const {
    std::vector<rondo_tensor*> x;
    std::vector<Tensor> local;
    for (const Tensor& each : given) x.push_back(each.get());
    for (size_t i = 0; i < kLocal; ++i) {
      local.push_back(made(rondo_copy, given[i].get()));
      x.push_back(local.back().get());
    }
    run_block(statements, x);
    put(x[0], rondo_binary, RONDO_ADD, x[0], x[kTensors]);
  }
  void run_block(const Block& statements, const std::vector<rondo_tensor*>& x) const {
    for (const Statement& each : statements) run_statement(each, x);
  }
  Tensor holds(const Statement& s, rondo_tensor* of) const {
    const Tensor sum = made(rondo_reduce, RONDO_SUM, of, 0, static_cast<const int32_t*>(nullptr), 0);
    return made(rondo_binary_scalar, RONDO_GT, sum.get(), s.constant);
  }
  void run_statement(const Statement& s, const std::vector<rondo_tensor*>& x) const {
    static constexpr rondo_binary_op kBinary[] = {RONDO_ADD, RONDO_SUB, RONDO_MAXIMUM};
    rondo_tensor* const to = x[s.to];
    const auto body = [&](size_t k) { return Issue([this, &s, &x, k] { run_block(s.blocks[k], x); }); };
    switch (s.kind) {
      case Statement::binary: return put(to, rondo_binary, kBinary[s.operation], x[s.a], x[s.b]);
      case Statement::unary:
        if (s.operation > 0) return put(to, rondo_unary, RONDO_TANH, x[s.a]);
        return put(to, rondo_binary_scalar, RONDO_ADD, x[s.a], s.constant);
      case Statement::draw: {
        const Tensor drawn = made(rondo_random_uniform, engine(), device_, RONDO_F32, 1, &size_, -1.0, 1.0);
        return put(to, rondo_binary, RONDO_ADD, x[s.a], drawn.get());
      }
      case Statement::sums: {
        const Tensor sums = made(rondo_cumulative, RONDO_SUM, x[s.a], 0, 0);
        const Tensor small = made(rondo_unary, RONDO_TANH, sums.get());
        return put(to, rondo_binary, RONDO_SUB, small.get(), x[s.b]);
      }
      case Statement::rows: {
        const Tensor rows = made(rondo_softmax, x[s.a], 0);
        return put(to, rondo_binary, RONDO_ADD, rows.get(), x[s.b]);
      }
      case Statement::condition: {
        const Tensor condition = holds(s, x[s.a]);
        Issue bodies[2] = {body(0), s.blocks.size() > 1 ? body(1) : Issue()};
        BENCH_CHECK(rondo_if(engine(), condition.get(), call_issue, bodies[1] ? call_second : nullptr, bodies));
        return;
      }
      case Statement::loop: {
        const Tensor condition = holds(s, x[s.a]);
        Issue turn = [&] {
          run_block(s.blocks[0], x);
          const Tensor sum = made(rondo_reduce, RONDO_SUM, x[s.b], 0, static_cast<const int32_t*>(nullptr), 0);
          put(condition.get(), rondo_binary_scalar, RONDO_GT, sum.get(), s.constant);
        };
        BENCH_CHECK(rondo_while(engine(), condition.get(), call_issue, 1 + s.operation, &turn));
        return;
      }
      case Statement::index: {
        const Tensor one = made(rondo_tensor_slice, x[s.a], 0, int64_t{0}, int64_t{1}, int64_t{1});
        const Tensor clipped = made(rondo_unary, RONDO_TANH, one.get());
        const Tensor scaled = made(rondo_binary_scalar, RONDO_MUL, clipped.get(), 3.0);
        const Tensor index = made(rondo_cast, scaled.get(), RONDO_I32);
        std::vector<Issue> bodies;
        for (size_t k = 0; k < s.blocks.size(); ++k) bodies.push_back(body(k));
        std::vector<rondo_body_fn> functions(bodies.size(), call_issue);
        std::vector<void*> arguments;
        for (Issue& each : bodies) arguments.push_back(&each);
        BENCH_CHECK(rondo_switch(engine(), index.get(), static_cast<int32_t>(bodies.size()), functions.data(),
                                 arguments.data()));
        return;
      }
      case Statement::kinds: return;
    }
  }

  int64_t size_ = 6;
};

// --- sums of several tensors, side by side ---

class Branches final : public Piece {
 public:
  Branches(const Options& options, int thread) : Piece(options, thread) {
    for (int i = 0; i < kMost; ++i) {
      given_.push_back(filled(engine(), device_, {kSize}, i));
      sums_.push_back(filled(engine(), device_, {}, 0));
    }
  }
  void round(Random& random) override {
    const unsigned n = 2 + below(random, kMost - 1);
    const Tensor all = filled(engine(), device_, {}, 0);
    {
      const Graph graph = recorded(engine(), RONDO_RECORD_DEFAULT, [&] {
        for (unsigned i = 0; i < n; ++i)
          put(sums_[i].get(), rondo_reduce, RONDO_SUM, given_[i].get(), 0, static_cast<const int32_t*>(nullptr), 0);
        put(all.get(), rondo_binary, RONDO_ADD, sums_[0].get(), sums_[1].get());
        for (unsigned i = 2; i < n; ++i) put(all.get(), rondo_binary, RONDO_ADD, all.get(), sums_[i].get());
      });
      for (int i = 0; i < 6; ++i) launch(graph);
    }
    demand(read(all.get())[0] == static_cast<float>(kSize * n * (n - 1) / 2), "a sum of sums");
  }

 private:
  static constexpr int64_t kSize = 5000;
  static constexpr int kMost = 8;
  std::vector<Tensor> given_, sums_;
};

// --- calls with changing addresses; parameters and sections between launches ---

class Calls final : public Piece {
 public:
  Calls(const Options& options, int thread) : Piece(options, thread) {
    for (int i = 0; i < kInputs; ++i) inputs_.push_back(filled(engine(), device_, {kSize}, i));
  }
  void round(Random& random) override {
    const unsigned width = 1 + below(random, 4), turns = 1 + below(random, kInputs);
    const Graph called = recorded(engine(), RONDO_RECORD_CALLABLE, [&] {
      const Tensor x = made(rondo_record_input, engine(), device_, RONDO_F32, 1, &kSize);
      std::vector<Tensor> parts;
      for (unsigned i = 0; i < width; ++i) {
        const Tensor sum = made(rondo_cumulative, RONDO_SUM, x.get(), 0, 0);
        parts.push_back(made(rondo_binary_scalar, RONDO_MUL, sum.get(), static_cast<double>(i + 1)));
      }
      Tensor all = std::move(parts[0]);
      for (unsigned i = 1; i < width; ++i) all = made(rondo_binary, RONDO_ADD, all.get(), parts[i].get());
      BENCH_CHECK(rondo_record_output(engine(), all.get()));
    });
    for (unsigned i = 0; i < 40; ++i) {
      const unsigned which = i % turns;
      rondo_tensor *in = inputs_[which].get(), *out = nullptr;
      BENCH_CHECK(rondo_graph_call(called.get(), 1, &in, 1, &out));
      const Tensor result(out);
      count();
      if (i % 13 == 0)
        demand(read(out).back() == static_cast<float>(which * kSize * width * (width + 1) / 2), "of a call");
    }
    const Tensor y = filled(engine(), device_, {kSize}, 0), z = filled(engine(), device_, {kSize}, 0);
    const Graph set = recorded(engine(), RONDO_RECORD_DEFAULT, [&] {
      const Tensor rate = made(rondo_record_parameter, engine(), "rate", device_, RONDO_F32, 1.0);
      put(y.get(), rondo_binary, RONDO_ADD, y.get(), rate.get());
      BENCH_CHECK(rondo_record_section_begin(engine(), "part", 1));
      put(z.get(), rondo_binary_scalar, RONDO_ADD, z.get(), 1.0);
      BENCH_CHECK(rondo_record_section_end(engine()));
    });
    float sum = 0, parts = 0;
    for (int i = 0; i < 12; ++i) {
      const auto rate = static_cast<float>(below(random, 4));
      const auto on = static_cast<int32_t>(below(random, 2));
      BENCH_CHECK(rondo_graph_set(set.get(), "rate", static_cast<double>(rate)));
      BENCH_CHECK(rondo_graph_enable(set.get(), "part", on));
      launch(set);
      sum += rate;
      parts += static_cast<float>(on);
    }
    demand(read(y.get())[0] == sum && read(z.get())[0] == parts, "of parameters and sections");
  }

 private:
  static constexpr int64_t kSize = 300;
  static constexpr int kInputs = 6;
  std::vector<Tensor> inputs_;
};

// --- the two gradients of convolutions, on two streams ---

class Gradients final : public Piece {
 public:
  using Piece::Piece;
  void round(Random& random) override {
    static constexpr int64_t kChannels[] = {4, 16, 32}, kSide[] = {5, 8, 14};
    const int64_t channels = kChannels[below(random, 3)], side = kSide[below(random, 3)];
    const bool chooses = below(random, 3) == 0;
    const Tensor x = filled(engine(), device_, {2, channels, side, side}, 1),
                 w = filled(engine(), device_, {channels, channels, 1, 1}, 1),
                 ones = filled(engine(), device_, {2, channels, side, side}, 1),
                 flag = filled(engine(), device_, {}, 1);
    Tensor of_x, of_w;
    {
      rondo_tensor* gradients[2] = {};
      const Graph graph = recorded(engine(), RONDO_RECORD_DEFAULT, [&] {
        rondo_tape* tape = nullptr;
        BENCH_CHECK(rondo_tape_begin(engine(), 0, &tape));
        const std::unique_ptr<rondo_tape, bench::Destroy<rondo_tape, rondo_tape_destroy>> owner(tape);
        rondo_tensor* const watched[] = {x.get(), w.get()};
        for (rondo_tensor* each : watched) BENCH_CHECK(rondo_tape_watch(tape, each));
        const Tensor y =
            made(rondo_convolution, x.get(), w.get(), static_cast<const rondo_convolution_options*>(nullptr));
        BENCH_CHECK(rondo_tape_end(tape));
        rondo_tensor* const seed[] = {ones.get()};
        rondo_tensor* const from[] = {y.get()};
        BENCH_CHECK(rondo_tape_gradients(tape, 1, from, seed, 2, watched, gradients));
        of_x.reset(gradients[0]);
        of_w.reset(gradients[1]);
        if (!chooses) return;
        const Tensor condition = made(rondo_binary_scalar, RONDO_GT, flag.get(), 0.0);
        Issue body = [&] { put(of_w.get(), rondo_binary_scalar, RONDO_MUL, of_w.get(), 2.0); };
        BENCH_CHECK(rondo_if(engine(), condition.get(), call_issue, nullptr, &body));
      });
      for (int i = 0; i < 4; ++i) launch(graph);
    }
    demand(read(of_x.get())[0] == static_cast<float>(channels), "a gradient of the image");
    demand(read(of_w.get())[0] == static_cast<float>(2 * side * side * (chooses ? 2 : 1)), "a gradient of the filter");
  }
};

// --- first launches of two ranks ---

class Ranks final : public Piece {
 public:
  Ranks(const Options& options, int) : Piece(options, 1) {
    const rondo_device devices[] = {{RONDO_CUDA, 0}, {RONDO_CUDA, 1}};
    BENCH_CHECK(rondo_comm_create_all(engine(), devices, 2, nullptr, comms_));
    for (int rank = 0; rank < 2; ++rank)
      for (int i = 0; i < 4; ++i) given_[rank].push_back(filled(engine(), devices[rank], {kSize}, i + 1));
  }
  ~Ranks() override {
    for (rondo_comm* comm : comms_) rondo_comm_destroy(comm);
  }
  void round(Random& random) override {
    const unsigned n = 2 + below(random, 3);
    std::string failures[2];
    std::vector<std::thread> ranks;
    for (int rank = 0; rank < 2; ++rank)
      ranks.emplace_back([&, rank] {
        try {
          run_rank(rank, n);
        } catch (const std::exception& exception) {
          failures[rank] = exception.what();
        }
      });
    for (std::thread& each : ranks) each.join();
    for (const std::string& each : failures)
      if (!each.empty()) throw std::runtime_error(each);
  }

 private:
  void run_rank(int rank, unsigned n) {
    const rondo_device device = {RONDO_CUDA, rank};
    const Tensor all = filled(engine(), device, {}, 0);
    {
      const Graph graph = recorded(engine(), RONDO_RECORD_DEFAULT, [&] {
        std::vector<Tensor> sums;
        for (unsigned i = 0; i < n; ++i)
          sums.push_back(
              made(rondo_reduce, RONDO_SUM, given_[rank][i].get(), 0, static_cast<const int32_t*>(nullptr), 0));
        put(all.get(), rondo_comm_all_reduce_sum, comms_[rank], sums[0].get());
        for (unsigned i = 1; i < n; ++i) put(all.get(), rondo_binary, RONDO_ADD, all.get(), sums[i].get());
      });
      for (int i = 0; i < 2; ++i) launch(graph);
    }
    demand(read(all.get())[0] == static_cast<float>(kSize * (n * (n + 1) / 2 + 1)), "of two ranks");
  }
  static rondo_status rondo_comm_all_reduce_sum(rondo_comm* comm, rondo_tensor* input, rondo_tensor** out) {
    return rondo_comm_all_reduce(comm, input, RONDO_SUM, out);
  }

  static constexpr int64_t kSize = 5000;
  rondo_comm* comms_[2] = {};
  std::vector<Tensor> given_[2];
};

std::unique_ptr<Piece> make_piece(const Options& options, int thread) {
  if (options.piece == "choices") return std::make_unique<Choices>(options, thread);
  if (options.piece == "branches") return std::make_unique<Branches>(options, thread);
  if (options.piece == "calls") return std::make_unique<Calls>(options, thread);
  if (options.piece == "gradients") return std::make_unique<Gradients>(options, thread);
  if (options.piece == "ranks") return std::make_unique<Ranks>(options, thread);
  return nullptr;
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// What the watching thread sees of one that works.
struct Progress {
  std::atomic<double> last{now()};
  std::atomic<long> round{0}, launches{0};
  std::atomic<bool> done{false};
};

void work(const Options& options, int thread, double end, Progress& progress) {
  try {
    const std::unique_ptr<Piece> piece = make_piece(options, thread);
    for (long i = 0; options.rounds < 0 ? now() < end : i < options.rounds; ++i) {
      progress.round = i;
      Random random(options.seed * 7919 + static_cast<unsigned>(thread) * 104729 +
                    static_cast<unsigned>(i) * 2654435761U);
      piece->round(random);
      progress.launches = piece->launches();
      progress.last = now();
    }
  } catch (const std::exception& exception) {
    std::printf("%s seed %u thread %d round %ld, after %.0f s: %s\n", options.piece.c_str(), options.seed, thread,
                progress.round.load(), now() - end + options.seconds, exception.what());
    std::fflush(stdout);
    _exit(1);  // the other threads may never come to an end
  }
  progress.done = true;
}

int run(const Options& options) {
  constexpr double kStill = 20;
  const double begin = now();
  std::vector<Progress> all(static_cast<size_t>(options.threads));
  std::vector<std::thread> threads;
  for (int t = 0; t < options.threads; ++t)
    threads.emplace_back(work, std::cref(options), t, begin + options.seconds, std::ref(all[static_cast<size_t>(t)]));
  for (bool done = false; !done;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(options.rounds < 0 ? 200 : 5));
    done = true;
    for (size_t t = 0; t < all.size(); ++t) {
      if (all[t].done) continue;
      done = false;
      // Rounds take as long as they take.
      if (options.rounds >= 0 || now() - all[t].last < kStill) continue;
      std::printf("%s seed %u thread %zu round %ld: stands still after %.0f s\n", options.piece.c_str(), options.seed,
                  t, all[t].round.load(), now() - begin);
      std::fflush(stdout);
      _exit(2);
    }
  }
  long launches = 0, rounds = 0;
  for (const Progress& each : all) launches += each.launches, rounds += each.round + 1;
  for (std::thread& each : threads) each.join();
  std::printf("%s seed %u: %ld programs, %ld launches, fine\n", options.piece.c_str(), options.seed, rounds, launches);
  return 0;
}

int parse(int count, char** words, Options* options) {
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const char* const value = i + 1 < count ? words[i + 1] : nullptr;
    if (word.compare(0, 2, "--") != 0) {
      options->piece = word;
      continue;
    }
    if (!value) return 2;
    ++i;
    if (word == "--seconds")
      options->seconds = std::atof(value);
    else if (word == "--rounds")
      options->rounds = std::atol(value);
    else if (word == "--threads")
      options->threads = std::atoi(value);
    else if (word == "--seed")
      options->seed = static_cast<unsigned>(std::atol(value));
    else if (word == "--device" && std::sscanf(value, "cuda:%d", &options->device.index) == 1)
      options->device.kind = RONDO_CUDA;
    else
      return 2;
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  Options options;
  const char* const pieces[] = {"choices", "branches", "calls", "gradients", "ranks"};
  bool known = parse(count, words, &options) == 0;
  known = known &&
          std::any_of(std::begin(pieces), std::end(pieces), [&](const char* each) { return options.piece == each; });
  if (!known) {
    std::fprintf(stderr, "usage: load PIECE [options]; the top of tests/stress/load.cc has what there is\n");
    return 2;
  }
  // The shapes that are wanted, unless the program's user has said otherwise.
  setenv("RONDO_GRAPH_BRANCHES", "all", 0);
  setenv("RONDO_BACKWARD_STREAMS", "always", 0);
  int32_t devices = 0;
  (void)rondo_device_count(RONDO_CUDA, &devices);
  const int32_t wanted = options.piece == "ranks" ? 2 : options.device.index + 1;
  if (devices < wanted) {
    std::printf("%s: not run: it needs %d GPUs, and there are %d\n", options.piece.c_str(), wanted, devices);
    return kNotHere;
  }
  return run(options);
}
