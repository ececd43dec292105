// Tables of embeddings on several ranks: each looks up what its samples name, all gather indices and the gradients of
// bags, and step the same rows, beside layers whose gradients are in buckets. One process that has all parts is the
// reference, and so are dense gradients. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "collectives/data_parallel_training.h"

namespace conformance::bags {
namespace {

// Two tables, of which the second has more rows than are read.
constexpr int64_t kTables = 2, kBatch = 3, kLength = 2, kWidth = 4, kInner = 5;
const int64_t kRows[kTables] = {6, 40};
// A list with offsets has more places than its bags.
constexpr int64_t kBags = kTables * kBatch, kPlaces = kBags * kLength + 3;
constexpr double kRate = 0.25;

enum class Kind { rank, all_parts, dense };

struct Trainee {
  Kind kind = Kind::rank;
  bool listed = false;  // bags are a list with offsets
  Tensors indices, offsets, target;
  Tensors tables, parameters;
  Tensor rate;
  Optimizer optimizer;
  Optimizer of_tables;  // with dense gradients
  Buckets buckets;
  LossScaler scaler;  // if the loss is scaled
  Graph graph;
};

class ParallelBags : public OnParallelTraining {
 protected:
  void SetUp() override {
    OnGroup::SetUp();
    if (!IsSkipped() && !HasFatalFailure()) (void)comms();
  }

  Trainee trainee(int32_t rank, Kind kind, bool listed) const {
    Trainee made;
    made.kind = kind, made.listed = listed;
    for (int32_t i = 0; i < (kind == Kind::rank ? 1 : ranks()); ++i) {
      made.indices.push_back(up(rank, full(RONDO_I32, listed ? Shape{kPlaces} : Shape{kBatch, kTables, kLength}, 0)));
      made.offsets.push_back(up(rank, full(RONDO_I32, {kBags + 1}, 0)));
      made.target.push_back(up(rank, full(RONDO_F32, {kBatch, 1}, 0)));
    }
    for (uint32_t i = 0; i < kTables; ++i)
      made.tables.push_back(up(rank, random_array(RONDO_F32, {kRows[i], kWidth}, i + 1, -1, 1)));
    const Shape shapes[] = {{kTables * kWidth, kInner}, {kInner}, {kInner, 1}};
    for (uint32_t i = 0; i < 3; ++i)
      made.parameters.push_back(up(rank, random_array(RONDO_F32, shapes[i], i + 7, -1, 1)));
    rondo_optimizer_options options = optimizer_options(RONDO_OPTIMIZER_ADAMW, 0.02);
    options.weight_decay = 0.01, options.epsilon = 1e-3, options.max_norm = 0.5;
    made.optimizer = Shared::optimizer(made.parameters, options);
    made.rate = up(rank, full(RONDO_F64, {}, kRate));
    if (kind == Kind::dense)
      made.of_tables = Shared::optimizer(made.tables, optimizer_options(RONDO_OPTIMIZER_SGD, kRate));
    if (kind == Kind::rank) made.buckets = buckets(rank, made.parameters, 64);
    return made;
  }

  // The batch of a step: many samples name the same rows, on other ranks too.
  static void feed(const Trainee& to, int32_t first, int number) {
    for (size_t i = 0; i < to.indices.size(); ++i) {
      const auto seed = static_cast<uint32_t>(100 * number + 10 * (first + static_cast<int32_t>(i)));
      std::mt19937 random(seed);
      Array indices(RONDO_I32, query_shape(to.indices[i])), offsets(RONDO_I32, {kBags + 1});
      if (to.listed) {
        // Bags of no to three places; before the first, and behind the last, what is in none.
        int64_t at = 1;
        for (size_t place = 0; place < indices.size(); ++place) indices.set(place, 0);
        for (size_t bag = 0; bag < kBags; ++bag) {
          offsets.set(bag, static_cast<Real>(at));
          const int64_t length = static_cast<int64_t>(random() % 4);
          for (int64_t k = 0; k < length && at < kPlaces - 1; ++k)
            indices.set(static_cast<size_t>(at++), random() % (bag < kBatch ? 6u : 20u));
        }
        offsets.set(kBags, static_cast<Real>(at));
      } else {
        for (size_t place = 0; place < indices.size(); ++place)
          indices.set(place, random() % (place / kLength % kTables == 0 ? 6u : 20u));
      }
      Shared::write(to.indices[i], indices);
      Shared::write(to.offsets[i], offsets);
      Shared::write(to.target[i], random_array(RONDO_F32, {kBatch, 1}, seed + 5, -1, 1));
    }
  }
  static Shape query_shape(rondo_tensor* tensor) {
    const rondo_tensor_info info = query(tensor);
    return {info.shape, info.shape + info.ndim};
  }

