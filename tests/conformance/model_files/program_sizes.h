// The base of the suites about programs whose sizes vary: saves a function of named sizes, and compares what was loaded
// with recordings at sizes. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "control/control.h"
#include "model_files/programs.h"

namespace conformance {

class ProgramSizes : public WithControl<ProgramFiles> {
 protected:
  using Dims = std::vector<int64_t>;
  struct Dim {
    std::string name;
    int64_t least, most;
  };
  // A function whose sizes vary: the inputs that it has at some, and what it makes of them.
  struct Sized {
    std::function<std::vector<Kind>(const Dims&)> inputs;
    std::function<std::vector<Tensor>(const std::vector<Tensor>&, const Dims&)> body;
  };
  Callable at(const Sized& sized, const Dims& dims) const {
    return callable(sized.inputs(dims), [&](const std::vector<Tensor>& in) { return sized.body(in, dims); });
  }
  struct Recorder {
    const ProgramSizes* test;
    const Sized* sized;
    int recordings;
  };
  static rondo_status leave_open(void* arg, int32_t, int32_t n_dims, const int64_t* sizes, rondo_graph** graph) {
    auto* const with = static_cast<Recorder*>(arg);
    *graph = with->test->at(*with->sized, Dims(sizes, sizes + n_dims)).release();
    return rondo_record_begin(with->test->engine(), nullptr);
  }
  rondo_status save_sized(const Sized& sized, const std::vector<Dim>& dims, int* recordings = nullptr,
                          const rondo_program_save_options* options = nullptr) const {
    std::vector<const char*> names;
    Dims least, most;
    for (const Dim& each : dims) {
      names.push_back(each.name.c_str());
      least.push_back(each.least);
      most.push_back(each.most);
    }
    Recorder recorder = {this, &sized, 0};
    const auto record_at = [](void* arg, int32_t, int32_t n_dims, const int64_t* sizes, rondo_graph** graph) {
      auto* const with = static_cast<Recorder*>(arg);
      ++with->recordings;
      *graph = with->test->at(*with->sized, Dims(sizes, sizes + n_dims)).release();
      return RONDO_OK;
    };
    const char* const name = "f";
    const rondo_status status =
        rondo_program_save_with_dims(path().c_str(), 1, &name, static_cast<int32_t>(dims.size()), names.data(),
                                     least.data(), most.data(), record_at, &recorder, options);
    if (recordings) *recordings = recorder.recordings;
    return status;
  }
  // The loaded function has the bits of a recording at each of the sizes.
  void same_at(const Sized& sized, const std::vector<Dims>& all, size_t outputs) const {
    const Program program = open(path());
    const Instance made = instance(program);
    for (const Dims& dims : all) {
      std::vector<Tensor> owned;
      std::vector<rondo_tensor*> inputs;
      for (const Kind& kind : sized.inputs(dims)) {
        owned.push_back(up(kind.dtype == RONDO_F32 ? numbers(kind.shape) : full(kind.dtype, kind.shape, 1)));
        inputs.push_back(owned.back());
      }
      std::string where = "at";
      for (const int64_t each : dims) where += " " + std::to_string(each);
      const std::vector<Tensor> expected = call_all(at(sized, dims), inputs, outputs),
                                actual = call(made, "f", inputs, outputs);
      for (size_t i = 0; i < outputs; ++i)
        expect_same_bits(download(actual[i]), download(expected[i]),
                         "output " + std::to_string(i) + " " + where + "\n" + text(program));
    }
  }
  // An encoder of B sequences of T vectors: products, heads, softmax, rows, a mean.
  Sized encoder() const {
    struct Weights {
      Tensor w, bias, places;
    };
    const auto weights =
        std::make_shared<Weights>(Weights{up(numbers({8, 24})), up(numbers({24})), up(numbers({80, 8}))});
    return {[](const Dims& dims) {
              return std::vector<Kind>{{RONDO_F32, {dims[0], dims[1], 8}}, {RONDO_F32, {dims[0], 1, 1, dims[1]}}};
            },
            [weights](const std::vector<Tensor>& in, const Dims& dims) {
              const int64_t b = dims[0], t = dims[1];
              const Tensor placed = make(rondo_binary, RONDO_ADD, in[0], slice(weights->places, 0, 2, 2 + t));
              rondo_matmul_options options = RONDO_MATMUL_OPTIONS_INIT;
              options.bias = weights->bias;
              const Tensor all = make(rondo_matmul, reshape(placed, {b * t, 8}), weights->w, &options);
              const Tensor heads = transpose(reshape(all, {b, t, 3, 2, 4}), {2, 0, 3, 1, 4});
              const auto part = [&](int64_t i) { return reshape(slice(heads, 0, i, i + 1), {b, 2, t, 4}); };
              const Tensor q = make(rondo_copy, part(0)), k = make(rondo_copy, transpose(part(1), {0, 1, 3, 2}));
              const Tensor scores = make(rondo_binary, RONDO_ADD, make(rondo_matmul, q, k, nullptr), in[1]);
              const Tensor chances = make(rondo_softmax, scores, 3);
              const Tensor mixed = make(rondo_matmul, chances, make(rondo_copy, part(2)), nullptr);
              const Tensor rows = make(rondo_copy, transpose(mixed, {0, 2, 1, 3}));
              Tensor out = make(rondo_copy, reshape(rows, {b, t, 8}));
              Tensor mean =
                  make(rondo_binary_scalar, RONDO_MUL, reduce(RONDO_SUM, out, {1}), 1.0 / static_cast<double>(t));
              return list(std::move(out), std::move(mean));
            }};
  }
  static std::vector<Dim> encoder_dims() { return {{"B", 1, 16}, {"T", 1, 64}}; }
};

}  // namespace conformance
