// What a simulated kernel and the simulated driver agree on: the state of one simulated thread (a "lane"), the calls a
// kernel makes back into the driver, and the table a compiled module exports. Included by the driver and, as text, put
// in front of every kernel by the NVRTC stand-in, so it uses no header at all.
//
// A lane's state is found from the stack pointer: every lane runs on a stack of SIMCUDA_STACK_BYTES that starts at a
// multiple of that size, with its SimcudaLane at the top. No thread-local variable, no register: it survives fiber
// switches by itself. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#define SIMCUDA_ABI_VERSION 1
#define SIMCUDA_STACK_BYTES 131072ull
#define SIMCUDA_MODULE_SYMBOL "simcuda_module"

struct SimcudaUint3 {
  unsigned x, y, z;
};

// Address ranges a lane may use besides its device's heap: [begin, begin + bytes).
struct SimcudaRange {
  unsigned long long begin, bytes;
};

enum SimcudaAccess { SIMCUDA_LOAD = 0, SIMCUDA_STORE = 1, SIMCUDA_UPDATE = 2 };

struct SimcudaLane;
struct SimcudaRuntime {
  // An access the fast path could not clear. Returns normally when it is allowed, never when it is not.
  void (*access)(SimcudaLane*, unsigned long long address, unsigned long long bytes, int kind);
  // __syncthreads: returns how many lanes of the block passed a predicate that is not 0; *all tells whether every one
  // did.
  int (*barrier)(SimcudaLane*, int predicate, int* all);
  // Every lane of the mask gives one word and gets those of all; returns the lanes that took part.
  unsigned (*exchange)(SimcudaLane*, unsigned mask, unsigned long long mine, unsigned long long* all);
  void (*trap)(SimcudaLane*, int code, const char* text);
  void (*set_conditional)(SimcudaLane*, unsigned long long handle, unsigned value);
  // Programmatic dependent launch: wait for the kernels before, or let the kernels after start.
  void (*grid_wait)(SimcudaLane*);
  void (*grid_launch)(SimcudaLane*);
};

struct alignas(16) SimcudaLane {
  SimcudaUint3 thread, block, block_dim, grid_dim;
  unsigned long long heap, heap_bytes;  // this device's memory; heap_bytes 0 sends every access to runtime.access
  unsigned char* valid;                 // one bit per heap byte: inside an allocation
  unsigned char* written;               // one bit per heap byte: holds a value someone wrote
  SimcudaRange shared_static, shared_dynamic, image;
  SimcudaRuntime runtime;  // by value: a kernel may read its own stack and nothing of the host
};

struct SimcudaKernel {
  const char* name;
  void (*launch)(void** arguments);  // calls the kernel once, for the lane it runs on
  unsigned n_arguments;
  const unsigned long long* argument_bytes;
  unsigned max_threads;  // __launch_bounds__, 0 when not given
};

struct SimcudaModule {
  unsigned abi_version;
  unsigned arch;  // compute capability times 10
  unsigned nvrtc_version;
  unsigned n_kernels;
  const SimcudaKernel* kernels;
};
