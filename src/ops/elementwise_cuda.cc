// Elementwise kernels: their text, arguments and launch.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
//
// One shape of kernel serves all layouts. A thread takes packs of `vector` neighbours along the innermost dimension, in
// a loop over the whole grid; place() turns a pack's number into each operand's offset, fetch() loads, finish()
// computes and stores. In a flat space the offset is the number itself, and two packs are in flight at once; in others
// it comes from divisions by multiplication, with the divisors among the arguments. So a kernel depends on the
// expression, the vector width, which operands repeat along the inner dimension, the number of dimensions and the index
// width, and on no size.
#include <algorithm>
#include <bit>

#include "base/text.h"
#include "ops/elementwise_task.h"
#include "rtc/device/philox.h"

namespace rondo::ops {

namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kBlocksPerProcessor = 16;

const char* memory_type(rondo_dtype dtype) {
  static const char* const names[kDtypes] = {"b8",  "u8",  "i8",  "i32", "i64", "f16", "bf16",
                                             "f32", "f64", "i16", "u16", "u32", "u64"};
  return names[dtype];
}
const char* register_type(rondo_dtype dtype) {
  return dtype == RONDO_BOOL ? "bool" : memory_type(compute_dtype(dtype));
}

// Whether operand k has the same element all along a pack.
bool repeats(const Space& space, int k) {
  return space.strides(k)[space.ndim - 1] == 0;
}

// The output is the input, bit for bit: no conversion that might touch a NaN.
bool is_move(const Expression& expression, const Expression::Output& output) {
  return Expression::is_input(output.value) && !output.accumulate &&
         expression.input_dtype(output.value) == output.dtype;
}

class Writer {
 public:
  Writer(const Expression& expression, const Space& space) : e_(expression), s_(space) {}

  std::string text() {
    arguments();
    place();
    loaded();
    finish();
    kernel();
    return std::move(text_);
  }

 private:
  template <class... A>
  void line(const char* pattern, A... arguments) {
    text_ += format(pattern, arguments...);
    text_ += '\n';
  }
  const char* type(int operand) const { return memory_type(e_.operand_dtype(operand)); }
  std::string pack(int operand) const { return format(repeats(s_, operand) ? "%s" : "Pack<%s, N>", type(operand)); }
  bool fetched(int operand) const { return operand < e_.inputs() || e_.output(operand - e_.inputs()).accumulate; }

  void arguments() {
    line("using Index = %s;", s_.wide ? "u64" : "u32");
    line("using Offset = %s;", s_.wide ? "i64" : "i32");
    line("struct Arguments {");
    for (int k = 0; k < e_.operands(); ++k) line("  %s%s* p%d;", k < e_.inputs() ? "const " : "", type(k), k);
    for (int k = 0; k < e_.scalars(); ++k) line("  alignas(8) %s s%d;", register_type(e_.scalar_dtype(k)), k);
    if (e_.generators() > 0) {
      line("  const PhiloxState* random;");
      line("  u64 key;");
      for (int k = 0; k < e_.generators(); ++k) line("  u64 start%d;", k);
    }
    line("  alignas(8) Index packs;");
    line("  alignas(8) Index elements;");
    if (!s_.flat) {
      for (int d = s_.ndim - 1; d > 0; --d) {
        line("  alignas(8) Index size%d;", d);
        if (!s_.wide) line("  alignas(8) Divider by%d;", d);
      }
      for (int k = 0; k < e_.operands(); ++k)
        for (int d = s_.ndim - 1; d >= 0; --d) line("  alignas(8) Offset t%d_%d;", k, d);
    }
    line("};");
  }

