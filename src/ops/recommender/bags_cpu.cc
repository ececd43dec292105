// Runs bags of rows on the host: bags, and sorted places, are shared by workers; each sum is made by one of them, in
// the order of the places.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "engine/tasks/workers.h"
#include "ops/movement/sort.h"
#include "ops/operators/element.h"
#include "ops/recommender/bags.h"

namespace rondo::ops {

namespace {

using device::BagFacts;

constexpr int64_t kPiece = 256;       // columns of a row that are added up at once
constexpr int64_t kShared = 1 << 14;  // elements that are worth a worker's while

// body(begin, end) over parts of `count` things of `work` elements each.
template <class Body>
void over(int64_t count, int64_t work, const Body& body) {
  const int64_t each = std::max<int64_t>(1, kShared / std::max<int64_t>(work, 1));
  const int64_t parts = (count + each - 1) / each;
  if (parts <= 1) return body(int64_t{0}, count);
  Workers::share(parts, [&](int64_t part) { body(part * each, std::min<int64_t>(count, (part + 1) * each)); });
}

class CpuBags final : public Computation {
 public:
  explicit CpuBags(BagPlan plan) : Computation(plan.name(), plan.device()), plan_(std::move(plan)) {
    plan_.declare(*this);
  }
  void list_operands(std::vector<TaskOperand>* list) const override { plan_.list_operands(list); }
  Ref<OperatorTask> again(const Rebinding& memory) const override { return make_ref<CpuBags>(memory.moved(plan_)); }

  Status run(const TaskContext&) override {
    if (plan_.finite && !device::from_memory(*reinterpret_cast<const device::b8*>(plan_.finite->address()))) return {};
    BagFacts facts = plan_.facts();
    facts.indices = plan_.indices.address();
    facts.offsets = plan_.offsets ? plan_.offsets->address() : nullptr;
    facts.sums = plan_.sums.address();
    with_float_element(plan_.sums.dtype, [&]<class M>(M*) {
      if (plan_.indices.dtype == RONDO_I32)
        work<M, device::i32>(facts);
      else
        work<M, device::i64>(facts);
    });
    return {};
  }

 private:
  template <class M, class In>
  void work(const BagFacts& facts) const {
    if (plan_.what == BagTask::sum)
      over(facts.batch * facts.tables,
           facts.width * std::max<int64_t>(1, plan_.places() / (facts.batch * facts.tables)),
           [&](int64_t begin, int64_t end) {
             for (int64_t i = begin; i < end; ++i) sum_bag<M, In>(facts, i / facts.tables, i % facts.tables);
           });
    else
      give_back<M, In>(facts);
  }

  template <class M, class In>
  void sum_bag(const BagFacts& facts, int64_t bag, int64_t table) const {
    const View& rows = plan_.tables[static_cast<size_t>(table)];
    const int64_t stride = rows.layout.strides[0], step = rows.layout.strides[1];
    device::i64 count = 0;
    const In* const indices = device::bag_indices<In>(facts, table, bag, count);
    M* const to = static_cast<M*>(facts.sums) + bag * facts.sum_stride[0] + table * facts.sum_stride[1];
    for (int64_t column = 0, n; column < facts.width; column += n) {
      n = std::min<int64_t>(kPiece, facts.width - column);
      Register<M> sum[kPiece] = {};
      for (int64_t j = 0; j < count; ++j) {
        const int64_t row =
            device::row_of(static_cast<device::i64>(indices[j * facts.index_stride[2]]), rows.layout.shape[0]);
        if (row < 0) continue;
        const M* const from = reinterpret_cast<const M*>(rows.address()) + row * stride + column * step;
        if (step == 1)
          for (int64_t c = 0; c < n; ++c) sum[c] = sum[c] + device::from_memory(from[c]);
        else
          for (int64_t c = 0; c < n; ++c) sum[c] = sum[c] + device::from_memory(from[c * step]);
      }
      if (facts.mean && count > 0)
        for (int64_t c = 0; c < n; ++c) sum[c] = sum[c] / static_cast<Register<M>>(count);
      for (int64_t c = 0; c < n; ++c) put(to + (column + c) * facts.sum_stride[2], sum[c], facts.adds != 0);
    }
  }