  // As operators of bags take them: [tables, batch, length].
  static Tensor by_tables(rondo_tensor* indices) { return transpose(indices, {1, 0, 2}); }
  Tensor bags(const Trainee& of, size_t part) const {
    std::vector<rondo_tensor*> tables = handles(of.tables);
    if (of.listed)
      return make(rondo_embedding_bag, int32_t{kTables}, tables.data(), of.indices[part], of.offsets[part],
                  RONDO_BAG_MEAN);
    return make(rondo_embedding_bag, int32_t{kTables}, tables.data(), by_tables(of.indices[part]), nullptr,
                RONDO_BAG_MEAN);
  }
  static Tensor loss_of(const Trainee& of, rondo_tensor* rows, size_t part) {
    rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
    options.bias = of.parameters[1];
    const Tensor sums = make(rondo_matmul, reshape(rows, {kBatch, kTables * kWidth}), of.parameters[0], &options);
    const Tensor out = make(rondo_matmul, make(rondo_unary, RONDO_TANH, sums), of.parameters[2], nullptr);
    const Tensor error = make(rondo_binary, RONDO_SUB, out, of.target[part]);
    return reduce(RONDO_MEAN, make(rondo_unary, RONDO_SQUARE, error), {});
  }
  // The rows of all ranks' samples. Bags of one length are one list of samples; lists with offsets are steps that
  // follow each other, in the order of ranks.
  void descend(const Trainee& of, rondo_tensor* indices, rondo_tensor* offsets, rondo_tensor* gradient,
               const Shared::Judged& by = {}) const {
    rondo_descend_options options = RONDO_DESCEND_OPTIONS_INIT;
    options.finite = by.finite, options.scale = by.scale;
    std::vector<rondo_tensor*> tables = handles(of.tables);
    const double divisor = old_library() ? 1 : ranks();
    const Tensor rate = make(rondo_binary_scalar, RONDO_DIV, of.rate, divisor);
    if (!of.listed)
      return must(rondo_embedding_bag_descend(kTables, tables.data(), by_tables(indices), nullptr, RONDO_BAG_MEAN,
                                              gradient, rate, &options));
    for (int64_t rank = 0; rank < ranks(); ++rank)
      must(rondo_embedding_bag_descend(kTables, tables.data(), slice(indices, 0, rank * kPlaces, (rank + 1) * kPlaces),
                                       slice(offsets, 0, rank * (kBags + 1), (rank + 1) * (kBags + 1)), RONDO_BAG_MEAN,
                                       slice(gradient, 0, rank * kBatch, (rank + 1) * kBatch), rate, &options));
  }
  static Tensor joined(const Tensors& parts) {
    std::vector<rondo_tensor*> list = handles(parts);
    return make(rondo_concat, static_cast<int32_t>(list.size()), list.data(), 0);
  }

