// Expressions on the host: blocks of elements go through one loop per instruction, each a function compiled into the
// library from the same scalar operators that kernels are made of. Blocks stay in the cache; the loops are simple
// enough for the compiler to vectorise. Operands that are dense and need no conversion are used where they lie.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "ops/element.h"
#include "ops/elementwise_loops.h"
#include "ops/elementwise_task.h"
#include "rtc/device/philox.h"

namespace rondo::ops {

namespace {

constexpr int64_t kBlock = 1024;
constexpr int kValues = Expression::kMaxInputs + Expression::kMaxScalars + Expression::kMaxInstructions;

// --- memory to registers and back, along one row
// ------------------------------------------------------------------------
using LoadRow = void (*)(void* to, const char* from, int64_t stride, int64_t n);
using StoreRow = void (*)(char* to, int64_t stride, const void* from, int64_t n);

template <class M>
void load_row(void* to, const char* from, int64_t stride, int64_t n) {
  Register<M>* r = static_cast<Register<M>*>(to);
  const M* m = reinterpret_cast<const M*>(from);
  if (stride == 1) {
    for (int64_t i = 0; i < n; ++i) r[i] = device::from_memory(m[i]);
  } else if (stride == 0) {
    std::fill(r, r + n, device::from_memory(*m));
  } else {
    for (int64_t i = 0; i < n; ++i) r[i] = device::from_memory(m[i * stride]);
  }
}
template <class M, bool accumulate>
void store_row(char* to, int64_t stride, const void* from, int64_t n) {
  M* m = reinterpret_cast<M*>(to);
  const Register<M>* r = static_cast<const Register<M>*>(from);
  if (stride == 1) {
    for (int64_t i = 0; i < n; ++i) put(m + i, r[i], accumulate);
  } else {
    for (int64_t i = 0; i < n; ++i) put(m + i * stride, r[i], accumulate);
  }
}
LoadRow find_load(rondo_dtype dtype) {
  return with_element(dtype, []<class M>(M*) -> LoadRow { return load_row<M>; });
}
StoreRow find_store(rondo_dtype dtype, bool accumulate) {
  return with_element(dtype,
                      [&]<class M>(M*) -> StoreRow { return accumulate ? store_row<M, true> : store_row<M, false>; });
}

// Same bits in a register as in memory.
bool plain(rondo_dtype dtype) {
  return dtype != RONDO_BOOL && !is_half(dtype);
}

// Calls f(position in the block, offset in elements, length) for the rows that elements [first, first + n) of an
// operand lie in.
template <class F>
void each_row(const Space& space, const int64_t* strides, int64_t first, int64_t n, const F& f) {
  int64_t index[kMaxDims];
  int64_t offset = 0;
  int64_t rest = first;
  const int inner = space.ndim - 1;
  for (int d = inner; d >= 0; --d) {
    index[d] = rest % space.size(d);
    rest /= space.size(d);
    offset += index[d] * strides[d];
  }
  for (int64_t done = 0;;) {
    const int64_t length = std::min(n - done, space.size(inner) - index[inner]);
    f(done, offset, length);
    done += length;
    if (done == n) return;
    offset -= index[inner] * strides[inner];
    index[inner] = 0;
    for (int d = inner - 1; d >= 0; --d) {  // the next row: an odometer's step
      offset += strides[d];
      if (++index[d] < space.size(d)) break;
      offset -= space.size(d) * strides[d];
      index[d] = 0;
    }
  }
}

bool all_zero(const Space& space, const int64_t* strides) {
  return std::all_of(strides, strides + space.ndim, [](int64_t stride) { return stride == 0; });
}
bool dense(const Space& space, const int64_t* strides) {
  return space.ndim == 1 && strides[0] == 1;
}

template <class T>
void draw(bool gaussian, void* to, uint64_t key, uint64_t start, int64_t first, int64_t n) {
  T* r = static_cast<T*>(to);
  device::PhiloxBlock block = {};
  for (int64_t i = 0; i < n; ++i) {
    const auto element = static_cast<uint64_t>(first + i);
    if (i == 0 || element % device::kDrawsPerBlock<T> == 0) block = device::random_block<T>(key, start, element);
    r[i] = gaussian ? device::normal<T>(block, element) : device::uniform<T>(block, element);
  }
}

// One input straight into one output.
void move_rows(const Space& space, size_t size, const char* from, char* to) {
  auto copy = [&]<class T>(T*) {
    const T* source = reinterpret_cast<const T*>(from);
    T* target = reinterpret_cast<T*>(to);
    const int inner = space.ndim - 1;
    const int64_t in = space.strides(0)[inner];
    const int64_t out = space.strides(1)[inner];
    const int64_t row = space.size(inner);
    // Both operands step through the same rows: walk one and keep the other beside it.
    int64_t index[kMaxDims] = {};
    for (int64_t done = 0; done < space.elements; done += row) {
      if (in == 1 && out == 1) {
        std::memmove(target, source, static_cast<size_t>(row) * sizeof(T));
      } else {
        for (int64_t i = 0; i < row; ++i) target[i * out] = source[i * in];
      }
      for (int d = inner - 1; d >= 0; --d) {
        source += space.strides(0)[d];
        target += space.strides(1)[d];
        if (++index[d] < space.size(d)) break;
        source -= space.size(d) * space.strides(0)[d];
        target -= space.size(d) * space.strides(1)[d];
        index[d] = 0;
      }
    }
  };
  switch (size) {
    case 1: return copy(static_cast<uint8_t*>(nullptr));
    case 2: return copy(static_cast<uint16_t*>(nullptr));
    case 4: return copy(static_cast<uint32_t*>(nullptr));
    default: return copy(static_cast<uint64_t*>(nullptr));
  }
}

bool is_move(const Expression& expression) {
  return expression.instructions() == 0 && expression.inputs() == 1 && expression.outputs() == 1 &&
         Expression::is_input(expression.output(0).value) && !expression.output(0).accumulate &&
         expression.input_dtype(0) == expression.output(0).dtype;
}

// Scratch of a thread, kept from run to run.
char* scratch(size_t bytes) {
  struct Buffer {
    std::unique_ptr<char[]> data;
    size_t bytes = 0;
  };
  thread_local Buffer buffer;
  if (buffer.bytes < bytes) {
    buffer.data.reset(new char[bytes]);
    buffer.bytes = bytes;
  }
  return buffer.data.get();
}

}  // namespace

void evaluate_on_cpu(const Expression& e, const Space& space, char* const* addresses, const uint64_t* scalars,
                     RandomState random) {
  if (is_move(e)) return move_rows(space, dtype_size(e.input_dtype(0)), addresses[0], addresses[1]);

  const int64_t longest = std::min(kBlock, space.elements);
  const size_t slot = static_cast<size_t>(longest) * sizeof(uint64_t);
  char* next = scratch(slot * static_cast<size_t>(e.inputs() + e.scalars() + e.instructions()));
  char* values[kValues];
  auto take = [&](Value value) {
    values[value] = next;
    next += slot;
  };

  // Inputs: where they lie, once for all, or block by block.
  LoadRow loads[Expression::kMaxInputs] = {};
  bool in_place[Expression::kMaxInputs] = {};
  for (int k = 0; k < e.inputs(); ++k) {
    const auto value = static_cast<Value>(k);
    const LoadRow load = find_load(e.input_dtype(k));
    // A copy of what a later output shows, should an earlier one be written there.
    bool shown = false;
    for (int o = 1; o < e.outputs(); ++o) shown |= e.output(o).value == value;
    in_place[k] = plain(e.input_dtype(k)) && dense(space, space.strides(k)) && !shown;
    if (in_place[k]) continue;
    take(value);
    if (all_zero(space, space.strides(k)))
      load(values[value], addresses[k], 0, longest);
    else
      loads[k] = load;
  }
  for (int k = 0; k < e.scalars(); ++k) {
    const auto value = static_cast<Value>(Expression::kMaxInputs + k);
    take(value);
    with_element(e.scalar_dtype(k), [&]<class M>(M*) {
      Register<M> scalar;
      std::memcpy(&scalar, &scalars[k], sizeof scalar);
      std::fill_n(reinterpret_cast<Register<M>*>(values[value]), longest, scalar);
    });
  }
  Loop loops[Expression::kMaxInstructions];
  uint64_t starts[Expression::kMaxInstructions] = {};
  for (int k = 0; k < e.instructions(); ++k) {
    const Expression::Instruction& each = e.instruction(k);
    take(Expression::result_of(k));
    if (!Expression::is_generator(each)) loops[k] = find_loop(each, e.dtype_of(each.op == Op::where ? each.b : each.a));
  }
  uint64_t start = random.offset;
  for (int g = 0; g < e.generators(); ++g) {
    for (int k = 0; k < e.instructions(); ++k)
      if (Expression::is_generator(e.instruction(k)) && e.instruction(k).a == g) starts[k] = start;
    start += random_counters(e.generator_dtype(g), space.elements);
  }
  StoreRow stores[Expression::kMaxOutputs];
  for (int k = 0; k < e.outputs(); ++k)
    stores[k] = find_store(static_cast<rondo_dtype>(e.output(k).dtype), e.output(k).accumulate);
  // The last result goes straight to memory when nothing is read after it is written.
  const Expression::Output& only = e.output(0);
  const bool direct = e.outputs() == 1 && e.instructions() > 0 && !only.accumulate &&
                      only.value == Expression::result_of(e.instructions() - 1) &&
                      plain(static_cast<rondo_dtype>(only.dtype)) && dense(space, space.strides(e.inputs()));

  for (int64_t first = 0; first < space.elements; first += kBlock) {
    const int64_t n = std::min(kBlock, space.elements - first);
    for (int k = 0; k < e.inputs(); ++k) {
      const auto size = static_cast<int64_t>(dtype_size(e.input_dtype(k)));
      if (in_place[k]) {
        values[k] = addresses[k] + first * size;
      } else if (loads[k]) {
        const int64_t stride = space.strides(k)[space.ndim - 1];
        const int64_t width = static_cast<int64_t>(dtype_size(compute_dtype(e.input_dtype(k))));
        each_row(space, space.strides(k), first, n, [&](int64_t at, int64_t offset, int64_t length) {
          loads[k](values[k] + at * width, addresses[k] + offset * size, stride, length);
        });
      }
    }
    if (direct)
      values[only.value] =
          addresses[e.inputs()] + first * static_cast<int64_t>(dtype_size(static_cast<rondo_dtype>(only.dtype)));
    for (int k = 0; k < e.instructions(); ++k) {
      const Expression::Instruction& each = e.instruction(k);
      char* to = values[Expression::result_of(k)];
      if (Expression::is_generator(each)) {
        const bool gaussian = each.op == Op::normal;
        (each.dtype == RONDO_F64 ? draw<double> : draw<float>)(gaussian, to, random.seed, starts[k], first, n);
        continue;
      }
      const int arity = Expression::arity(each);
      loops[k](to, values[each.a], arity > 1 ? values[each.b] : nullptr, arity > 2 ? values[each.c] : nullptr, n);
    }
    for (int k = 0; k < e.outputs() && !direct; ++k) {
      const auto dtype = static_cast<rondo_dtype>(e.output(k).dtype);
      const auto size = static_cast<int64_t>(dtype_size(dtype));
      const auto width = static_cast<int64_t>(dtype_size(compute_dtype(dtype)));
      const int64_t* strides = space.strides(e.inputs() + k);
      const char* from = values[e.output(k).value];
      each_row(space, strides, first, n, [&](int64_t at, int64_t offset, int64_t length) {
        stores[k](addresses[e.inputs() + k] + offset * size, strides[space.ndim - 1], from + at * width, length);
      });
    }
  }
}

}  // namespace rondo::ops
