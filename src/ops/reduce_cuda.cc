// Reductions on a GPU. Two kernels: `rows` gives each result a group of lanes that walk its elements side by side;
// `columns` gives neighbouring results to neighbouring lanes and splits what is reduced over the rest of the block.
// Where there are too few results to fill the device, the reduced range is split over blocks, whose partial results a
// second pass joins. How elements are combined depends on shape and layout alone, so results are the same in every
// run, eager or captured.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/cuda_kernel.h"
#include "ops/reduce.h"

namespace rondo::ops {

namespace {

constexpr int kThreads = 256;

// Operations: Acc (a partial result), identity, take (an element and its index), join, result. f32 sums are
// compensated: memory is the bottleneck, and the error does not grow with the length.
constexpr const char* kOperations = R"(
template <class C>
struct PlainSum {
  struct Acc { C sum; };
  RONDO_INLINE static Acc identity() { return {C(0)}; }
  template <class V> RONDO_INLINE static void take(Acc& acc, V value, i64) { acc.sum += static_cast<C>(value); }
  RONDO_INLINE static void join(Acc& acc, Acc other) { acc.sum += other.sum; }
  RONDO_INLINE static C result(Acc acc) { return acc.sum; }
};
struct CompensatedSum {
  struct Acc { f32 sum, rest; };
  RONDO_INLINE static Acc identity() { return {0.0f, 0.0f}; }
  RONDO_INLINE static void take(Acc& acc, f32 value, i64) { join(acc, {value, 0.0f}); }
  RONDO_INLINE static void join(Acc& acc, Acc other) {
    const f32 sum = acc.sum + other.sum;
    const f32 part = sum - acc.sum;
    acc.rest += ((acc.sum - (sum - part)) + (other.sum - part)) + other.rest;
    acc.sum = sum;
  }
  // With an infinity in the sum the rest is NaN and means nothing.
  RONDO_INLINE static f32 result(Acc acc) { return acc.rest == acc.rest ? acc.sum + acc.rest : acc.sum; }
};
template <class C>
struct Product {
  struct Acc { C product; };
  RONDO_INLINE static Acc identity() { return {C(1)}; }
  template <class V> RONDO_INLINE static void take(Acc& acc, V value, i64) { acc.product *= static_cast<C>(value); }
  RONDO_INLINE static void join(Acc& acc, Acc other) { acc.product *= other.product; }
  RONDO_INLINE static C result(Acc acc) { return acc.product; }
};
template <bool all>
struct Truth {
  struct Acc { i32 value; };
  RONDO_INLINE static Acc identity() { return {all}; }
  template <class V> RONDO_INLINE static void take(Acc& acc, V value, i64) { join(acc, {value != V(0)}); }
  RONDO_INLINE static void join(Acc& acc, Acc other) { acc.value = all ? acc.value & other.value : acc.value | other.value; }
  RONDO_INLINE static bool result(Acc acc) { return acc.value != 0; }
};
template <class C, bool largest>
RONDO_INLINE bool beats(C value, C best) {
  if (best != best) return false;
  if (value != value) return true;
  return largest ? value > best : value < best;
}
// The first element is a result's identity: an index of -1 is nothing yet. C is 4 or 8 bytes.
template <class C, bool largest>
struct Extreme {
  struct Acc { C value; C some; };
  RONDO_INLINE static Acc identity() { return {C(0), C(0)}; }
  template <class V> RONDO_INLINE static void take(Acc& acc, V value, i64) { join(acc, {static_cast<C>(value), C(1)}); }
  RONDO_INLINE static void join(Acc& acc, Acc other) {
    if (other.some != C(0) && (acc.some == C(0) || beats<C, largest>(other.value, acc.value))) acc = other;
  }
  RONDO_INLINE static C result(Acc acc) { return acc.value; }
};
template <class C, bool largest>
struct ArgExtreme {
  struct Acc { i64 index; C value; C unused; };
  RONDO_INLINE static Acc identity() { return {-1, C(0), C(0)}; }
  // An accumulator takes elements in rising order: of equals it has the first already.
  template <class V> RONDO_INLINE static void take(Acc& acc, V value, i64 index) {
    if (acc.index < 0 || beats<C, largest>(static_cast<C>(value), acc.value)) acc = {index, static_cast<C>(value), C(0)};
  }
  RONDO_INLINE static void join(Acc& acc, Acc other) {
    if (other.index < 0) return;
    if (acc.index < 0 || beats<C, largest>(other.value, acc.value) ||
        (!beats<C, largest>(acc.value, other.value) && other.index < acc.index))
      acc = other;
  }
  RONDO_INLINE static i64 result(Acc acc) { return acc.index; }
};
)";

// Follows definitions of In, Out, Op, kMean, kFinal, kVector, kGroup, kKept, kReduced.
constexpr const char* kCommon = R"(
using Acc = Op::Acc;
struct Arguments {
  const void* in;
  void* out;  // results, or partial ones [split][result]
  Dims<2> kept;
  Dims<1> reduced;
  i64 outputs, length, chunk, divisor;
  i32 accumulate, unused;
};
template <class V>
RONDO_INLINE void absorb(Acc& acc, V value, i64 index) {
  if constexpr (same_type<V, Acc>)
    Op::join(acc, value);
  else
    Op::take(acc, from_memory(value), index);
}
// `vector` neighbours, one accumulator each; their indices are `step` apart.
template <int vector, int step, class M>
RONDO_INLINE void absorb_run(Acc* acc, const M* from, i64 index) {
  if constexpr (vector == 1) {
    absorb(acc[0], *from, index);
  } else {
    const Pack<M, vector> pack = load_pack<M, vector>(from);
#pragma unroll
    for (int v = 0; v < vector; ++v) absorb(acc[v], pack.v[v], index + v * step);
  }
}
RONDO_INLINE void deliver(const Arguments& args, Index output, Acc acc) {
  if constexpr (!kFinal) {
    static_cast<Acc*>(args.out)[static_cast<i64>(blockIdx.y) * args.outputs + output] = acc;
  } else {
    Out* to = static_cast<Out*>(args.out) + offset<kKept>(args.kept, 1, output);
    const auto result = Op::result(acc);
    if constexpr (kMean)
      put(to, static_cast<Register<Out>>(static_cast<Quotient>(result) / static_cast<Quotient>(args.divisor)), args.accumulate);
    else
      put(to, static_cast<Register<Out>>(result), args.accumulate);
  }
}
template <class A>
RONDO_INLINE A shuffle_down(A acc, int delta, int width) {
  constexpr int words = sizeof(A) / 4;
  union {
    A acc;
    u32 word[words];
  } both;
  both.acc = acc;
#pragma unroll
  for (int i = 0; i < words; ++i) both.word[i] = __shfl_down_sync(0xffffffffu, both.word[i], delta, width);
  return both.acc;
}
)";