  void step_of_rank(int32_t rank, const Trainee& of) const {
    const Tape tape(engine());
    for (const Tensor& each : of.parameters) tape.watch(each);
    const Tensor rows = bags(of, 0);
    tape.watch(rows);
    const Tensor loss = loss_of(of, rows, 0);
    const Tensor scaled = of.scaler ? make(rondo_loss_scaler_scale, of.scaler.get(), loss) : Tensor();
    rondo_tensor* output = of.scaler ? scaled : loss;
    rondo_tensor* source = rows;
    Tensor own;
    must(rondo_buckets_reduce_with(of.buckets.get(), tape, 1, &output, nullptr, 1, &source, own.slot()));
    const Tensor indices = make(rondo_comm_all_gather, comm(rank), of.indices[0]);
    const Tensor offsets = of.listed ? make(rondo_comm_all_gather, comm(rank), of.offsets[0]) : Tensor();
    const Tensor gradient = make(rondo_comm_all_gather, comm(rank), own);
    const Tensors of_layers = gradients_of(of.buckets);
    if (!of.scaler) {
      descend(of, indices, offsets, gradient);
      return Shared::step(of.optimizer, of_layers);
    }
    std::vector<rondo_tensor*> all = handles(of_layers);
    all.push_back(gradient);
    const Shared::Judged by = Shared::judged(of.scaler, all);
    descend(of, indices, offsets, gradient, by);
    Shared::step(of.optimizer, of_layers, by.finite, by.scale);
    must(rondo_loss_scaler_update(of.scaler.get()));
  }
  // What the ranks do, one part after the other.
  void step_of_all(const Trainee& of) const {
    std::vector<Tensors> parts, of_tables;
    Tensors of_rows;
    for (size_t part = 0; part < of.indices.size(); ++part) {
      const Tape tape(engine(), RONDO_TAPE_KEEP);
      for (const Tensor& each : of.parameters) tape.watch(each);
      if (of.kind == Kind::dense)
        for (const Tensor& each : of.tables) tape.watch(each);
      const Tensor rows = bags(of, part);
      if (of.kind == Kind::all_parts) tape.watch(rows);
      const Tensor loss = loss_of(of, rows, part);
      parts.push_back(tape.gradients(loss, handles(of.parameters)));
      if (of.kind == Kind::dense)
        of_tables.push_back(tape.gradients(loss, handles(of.tables)));
      else
        of_rows.push_back(tape.gradient(loss, rows));
    }
    if (of.kind == Kind::dense)
      Shared::step(of.of_tables, mean(of_tables));
    else
      descend(of, joined(of.indices), of.listed ? joined(of.offsets) : Tensor(), joined(of_rows));
    Shared::step(of.optimizer, mean(parts));
  }