  void place() {
    line("struct Place {");
    line("  Index element;");
    for (int k = 0; k < e_.operands(); ++k) line("  Offset o%d;", k);
    line("};");
    line("RONDO_INLINE Place place(const Arguments& a, Index pack) {");
    line("  Place p;");
    line("  p.element = pack * %d;", s_.vector);
    if (s_.flat) {
      line("  (void)a;");
      for (int k = 0; k < e_.operands(); ++k)
        line("  p.o%d = %s;", k, repeats(s_, k) ? "0" : "static_cast<Offset>(p.element)");
    } else {
      line("  Index rest = pack, outer;");
      for (int d = s_.ndim - 1; d >= 0; --d) {
        if (d == 0) {
          line("  const Offset i0 = static_cast<Offset>(rest);");
        } else {
          line(s_.wide ? "  outer = rest / a.size%d;" : "  outer = quotient(rest, a.by%d);", d);
          line("  const Offset i%d = static_cast<Offset>(rest - outer * a.size%d);", d, d);
          line("  rest = outer;");
        }
      }
      for (int k = 0; k < e_.operands(); ++k) {
        std::string sum;
        for (int d = s_.ndim - 1; d >= 0; --d) sum += format("%si%d * a.t%d_%d", sum.empty() ? "" : " + ", d, k, d);
        line("  p.o%d = %s;", k, sum.c_str());
      }
    }
    line("  return p;");
    line("}");
  }

  void loaded() {
    line("template <int N>");
    line("struct Loaded {");
    for (int k = 0; k < e_.operands(); ++k)
      if (fetched(k)) line("  %s x%d;", pack(k).c_str(), k);
    line("};");
    line("template <int N>");
    line("RONDO_INLINE Loaded<N> fetch(const Arguments& a, const Place& p) {");
    line("  Loaded<N> l;");
    line("  (void)a, (void)p;");
    for (int k = 0; k < e_.operands(); ++k) {
      if (!fetched(k)) continue;
      if (repeats(s_, k))
        line("  l.x%d = a.p%d[p.o%d];", k, k, k);
      else
        line("  l.x%d = load_pack<%s, N>(a.p%d + p.o%d);", k, type(k), k, k);
    }
    line("  return l;");
    line("}");
  }

  std::string element(int operand) const { return format(repeats(s_, operand) ? "l.x%d" : "l.x%d.v[v]", operand); }
  static std::string value(Value value) {
    if (Expression::is_input(value)) return format("i%d", value);
    if (Expression::is_scalar(value)) return format("a.s%d", Expression::scalar_index(value));
    return format("r%d", Expression::result_index(value));
  }

  std::string call(const Expression::Instruction& each) const {
    const auto dtype = static_cast<rondo_dtype>(each.dtype);
    const std::string a = value(each.a);
    switch (each.op) {
      case Op::cast: return format("convert_to<%s>(%s)", memory_type(dtype), a.c_str());
      case Op::where: return format("op_where(%s, %s, %s)", a.c_str(), value(each.b).c_str(), value(each.c).c_str());
      case Op::round_to: return format("round_%s(%s)", memory_type(dtype), a.c_str());
      case Op::uniform: return format("uniform<%s>(g%d, e)", register_type(dtype), each.a);
      case Op::normal: return format("normal<%s>(g%d, e)", register_type(dtype), each.a);
      default: break;
    }
    std::string text = format("op_%s(%s", operator_of(each.op).name, a.c_str());
    const int arity = Expression::arity(each);
    if (arity > 1) text += ", " + value(each.b);
    if (arity > 2) text += ", " + value(each.c);
    return text + ")";
  }

