// Rows of layers on a cpu: windows beside onnxruntime, what follows a sum beside the same operators apart, few rows by
// a matrix beside OpenBLAS, and a small transformer submitted operator by operator beside its recording and
// onnxruntime. A row is the microseconds of one.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <rondo/rondo.h>

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench.h"
#include "handles.h"

namespace bench {
namespace {

using Shape = std::vector<int64_t>;

// New tensors, as operators return them.
template <class F>
Tensor made(const F& call, const char* name) {
  rondo_tensor* out = nullptr;
  check(call(&out), name);
  return Tensor(out);
}
#define MADE(function, ...) made([&](rondo_tensor** out) { return function(__VA_ARGS__, out); }, #function)

Tensor random(rondo_engine* engine, const Shape& shape) {
  return MADE(rondo_random_uniform, engine, rondo_device{RONDO_CPU, 0}, RONDO_F32, static_cast<int32_t>(shape.size()),
              shape.data(), -0.05, 0.05);
}
Tensor reshaped(const Tensor& tensor, const Shape& shape) {
  return MADE(rondo_tensor_reshape, tensor.get(), static_cast<int32_t>(shape.size()), shape.data());
}

// The layers of all-MiniLM-L6 behind the embeddings, for one text of so many words.
class Transformer {
 public:
  Transformer(rondo_engine* engine, int64_t words) : kWords(words) {
    for (Layer& layer : layers_) {
      layer.packed = {random(engine, {kWidth, 3 * kWidth}), random(engine, {3 * kWidth})};
      for (int i = 0; i < 4; ++i) layer.dense[i] = {random(engine, {kWidth, kWidth}), random(engine, {kWidth})};
      layer.dense[4] = {random(engine, {kWidth, kInner}), random(engine, {kInner})};
      layer.dense[5] = {random(engine, {kInner, kWidth}), random(engine, {kWidth})};
      for (auto& norm : layer.norm) norm = {random(engine, {kWidth}), random(engine, {kWidth})};
    }
    words_ = random(engine, {1, kWords, kWidth});
    mask_ = random(engine, {1, 1, 1, kWords});
  }
  // By plain operators.
  Tensor run() const {
    Tensor x = MADE(rondo_copy, words_.get());
    for (const Layer& layer : layers_) x = through(layer, x);
    return x;
  }
  // By those that are made for it.
  Tensor run_whole() const {
    Tensor x = MADE(rondo_copy, words_.get());
    for (const Layer& layer : layers_) x = whole(layer, x);
    return x;
  }

 private:
  static constexpr int64_t kWidth = 384, kInner = 1536, kHeads = 12;
  const int64_t kWords;
  using Pair = std::pair<Tensor, Tensor>;
  struct Layer {
    Pair packed, dense[6], norm[2];  // the first three in one
  };
  static Tensor sum(const Tensor& a, const Tensor& b) { return MADE(rondo_binary, RONDO_ADD, a.get(), b.get()); }
  static Tensor product(const Tensor& a, const Tensor& b) { return MADE(rondo_matmul, a.get(), b.get(), nullptr); }
  static Tensor dense(const Tensor& x, const Pair& by) { return sum(product(x, by.first), by.second); }
  static Tensor normal(const Tensor& x, const Pair& by) {
    return MADE(rondo_layer_norm, x.get(), -1, by.first.get(), by.second.get(), 1e-12);
  }
  static Tensor turned(const Tensor& x, const std::vector<int32_t>& axes) {
    const Tensor view = MADE(rondo_tensor_transpose, x.get(), axes.data());
    return MADE(rondo_copy, view.get());
  }
  Tensor heads(const Tensor& x, const std::vector<int32_t>& axes) const {
    return turned(reshaped(x, {1, kWords, kHeads, kWidth / kHeads}), axes);
  }
  Tensor through(const Layer& layer, const Tensor& x) const {
    const Tensor q = heads(dense(x, layer.dense[0]), {0, 2, 1, 3}), k = heads(dense(x, layer.dense[1]), {0, 2, 3, 1}),
                 v = heads(dense(x, layer.dense[2]), {0, 2, 1, 3});
    const Tensor scores = product(q, k);
    const Tensor scaled = MADE(rondo_binary_scalar, RONDO_MUL, scores.get(), 1 / std::sqrt(32.0));
    const Tensor masked = sum(scaled, mask_);
    const Tensor shares = MADE(rondo_softmax, masked.get(), -1);
    const Tensor together = reshaped(turned(product(shares, v), {0, 2, 1, 3}), {1, kWords, kWidth});
    const Tensor attended = normal(sum(dense(together, layer.dense[3]), x), layer.norm[0]);
    const Tensor inner = dense(attended, layer.dense[4]);
    const Tensor active = MADE(rondo_unary, RONDO_GELU, inner.get());
    return normal(sum(dense(active, layer.dense[5]), attended), layer.norm[1]);
  }