  static Values values(const Trainee& of) {
    Values all;
    for (const Tensor& each : of.tables) all.emplace_back("table", download(each));
    for (const Tensor& each : of.parameters) all.emplace_back("weights", download(each));
    return all;
  }
};
INSTANTIATE_TEST_SUITE_P(Conformance, ParallelBags, testing::ValuesIn(groups()), group_name);

TEST_P(ParallelBags, EveryRankHasTheSameTables) {
  for (const bool listed : {false, true}) {
    const std::string label = listed ? "by offsets" : "of one length";
    const Trainee one = trainee(own(), Kind::all_parts, listed), dense = trainee(own(), Kind::dense, listed);
    std::vector<Trainee> all(static_cast<size_t>(ranks()));
    for (int32_t rank = 0; rank < ranks(); ++rank) {
      if (!here(rank)) continue;
      Trainee& each = all[static_cast<size_t>(rank)] = trainee(rank, Kind::rank, listed);
      if (!GetParam().graph) continue;
      each.graph = recorded([&] { step_of_rank(rank, each); }, each.buckets);
      EXPECT_EQ(tasks_named(each.graph.get(), "all_gather"), listed ? 3u : 2u);
      // Two ahead, two of weights, two of what they multiply: there is one way back.
      EXPECT_EQ(tasks_named(each.graph.get(), "matmul"), 6u);
    }
    const Values before = values(one);
    constexpr int kSteps = 4;
    for (int number = 0; number < kSteps; ++number) {
      feed(one, 0, number), step_of_all(one);
      feed(dense, 0, number), step_of_all(dense);
    }
    each_rank([&](int32_t rank) {
      const Trainee& own = all[static_cast<size_t>(rank)];
      for (int number = 0; number < kSteps; ++number) {
        feed(own, rank, number);
        if (own.graph)
          must(rondo_graph_launch(own.graph.get()));
        else
          step_of_rank(rank, own);
      }
    });
    std::vector<Values> ranks_have(all.size());
    for (size_t rank = 0; rank < all.size(); ++rank)
      if (here(static_cast<int32_t>(rank))) ranks_have[rank] = values(all[rank]);
    const Values& after = ranks_have[static_cast<size_t>(own())];
    expect_all(ranks_have, values(one), 1e-4L, label);
    expect_near(after, values(dense), 1e-4L, label + ", dense");
    // Rows of the second table from 20 on are read by nobody, and have the bits they had; the others have moved.
    for (size_t table = 0; table < kTables; ++table) {
      const Array &then = before[table].second, &now = after[table].second;
      for (int64_t row = 0; row < kRows[table]; ++row) {
        const auto at = static_cast<size_t>(row * kWidth) * sizeof(float);
        const bool same = std::equal(then.bytes.begin() + static_cast<ptrdiff_t>(at),
                                     then.bytes.begin() + static_cast<ptrdiff_t>(at + kWidth * sizeof(float)),
                                     now.bytes.begin() + static_cast<ptrdiff_t>(at));
        if (row < 20 && table == 1) continue;  // some of these are read
        EXPECT_EQ(same, row >= 20) << label << ", table " << table << ", row " << row;
      }
    }
  }
}

// What is not finite on one rank comes to all of them with what is reduced and gathered, so all skip, tables and
// layers.
TEST_P(ParallelBags, OneRankThatIsNotFiniteMakesAllSkip) {
  for (const bool listed : {false, true}) {
    const std::string label = listed ? "by offsets" : "of one length";
    std::vector<Trainee> all(static_cast<size_t>(ranks()));
    for (int32_t rank = 0; rank < ranks(); ++rank) {
      if (!here(rank)) continue;
      Trainee& each = all[static_cast<size_t>(rank)] = trainee(rank, Kind::rank, listed);
      const rondo_loss_scaler_options options = Shared::scaler_options(64, 1000);
      rondo_loss_scaler* scaler = nullptr;
      must(rondo_loss_scaler_create(engine(), device(rank), &options, &scaler));
      each.scaler.reset(scaler);
      if (GetParam().graph) each.graph = recorded([&] { step_of_rank(rank, each); }, each.buckets);
    }
    std::vector<Values> before(all.size());
    for (int number = 0; number < 3; ++number) {
      const bool bad = number == 1;
      each_rank([&](int32_t rank) {
        const Trainee& own = all[static_cast<size_t>(rank)];
        feed(own, rank, number);
        if (bad && rank == ranks() - 1) Shared::write(own.target[0], full(RONDO_F32, {kBatch, 1}, NAN));
        if (own.graph)
          must(rondo_graph_launch(own.graph.get()));
        else
          step_of_rank(rank, own);
      });
      const std::string at = label + ", step " + std::to_string(number);
      for (size_t rank = 0; rank < all.size(); ++rank) {
        if (!here(static_cast<int32_t>(rank))) continue;
        const Values now = values(all[rank]);
        const std::string which = at + ", rank " + std::to_string(rank);
        if (bad) expect_same(now, before[rank], which);
        for (size_t i = 0; number == 2 && i < now.size(); ++i)
          EXPECT_NE(now[i].second.bytes, before[rank][i].second.bytes) << which << ", " << i << " has not moved";
        EXPECT_EQ(Shared::figures(all[rank].scaler),
                  (number == 0 ? std::vector<Real>{64, 1, 0} : std::vector<Real>{32, Real(number - 1), 1}))
            << which;
        before[rank] = now;
      }
      for (size_t rank = 0; rank < all.size(); ++rank)
        if (here(static_cast<int32_t>(rank)))
          expect_same(before[rank], before[static_cast<size_t>(own())], at + ", all ranks alike");
    }
  }
}

}  // namespace
}  // namespace conformance::bags