  void finish() {
    line("template <int N>");
    line("RONDO_INLINE void finish(const Arguments& a, const Place& p, const Loaded<N>& l) {");
    line("  (void)l;");
    for (int k = e_.inputs(); k < e_.operands(); ++k) line("  Pack<%s, N> y%d;", type(k), k);
    if (e_.generators() > 0) {
      line("  const u64 key = a.random ? a.random->key : a.key;");
      line("  const u64 base = a.random ? a.random->offset : 0;");
      for (int k = 0; k < e_.generators(); ++k) line("  PhiloxBlock g%d;", k);
    }
    line("#pragma unroll");
    line("  for (int v = 0; v < N; ++v) {");
    if (e_.generators() > 0) line("    const u64 e = static_cast<u64>(p.element) + static_cast<u64>(v);");
    for (int k = 0; k < e_.generators(); ++k) {
      const char* dtype = register_type(e_.generator_dtype(k));
      line("    if (v == 0 || e %% kDrawsPerBlock<%s> == 0) g%d = random_block<%s>(key, base + a.start%d, e);", dtype,
           k, dtype, k);
    }
    for (int k = 0; k < e_.inputs(); ++k)
      line("    [[maybe_unused]] const %s i%d = from_memory(%s);", register_type(e_.input_dtype(k)), k,
           element(k).c_str());
    for (int k = 0; k < e_.instructions(); ++k) {
      const Expression::Instruction& each = e_.instruction(k);
      line("    const %s r%d = %s;", register_type(Expression::result_dtype(each)), k, call(each).c_str());
    }
    for (int k = 0; k < e_.outputs(); ++k) {
      const Expression::Output& output = e_.output(k);
      const int operand = e_.inputs() + k;
      std::string result = value(output.value);
      if (is_move(e_, output)) {
        line("    y%d.v[v] = %s;", operand, element(output.value).c_str());
        continue;
      }
      if (output.accumulate) result = format("op_add(from_memory(l.x%d.v[v]), %s)", operand, result.c_str());
      line("    y%d.v[v] = to_memory<%s>(%s);", operand, type(operand), result.c_str());
    }
    line("  }");
    for (int k = e_.inputs(); k < e_.operands(); ++k)
      line("  store_pack<%s, N>(a.p%d + p.o%d, y%d);", type(k), k, k, k);
    line("}");
  }

  void kernel() {
    const int width = s_.vector;
    // Two packs in flight hide more of memory's latency; with much arithmetic there is less of it to hide.
    const bool twice = s_.flat && e_.instructions() <= 8 && e_.generators() == 0;
    line("extern \"C\" __global__ void __launch_bounds__(%u) rondo_kernel(const Arguments a) {", kThreads);
    line("  const Index first = static_cast<Index>(blockIdx.x) * %uu + threadIdx.x;", kThreads);
    line("  const Index step = static_cast<Index>(gridDim.x) * %uu;", kThreads);
    line("  for (Index pack = first; pack < a.packs; pack += %sstep) {", twice ? "2 * " : "");
    line("    const Place p0 = place(a, pack);");
    line("    const Loaded<%d> l0 = fetch<%d>(a, p0);", width, width);
    if (twice) {
      line("    const bool more = pack + step < a.packs;");
      line("    const Place p1 = place(a, more ? pack + step : pack);");
      line("    Loaded<%d> l1 = l0;", width);
      line("    if (more) l1 = fetch<%d>(a, p1);", width);
    }
    line("    finish<%d>(a, p0, l0);", width);
    if (twice) line("    if (more) finish<%d>(a, p1, l1);", width);
    line("  }");
    if (s_.flat && width > 1) {  // elsewhere packs fill the rows
      line("  Place p;");
      line("  p.element = a.packs * %d + first;", width);
      for (int k = 0; k < e_.operands(); ++k)
        line("  p.o%d = %s;", k, repeats(s_, k) ? "0" : "static_cast<Offset>(p.element)");
      line("  if (p.element < a.elements) finish<1>(a, p, fetch<1>(a, p));");
    }
    line("}");
  }

  const Expression& e_;
  const Space& s_;
  std::string text_;
};

// The widest vector that keeps every access aligned: each thread moves up to 16 bytes of the widest operand. A power of
// two, and everything is done by masks: this is on the path of every launch.
uint8_t vector_width(const Expression& expression, const Space& space, const ElementwiseTask& task) {
  int64_t width = 16;
  for (int k = 0; k < expression.operands(); ++k)
    while (width * static_cast<int64_t>(dtype_size(expression.operand_dtype(k))) > 16) width >>= 1;
  const int inner = space.ndim - 1;
  for (int k = 0; k < expression.operands(); ++k) {
    const int64_t* strides = space.strides(k);
    if (strides[inner] == 0) continue;
    if (strides[inner] != 1) return 1;
    // The pool's blocks are 256-aligned; memory from elsewhere is what it is.
    const auto size = static_cast<int64_t>(dtype_size(expression.operand_dtype(k)));
    const auto address = reinterpret_cast<intptr_t>(task.operand(k).storage->address()) + task.operand(k).offset;
    while (width > 1 && (address & (width * size - 1)) != 0) width >>= 1;
    for (int d = 0; d < inner; ++d)
      while (width > 1 && (strides[d] & (width - 1)) != 0) width >>= 1;
  }
  if (!space.flat)
    while (width > 1 && (space.size(inner) & (width - 1)) != 0) width >>= 1;
  return static_cast<uint8_t>(width);
}

}  // namespace