constexpr const char* kRows = R"(
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const Arguments args) {
  constexpr int kPerBlock = 256 / kGroup, kWidth = kGroup < 32 ? kGroup : 32;
  const int lane = threadIdx.x % kGroup;
  const Index output = static_cast<Index>(blockIdx.x) * kPerBlock + static_cast<Index>(threadIdx.x / kGroup);
  Acc acc[kVector];
#pragma unroll
  for (int v = 0; v < kVector; ++v) acc[v] = Op::identity();
  if (output < args.outputs) {
    const In* from = static_cast<const In*>(args.in) + offset<kKept>(args.kept, 0, output);
    const Index begin = static_cast<Index>(blockIdx.y) * static_cast<Index>(args.chunk);
    const Index end = begin + static_cast<Index>(args.length - begin < args.chunk ? args.length - begin : args.chunk);
    const Index whole = end - (end - begin) % kVector;
#pragma unroll 4
    for (Index i = begin + lane * kVector; i < whole; i += kGroup * kVector) {
      absorb_run<kVector, 1>(acc, from + offset<kReduced>(args.reduced, 0, i), i);
    }
    for (Index i = whole + lane; i < end; i += kGroup) absorb(acc[0], from[offset<kReduced>(args.reduced, 0, i)], i);
  }
#pragma unroll
  for (int width = kVector / 2; width > 0; width /= 2)
#pragma unroll
    for (int v = 0; v < width; ++v) Op::join(acc[v], acc[v + width]);
#pragma unroll
  for (int delta = kWidth / 2; delta > 0; delta /= 2) Op::join(acc[0], shuffle_down(acc[0], delta, kWidth));
  if constexpr (kGroup > 32) {
    constexpr int kWarps = kGroup > 32 ? kGroup / 32 : 1;  // outside templates both branches are compiled
    __shared__ __align__(16) unsigned char memory[kWarps * sizeof(Acc)];
    Acc* warps = reinterpret_cast<Acc*>(memory);
    if (lane % 32 == 0) warps[lane / 32] = acc[0];
    __syncthreads();
    if (lane == 0)
      for (int w = 1; w < kWarps; ++w) Op::join(acc[0], warps[w]);
  }
  if (lane == 0 && output < args.outputs) deliver(args, output, acc[0]);
}
)";