  static Tensor ended(const Tensor& x, const Pair& by) {
    rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
    options.bias = by.second.get();
    return MADE(rondo_matmul, x.get(), by.first.get(), &options);
  }
  Tensor whole(const Layer& layer, const Tensor& x) const {
    const Tensor parts = reshaped(ended(x, layer.packed), {1, kWords, 3, kHeads, kWidth / kHeads});
    const auto part = [&](int64_t which) {
      const Tensor slice = MADE(rondo_tensor_slice, parts.get(), 2, which, which + 1, 1);
      return reshaped(slice, {1, kWords, kHeads, kWidth / kHeads});
    };
    const Tensor q = part(0), k = part(1), v = part(2);
    rondo_attention_options options = RONDO_ATTENTION_OPTIONS_INIT;
    options.mask = mask_.get();
    rondo_tensor* seen = nullptr;
    BENCH_CHECK(rondo_attention(q.get(), k.get(), v.get(), &options, &seen, nullptr));
    const Tensor together = reshaped(Tensor(seen), {1, kWords, kWidth});
    const Tensor attended = normal(sum(ended(together, layer.dense[3]), x), layer.norm[0]);
    const Tensor inner = ended(attended, layer.dense[4]);
    const Tensor active = MADE(rondo_unary, RONDO_GELU, inner.get());
    return normal(sum(ended(active, layer.dense[5]), attended), layer.norm[1]);
  }

  Layer layers_[6];
  Tensor words_, mask_;
};

struct Work {
  Engine engine = make_engine(RONDO_ENGINE_ASYNC);
  Tensor image = random(engine.get(), {1, 64, 112, 112}), small = random(engine.get(), {1, 64, 56, 56});
  Tensor kernels = random(engine.get(), {256, 64, 1, 1}), by_kernel = random(engine.get(), {256});
  Tensor by_plane = reshaped(by_kernel, {1, 256, 1, 1});
  Tensor left = random(engine.get(), {1024, 384}), right = random(engine.get(), {384, 1536});
  Tensor row = random(engine.get(), {1536});
  Transformer transformer{engine.get(), 16}, longer{engine.get(), 128};
};

using Run = std::function<void(Work&)>;
double time_of(Work& work, int count, const Run& run) {
  BENCH_CHECK(rondo_engine_wait_all(work.engine.get()));
  const double begin = now_us();
  for (int i = 0; i < count; ++i) {
    run(work);
    BENCH_CHECK(rondo_engine_wait_all(work.engine.get()));
  }
  return (now_us() - begin) / count;
}

Tensor max_pooled(const Work& w) {
  const int64_t kernel[] = {3, 3};
  rondo_pool_options options = RONDO_POOL_OPTIONS_INIT;
  options.stride[0] = options.stride[1] = 2;
  options.padding[0] = options.padding[1] = 1;
  return MADE(rondo_max_pool, w.image.get(), 2, kernel, &options);
}
Tensor resized(const Work& w, rondo_resize_mode mode, rondo_resize_origin origin) {
  const int64_t sizes[] = {112, 112};
  return MADE(rondo_resize, w.small.get(), 2, sizes, mode, origin);
}
Tensor convolved(const Work& w, bool fused) {
  rondo_convolution_options options = RONDO_CONVOLUTION_OPTIONS_INIT;
  if (fused) options.bias = w.by_kernel.get(), options.activation = RONDO_ACTIVATION_RELU;
  Tensor y = MADE(rondo_convolution, w.small.get(), w.kernels.get(), &options);
  if (fused) return y;
  y = MADE(rondo_binary, RONDO_ADD, y.get(), w.by_plane.get());
  return MADE(rondo_unary, RONDO_RELU, y.get());
}
Tensor multiplied(const Work& w, bool fused) {
  rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
  if (fused) options.bias = w.row.get(), options.activation = RONDO_ACTIVATION_GELU;
  Tensor y = MADE(rondo_matmul, w.left.get(), w.right.get(), &options);
  if (fused) return y;
  y = MADE(rondo_binary, RONDO_ADD, y.get(), w.row.get());
  return MADE(rondo_unary, RONDO_GELU_TANH, y.get());
}

Tensor few_rows(const Work& w, bool) {
  const Tensor some = MADE(rondo_tensor_slice, w.left.get(), 0, 0, 16, 1);
  return MADE(rondo_matmul, some.get(), w.right.get(), nullptr);
}
// The same by the library's function, on memory of its own.
using Gemm = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*, int);
void by_blas(Gemm gemm) {
  constexpr int kRows = 16, kDepth = 384, kColumns = 1536, kRowMajor = 101, kPlain = 111;
  static const std::vector<float> a(kRows * kDepth, 0.5F), b(kDepth * kColumns, 0.25F);
  static std::vector<float> out(kRows * kColumns);
  gemm(kRowMajor, kPlain, kPlain, kRows, kColumns, kDepth, 1, a.data(), kDepth, b.data(), kColumns, 0, out.data(),
       kColumns);
}

}  // namespace

