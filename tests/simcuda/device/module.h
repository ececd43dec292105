// The table a compiled module exports: one entry per kernel, whose launcher unpacks the argument pointers by the
// kernel's own type. Part of the text put in front of a kernel; the NVRTC stand-in appends the table itself. Copyright
// 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types.h"

template <unsigned... indices>
struct SimcudaIndices {};
template <unsigned n, unsigned... indices>
struct SimcudaCount : SimcudaCount<n - 1, n - 1, indices...> {};
template <unsigned... indices>
struct SimcudaCount<0, indices...> {
  using type = SimcudaIndices<indices...>;
};
template <class T>
struct SimcudaPlain {
  using type = T;
};
template <class T>
struct SimcudaPlain<const T> {
  using type = T;
};

template <class Function, Function function>
struct SimcudaLauncher;
template <class... Parameters, void (*function)(Parameters...)>
struct SimcudaLauncher<void (*)(Parameters...), function> {
  static constexpr unsigned count = sizeof...(Parameters);
  static constexpr unsigned long long bytes[sizeof...(Parameters) + 1] = {sizeof(Parameters)..., 0};
  template <unsigned... indices>
  SIMCUDA_UNCHECKED static void unpack([[maybe_unused]] void** arguments, SimcudaIndices<indices...>) {
    function(*static_cast<typename SimcudaPlain<Parameters>::type*>(arguments[indices])...);
  }
  SIMCUDA_UNCHECKED static void launch(void** arguments) {
    unpack(arguments, typename SimcudaCount<sizeof...(Parameters)>::type());
  }
};
template <class... Parameters, void (*function)(Parameters...)>
constexpr unsigned long long SimcudaLauncher<void (*)(Parameters...), function>::bytes[];

// The same by an expression, which may have commas.
#define SIMCUDA_KERNEL_AS(lowered, ...)                                      \
  {                                                                          \
    lowered, &SimcudaLauncher<decltype(&__VA_ARGS__), &__VA_ARGS__>::launch, \
        SimcudaLauncher<decltype(&__VA_ARGS__), &__VA_ARGS__>::count,        \
        SimcudaLauncher<decltype(&__VA_ARGS__), &__VA_ARGS__>::bytes, 0      \
  }

#define SIMCUDA_KERNEL(name, max_threads)                                                                          \
  {                                                                                                                \
#name, &SimcudaLauncher < decltype(&name), &name> ::launch, SimcudaLauncher < decltype(&name), &name> ::count, \
        SimcudaLauncher < decltype(&name), &name> ::bytes, max_threads                                             \
  }

// Tells the driver where a thread's copy of the module's shared memory is. The alignment is for LeakSanitizer, which
// takes a block of thread-local memory that begins 16 bytes into a page for one with a header of an old C library, and
// then reads wild addresses.
alignas(64) static thread_local char simcuda_anchor_byte;
extern "C" void* simcuda_anchor() {
  return &simcuda_anchor_byte;
}
