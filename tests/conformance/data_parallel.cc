// Gradients in buckets: what all ranks end with is the mean, or the sum, of the gradients that each would have alone;
// eager and recorded, buckets of every size, several dtypes. Copyright 2026 the Rondo developers.
// SPDX-License-Identifier: Apache-2.0
#include "comm.h"

namespace conformance {
namespace {

struct BucketsDeleter {
  void operator()(rondo_buckets* buckets) const { rondo_buckets_destroy(buckets); }
};
using Buckets = std::unique_ptr<rondo_buckets, BucketsDeleter>;

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
  for (const int32_t sum : {0, 1})
    for (const int64_t bytes : {1, 1024, 1 << 20}) {
      rondo_buckets_options options = RONDO_BUCKETS_OPTIONS_INIT;
      options.bucket_bytes = bytes;
      options.sum = sum;
      std::vector<Model> models;
      std::vector<Buckets> all;
      for (int32_t rank = 0; rank < ranks(); ++rank) {
        models.push_back(model(rank));
        all.push_back(buckets(rank, models.back(), &options));
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
                 "options.bucket_bytes is below 0");
  options = RONDO_BUCKETS_OPTIONS_INIT;
  options.sum = 2;
  expect_failure(rondo_buckets_create(comm(0), 3, handles.data(), &options, &made), RONDO_INVALID_ARGUMENT,
                 "options.sum is 2");
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
}

}  // namespace
}  // namespace conformance
