// Describes attention in cuDNN's terms: one operation each way, and within it, where not every query sees every key, a
// graph of its own that hides scores on either side of a band.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/attention/sdpa_problem.h"

#include <limits>

#include "base/dtype.h"
#include "base/settings.h"
#include "base/text.h"
#include "ops/attention/sdpa_composed.h"
#include "ops/attention/sdpa_trial.h"

namespace rondo::ops::dnn {

using namespace cuda;

namespace {

constexpr int64_t kScores = 30;  // a unique id, as those of the tensors
// Versions, as cudnn().number() has them. The gradient was a graph that could not be finalized before.
constexpr int kForward = 9140, kGradient = 9200, kBand = 9210, kComposed = 9000;

struct Names {
  cudnnBackendDescriptorType_t type;
  cudnnBackendAttributeName_t tensor[kSdpaTensors];  // 0: none
  cudnnBackendAttributeName_t scale, subgraph, subgraph_in, subgraph_out;
};
constexpr Names kForwardNames = {
    CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR,
    {CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC, CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC, CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC,
     CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC, CUDNN_ATTR_OPERATION_SDPA_FWD_STATSDESC},
    CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC,
    CUDNN_ATTR_OPERATION_SDPA_FWD_SUBGRAPH,
    CUDNN_ATTR_OPERATION_SDPA_FWD_SUBGRAPH_INPUT_UID,
    CUDNN_ATTR_OPERATION_SDPA_FWD_SUBGRAPH_OUTPUT_UID};
constexpr Names kGradientNames = {
    CUDNN_BACKEND_OPERATION_SDPA_BWD_DESCRIPTOR,
    {CUDNN_ATTR_OPERATION_SDPA_BWD_QDESC, CUDNN_ATTR_OPERATION_SDPA_BWD_KDESC, CUDNN_ATTR_OPERATION_SDPA_BWD_VDESC,
     CUDNN_ATTR_OPERATION_SDPA_BWD_ODESC, CUDNN_ATTR_OPERATION_SDPA_BWD_STATSDESC,
     CUDNN_ATTR_OPERATION_SDPA_BWD_DODDESC, CUDNN_ATTR_OPERATION_SDPA_BWD_DQDESC, CUDNN_ATTR_OPERATION_SDPA_BWD_DKDESC,
     CUDNN_ATTR_OPERATION_SDPA_BWD_DVDESC},
    CUDNN_ATTR_OPERATION_SDPA_BWD_SCALEDESC,
    CUDNN_ATTR_OPERATION_SDPA_BWD_SUBGRAPH,
    CUDNN_ATTR_OPERATION_SDPA_BWD_SUBGRAPH_INPUT_UID,
    CUDNN_ATTR_OPERATION_SDPA_BWD_SUBGRAPH_OUTPUT_UID};

// Hides what is not in the band, one side after the other. *in, *out: the scores before and after, by their ids.
Status add_band(OperationGraph* graph, const Sdpa& p, Descriptor* within, int64_t* in, int64_t* out) {
  const int64_t sizes[] = {p.batch, p.heads, p.queries, p.keys};
  const int64_t strides[] = {p.heads * p.queries * p.keys, p.queries * p.keys, p.keys, 1};
  std::vector<cudnnBackendDescriptor_t> masks;
  const Descriptor *from = nullptr, *hidden = nullptr;
  *in = *out = kScores;
  RONDO_TRY(graph->add_tensor({kScores, CUDNN_DATA_FLOAT, sizes, strides, true}, &from));
  RONDO_TRY(add_number(graph, kSdpaHidden, CUDNN_DATA_FLOAT, &hidden));
  for (const bool after : {true, false}) {
    if ((after ? p.after : p.before) < 0) continue;
    Descriptor* mask = nullptr;
    const Descriptor *to = nullptr, *bound = nullptr;
    RONDO_TRY(graph->create(CUDNN_BACKEND_OPERATION_DIAGONAL_BAND_MASK_DESCRIPTOR, &mask));
    RONDO_TRY(graph->add_tensor({++*out, CUDNN_DATA_FLOAT, sizes, strides, true}, &to));
    RONDO_TRY(mask->set_descriptor(CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_XDESC, *from));
    RONDO_TRY(mask->set_descriptor(CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_BDESC, *hidden));
    if (!after) {
      RONDO_TRY(add_number(graph, kSdpaBefore, CUDNN_DATA_FLOAT, &bound));
      RONDO_TRY(mask->set_descriptor(CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_LEFT_BOUND_DESC, *bound));
    } else if (p.shift + p.after != 0) {
      RONDO_TRY(add_number(graph, kSdpaAfter, CUDNN_DATA_INT32, &bound));
      RONDO_TRY(mask->set_descriptor(CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_SHIFT_RIGHT_BOUND_DESC, *bound));
    }
    RONDO_TRY(mask->set_descriptor(CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_YDESC, *to));
    // query + shift + after >= key; key + bound > query.
    RONDO_TRY(mask->set_enum(CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_COMPARISON_MODE, CUDNN_TYPE_POINTWISE_MODE,
                             after ? CUDNN_POINTWISE_CMP_GE : CUDNN_POINTWISE_CMP_GT));
    RONDO_TRY(mask->finalize());
    masks.push_back(mask->native());
    from = to;
  }
  RONDO_TRY(within->set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                        static_cast<int64_t>(masks.size()), masks.data()));
  return within->finalize();
}

}  // namespace

