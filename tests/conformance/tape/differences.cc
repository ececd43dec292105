// Finite differences. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tape/tape.h"

namespace conformance {

namespace {

Real weighted(rondo_engine* engine, const Function& f, const std::vector<Array>& inputs, const Array& weights) {
  std::vector<Tensor> tensors;
  for (const Array& each : inputs) tensors.push_back(upload(engine, kCpu, each));
  const Array y = download(f(tensors));
  Real sum = 0;
  for (size_t i = 0; i < y.size(); ++i) sum += y[i] * weights[i];
  return sum;
}

}  // namespace

Expected by_differences(rondo_engine* engine, const Function& f, std::vector<Array> inputs, size_t k,
                        const Array& weights) {
  Expected expected(RONDO_F64, inputs[k].shape);
  expected.absolute.resize(expected.values.size());
  const Real here = weighted(engine, f, inputs, weights);
  for (size_t i = 0; i < expected.values.size(); ++i) {
    const Real x = inputs[k][i];
    const Real h = std::ldexp(Real(1), -17) * std::max(Real(1), std::fabs(x));
    inputs[k].set(i, x + h);
    const Real above = weighted(engine, f, inputs, weights);
    inputs[k].set(i, x - h);
    const Real below = weighted(engine, f, inputs, weights);
    inputs[k].set(i, x);
    expected.values[i] = (above - below) / (2 * h);
    const Real left = (here - below) / h, right = (above - here) / h;
    const bool kink = !(std::fabs(left - right) <= 1e-2L * (1 + std::fabs(left)));
    expected.absolute[i] = kink ? Real(1e30L) : 3e-6L * (1 + std::fabs(expected.values[i]));
    if (kink) expected.values[i] = 0;
  }
  return expected;
}

void OnTape::keep_gradients(Results& results, const std::string& label, const std::vector<Array>& inputs,
                            const Function& f, Orders orders) {
  std::vector<Tensor> tensors;
  for (const Array& each : inputs) tensors.push_back(up(each));
  const Tape tape(engine());
  std::vector<rondo_tensor*> sources;
  std::vector<size_t> numbers;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].dtype != RONDO_F64) continue;
    tape.watch(tensors[i]);
    sources.push_back(tensors[i]);
    numbers.push_back(i);
  }
  const Tensor y = f(tensors);
  const rondo_tensor_info info = query(y);
  const Array weights = random_array(RONDO_F64, Shape(info.shape, info.shape + info.ndim), 99, 0.5, 2);
  std::vector<Tensor> gradients = tape.gradients(y, sources, up(weights));
  for (size_t i = 0; i < gradients.size(); ++i) {
    const size_t k = numbers[i];
    results.keep(label + ", input " + std::to_string(k), std::move(gradients[i]),
                 [this, f, inputs, k, weights] { return by_differences(engine(), f, inputs, k, weights); });
  }
  if (orders == Orders::two) keep_second(results, label, inputs, weights, f);
}

// The gradients of f as a function of its inputs and of what comes in, each element by a weight of its own.
void OnTape::keep_second(Results& results, const std::string& label, std::vector<Array> inputs, const Array& dy,
                         const Function& f) {
  const size_t n = inputs.size();
  std::vector<size_t> numbers;
  for (size_t i = 0; i < n; ++i)
    if (inputs[i].dtype == RONDO_F64) numbers.push_back(i);
  inputs.push_back(dy);
  for (const size_t i : numbers)
    inputs.push_back(random_array(RONDO_F64, inputs[i].shape, 98 - static_cast<uint32_t>(i), -1, 1));
  const Function weighted_gradients = [this, f, n, numbers](const std::vector<Tensor>& in) {
    const Tape inner(engine());
    std::vector<rondo_tensor*> sources;
    for (const size_t i : numbers) {
      inner.watch(in[i]);
      sources.push_back(in[i]);
    }
    const std::vector<Tensor> gradients = inner.gradients(f(in), sources, in[n]);
    Tensor sum;
    for (size_t i = 0; i < gradients.size(); ++i) {
      const Tensor term = reduce(RONDO_SUM, make(rondo_binary, RONDO_MUL, gradients[i], in[n + 1 + i]), {});
      sum = i == 0 ? make(rondo_copy, term) : make(rondo_binary, RONDO_ADD, sum, term);
    }
    return sum;
  };
  std::vector<Tensor> tensors;
  for (const Array& each : inputs) tensors.push_back(up(each));
  const Tape outer(engine());
  numbers.push_back(n);
  std::vector<rondo_tensor*> sources;
  for (const size_t i : numbers) {
    outer.watch(tensors[i]);
    sources.push_back(tensors[i]);
  }
  std::vector<Tensor> gradients = outer.gradients(weighted_gradients(tensors), sources);
  for (size_t i = 0; i < gradients.size(); ++i) {
    const size_t k = numbers[i];
    results.keep(label + ", gradients by input " + std::to_string(k), std::move(gradients[i]),
                 [=, this] { return by_differences(engine(), weighted_gradients, inputs, k, full(RONDO_F64, {}, 1)); });
  }
}

}  // namespace conformance
