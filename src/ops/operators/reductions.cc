// Finds the rows of reductions.def, by opcode and by the numbers of the public enum.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "ops/operators/reductions.h"

#include <cmath>

namespace rondo::ops {

namespace {

struct Parameter {
  int count = 0;
  double value = 0;
  constexpr Parameter() = default;
  constexpr explicit Parameter(double value) : count(1), value(value) {}
};
struct Refused {};
constexpr Refused REFUSED;
constexpr bool refused(Refused) {
  return true;
}
constexpr bool refused(double) {
  return false;
}

#define P(...) Parameter(__VA_ARGS__)
constexpr ReductionRow kReductionTable[] = {
#define REDUCTION(ID, name, Domain, Before, Accumulator, After, parameter, of_nothing, ...) \
  {ReduceOp::name,                                                                          \
   #name,                                                                                   \
   #Domain ", " #Before ", " #Accumulator ", " #After,                                      \
   (parameter).count,                                                                       \
   (parameter).value,                                                                       \
   refused(of_nothing),                                                                     \
   std::is_same_v<device::After, device::AsIs> && !std::is_same_v<device::Domain, device::Position>},
#include "ops/operators/reductions.def"
#undef REDUCTION
};
#undef P

template <class M, class Result>
rondo_dtype dtype_of_result(rondo_dtype dtype) {
  if constexpr (std::is_same_v<Result, M>) return dtype;
  if constexpr (std::is_same_v<Result, device::b8>) return RONDO_BOOL;
  if constexpr (std::is_same_v<Result, device::i64>) return RONDO_I64;
  static_assert(std::is_same_v<Result, M> || std::is_same_v<Result, device::b8> ||
                std::is_same_v<Result, device::i64> || std::is_same_v<Result, device::f32>);
  return RONDO_F32;
}

}  // namespace

const ReductionRow& reduction_row(ReduceOp op) {
  return kReductionTable[static_cast<int>(op)];
}

const ReductionRow* find_reduction(int op) {
  switch (op) {
#define REDUCTION(ID, name, ...) \
  case RONDO_##ID:               \
    return &kReductionTable[static_cast<int>(ReduceOp::name)];
#include "ops/operators/reductions.def"
#undef REDUCTION
    default: return nullptr;
  }
}

const char* reduce_name(int op) {
  const ReductionRow* row = find_reduction(op);
  return row ? row->name : nullptr;
}

rondo_dtype reduced_dtype(ReduceOp op, rondo_dtype dtype) {
  return with_reduction(op, [dtype]<class Parts>() {
    return with_element(dtype, [dtype]<class M>(M*) {
      return dtype_of_result<M, typename Parts::template Of<false, M>::Result>(dtype);
    });
  });
}

size_t partial_bytes(ReduceOp op, rondo_dtype dtype) {
  return with_reduction(op, [dtype]<class Parts>() {
    return with_element(dtype, []<class M>(M*) { return sizeof(typename Parts::template Of<true, M>::Acc); });
  });
}

}  // namespace rondo::ops