  // Returns the places that name a row of the table, in the order of rows.
  template <class In>
  std::vector<KeyedPlace> sorted(const BagFacts& facts, int64_t table, std::vector<int64_t>* bags) const {
    const int64_t rows = plan_.rows[static_cast<size_t>(table)];
    std::vector<KeyedPlace> places;
    bags->clear();
    for (int64_t bag = 0; bag < facts.batch; ++bag) {
      device::i64 count = 0;
      const In* const indices = device::bag_indices<In>(facts, table, bag, count);
      for (int64_t j = 0; j < count; ++j) {
        const int64_t row = device::row_of(static_cast<device::i64>(indices[j * facts.index_stride[2]]), rows);
        if (row < 0) continue;
        places.push_back({static_cast<uint64_t>(row), static_cast<int64_t>(bags->size())});
        bags->push_back(bag);
      }
    }
    sort_places(&places, static_cast<int64_t>(places.size()));
    return places;
  }

  template <class M, class In>
  void give_back(const BagFacts& facts) const {
    std::vector<int64_t> bags;
    for (size_t t = 0; t < plan_.tables.size(); ++t) {
      const View& table = plan_.tables[t];
      if (!table.storage || table.elements() == 0) continue;
      const auto own = static_cast<int64_t>(t);
      const std::vector<KeyedPlace> places = sorted<In>(facts, own, &bags);
      M* const rows = reinterpret_cast<M*>(table.address());
      const int64_t stride = table.layout.strides[0], step = table.layout.strides[1];
      if (plan_.what == BagTask::gradient)  // rows of a new tensor, one after the other
        over(plan_.rows[t], facts.width,
             [&](int64_t begin, int64_t end) { std::fill(rows + begin * stride, rows + end * stride, M()); });
      const int64_t all = static_cast<int64_t>(places.size());
      over(all, facts.width, [&](int64_t begin, int64_t end) {
        for (int64_t at = begin; at < end; ++at) {
          if (at > 0 && places[static_cast<size_t>(at - 1)].key == places[static_cast<size_t>(at)].key) continue;
          const auto row = static_cast<int64_t>(places[static_cast<size_t>(at)].key);
          take_run<M, In>(facts, own, places, bags, at, rows + row * stride, step);
        }
      });
    }
  }

  // A row and all that comes to it, from the sorted place `at` on.
  template <class M, class In>
  void take_run(const BagFacts& facts, int64_t table, const std::vector<KeyedPlace>& places,
                const std::vector<int64_t>& bags, int64_t at, M* row, int64_t step) const {
    const auto first = static_cast<size_t>(at);
    const double rate = plan_.rate ? number_of(*plan_.rate) : 0, scale = plan_.scale ? number_of(*plan_.scale) : 1;
    for (int64_t column = 0, n; column < facts.width; column += n) {
      n = std::min<int64_t>(kPiece, facts.width - column);
      Register<M> sum[kPiece] = {};
      for (size_t i = first; i < places.size() && places[i].key == places[first].key; ++i) {
        const int64_t bag = bags[static_cast<size_t>(places[i].place)];
        const M* const from = static_cast<const M*>(facts.sums) + bag * facts.sum_stride[0] +
                              table * facts.sum_stride[1] + column * facts.sum_stride[2];
        const Register<M> share = device::bag_share<M, In>(facts, table, bag);
        for (int64_t c = 0; c < n; ++c) {
          const Register<M> part = device::from_memory(from[c * facts.sum_stride[2]]);
          sum[c] = sum[c] + (facts.mean ? part / share : part);
        }
      }
      M* const to = row + column * step;
      for (int64_t c = 0; c < n; ++c) {
        const M gradient = device::to_memory<M>(sum[c]);
        to[c * step] = plan_.rate ? device::descended<M>(to[c * step], gradient, scale, rate) : gradient;
      }
    }
  }
  static double number_of(const View& one) {
    return one.dtype == RONDO_F64 ? *reinterpret_cast<const double*>(one.address())
                                  : static_cast<double>(*reinterpret_cast<const float*>(one.address()));
  }

  BagPlan plan_;
};

}  // namespace

Ref<OperatorTask> make_cpu_bags(BagPlan plan) {
  return make_ref<CpuBags>(std::move(plan));
}

}  // namespace rondo::ops
