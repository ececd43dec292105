// Gradients in buckets: what all ranks end with is the mean, or the sum, of the gradients that each would have alone;
// eager and recorded, buckets of every size, several dtypes. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "collectives/comm.h"

namespace conformance {
namespace {

// The tasks of a graph and what comes before what, from its DOT picture.
struct Picture {
  explicit Picture(std::string dot) : text(std::move(dot)) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      int from = 0, to = 0;
      char name[128] = "";
      if (std::sscanf(line.c_str(), " t%d -> t%d", &from, &to) == 2)
        next[from].insert(to);
      else if (std::sscanf(line.c_str(), " t%d [label=\"%127[^\"]", &from, name) == 2)
        names[from] = name;
    }
  }
  std::vector<int> named(const std::string& name) const {
    std::vector<int> found;
    for (const auto& [task, its] : names)
      if (its == name) found.push_back(task);
    return found;
  }
  bool leads(int from, int to) const {
    if (from == to) return true;
    const auto after = next.find(from);
    return after != next.end() &&
           std::any_of(after->second.begin(), after->second.end(), [&](int each) { return leads(each, to); });
  }
  // How many of that name neither come before the task nor after it.
  int64_t beside(int task, const std::string& name) const {
    const std::vector<int> all = named(name);
    return std::count_if(all.begin(), all.end(), [&](int each) { return !leads(each, task) && !leads(task, each); });
  }
  const std::string text;
  std::map<int, std::string> names;
  std::map<int, std::set<int>> next;
};

class DataParallel : public OnGroup {
 protected:
  // A model of three parameters, of which the second is used twice: loss = sum((x w1 + b) b w2).
  struct Model {
    Tensor x;
    std::vector<Tensor> parameters;
    std::vector<rondo_tensor*> handles() const {
      std::vector<rondo_tensor*> all;
      for (const Tensor& each : parameters) all.push_back(each);
      return all;
    }
  };
  Model model(int32_t rank) const {
    Model made;
    made.x = up(rank, rank_values(RONDO_F32, {4, 300}, rank));
    made.parameters.push_back(up(rank, rank_values(RONDO_F32, {300, 8}, 0)));
    made.parameters.push_back(up(rank, rank_values(RONDO_F32, {8}, 1)));
    made.parameters.push_back(up(rank, rank_values(RONDO_F32, {8, 2}, 2)));
    return made;
  }
  rondo_tape* begin(const Model& model) const {
    rondo_tape* tape = nullptr;
    must(rondo_tape_begin(engine(), RONDO_TAPE_DEFAULT, &tape));
    for (rondo_tensor* each : model.handles()) must(rondo_tape_watch(tape, each));
    return tape;
  }
  static Tensor loss(const Model& m) {
    const Tensor hidden =
        make(rondo_binary, RONDO_ADD, make(rondo_matmul, m.x, m.parameters[0], nullptr), m.parameters[1]);
    const Tensor scaled = make(rondo_binary, RONDO_MUL, hidden, m.parameters[1]);
    const Tensor out = make(rondo_matmul, scaled, m.parameters[2], nullptr);
    return make(rondo_reduce, RONDO_SUM, out, 0, nullptr, 0);
  }
  // What each rank's gradients are without the others.
  std::vector<Array> alone(int32_t rank) const {
    const Model m = model(rank);
    rondo_tape* tape = begin(m);
    const Tensor result = loss(m);
    rondo_tensor* output = result;
    std::vector<rondo_tensor*> gradients(3, nullptr), sources = m.handles();
    must(rondo_tape_gradients(tape, 1, &output, nullptr, 3, sources.data(), gradients.data()));
    rondo_tape_destroy(tape);
    std::vector<Array> values;
    for (rondo_tensor* each : gradients) {
      const Tensor owned(each);
      values.push_back(download(owned));
    }
    return values;
  }
  Buckets buckets(int32_t rank, const Model& m, const rondo_buckets_options* options) const {
    rondo_buckets* made = nullptr;
    std::vector<rondo_tensor*> handles = m.handles();
    must(rondo_buckets_create(comm(rank), 3, handles.data(), options, &made));
    return Buckets(made);
  }
};
INSTANTIATE_TEST_SUITE_P(Conformance, DataParallel, testing::ValuesIn(groups()), group_name);