Status add_number(OperationGraph* graph, int64_t id, int type, const Descriptor** tensor) {
  constexpr int64_t kOne[] = {1, 1, 1, 1};
  return graph->add_tensor({id, type, kOne, kOne, false, true}, tensor);
}

Status add_operand(OperationGraph* graph, const Sdpa& p, int t, bool transposed, const Descriptor** tensor) {
  int64_t sizes[] = {p.batch, p.heads_of(t), p.places(t), p.elements(t)};
  int64_t strides[] = {p.stride[t][0], p.stride[t][1], p.stride[t][2], 1};
  if (transposed) std::swap(sizes[2], sizes[3]), std::swap(strides[2], strides[3]);
  return graph->add_tensor({t + 1, data_type(p.dtype_of(t)), sizes, strides}, tensor);
}

std::string text_of(const Sdpa& p) {
  const auto number = [](int64_t n) { return static_cast<long long>(n); };
  std::string text = format("%s%s of %s, batch %lld, heads %lld over %lld, queries %lld, keys %lld, size %lld",
                            p.composed ? "composed " : "", p.gradient ? "gradients" : "forward",
                            dtype_name(static_cast<rondo_dtype>(p.dtype)), number(p.batch), number(p.heads),
                            number(p.key_heads), number(p.queries), number(p.keys), number(p.size));
  if (p.masks()) text += format(", band %lld, %lld, %lld", number(p.shift), number(p.before), number(p.after));
  text += ", strides";
  for (int t = 0; t < kSdpaTensors; ++t)
    if (p.has(t))
      text += format(" %lld,%lld,%lld", number(p.stride[t][0]), number(p.stride[t][1]), number(p.stride[t][2]));
  return text;
}

// The gradient adds up that of the queries in f32, and keeps some more; a composed one keeps the slopes of all scores.
size_t workspace_limit(const Sdpa& p) {
  const auto sums = static_cast<size_t>(p.batch * p.heads * p.queries * p.size) * 4;
  return (static_cast<size_t>(setting_number(Setting::convolution_workspace_mb)) << 20) + (p.composed ? 4 : 2) * sums;
}

size_t slope_bytes(const Sdpa& p) {
  return static_cast<size_t>(p.batch * p.heads * p.queries * p.keys) * 2;
}

Sdpa part_within(const Sdpa& p, size_t bytes) {
  // Each part begins where logarithms lie at a multiple of 16 bytes, as all rows do.
  const auto even_part = [](int64_t count, int64_t most, int64_t step) -> int64_t {
    if (count <= most) return count;
    int64_t part = most;
    while (part * 2 > most && (count % part != 0 || part * step % 4 != 0)) --part;
    return part * 2 > most ? part : 0;
  };
  const int64_t* const step = p.stride[kSdpaStats];
  Sdpa head = p;
  head.batch = head.heads = 1;
  const auto most = static_cast<int64_t>(bytes / slope_bytes(head));
  const int64_t heads = even_part(p.heads, most, step[1]);
  const int64_t batch = even_part(p.batch, heads < p.heads ? 1 : most / heads, step[0]);
  if (heads == 0 || batch == 0) return p;
  Sdpa part = p;
  part.batch = batch;
  part.heads = part.key_heads = heads;
  return part;
}

