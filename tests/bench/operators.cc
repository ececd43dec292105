// Rows of single operators that are bound by memory, or by arithmetic on every element: on a GPU with 2^28 elements
// beside a copy of as many bytes as the operator moves, on a cpu with 2^24 beside NumPy and PyTorch. A row is the
// microseconds of one of several operators, submitted one behind the other.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <rondo/rondo.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench.h"
#include "floor/floor.h"

namespace bench {
namespace {

// What an operator works on; they share the operands, which are large.
struct Work {
  rondo::Engine engine;
  rondo_device device{};
  rondo_dtype dtype = RONDO_F32;
  int64_t side = 0;                            // of a square matrix
  rondo::Tensor a, b, c, row, column, small;   // matrices; one row and one column of such; 1024 x 1024
  rondo::Tensor line;                          // a as one row
  rondo::Tensor left, right, bias;             // matrices of a quarter of the side, and a row of such
  rondo::Tensor queries, keys;                 // of 32 sequences and 16 heads, 128 x 64, in one packed product
  rondo::Tensor a_beside, b_beside, c_beside;  // all but the first element: at no address that 16 bytes divide
  rondo::Expression gelu{"y = 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))", "gelu"};
  rondo::Expression scores{"y = softmax(x * 0.5 + m) * 2", "scores"};
  rondo::Expression layer{"y = gelu(matmul(a, b) + bias)", "layer"};

  Work(rondo_device on, rondo_dtype given, int64_t n) : device(on), dtype(given), side(n) {
    // Of u8 nothing but zeros, so that all of them are looked at.
    const double low = dtype == RONDO_U8 ? 0 : dtype == RONDO_I32 ? -1000 : -2, high = dtype == RONDO_U8 ? 1 : -low;
    const auto made = [&](const std::vector<int64_t>& shape) {
      return rondo::cast(engine.uniform(device, RONDO_F32, shape, low, high), dtype);
    };
    a = made({n, n});
    b = made({n, n});
    c = made({n, n});
    row = made({n});
    column = made({n, 1});
    small = made({1024, 1024});
    left = made({n / 4, n / 4});
    right = made({n / 4, n / 4});
    bias = made({n / 4});
    const rondo::Tensor packed = made({32, 128, 3, 16, 64});
    const auto part = [&](int64_t which) { return packed.slice(2, which, which + 1).reshape({32, 128, 16, 64}); };
    queries = part(0).transpose({0, 2, 1, 3});
    keys = part(1).transpose({0, 2, 3, 1});
    line = a.reshape({n * n});
    const auto beside = [&](const rondo::Tensor& tensor) { return tensor.reshape({n * n}).slice(0, 1, n * n); };
    a_beside = beside(a), b_beside = beside(b), c_beside = beside(c);
  }
  // 1000 columns that no cache holds any more when their turn comes again.
  rondo::Tensor columns() {
    const int64_t width = side * 1000 / 16384, first = next++ % 16 * (side / 16);
    return a.slice(1, first, first + width);
  }
  int64_t next = 0;
};

struct Case {
  const char* id;
  const char* what;
  double share, narrow;  // of the copy's speed: the goal on a GPU, in f32 and in f16; 0: not measured there
  double times;  // of NumPy's speed: the goal on a cpu, where no other peer may be faster; 0: not measured there
  double moved;  // matrices that the operator reads and writes; 0: the fastest peer is the goal everywhere
  std::function<void(Work&)> run;
  std::vector<rondo_dtype> dtypes = {RONDO_F32, RONDO_F16};
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"add",
       "c = a + b",
       1.04,
       1.05,
       1.5,
       3,
       [](Work& w) { rondo::binary_into(RONDO_ADD, w.a, w.b, w.c); },
       {RONDO_F32, RONDO_F16, RONDO_I32}},
      {"add",
       "c = a + b",
       0,
       0,
       1.5,
       3,
       [](Work& w) { rondo::binary_into(RONDO_ADD, w.a, w.b, w.c); },
       {RONDO_BF16, RONDO_U8}},
      {"add.misaligned", "c = a + b, all an element beside 16 bytes", 0.95, 0.95, 0, 3,
       [](Work& w) { rondo::binary_into(RONDO_ADD, w.a_beside, w.b_beside, w.c_beside); }},
      {"exp", "exp", 1.0, 1.0, 1.5, 2, [](Work& w) { rondo::unary_into(RONDO_EXP, w.a, w.c); }},
      {"tanh", "tanh", 1.0, 1.0, 1.5, 2, [](Work& w) { rondo::unary_into(RONDO_TANH, w.a, w.c); }},
      {"add.row", "a matrix + a row", 0.98, 0.97, 1.5, 2,
       [](Work& w) { rondo::binary_into(RONDO_ADD, w.a, w.row, w.c); }},
      {"add.column", "a matrix + a column", 0.98, 0.97, 0, 2,
       [](Work& w) { rondo::binary_into(RONDO_ADD, w.a, w.column, w.c); }},
      {"add.transposed", "a + b transposed", 0.85, 0.75, 3, 3,
       [](Work& w) { rondo::binary_into(RONDO_ADD, w.a, w.b.transpose(), w.c); }},
      {"copy.transposed", "a copy of a matrix transposed", 0.85, 0.75, 0, 2,
       [](Work& w) { rondo::copy_into(w.b.transpose(), w.c); }},
      {"sum", "sum of all", 1.03, 1.03, 1.5, 1, [](Work& w) { rondo::reduce(RONDO_SUM, w.a); }},
      {"sum.0", "sum over axis 0", 1.03, 1.03, 1.5, 1, [](Work& w) { rondo::reduce(RONDO_SUM, w.a, {0}); }},
      {"sum.1", "sum over axis 1", 1.03, 1.03, 0, 1, [](Work& w) { rondo::reduce(RONDO_SUM, w.a, {1}); }},
      {"sum.strided", "sum over axis 1 of 1000 columns, others each time", 0.88, 0.80, 0, 1000.0 / 16384,
       [](Work& w) { rondo::reduce(RONDO_SUM, w.columns(), {1}); }},
      {"max",
       "the largest of all",
       0,
       0,
       1.5,
       1,
       [](Work& w) { rondo::reduce(RONDO_MAX, w.a); },
       {RONDO_F32, RONDO_F16, RONDO_I32, RONDO_U8}},
      {"max.0", "the largest over axis 0", 0, 0, 1.5, 1, [](Work& w) { rondo::reduce(RONDO_MAX, w.a, {0}); }},
      {"argmax.1", "where the largest is over axis 1", 0, 0, 1.5, 1,
       [](Work& w) { rondo::reduce(RONDO_ARGMAX, w.a, {1}); }},
      {"any", "any of all", 0, 0, 1.5, 1, [](Work& w) { rondo::reduce(RONDO_ANY, w.a); }, {RONDO_U8}},
      {"cumsum.1",
       "running sums along axis 1",
       0,
       0,
       1.5,
       2,
       [](Work& w) { rondo::cumulative(RONDO_SUM, w.a, 1); },
       {RONDO_F32}},
      {"softmax", "softmax over the last axis", 0.95, 0.92, 3, 2, [](Work& w) { rondo::softmax(w.a); }},
      {"softmax.0", "softmax over axis 0", 0.95, 0.92, 0, 2, [](Work& w) { rondo::softmax(w.a, 0); }},
      {"softmax.long", "softmax of one row", 0.95, 0.92, 0, 2, [](Work& w) { rondo::softmax(w.line); }},
      {"softmax.around", "softmax(x / 2 + m) * 2, one expression", 0.95, 0.92, 0, 2,
       [](Work& w) {
         w.scores.run_into({{"x", w.a}, {"m", w.row}}, {w.c});
       }},
      {"normal", "normal random numbers", 0.9, 0.9, 0, 1,
       [](Work& w) {
         w.engine.normal(w.device, w.dtype, {w.side, w.side});
       }},
      {"matmul", "1024 x 1024 x 1024", 0, 0, 1, 0, [](Work& w) { rondo::matmul(w.small, w.small); }, {RONDO_F32}},
      {"matmul.heads", "q k' of 32 x 16 heads, 128 x 64, in one packed product", 1, 1, 0, 0,
       [](Work& w) { rondo::matmul(w.queries, w.keys); }},
      {"matmul.gelu", "gelu(matmul(a, b) + bias), a quarter of the side", 1, 1, 1, 0,
       [](Work& w) {
         w.layer.run({{"a", w.left}, {"b", w.right}, {"bias", w.bias}});
       }},
      {"gelu", "GELU of 8 operators, one expression", 1.0, 0.98, 0, 2,
       [](Work& w) {
         w.gelu.run_into({{"x", w.a}}, {w.c});
       }},
  };
  return all;
}