constexpr const char* kColumns = R"(
extern "C" __global__ void __launch_bounds__(256) rondo_kernel(const Arguments args) {
  constexpr int kHeight = 256 / kGroup;
  const int x = threadIdx.x % kGroup, y = threadIdx.x / kGroup;
  const Index output = (static_cast<Index>(blockIdx.x) * kGroup + x) * kVector;
  Acc acc[kVector];
#pragma unroll
  for (int v = 0; v < kVector; ++v) acc[v] = Op::identity();
  if (output < args.outputs) {
    const In* from = static_cast<const In*>(args.in) + offset<kKept>(args.kept, 0, output);
    const Index begin = static_cast<Index>(blockIdx.y) * static_cast<Index>(args.chunk);
    const Index end = begin + static_cast<Index>(args.length - begin < args.chunk ? args.length - begin : args.chunk);
#pragma unroll 4
    for (Index i = begin + y; i < end; i += kHeight)
      absorb_run<kVector, 0>(acc, from + offset<kReduced>(args.reduced, 0, i), i);
  }
  __shared__ __align__(16) unsigned char memory[128 * kVector * sizeof(Acc)];
  Acc* shared = reinterpret_cast<Acc*>(memory);
#pragma unroll
  for (int height = kHeight / 2; height > 0; height /= 2) {
    if (y >= height && y < 2 * height)
      for (int v = 0; v < kVector; ++v) shared[((y - height) * kVector + v) * kGroup + x] = acc[v];
    __syncthreads();
    if (y < height)
      for (int v = 0; v < kVector; ++v) Op::join(acc[v], shared[(y * kVector + v) * kGroup + x]);
    __syncthreads();
  }
  if (y == 0 && output < args.outputs)
    for (int v = 0; v < kVector; ++v) deliver(args, output + v, acc[v]);
}
)";

struct Arguments {
  const void* in = nullptr;
  void* out = nullptr;
  KernelDims<2> kept;
  KernelDims<1> reduced;
  int64_t outputs = 0, length = 0, chunk = 0, divisor = 0;
  int32_t accumulate = 0, unused = 0;
};

// What tells the kernels of a pass apart.
struct Variant {
  rondo_reduce_op op = RONDO_SUM;
  rondo_dtype in = RONDO_F32;
  bool columns = false;
  bool joins = false;    // the input is partial results
  bool partial = false;  // the output is
  bool wide = false;
  int vector = 1, group = 32, kept = 0, reduced = 0;

  KernelSpec spec() const;
  std::string text() const;
};

const char* register_type(rondo_dtype dtype) {
  return dtype == RONDO_F64 ? "f64" : is_float(dtype) ? "f32" : dtype == RONDO_I64 ? "i64" : "i32";
}

// The operation's type, its result's memory type and the size of its partial result.
struct Operation {
  std::string type;
  rondo_dtype out;
  size_t acc_bytes;
};
Operation operation(rondo_reduce_op op, rondo_dtype in) {
  const char* reg = register_type(in);
  const size_t size = in == RONDO_F64 || in == RONDO_I64 ? 8 : 4;
  const bool real = is_float(in);
  const char* const total = real ? reg : "u64";
  const size_t total_size = real ? size : 8;
  switch (op) {
    case RONDO_SUM:
    case RONDO_MEAN:
      if (in == RONDO_F32) return {"CompensatedSum", in, 8};
      // The mean of integers: exact in 64 bits, except of i64, whose sum may not fit.
      if (op == RONDO_MEAN && !real) return {in == RONDO_I64 ? "PlainSum<f64>" : "PlainSum<i64>", RONDO_F32, 8};
      return {format("PlainSum<%s>", total), real ? in : RONDO_I64, total_size};
    case RONDO_PROD: return {format("Product<%s>", total), real ? in : RONDO_I64, total_size};
    case RONDO_MAX: return {format("Extreme<%s, true>", reg), in, 2 * size};
    case RONDO_MIN: return {format("Extreme<%s, false>", reg), in, 2 * size};
    case RONDO_ARGMAX: return {format("ArgExtreme<%s, true>", reg), RONDO_I64, 8 + 2 * size};
    case RONDO_ARGMIN: return {format("ArgExtreme<%s, false>", reg), RONDO_I64, 8 + 2 * size};
    case RONDO_ALL: return {"Truth<true>", RONDO_BOOL, 4};
    default: return {"Truth<false>", RONDO_BOOL, 4};
  }
}

