// Programs of so many nodes, in the shapes in which a cost can grow faster than they do.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <rondo/rondo.h>

#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "steps.h"

namespace costs {

inline void must(rondo_status status) {
  ASSERT_EQ(status, RONDO_OK) << rondo_last_error();
}

// Owns a handle.
class Tensor {
 public:
  Tensor() = default;
  Tensor(Tensor&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Tensor& operator=(Tensor&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Tensor() { rondo_tensor_destroy(handle_); }
  operator rondo_tensor*() const { return handle_; }
  rondo_tensor** slot() { return &handle_; }

 private:
  rondo_tensor* handle_ = nullptr;
};
using Tensors = std::vector<Tensor>;

class OnEngine : public ::testing::Test {
 protected:
  void SetUp() override {
    must(rondo_engine_create(nullptr, &engine_));
    // On the simulated driver passes do what they do for GPUs alone.
    if (std::getenv("COSTS_ON_GPU")) device_ = {RONDO_CUDA, 0};
    x_ = made(4);
    must(rondo_fill(x_, 1));
  }
  void TearDown() override {
    x_ = {};
    must(rondo_record_abort(engine_));
    rondo_engine_destroy(engine_);
  }

  Tensor made(int64_t count, rondo_dtype dtype = RONDO_F32) const {
    Tensor made;
    must(rondo_tensor_create(engine_, device_, dtype, 1, &count, made.slot()));
    return made;
  }
  static Tensor plus(rondo_tensor* a, double number) {
    Tensor out;
    must(rondo_binary_scalar(RONDO_ADD, a, number, out.slot()));
    return out;
  }
  static Tensor sum(rondo_tensor* a, rondo_tensor* b) {
    Tensor out;
    must(rondo_binary(RONDO_ADD, a, b, out.slot()));
    return out;
  }
  static Tensor running(rondo_tensor* a) {
    Tensor out;
    must(rondo_cumulative(RONDO_SUM, a, 0, 0, out.slot()));
    return out;
  }
  static Tensor part(rondo_tensor* of, int64_t number) {
    Tensor view;
    must(rondo_tensor_slice(of, 0, 4 * number, 4 * number + 4, 1, view.slot()));
    return view;
  }
  // Four elements, of which each is so many after the one before.
  static Tensor comb(rondo_tensor* of, int64_t number, int64_t step) {
    Tensor view;
    must(rondo_tensor_slice(of, 0, number, 4 * step, step, view.slot()));
    return view;
  }
  static void apply(rondo_unary_op op, rondo_tensor* a, rondo_tensor* to) { must(rondo_unary(op, a, &to)); }
  static Tensor tree(Tensors leaves) {
    while (leaves.size() > 1) {
      Tensors next;
      for (size_t i = 0; i + 1 < leaves.size(); i += 2) next.push_back(sum(leaves[i], leaves[i + 1]));
      if (leaves.size() % 2) next.push_back(std::move(leaves.back()));
      leaves = std::move(next);
    }
    return std::move(leaves[0]);
  }

  // Each submits about so many operators; what it returns is still held.
  using Program = std::function<Tensors(int count)>;
  struct Shape {
    const char* name;
    Program submit;
  };
  std::vector<Shape> shapes() {
    return {
        {"chain",
         [this](int count) {
           Tensors last(1);
           last[0] = plus(x_, 1);
           for (int i = 1; i < count; ++i) last[0] = i % 3 ? plus(last[0], i) : running(last[0]);
           return last;
         }},
        {"chain_of_one_operator",
         [this](int count) {
           Tensors last(1);
           last[0] = running(x_);
           for (int i = 1; i < count; ++i) last[0] = plus(last[0], i);
           return last;
         }},
        {"wide",
         [this](int count) {
           Tensors all;
           for (int i = 0; i < count; ++i) all.push_back(running(x_));
           return all;
         }},
        {"additions_of_one_tensor_and_their_sum",
         [this](int count) {
           Tensors all, last(1);
           for (int i = 0; i < count / 2; ++i) all.push_back(plus(x_, i));
           last[0] = plus(x_, 0.5);
           for (const Tensor& each : all) last[0] = sum(last[0], each);
           return last;
         }},
        {"list_as_one",
         [this](int count) {
           Tensors all, last(1);
           for (int i = 0; i < count; ++i) all.push_back(plus(x_, i));
           const std::vector<rondo_tensor*> list(all.begin(), all.end());
           must(rondo_concat(count, list.data(), 0, last[0].slot()));
           return last;
         }},
        {"tree",
         [this](int count) {
           Tensors leaves, last(1);
           for (int i = 0; i < count / 2; ++i) leaves.push_back(plus(x_, i));
           last[0] = tree(std::move(leaves));
           return last;
         }},
        {"random",
         [this](int count) {
           std::mt19937 random(7);
           Tensors all;
           all.push_back(plus(x_, 1));
           const auto any = [&]() -> rondo_tensor* { return all[random() % all.size()]; };
           for (int i = 1; i < count; ++i)
             all.push_back(random() % 3 == 0   ? running(any())
                           : random() % 2 == 0 ? plus(any(), static_cast<double>(random() % 8))
                                               : sum(any(), any()));
           all.erase(all.begin(), all.end() - 1);
           return all;
         }},
        {"part_writes",
         [this](int count) {
           Tensors whole;
           whole.push_back(made(4 * count));
           for (int i = 0; i < count; ++i) apply(RONDO_TANH, x_, part(whole[0], i));
           return whole;
         }},
        {"part_writes_with_a_step",
         [this](int count) {
           Tensors whole;
           whole.push_back(made(4 * count));
           for (int i = 0; i < count; ++i) apply(RONDO_TANH, x_, comb(whole[0], i, count));
           return whole;
         }},
        {"fills_of_parts_with_a_step",
         [this](int count) {
           Tensors whole;
           whole.push_back(made(4 * count));
           for (int i = 0; i < count; ++i) must(rondo_fill(comb(whole[0], i, count), i));
           return whole;
         }},
        {"fills_of_parts",
         [this](int count) {
           Tensors whole;
           whole.push_back(made(4 * count));
           for (int i = 0; i < count; ++i) must(rondo_fill(part(whole[0], i), i));
           return whole;
         }},
        {"parts_of_one_tensor_read",
         [this](int count) {
           Tensors all;
           const Tensor whole = made(4 * count);
           must(rondo_fill(whole, 1));
           for (int i = 0; i + 1 < count; ++i) all.push_back(running(part(whole, i)));
           return all;
         }},
        {"results_that_are_equal_and_held",
         [this](int count) {
           Tensors all;
           for (int i = 0; i < count; ++i) all.push_back(plus(x_, 1));
           return all;
         }},
        {"written_and_read_in_turn",
         [this](int count) {
           Tensors last(2);
           last[0] = made(4);
           for (int i = 0; i < count / 2; ++i) {
             must(rondo_fill(last[0], i));
             last[1] = running(last[0]);
           }
           return last;
         }},
        {"products_of_parts",
         [this](int count) {
           const int64_t shape[] = {2, 2};
           const Tensor whole = made(4 * count);
           must(rondo_fill(whole, 1));
           Tensor weight;
           must(rondo_tensor_reshape(x_, 2, shape, weight.slot()));
           Tensors all, last(1);
           for (int i = 0; i < count; ++i) {
             Tensor square, out;
             must(rondo_tensor_reshape(part(whole, i), 2, shape, square.slot()));
             must(rondo_matmul(square, weight, nullptr, out.slot()));
             all.push_back(std::move(out));
           }
           last[0] = tree(std::move(all));
           return last;
         }},
        {"products_alike",
         [this](int count) {
           const int64_t shape[] = {2, 2};
           Tensor square;
           must(rondo_tensor_reshape(x_, 2, shape, square.slot()));
           Tensors all;
           for (int i = 0; i < count; ++i) {
             Tensor out;
             must(rondo_matmul(square, square, nullptr, out.slot()));
             Tensor moved;
             must(rondo_unary(RONDO_NEG, out, moved.slot()));
             all.push_back(std::move(moved));
             square = std::move(out);
           }
           return all;
         }},
    };
  }

  rondo_engine* engine_ = nullptr;
  rondo_device device_{RONDO_CPU, 0};
  Tensor x_;
};

}  // namespace costs