TEST_P(DataParallel, EveryRankHasAllGradients) {
  std::vector<std::vector<Array>> each;
  for (int32_t rank = 0; rank < ranks(); ++rank) each.push_back(alone(rank));
  for (const int32_t sum : old_library() ? std::vector<int32_t>{1} : std::vector<int32_t>{0, 1})
    for (const int64_t bytes : {1, 1024, 1 << 20}) {
      rondo_buckets_options options = RONDO_BUCKETS_OPTIONS_INIT;
      options.bucket_bytes = bytes;
      options.sum = sum;
      std::vector<Model> models;
      std::vector<Buckets> all;
      for (int32_t rank = 0; rank < ranks(); ++rank) {
        models.push_back(model(rank));
        all.push_back(here(rank) ? buckets(rank, models.back(), &options) : nullptr);
      }
      run([&](int32_t rank, Results& results) {
        const auto index = static_cast<size_t>(rank);
        rondo_tape* tape = begin(models[index]);
        const Tensor result = loss(models[index]);
        rondo_tensor* output = result;
        must(rondo_buckets_reduce(all[index].get(), tape, 1, &output, nullptr));
        rondo_tape_destroy(tape);
        for (int32_t i = 0; i < 3; ++i) {
          // A copy, since a replay writes the buckets again.
          const Tensor gradient = make(rondo_buckets_gradient, all[index].get(), i);
          results.keep("gradient " + std::to_string(i), make(rondo_copy, gradient), [=, this] {
            Array expected = each[0][static_cast<size_t>(i)];
            for (int32_t other = 1; other < ranks(); ++other)
              for (size_t k = 0; k < expected.size(); ++k)
                expected.set(k, expected[k] + each[static_cast<size_t>(other)][static_cast<size_t>(i)][k]);
            for (size_t k = 0; k < expected.size() && sum == 0; ++k) expected.set(k, expected[k] / ranks());
            Expected near(expected);
            near.ulps = 8;
            return near;
          });
        }
      });
    }
}

// A collective runs while the way back goes on: on a stream of its own, or on a branch of its own in the graph.
TEST_P(DataParallel, TheWayBackGoesOnBesideIt) {
  if (!on_cuda()) GTEST_SKIP() << "a cpu has no streams";
  rondo_buckets_options options = RONDO_BUCKETS_OPTIONS_INIT;
  options.bucket_bytes = 1;  // one for each parameter
  options.sum = 1;
  std::vector<Model> models;
  std::vector<Buckets> all;
  for (int32_t rank = 0; rank < ranks(); ++rank) {
    models.push_back(model(rank));
    all.push_back(buckets(rank, models.back(), &options));
  }
  const auto step = [&](int32_t rank) {
    const auto index = static_cast<size_t>(rank);
    rondo_tape* tape = begin(models[index]);
    const Tensor result = loss(models[index]);
    rondo_tensor* output = result;
    must(rondo_buckets_reduce(all[index].get(), tape, 1, &output, nullptr));
    rondo_tape_destroy(tape);
  };
  if (!GetParam().graph) {
    must(rondo_trace_begin(engine()));
    each_rank(step);
    const std::string text = written([&](const char* path) { return rondo_trace_end(engine(), path); });
    const auto events = nlohmann::json::parse(text).at("traceEvents");
    for (int32_t rank = 0; rank < ranks(); ++rank) {
      std::map<int, std::string> streams;
      double first_sum = 0, last_computed = 0;
      int sums = 0;
      for (const auto& event : events)
        if (event.at("pid") == 1 + rank && event.at("name") == "thread_name")
          streams[event.at("tid")] = event.at("args").at("name");
      for (const auto& event : events) {
        if (event.at("pid") != 1 + rank || event.at("ph") != "X") continue;
        const bool sum = event.at("name") == "all_reduce";
        EXPECT_EQ(streams[event.at("tid")] == "communication", sum) << event.dump();
        const double submitted = event.at("args").value("submitted_us", 0.0);
        if (!sum)
          last_computed = std::max(last_computed, submitted);
        else if (sums++ == 0)
          first_sum = submitted;
      }
      EXPECT_EQ(sums, 3);
      EXPECT_LT(first_sum, last_computed) << "rank " << rank << ": nothing is computed beside the first sum\n" << text;
    }
    return;
  }
  each_rank(step);
  for (int32_t rank = 0; rank < ranks(); ++rank) {
    const Graph graph = record(engine(), [&] { step(rank); });
    const rondo_graph_info info = graph_info(graph.get());
    EXPECT_EQ(info.segments, 1) << graph_report(graph.get());
    EXPECT_EQ(info.captured, 1) << graph_report(graph.get());
    EXPECT_GE(info.branches, 2) << graph_report(graph.get());
    const Picture picture(written([&](const char* path) { return rondo_graph_dot(graph.get(), path); }));
    const std::vector<int> sums = picture.named("all_reduce");
    ASSERT_EQ(sums.size(), 3u) << picture.text;
    // Beside the first are the products of the other gradients, beside the last fewer.
    EXPECT_GE(picture.beside(sums[0], "matmul"), 2) << picture.text;
    EXPECT_LT(picture.beside(sums[2], "matmul"), picture.beside(sums[0], "matmul")) << picture.text;
  }
}