KernelSpec Variant::spec() const {
  KernelSpec spec(rtc::kReduce, columns ? 1 : 0, wide);
  spec.type("Element", in).type("Out", operation(op, in).out).constant("kOp", op).constant("kJoins", joins);
  spec.constant("kFinal", !partial).constant("kVector", vector).constant("kGroup", group).constant("kKept", kept);
  return spec.constant("kReduced", reduced);
}

// The operation's type follows from kOp and Element, so that it need not be in the signature.
std::string Variant::text() const {
  const std::string types =
      format("using Op = %s;\nusing In = %s;\nusing Quotient = %s;\nconstexpr bool kMean = kOp == %d;\n",
             operation(op, in).type.c_str(), joins ? "Op::Acc" : "Element", is_float(in) ? register_type(in) : "f64",
             RONDO_MEAN);
  return spec().text({kOperations, types.c_str(), kCommon, columns ? kColumns : kRows});
}

struct Pass {
  Variant variant;
  Arguments arguments;
  unsigned splits = 1;
  const rtc::Kernel* kernel = nullptr;

  unsigned blocks() const {
    return blocks_for(arguments.outputs, variant.columns ? variant.group * variant.vector : kThreads / variant.group);
  }
};

int power_of_two_up_to(int64_t value, int most) {
  int power = 1;
  while (power < most && power < value) power *= 2;
  return power;
}

// Lanes side by side over results: up to a warp. The rest of the block shares the reduced range.
int column_lanes(int64_t outputs, int vector) {
  return power_of_two_up_to((outputs + vector - 1) / vector, 32);
}

// Lanes that share a result: a block where the range is long or results are few, otherwise so many that each has a few
// loads.
int row_lanes(int64_t outputs, int64_t length, int vector) {
  if (length > 2048 || (length > 256 && outputs < 1024)) return kThreads;
  const int64_t loads = (length + vector - 1) / vector;
  return power_of_two_up_to(outputs < 4096 ? loads : (loads + 3) / 4, 32);
}

class CudaReduction final : public Task {
 public:
  explicit CudaReduction(const Reduction& reduction)
      : Task(reduce_name(reduction.op), reduction.out.device()), reduction_(reduction) {
    reads(*reduction.in.storage);
    declare_output(*this, reduction.out);
    plan();
  }

  Status prepare() override {
    for (int i = 0; i < passes_; ++i) {
      Pass& pass = pass_[i];
      if (pass.kernel) continue;
      RONDO_TRY(rtc::find_kernel(
          cuda_device(*this), pass.variant.spec().signature(), pass.variant.columns ? "reduce_columns" : "reduce_rows",
          [&pass] { return pass.variant.text(); }, &pass.kernel));
    }
    return {};
  }

  Status run(const TaskContext& context) override {
    RONDO_TRY(prepare());  // found already, unless the task came here by another way
    pass_[0].arguments.in = reduction_.in.address();
    pass_[passes_ - 1].arguments.out = reduction_.out.address();
    if (passes_ == 2) {
      pass_[0].arguments.out = context.workspace;
      pass_[1].arguments.in = context.workspace;
    }
    for (int i = 0; i < passes_; ++i) {
      const Pass& pass = pass_[i];
      RONDO_TRY(launch(*this, *pass.kernel, context, kThreads, pass.blocks(), pass.arguments, pass.splits));
    }
    return {};
  }
  void list_operands(std::vector<TaskOperand>* list) const override {
    *list = {{reduction_.in, false}, {reduction_.out, true}};
  }

 private:
  void plan();
  int widest_vector(const Dims<2>& kept, bool columns) const;

  Reduction reduction_;
  Pass pass_[2];
  int passes_ = 1;
};

