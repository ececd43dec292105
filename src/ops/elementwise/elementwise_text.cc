// Writes the text of elementwise kernels.
//
// One shape of kernel serves all layouts. A lane takes packs of `vector` neighbours along the innermost dimension, a
// few at once where they are narrow, and a block takes what lies together; place() turns a pack's number into each
// operand's offset, fetch() loads, finish() computes and stores. In a flat space the offset is the number itself; in
// others it comes from divisions by multiplication, with the divisors among the arguments. So a kernel depends on the
// expression, the vector width, which operands repeat along the inner dimension, the number of dimensions and the index
// width, and on no size.
//
// Where an operand is dense along another dimension than the innermost one, those two are walked in square tiles: a
// block reads such an operand's tile along its own dimension into shared memory, and takes it from there along the
// other, each lane a square of so many packs as they are wide, which it turns in its registers.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "base/text.h"
#include "ops/elementwise/elementwise_task.h"
#include "ops/task/cuda_kernel.h"
#include "ops/task/element_text.h"
#include "rtc/device_text.h"

namespace rondo::ops {

namespace {

constexpr unsigned kThreads = kElementwiseThreads;

// The output is the input, bit for bit: no conversion that might touch a NaN.
bool is_move(const Expression& expression, const Expression::Output& output) {
  return Expression::is_input(output.value) && !output.accumulate &&
         expression.input_dtype(output.value) == output.dtype;
}

class Writer : public ExpressionLines {
 public:
  Writer(const Expression& expression, const Space& space) : ExpressionLines(expression), s_(space) {}

  std::string text() {
    common();
    if (s_.transposed)
      tiled_kernel();
    else
      kernel();
    return std::move(text_);
  }

  std::string group_text() {
    common();
    group_kernel();
    return std::move(text_);
  }

 private:
  void common() {
    for (int k = 0; k < e_.operands() && text_.empty(); ++k)
      if (is_f8(e_.operand_dtype(k))) text_ = rtc::text_of(rtc::kF8Text);
    arguments();
    place();
    draw();
    loaded();
    finish();
  }
  std::string pack(int operand) const { return format(s_.repeats(operand) ? "%s" : "Pack<%s, N>", type(operand)); }
  bool transposed(int operand) const { return (s_.transposed >> operand & 1) != 0; }
  bool fetched(int operand) const { return operand < e_.inputs() || e_.output(operand - e_.inputs()).accumulate; }

  void arguments() {
    line("using Index = %s;", s_.wide ? "u64" : "u32");
    line("using Offset = %s;", s_.wide ? "i64" : "i32");
    line("struct Arguments {");
    for (int k = 0; k < e_.operands(); ++k) line("  %s%s* p%d;", k < e_.inputs() ? "const " : "", type(k), k);
    scalar_fields();
    if (e_.generators() > 0) {
      line("  const PhiloxState* random;");
      line("  u64 key;");
      for (int k = 0; k < e_.generators(); ++k) line("  u64 start%d;", k);
    }
    line("  alignas(8) Index packs;");
    line("  alignas(8) Index elements;");
    if (s_.transposed) line("  alignas(8) Index rows;\n  alignas(8) Index columns;");
    if (!s_.flat) {
      for (int d = s_.ndim - 1; d > 0; --d) {
        line("  alignas(8) Index size%d;", d);
        if (!s_.wide) line("  alignas(8) Divider by%d;", d);
      }
      for (int k = 0; k < e_.operands(); ++k)
        for (int d = s_.ndim - 1; d >= 0; --d) line("  alignas(8) Offset t%d_%d;", k, d);
      for (int k = 0; s_.transposed && k < e_.operands(); ++k)  // of elements; the others are of tiles
        for (int d = s_.ndim - 1; d >= s_.ndim - 2; --d) line("  alignas(8) Offset u%d_%d;", k, d);
    }
    line("};");
  }

  void place() {
    line("struct Place {");
    line(s_.transposed ? "  Index element, row, column;" : "  Index element;");
    for (int k = 0; k < e_.operands(); ++k) line("  Offset o%d;", k);
    line("};");
    line("RONDO_INLINE Place place(const Arguments& a, Index pack) {");
    line("  Place p;");
    line("  p.element = pack * %d;", s_.vector);
    if (s_.flat) {
      line("  (void)a;");
      for (int k = 0; k < e_.operands(); ++k)
        line("  p.o%d = %s;", k, s_.repeats(k) ? "0" : "static_cast<Offset>(p.element)");
    } else {
      line("  Index rest = pack, outer;");
      for (int d = s_.ndim - 1; d >= 0; --d) {
        if (d == 0) {
          line("  const Offset at0 = static_cast<Offset>(rest);");
        } else {
          line(s_.wide ? "  outer = rest / a.size%d;" : "  outer = quotient(rest, a.by%d);", d);
          line("  const Offset at%d = static_cast<Offset>(rest - outer * a.size%d);", d, d);
          line("  rest = outer;");
        }
      }
      if (s_.transposed) {
        const int side = s_.tile * s_.vector, inner = s_.ndim - 1;
        line("  p.row = static_cast<Index>(at%d) * %d;", inner - 1, side);
        line("  p.column = static_cast<Index>(at%d) * %d;", inner, side);
      }
      for (int k = 0; k < e_.operands(); ++k) {
        std::string sum;
        for (int d = s_.ndim - 1; d >= 0; --d) sum += format("%sat%d * a.t%d_%d", sum.empty() ? "" : " + ", d, k, d);
        line("  p.o%d = %s;", k, sum.c_str());
      }
    }
    line("  return p;");
    line("}");
  }

