/* A kernel of one's own in CUDA C++: a template, compiled at run time, ordered with Rondo's operators by the tensors it
 * reads and writes, and captured with them into a graph. Copyright 2026 the Rondo developers.
 * SPDX-License-Identifier: Apache-2.0 */
#include "check.h"

enum { ROWS = 3, COLUMNS = 100, THREADS = 128 };

static const char* const text =
    "// Each block adds up a row, in the shared memory that the launch gives it.\n"
    "template <class T>\n"
    "__global__ void row_sums(const T* x, T* sums, int columns) {\n"
    "  extern __shared__ float partial[];\n"
    "  T sum = 0;\n"
    "  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += x[blockIdx.x * columns + i];\n"
    "  partial[threadIdx.x] = sum;\n"
    "  for (int half = blockDim.x / 2; half > 0; half /= 2) {\n"
    "    __syncthreads();\n"
    "    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];\n"
    "  }\n"
    "  if (threadIdx.x == 0) sums[blockIdx.x] = partial[0];\n"
    "}\n";

int main(void) {
  const rondo_device device = {RONDO_CUDA, 0};
  const int64_t shape[2] = {ROWS, COLUMNS};
  int32_t gpus = 0;
  float sums[ROWS];
  rondo_engine* engine = NULL;
  rondo_tensor *x = NULL, *y = NULL;
  rondo_module* module = NULL;
  rondo_graph* graph = NULL;

  CHECK(rondo_device_count(RONDO_CUDA, &gpus));
  if (gpus == 0) {
    printf("no GPU here\n");
    return 0;
  }
  CHECK(rondo_engine_create(NULL, &engine));
  CHECK(rondo_tensor_create(engine, device, RONDO_F32, 2, shape, &x));
  CHECK(rondo_tensor_create(engine, device, RONDO_F32, 1, shape, &y));
  CHECK(rondo_fill(x, 0));

  /* The kernels that are wanted, with what each parameter is: a pointer to const is read, another one written. */
  CHECK(rondo_module_create(engine, device, text, "row_sums<float>(const float* x, float* sums, int columns)", NULL,
                            &module));

  CHECK(rondo_record_begin(engine, NULL));
  CHECK(rondo_binary_scalar(RONDO_ADD, x, 0.5, &x));
  const rondo_argument arguments[] = {RONDO_TENSOR("x", x), RONDO_TENSOR("sums", y), RONDO_INTEGER("columns", COLUMNS)};
  rondo_launch_options options = RONDO_LAUNCH_OPTIONS_INIT;
  options.grid_x = ROWS;
  options.block_x = THREADS;
  options.shared_bytes = THREADS * sizeof(float);
  CHECK(rondo_module_launch(module, "row_sums<float>", 3, arguments, &options));
  CHECK(rondo_binary_scalar(RONDO_MUL, y, 2, &y));
  CHECK(rondo_record_end(engine, &graph));
  for (int i = 0; i < 4; ++i) CHECK(rondo_graph_launch(graph));

  CHECK(rondo_tensor_read(y, sums, sizeof sums));
  printf("%g %g %g\n", sums[0], sums[1], sums[2]);

  rondo_graph_destroy(graph);
  rondo_module_destroy(module);
  rondo_tensor_destroy(y);
  rondo_tensor_destroy(x);
  rondo_engine_destroy(engine);
  return 0;
}