TEST_P(DataParallel, BucketsAreAsLargeAsAsked) {
  const Model m = model(0);
  std::vector<rondo_tensor*> handles = m.handles();
  const struct {
    int64_t bytes, edge;
    int32_t buckets;
    int64_t largest;
  } cases[] = {{0, 0, 1, 9728 + 256}, {1, 0, 3, 9728}, {9800, 300, 3, 9728}, {9800, 600, 2, 9728}};
  for (const auto& each : cases) {
    rondo_buckets_options options = RONDO_BUCKETS_OPTIONS_INIT;
    options.bucket_bytes = each.bytes;
    options.edge_bytes = each.edge;
    const Buckets made = buckets(0, m, &options);
    rondo_buckets_info info = RONDO_BUCKETS_INFO_INIT;
    must(rondo_buckets_query(made.get(), &info));
    EXPECT_EQ(info.parameters, 3);
    EXPECT_EQ(info.buckets, each.buckets) << each.bytes << " " << each.edge;
    EXPECT_EQ(info.bytes, 9728 + 2 * 256);
    EXPECT_GE(info.largest_bytes, each.largest);
    for (int32_t i = 0; i < 3; ++i) {
      const Tensor gradient = make(rondo_buckets_gradient, made.get(), i);
      for (const Real value : {download(gradient)[0]}) EXPECT_EQ(value, 0);
    }
  }
}

TEST_P(DataParallel, Misuse) {
  const Model m = model(0);
  std::vector<rondo_tensor*> handles = m.handles();
  rondo_buckets* made = nullptr;
  rondo_buckets_options options = RONDO_BUCKETS_OPTIONS_INIT;
  options.bucket_bytes = -1;
  expect_failure(rondo_buckets_create(comm(0), 3, handles.data(), &options, &made), RONDO_INVALID_ARGUMENT,
                 "options->bucket_bytes is -1; bytes are needed");
  options = RONDO_BUCKETS_OPTIONS_INIT;
  options.sum = 2;
  expect_failure(rondo_buckets_create(comm(0), 3, handles.data(), &options, &made), RONDO_INVALID_ARGUMENT,
                 "options->sum is 2; 0 (the mean) and 1 (the sum)");
  expect_failure(rondo_buckets_create(nullptr, 3, handles.data(), nullptr, &made), RONDO_INVALID_ARGUMENT, "comm");
  expect_failure(rondo_buckets_create(comm(0), 0, handles.data(), nullptr, &made), RONDO_INVALID_ARGUMENT,
                 "n_parameters is 0");
  handles[2] = handles[0];
  expect_failure(rondo_buckets_create(comm(0), 3, handles.data(), nullptr, &made), RONDO_INVALID_ARGUMENT,
                 "parameters[2] is parameters[0]");
  const Tensor whole = up(0, rank_values(RONDO_I32, {3}, 0));
  handles[2] = whole;
  expect_failure(rondo_buckets_create(comm(0), 3, handles.data(), nullptr, &made), RONDO_INVALID_ARGUMENT,
                 "parameters[2] is i32 [3]");
  EXPECT_EQ(made, nullptr);
  const Buckets good = buckets(0, m, nullptr);
  rondo_tensor* gradient = nullptr;
  expect_failure(rondo_buckets_gradient(good.get(), 3, &gradient), RONDO_INVALID_ARGUMENT, "there are 3 parameters");
  expect_failure(rondo_buckets_query(nullptr, nullptr), RONDO_INVALID_ARGUMENT, "buckets");
  // More gradients than those in the buckets.
  rondo_tape* tape = begin(m);
  must(rondo_tape_watch(tape, m.x));
  const Tensor result = loss(m), unwatched = up(0, rank_values(RONDO_F32, {4, 300}, 0));
  rondo_tensor *output = result, *source = m.x;
  const auto with = [&](int32_t n_sources, rondo_tensor* const* sources, rondo_tensor** gradients) {
    return rondo_buckets_reduce_with(good.get(), tape, 1, &output, nullptr, n_sources, sources, gradients);
  };
  expect_failure(with(0, &source, &gradient), RONDO_INVALID_ARGUMENT, "n_sources is 0");
  expect_failure(with(1, nullptr, &gradient), RONDO_INVALID_ARGUMENT, "sources is NULL");
  expect_failure(with(1, &source, nullptr), RONDO_INVALID_ARGUMENT, "gradients is NULL");
  source = nullptr;
  expect_failure(with(1, &source, &gradient), RONDO_INVALID_ARGUMENT, "sources[0] is NULL");
  source = unwatched;
  expect_failure(with(1, &source, &gradient), RONDO_INVALID_ARGUMENT, "sources[0], f32 [4, 300], is not watched");
  source = m.x;
  rondo_tensor* small = whole;
  expect_failure(with(1, &source, &small), RONDO_INVALID_ARGUMENT, "gradients[0] is i32 [3]");
  EXPECT_EQ(gradient, nullptr);
  EXPECT_EQ(small, whole);
  expect_failure(rondo_buckets_reduce_with(nullptr, tape, 1, &output, nullptr, 1, &source, &gradient),
                 RONDO_INVALID_ARGUMENT, "buckets");
  rondo_tape_destroy(tape);
}

}  // namespace
}  // namespace conformance