void add_row(const Options& options, const Case& of, rondo_dtype dtype, std::shared_ptr<std::unique_ptr<Work>> shared,
             std::vector<Row>& rows) {
  const bool large = options.device.kind == RONDO_CUDA;
  const int64_t side = large ? (options.quick ? 4096 : 16384) : (options.quick ? 1024 : 4096);
  const std::string name = rondo_dtype_name(dtype);
  const double share = dtype == RONDO_F16 ? of.narrow : of.share;
  const Goal goal = !large          ? at_most_of_peer(1 / of.times)
                    : of.moved == 0 ? at_most_of_peer(1 / share)
                                    : at_most_times(1 / share);
  rows.push_back({std::string(of.id) + "." + name, std::string(of.what) + ", " + name,
                  "a copy inside the device that moves as many bytes", goal, [=]() -> Samplers {
                    if (!*shared) *shared = std::make_unique<Work>(options.device, dtype, side);
                    Work* const work = shared->get();
                    std::shared_ptr<Floor> floor = make_floor(options.device);
                    const size_t bytes =
                        static_cast<size_t>(static_cast<double>(side * side) * of.moved) * rondo_dtype_size(dtype) / 2;
                    const int count = large ? 10 : 2;
                    const Sample rondo = [=, &of] {
                      work->engine.wait_all();
                      const double begin = now_us();
                      for (int i = 0; i < count; ++i) of.run(*work);
                      work->engine.wait_all();
                      return (now_us() - begin) / count;
                    };
                    if (bytes == 0) return {rondo, {}};
                    return {rondo, [=] {
                              floor->wait();
                              const double begin = now_us();
                              for (int i = 0; i < count; ++i) floor->copy(bytes);
                              floor->wait();
                              return (now_us() - begin) / count;
                            }};
                  }});
}

}  // namespace

void add_operator_rows(const Options& options, std::vector<Row>& rows) {
  const bool large = options.device.kind == RONDO_CUDA;
  for (const rondo_dtype dtype : {RONDO_F32, RONDO_F16, RONDO_BF16, RONDO_I32, RONDO_U8}) {
    const auto shared = std::make_shared<std::unique_ptr<Work>>();  // made by the first row that runs
    for (const Case& each : cases()) {
      if (std::find(each.dtypes.begin(), each.dtypes.end(), dtype) == each.dtypes.end()) continue;
      if ((large ? each.share : each.times) > 0) add_row(options, each, dtype, shared, rows);
    }
  }
}

}  // namespace bench
