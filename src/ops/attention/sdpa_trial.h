// Tries cuDNN's attention out. Its operands hold numbers that all differ; of a gradient the result and the logarithms
// too, which need not be those of an attention for its sums to be known. One key, or query, among thousands would be
// lost in them, so those where a query's keys begin and end, and those next to them, weigh as much as all others.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <vector>

#include "ops/attention/sdpa_problem.h"

namespace rondo::ops::dnn {

class SdpaTrial final : public Trial {
 public:
  SdpaTrial(cuda::CudaDevice& device, const Sdpa& problem);
  Status examine(const Plan& plan, const char** flaw) override;

 private:
  // A batch entry and a head.
  struct Pair {
    int64_t b, head;
    bool operator<(const Pair& other) const { return b != other.b ? b < other.b : head < other.head; }
  };
  using Row = std::vector<double>;

  Status take_operands() override;
  // Fills what the plan reads, and what it writes with NaN. `heavy`: the places of keys, or of queries, that weigh
  // more.
  Status fill(bool keys, const std::set<int64_t>& heavy);
  Status empty();
  // Elements of an operand, computed on the host.
  double logarithm(int64_t b, int64_t head, int64_t query) const;
  Row row(int tensor, int64_t b, int64_t head, int64_t place) const;
  // The results that the plan should give.
  Row result(int64_t b, int64_t head, int64_t query, double* logarithm) const;
  Row query_gradient(int64_t b, int64_t head, int64_t query) const;
  void key_gradients(int64_t b, int64_t key_head, int64_t key, Row* dk, Row* dv) const;
  // exp(score - logarithm) and what its gradient is by it, of rows.
  void weigh(const Row& q, const Row& k, const Row& v, const Row& dy, double delta, double logarithm, double* weight,
             double* slope) const;
  // Sets *right to whether a row that was written is as it should be.
  Status compare(int tensor, int64_t b, int64_t head, int64_t place, const Row& wanted, bool* right);
  Status compare_results(bool* right);
  Status compare_query_gradients(bool* right);
  Status compare_key_gradients(bool* right);
  // Sets *within to whether the memory around and between rows is as it was.
  Status stayed_within(bool* within);
  // Appends what was written, as far as it is looked at.
  Status read_written(std::vector<char>* bytes);
  // Sets *same to whether another run writes the same bits.
  Status repeats(const Plan& plan, bool* same);

  const Sdpa problem_;
  const SdpaNumbers numbers_;
  const double light_;  // what a logarithm is, so that weights that are not heavy are 1 / kWide or more
  SdpaAddresses addresses_ = {};
  std::set<int64_t> queries_, keys_;  // places that are looked at
  std::set<Pair> of_queries_, of_keys_;
  std::set<int64_t> edge_keys_, edge_queries_;  // of those
  bool heavy_keys_ = false;
  std::set<int64_t> heavy_;
};

}  // namespace rondo::ops::dnn