void add_layer_rows(const Options& options, std::vector<Row>& rows) {
  if (options.device.kind != RONDO_CPU) return;
  const auto work = std::make_shared<std::unique_ptr<Work>>();
  const int count = options.quick ? 2 : 20;
  const auto add = [&](const char* id, const char* what, const char* floor, Goal goal, const Run& run,
                       const std::function<Run(Work&)>& beside = nullptr) {
    rows.push_back({id, what, floor, goal, [=]() -> Samplers {
                      if (!*work) *work = std::make_unique<Work>();
                      Work& w = **work;
                      const Sample rondo = [&w, count, run] { return time_of(w, count, run); };
                      if (!beside) return {rondo, {}};
                      return {rondo, [&w, count, other = beside(w)] { return time_of(w, count, other); }};
                    }});
  };
  add("pool.max", "max-pool 3 x 3 by 2 of [1, 64, 112, 112]", "", at_most_of_peer(1.5), [](Work& w) { max_pooled(w); });
  add("resize.nearest", "[1, 64, 56, 56] resized by 2, nearest", "", at_most_of_peer(1.5),
      [](Work& w) { resized(w, RONDO_RESIZE_NEAREST, RONDO_RESIZE_ASYMMETRIC); });
  add("resize.linear", "[1, 64, 56, 56] resized by 2, linear", "", at_most_of_peer(1.5),
      [](Work& w) { resized(w, RONDO_RESIZE_LINEAR, RONDO_RESIZE_HALF_PIXEL); });
  add(
      "fused.convolution", "1 x 1 convolution 64 to 256, bias and ReLU in the call", "the three operators apart",
      at_most_times(1), [](Work& w) { convolved(w, true); },
      [](Work&) -> Run { return [](Work& w) { convolved(w, false); }; });
  add(
      "fused.product", "1024 x 384 x 1536, bias and GELU in the call", "the three operators apart", at_most_times(1),
      [](Work& w) { multiplied(w, true); }, [](Work&) -> Run { return [](Work& w) { multiplied(w, false); }; });
  // The same recorded operator by operator, with fewer roundings: what follows is in the call again.
  const auto recorded = [](Work& w, Tensor (*layer)(const Work&, bool), uint32_t flags) -> Run {
    rondo_record_options with = RONDO_RECORD_OPTIONS_INIT;
    with.flags = flags;
    BENCH_CHECK(rondo_record_begin(w.engine.get(), &with));
    const auto kept = std::make_shared<Tensor>(layer(w, false));
    rondo_graph* graph = nullptr;
    BENCH_CHECK(rondo_record_end(w.engine.get(), &graph));
    const std::shared_ptr<rondo_graph> owned(graph, rondo_graph_destroy);
    return [kept, owned](Work&) { BENCH_CHECK(rondo_graph_launch(owned.get())); };
  };
  const auto add_recorded = [&](const char* id, const char* what, Tensor (*layer)(const Work&, bool)) {
    rows.push_back({id, what, "recorded with every rounding", at_most_times(1), [=]() -> Samplers {
                      if (!*work) *work = std::make_unique<Work>();
                      Work& w = **work;
                      const Run fewer = recorded(w, layer, RONDO_RECORD_FEWER_ROUNDINGS), all = recorded(w, layer, 0);
                      return {[&w, count, fewer] { return time_of(w, count, fewer); },
                              [&w, count, all] { return time_of(w, count, all); }};
                    }});
  };
  add_recorded("epilogue.convolution", "the convolution apart, recorded with fewer roundings", convolved);
  add_recorded("epilogue.product", "the product apart, recorded with fewer roundings", multiplied);
  add(
      "eager.transformer", "six layers of MiniLM, 16 words, operator by operator", "the same recorded",
      at_most_times(1.5), [](Work& w) { w.transformer.run(); },
      [](Work& w) -> Run {
        BENCH_CHECK(rondo_record_begin(w.engine.get(), nullptr));
        const auto kept = std::make_shared<Tensor>(w.transformer.run());
        rondo_graph* graph = nullptr;
        BENCH_CHECK(rondo_record_end(w.engine.get(), &graph));
        const std::shared_ptr<rondo_graph> owned(graph, rondo_graph_destroy);
        return [kept, owned](Work&) { BENCH_CHECK(rondo_graph_launch(owned.get())); };
      });
  const auto add_minilm = [&](const char* id, const char* what, Tensor (*whole)(const Work&, bool),
                              Tensor (*plain)(const Work&, bool)) {
    rows.push_back({id, what, "the same by plain operators, recorded", at_most_of_peer(1), [=]() -> Samplers {
                      if (!*work) *work = std::make_unique<Work>();
                      Work& w = **work;
                      const auto made = [&](Tensor (*layers)(const Work&, bool)) {
                        return recorded(w, layers, RONDO_RECORD_FEWER_ROUNDINGS);
                      };
                      return {[&w, count, run = made(whole)] { return time_of(w, count, run); },
                              [&w, count, run = made(plain)] { return time_of(w, count, run); }};
                    }});
  };
  add_minilm(
      "minilm.16", "six layers of MiniLM, 16 words, recorded",
      [](const Work& of, bool) { return of.transformer.run_whole(); },
      [](const Work& of, bool) { return of.transformer.run(); });
  add_minilm(
      "minilm.128", "six layers of MiniLM, 128 words, recorded",
      [](const Work& of, bool) { return of.longer.run_whole(); }, [](const Work& of, bool) { return of.longer.run(); });
  rows.push_back({"product.16", "16 x 384 x 1536, recorded, its weights packed once", "OpenBLAS alone, one thread",
                  at_most_times(1), [=]() -> Samplers {
                    if (!*work) *work = std::make_unique<Work>();
                    Work& w = **work;
                    const Run packed = recorded(w, few_rows, 0);
                    // The library has opened it by now, and has set its threads to one.
                    multiplied(w, true);
                    BENCH_CHECK(rondo_engine_wait_all(w.engine.get()));
                    void* const library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_NOLOAD);
                    const auto gemm = reinterpret_cast<Gemm>(library ? dlsym(library, "cblas_sgemm") : nullptr);
                    const Sample rondo = [&w, count, packed] { return time_of(w, count, packed); };
                    if (!gemm) return {rondo, {}};
                    return {rondo, [&w, count, gemm] { return time_of(w, count, [gemm](Work&) { by_blas(gemm); }); }};
                  }});
}

}  // namespace bench