bool composed_pays(const Sdpa& p) {
  constexpr int64_t kLookedAt = 64, kKeysOfBlock = 128, kManyBlocks = 264;
  double seen = 0;
  for (int64_t i = 0; i < kLookedAt; ++i) {
    const Sdpa::Span keys = p.keys_of(p.queries * i / kLookedAt);
    seen += static_cast<double>(std::max<int64_t>(keys.last - keys.first + 1, 0));
  }
  seen /= static_cast<double>(kLookedAt * p.keys);
  // In times of a composed one without a band, as measured on an H100. If all of its blocks run at once, those that see
  // most decide how long it takes.
  const double own = seen * (p.size > 64 ? 3 : 1.3);
  const int64_t blocks = p.batch * p.heads * ((p.keys + kKeysOfBlock - 1) / kKeysOfBlock);
  return own > (blocks < kManyBlocks ? 1 : 0.2 + 0.8 * seen);
}

SdpaNumbers::SdpaNumbers(const Sdpa& p, float scale)
    : scale(scale),
      hidden(-std::numeric_limits<float>::infinity()),
      before(static_cast<float>(p.before + 1 - p.shift)),
      after(static_cast<int32_t>(p.shift + p.after)) {}

Pointers pointers_of(const Sdpa& p, const SdpaAddresses& addresses, const SdpaNumbers& numbers) {
  Pointers pointers;
  for (int t = 0; t < kSdpaTensors; ++t)
    if (p.has(t)) pointers.add(t + 1, addresses[static_cast<size_t>(t)]);
  pointers.add(kSdpaScale, &numbers.scale);
  if (p.masks()) pointers.add(kSdpaHidden, &numbers.hidden);
  if (p.after >= 0 && p.shift + p.after != 0) pointers.add(kSdpaAfter, &numbers.after);
  if (p.before >= 0) pointers.add(kSdpaBefore, &numbers.before);
  if (p.has(kSdpaSums)) pointers.add(kSdpaOne, &numbers.one);
  return pointers;
}

Promises SdpaQuestion::promises() const {
  Promises promises{"attention"};
  promises.compiled = true;  // there are no others
  promises.deterministic = true;
  return promises;
}

Status SdpaQuestion::describe(OperationGraph* graph) const {
  const Sdpa& p = problem_;
  const int version = cudnn().number();
  const int needed = p.composed ? kComposed : p.masks() ? kBand : p.gradient ? kGradient : kForward;
  if (version < needed)
    return error(RONDO_UNSUPPORTED, "%s is needed for it, and there is %s", cudnn().name_of(needed).c_str(),
                 cudnn().version().c_str());
  if (p.composed) return compose(p, graph);
  const Names& names = p.gradient ? kGradientNames : kForwardNames;
  Descriptor* operation = nullptr;
  RONDO_TRY(graph->create(names.type, &operation));
  for (int t = 0; t < kSdpaTensors; ++t) {
    if (!p.has(t)) continue;
    const Descriptor* tensor = nullptr;
    RONDO_TRY(add_operand(graph, p, t, false, &tensor));
    RONDO_TRY(operation->set_descriptor(names.tensor[t], *tensor));
  }
  const Descriptor* scale = nullptr;
  RONDO_TRY(add_number(graph, kSdpaScale, CUDNN_DATA_FLOAT, &scale));
  RONDO_TRY(operation->set_descriptor(names.scale, *scale));
  if (p.masks()) {
    Descriptor* within = nullptr;
    int64_t in = 0, out = 0;
    RONDO_TRY(graph->create(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, &within));
    RONDO_TRY(add_band(graph, p, within, &in, &out));
    RONDO_TRY(operation->set_descriptor(names.subgraph, *within));
    RONDO_TRY(operation->set_int64(names.subgraph_in, in));
    RONDO_TRY(operation->set_int64(names.subgraph_out, out));
  }
  return graph->add_operation(*operation);
}

std::unique_ptr<Trial> SdpaQuestion::trial(CudaDevice& device) const {
  return std::make_unique<SdpaTrial>(device, problem_);
}

long long SdpaQuestion::timing_us() const {
  constexpr int kCompiled = 5;  // each of its engines is compiled before it is timed
  return setting_number(Setting::trial_ms) * 1000 * kCompiled;
}

}  // namespace rondo::ops::dnn