  // The random state is looked up once, since for all the compiler knows a store may change it.
  bool draws() const { return e_.generators() > 0; }
  const char* drawn() const { return draws() ? ", d" : ""; }
  void draw() {
    if (!draws()) return;
    line("struct Drawn {");
    line("  u64 key, base;");
    line("};");
  }
  void look_up() {
    if (draws()) line("  const Drawn d{a.random ? a.random->key : a.key, a.random ? a.random->offset : 0};");
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
      if (!fetched(k) || transposed(k)) continue;  // turned ones come from their tiles
      if (s_.repeats(k))
        line("  l.x%d = a.p%d[p.o%d];", k, k, k);
      else
        line("  l.x%d = load_pack<%s, N>(a.p%d + p.o%d);", k, type(k), k, k);
    }
    line("  return l;");
    line("}");
  }

  std::string element(int operand) const { return format(s_.repeats(operand) ? "l.x%d" : "l.x%d.v[v]", operand); }
  void finish() {
    line("template <int N>");
    line("RONDO_INLINE void finish(const Arguments& a, const Place& p, const Loaded<N>& l%s) {",
         draws() ? ", const Drawn& d" : "");
    line("  (void)l;");
    for (int k = e_.inputs(); k < e_.operands(); ++k) line("  Pack<%s, N> y%d;", type(k), k);
    for (int k = 0; k < e_.generators(); ++k) line("  PhiloxBlock g%d;", k);
    line("#pragma unroll");
    line("  for (int v = 0; v < N; ++v) {");
    if (e_.generators() > 0) line("    const u64 e = static_cast<u64>(p.element) + static_cast<u64>(v);");
    for (int k = 0; k < e_.generators(); ++k) {
      const char* dtype = register_type(e_.generator_dtype(k));
      line("    if (v == 0 || e %% kDrawsPerBlock<%s> == 0) g%d = random_block<%s>(d.key, d.base + a.start%d, e);",
           dtype, k, dtype, k);
    }
    for (int k = 0; k < e_.inputs(); ++k)
      line("    [[maybe_unused]] const %s in%d = from_memory(%s);", register_type(e_.input_dtype(k)), k,
           element(k).c_str());
    instructions("    ");
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

  // The packs from `first` to `end`, kThreads apart, `unroll` at once and then a step on: values of type Index.
  void loop(const char* end, int unroll) {
    const int width = s_.vector;
    line("  for (Index pack = first; pack < %s; pack += step) {", end);
    if (unroll == 1) {
      line("    const Place p = place(a, pack);");
      line("    finish<%d>(a, p, fetch<%d>(a, p)%s);", width, width, drawn());
    } else {
      line("    if (pack + %uu < %s) {", kThreads * static_cast<unsigned>(unroll - 1), end);
      for (int i = 0; i < unroll; ++i) line("      const Place p%d = place(a, pack + %uu);", i, kThreads * i);
      for (int i = 0; i < unroll; ++i) line("      const Loaded<%d> l%d = fetch<%d>(a, p%d);", width, i, width, i);
      for (int i = 0; i < unroll; ++i) line("      finish<%d>(a, p%d, l%d%s);", width, i, i, drawn());
      line("    } else {");
      line("      for (Index each = pack; each < %s; each += %uu) {", end, kThreads);
      line("        const Place p = place(a, each);");
      line("        finish<%d>(a, p, fetch<%d>(a, p)%s);", width, width, drawn());
      line("      }");
      line("    }");
    }
    line("  }");
    if (!s_.flat || width == 1) return;  // packs fill the rows
    line("  Place p;");
    line("  p.element = a.packs * %d + first;", width);
    for (int k = 0; k < e_.operands(); ++k)
      line("  p.o%d = %s;", k, s_.repeats(k) ? "0" : "static_cast<Offset>(p.element)");
    line("  if (p.element < a.elements) finish<1>(a, p, fetch<1>(a, p)%s);", drawn());
  }

  void kernel() {
    line("extern \"C\" __global__ void __launch_bounds__(%u) rondo_kernel(const Arguments a) {", kThreads);
    look_up();
    line("  const Index first = static_cast<Index>(blockIdx.x) * %uu + threadIdx.x;", kThreads * s_.unroll);
    line("  const Index step = static_cast<Index>(gridDim.x) * %uu;", kThreads * s_.unroll);
    loop("a.packs", s_.unroll);
    line("}");
  }

  // A block works in one space, which it finds by its number: the last one that begins there or before.
  void group_kernel() {
    line("struct Each {");
    for (int k = 0; k < e_.operands(); ++k) line("  %s%s* p%d;", k < e_.inputs() ? "const " : "", type(k), k);
    line("  u32 elements, block;");
    line("};");
    line("struct Group {");
    line("  u32 count;");
    scalar_fields();
    line("  alignas(8) Each each[%d];", group_capacity(e_));
    line("};");
    line("extern \"C\" __global__ void __launch_bounds__(%u) rondo_kernel(const Group group) {", kThreads);
    line("  u32 low = 0;");
    line("  for (u32 high = group.count; high - low > 1;) {");
    line("    const u32 middle = (low + high) / 2;");
    line("    const bool before = group.each[middle].block <= blockIdx.x;");
    line("    low = before ? middle : low;");
    line("    high = before ? high : middle;");
    line("  }");
    line("  Arguments a;");
    for (int k = 0; k < e_.operands(); ++k) line("  a.p%d = group.each[low].p%d;", k, k);
    for (int k = 0; k < e_.scalars(); ++k) line("  a.s%d = group.s%d;", k, k);
    line("  a.elements = group.each[low].elements;");
    line("  a.packs = a.elements / %du;", s_.vector);
    look_up();
    const int unroll = e_.instructions() <= 8 ? 2 : 1;
    line("  const Index step = %uu;", kThreads * unroll);
    line("  const Index begin = (blockIdx.x - group.each[low].block) * %uu;", kThreads * kGroupRounds);
    line("  const Index first = begin + threadIdx.x;");
    line("  const Index end = a.packs - begin < %uu ? a.packs : begin + %uu;", kThreads * kGroupRounds,
         kThreads * kGroupRounds);
    loop("end", unroll);
    line("}");
  }

  // The dimensions of the arguments are those of tiles; `rows` and `columns` say where the last ones end. In shared
  // memory the packs of a row are swapped by the number of the square that it belongs to, so that lanes that take packs
  // of one column find them in different banks.
  void tiled_kernel() {
    const int width = s_.vector, packs = s_.tile, side = packs * width, inner = s_.ndim - 1, rows = inner - 1;
    const int squares = packs * packs, threads = static_cast<int>(kThreads);
    line("extern \"C\" __global__ void __launch_bounds__(%d) rondo_kernel(const Arguments a) {", threads);
    for (int k = 0; k < e_.inputs(); ++k)
      if (transposed(k)) line("  __shared__ Pack<%s, %d> tile%d[%d][%d];", type(k), width, k, side, packs);
    look_up();
    line("  const int lane = threadIdx.x %% %d, line = threadIdx.x / %d;", packs, packs);
    line("  for (Index tile = blockIdx.x; tile < a.packs; tile += gridDim.x) {");
    line("    const Place corner = place(a, tile);");
    line("    const Index row = corner.row, column = corner.column;");
    for (int k = 0; k < e_.inputs(); ++k) {
      if (!transposed(k)) continue;
      line("#pragma unroll");
      line("    for (int y = line; y < %d; y += %d)", side, threads / packs);
      line("      if (column + y < a.columns && row + lane * %d < a.rows)", width);
      line("        tile%d[y][lane ^ (y / %d %% %d)] =", k, width, packs);
      line("            load_pack<%s, %d>(a.p%d + corner.o%d + y * a.u%d_%d + lane * %d);", type(k), width, k, k, k,
           inner, width);
    }
    line("    __syncthreads();");
    line("#pragma unroll");
    line("    for (int square = threadIdx.x; square < %d; square += %d) {", squares, threads);
    line("      const int x = square %% %d, y = square / %d;", packs, packs);
    line("      if (row + y * %d >= a.rows || column + x * %d >= a.columns) continue;", width, width);
    for (int k = 0; k < e_.inputs(); ++k) {
      if (!transposed(k)) continue;
      line("      Pack<%s, %d> t%d[%d];", type(k), width, k, width);
      line("#pragma unroll");
      line("      for (int v = 0; v < %d; ++v) t%d[v] = tile%d[x * %d + v][y ^ (x %% %d)];", width, k, k, width, packs);
    }
    line("#pragma unroll");
    line("      for (int u = 0; u < %d; ++u) {", width);
    line("        Place p = corner;");
    for (int k = 0; k < e_.operands(); ++k)
      if (!transposed(k))
        line("        p.o%d += (y * %d + u) * a.u%d_%d + x * %d * a.u%d_%d;", k, width, k, rows, width, k, inner);
    line("        Loaded<%d> l = fetch<%d>(a, p);", width, width);
    for (int k = 0; k < e_.inputs(); ++k) {
      if (!transposed(k)) continue;
      line("#pragma unroll");
      line("        for (int v = 0; v < %d; ++v) l.x%d.v[v] = t%d[v].v[u];", width, k, k);
    }
    line("        finish<%d>(a, p, l%s);", width, drawn());
    line("      }");
    line("    }");
    line("    __syncthreads();");
    line("  }");
    line("}");
  }

  const Space& s_;
};

}  // namespace

std::string elementwise_text(const Expression& expression, const Space& space) {
  return Writer(expression, space).text();
}

std::string group_text(const Expression& expression, const Space& space) {
  return Writer(expression, space).group_text();
}

}  // namespace rondo::ops