std::string elementwise_text(const Expression& expression, const Space& space) {
  return Writer(expression, space).text();
}

void ElementwiseTask::plan_cuda(const Expression& expression) {
  if (space_.elements == 0) return;
  space_.vector = vector_width(expression, space_, *this);
  const auto width = static_cast<uint64_t>(space_.vector);
  const auto elements = static_cast<uint64_t>(space_.elements);
  const uint64_t packs = elements >> std::countr_zero(width);

  if (n_generators_ > 0)
    for (int k = 0; k < 2 + n_generators_; ++k) arguments_.push_back(0);
  arguments_.push_back(packs);
  arguments_.push_back(elements);
  if (!space_.flat) {
    const int inner = space_.ndim - 1;
    for (int d = inner; d > 0; --d) {
      const uint64_t size = static_cast<uint64_t>(space_.size(d)) / (d == inner ? width : 1);
      arguments_.push_back(size);
      if (space_.wide) continue;
      const device::Divider by = device::make_divider(static_cast<uint32_t>(size));
      arguments_.push_back(by.magic | static_cast<uint64_t>(by.shift) << 32);
    }
    for (int k = 0; k < operands(); ++k)
      for (int d = inner; d >= 0; --d)
        arguments_.push_back(static_cast<uint64_t>(space_.strides(k)[d]) * (d == inner ? width : 1));
  }
  const uint64_t wanted = (packs + kThreads - 1) / kThreads;
  const uint64_t most =
      static_cast<uint64_t>(static_cast<cuda::CudaDevice&>(device()).multiprocessors()) * kBlocksPerProcessor;
  blocks_ = static_cast<unsigned>(std::clamp<uint64_t>(wanted, 1, most));
}

int ElementwiseTask::alignment(int i) const {
  const auto size = static_cast<int>(dtype_size(expression().operand_dtype(i)));
  return space_.elements == 0 || repeats(space_, i) ? size : size * space_.vector;
}

Status ElementwiseTask::prepare() {
  if (device().is_host() || space_.elements == 0 || kernel_) return {};
  rtc::Signature signature(rtc::kElementwise);
  uint32_t repeated = 0;
  for (int k = 0; k < operands(); ++k) repeated |= static_cast<uint32_t>(repeats(space_, k)) << k;
  signature.put(static_cast<uint8_t>(space_.vector | (space_.wide ? 32 : 0) | (space_.flat ? 64 : 0)));
  signature.put(static_cast<uint8_t>(space_.ndim));
  signature.put(repeated);
  signature.put_bytes(packed_.begin(), packed_.size());
  return rtc::find_kernel(
      static_cast<cuda::CudaDevice&>(device()), signature, name(),
      [this] { return elementwise_text(expression(), space_); }, &kernel_);
}

Status ElementwiseTask::run_on_cuda(const TaskContext& context) {
  if (!kernel_) return error(RONDO_INTERNAL, "%s was run before it was prepared", name());
  uint64_t* words = arguments_.begin();
  for (int k = 0; k < operands(); ++k)
    words[k] = reinterpret_cast<uint64_t>(operand(k).storage->address() + operand(k).offset);
  if (n_generators_ > 0) {
    const Expression expression = this->expression();
    uint64_t* random = words + first_random();
    random[0] = reinterpret_cast<uint64_t>(context.device_random);
    random[1] = random_.seed;
    uint64_t start = random_.offset;
    for (int k = 0; k < n_generators_; ++k) {
      random[2 + k] = start;
      start += random_counters(expression.generator_dtype(k), space_.elements);
    }
  }
  cuda::CudaDevice::Launch shape;
  shape.grid[0] = blocks_;
  shape.block[0] = kThreads;
  return static_cast<cuda::CudaDevice&>(device()).launch(kernel_->function, shape, context.stream, words);
}

}  // namespace rondo::ops