// How many neighbours may be loaded at once: along the innermost kept (columns) or reduced dimension (rows), which must
// be contiguous and start every run at a multiple.
int CudaReduction::widest_vector(const Dims<2>& kept, bool columns) const {
  const Dims<1>& reduced = reduction_.reduced;
  const auto size = static_cast<int64_t>(dtype_size(reduction_.in.dtype));
  for (int64_t vector = std::min<int64_t>(16 / size, columns ? 4 : 8); vector > 1; vector /= 2) {
    bool fits = alignment_of(reduction_.in, 16) >= vector * size;
    for (int d = 0; d < kept.count; ++d)
      fits &= columns && d == kept.count - 1 ? kept.stride[0][d] == 1 && kept.size[d] % vector == 0
                                             : kept.stride[0][d] % vector == 0;
    for (int d = 0; d < reduced.count; ++d) {
      const bool inner = !columns && d == reduced.count - 1;
      fits &= inner ? reduced.stride[0][d] == 1 && (reduced.count == 1 || reduced.size[d] % vector == 0)
                    : reduced.stride[0][d] % vector == 0;
    }
    fits &= (columns ? kept.count : reduced.count) > 0;
    if (fits) return static_cast<int>(vector);
  }
  return 1;
}

void CudaReduction::plan() {
  const Dims<2>& kept = reduction_.kept;
  const Dims<1>& reduced = reduction_.reduced;
  const int64_t outputs = reduction_.outputs(), length = reduction_.length();
  const int64_t kept_step = kept.count ? std::abs(kept.stride[0][kept.count - 1]) : INT64_MAX;
  const int64_t reduced_step = reduced.count ? std::abs(reduced.stride[0][reduced.count - 1]) : 0;

  Pass& first = pass_[0];
  Variant& variant = first.variant;
  variant.op = reduction_.op;
  variant.in = reduction_.in.dtype;
  variant.columns = outputs > 1 && kept_step < reduced_step;
  variant.kept = kept.count;
  variant.reduced = reduced.count;
  variant.vector = widest_vector(kept, variant.columns);
  variant.group = variant.columns ? column_lanes(outputs, variant.vector) : row_lanes(outputs, length, variant.vector);

  // Splits: enough blocks to fill a large device, each with enough to do.
  const int64_t blocks = variant.columns ? blocks_for(outputs, variant.group * variant.vector) : outputs;
  const int64_t least = variant.columns ? kThreads / variant.group * 16 : 8192;
  int64_t splits = 1;
  if ((variant.columns || variant.group == kThreads) && blocks < 256 && length >= 2 * least)
    splits = std::min(512 / blocks, (length + least - 1) / least);
  const int64_t vector = variant.columns ? 1 : variant.vector;
  const int64_t chunk = ((length + splits - 1) / splits + vector - 1) / vector * vector;
  if (chunk > 0) splits = (length + chunk - 1) / chunk;

  Arguments& arguments = first.arguments;
  arguments.kept = KernelDims<2>(kept);
  arguments.reduced = KernelDims<1>(reduced);
  arguments.outputs = outputs;
  arguments.length = length;
  arguments.chunk = chunk;
  arguments.divisor = length;
  arguments.accumulate = reduction_.out.accumulate;
  first.splits = static_cast<unsigned>(std::max<int64_t>(splits, 1));
  variant.wide =
      needs_wide(std::max({kept.reach(0) + reduced.reach(0), kept.reach(1), outputs * first.splits, length}));
  if (first.splits == 1) return;

  variant.partial = true;
  passes_ = 2;
  workspace_bytes_ = static_cast<size_t>(outputs * splits) * operation(reduction_.op, reduction_.in.dtype).acc_bytes;
  Pass& second = pass_[1];
  second.variant.op = reduction_.op;
  second.variant.in = reduction_.in.dtype;
  second.variant.joins = true;
  second.variant.columns = outputs > 1;
  second.variant.group = second.variant.columns ? column_lanes(outputs, 1) : kThreads;
  second.variant.wide = variant.wide;
  second.variant.kept = kept.count;
  second.variant.reduced = 1;
  Dims<2> partial = kept;  // numbered in row-major order
  int64_t step = 1;
  for (int d = partial.count - 1; d >= 0; --d) {
    partial.stride[0][d] = step;
    step *= partial.size[d];
  }
  Dims<1> parts;
  parts.push(splits, {outputs});
  second.arguments = arguments;
  second.arguments.kept = KernelDims<2>(partial);
  second.arguments.reduced = KernelDims<1>(parts);
  second.arguments.length = splits;
  second.arguments.chunk = splits;
}

}  // namespace

Ref<Task> make_cuda_reduction(const Reduction& reduction) {
  return make_ref<CudaReduction>(reduction);
}

}  // namespace rondo::ops
