// Operators that are large enough to be shared among workers give the same bits for any number of them and with every
// instruction set, of which a process uses one: the others are asked in processes of their own.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rondo/rondo.h>

#include <signal.h>

#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr rondo_device kCpu = {RONDO_CPU, 0};
using Digests = std::map<std::string, std::string>;
// Names of products begin so. The baseline rounds their terms, and gives them bits of its own.
const std::string kFused = "product of ";

void must(rondo_status status) {
  if (status != RONDO_OK) throw std::runtime_error(rondo_last_error());
}

class Paths {
 public:
  explicit Paths(int workers) {
    rondo_engine_options options = RONDO_ENGINE_OPTIONS_INIT;
    options.mode = RONDO_ENGINE_ASYNC;
    options.workers = workers;
    options.seed = 3;
    must(rondo_engine_create(&options, &engine_));
  }
  ~Paths() {
    for (rondo_tensor* each : tensors_) rondo_tensor_destroy(each);
    rondo_engine_destroy(engine_);
  }
  Paths(const Paths&) = delete;
  Paths& operator=(const Paths&) = delete;

  Digests run() {
    rondo_tensor* const f32 = made(RONDO_F32, {131, 1031}, 1);
    rondo_tensor* const other = made(RONDO_F32, {131, 1031}, 2);
    rondo_tensor* const turned = transposed(made(RONDO_F32, {1031, 131}, 3));
    rondo_tensor* const row = made(RONDO_F32, {1031}, 4);
    rondo_tensor* const column = made(RONDO_F32, {131, 1}, 5);
    binary("add", RONDO_ADD, f32, other);
    binary("row", RONDO_MUL, f32, row);
    binary("column", RONDO_SUB, column, f32);
    binary("turned", RONDO_ADD, f32, turned);
    binary("turned_both", RONDO_MAXIMUM, turned, turned);
    binary("outer", RONDO_MUL, column, row);
    for (const auto op :
         {RONDO_EXP, RONDO_LOG, RONDO_TANH, RONDO_SIGMOID, RONDO_GELU, RONDO_SIN, RONDO_SQRT, RONDO_ERF})
      unary(rondo_unary_op_name(op), op, f32);
    rondo_tensor* out = nullptr;
    must(rondo_copy_to(turned, kCpu, &out));
    note("copy", out);
    for (const auto dtype : {RONDO_F16, RONDO_BF16, RONDO_I32, RONDO_F64, RONDO_I8}) {
      const std::string name = rondo_dtype_name(dtype);
      rondo_tensor* const a = made(dtype, {131, 1031}, 6);
      rondo_tensor* const b = transposed(made(dtype, {1031, 131}, 7));
      binary(name + " add", RONDO_ADD, a, b);
      binary(name + " mul", RONDO_MUL, a, made(dtype, {131, 1031}, 8));
      binary(name + " row", RONDO_MAXIMUM, a, made(dtype, {1031}, 9));
      cast(name + " to f32", a, RONDO_F32);
      cast(name + " from f32", f32, dtype);
      reductions(name, a);
      scans(name, a);
      if (dtype != RONDO_I32 && dtype != RONDO_I8) softmax(name, a);
    }
    reductions("f32", f32);
    reductions("turned", turned);
    scans("f32", f32);
    scans("turned", turned);
    softmax("f32", f32);
    softmax("turned", turned);
    for (const auto dtype : {RONDO_F32, RONDO_F16, RONDO_F64}) windows(rondo_dtype_name(dtype), dtype);
    products();
    integers();
    convolutions();
    depthwise_convolutions();
    out = nullptr;
    const int64_t shape[] = {200, 900};
    must(rondo_random_normal(engine_, kCpu, RONDO_F32, 2, shape, 0, 1, &out));
    note("normal", out);
    return digests_;
  }

 private:
  rondo_tensor* keep(rondo_tensor* tensor) {
    tensors_.push_back(tensor);
    return tensor;
  }
  rondo_tensor* made(rondo_dtype dtype, const std::vector<int64_t>& shape, unsigned seed) {
    size_t elements = 1;
    for (const int64_t size : shape) elements *= static_cast<size_t>(size);
    std::mt19937 random(seed);
    std::vector<float> values(elements);
    for (float& value : values) {
      const uint32_t bits = random();
      value = static_cast<float>(static_cast<int32_t>(bits)) * 0x1p-28F;
      if (bits % 1009 == 0) value = bits % 2 ? INFINITY : -0.0F;
    }
    rondo_tensor* f32 = nullptr;
    must(rondo_tensor_create(engine_, kCpu, RONDO_F32, static_cast<int32_t>(shape.size()), shape.data(), &f32));
    keep(f32);
    must(rondo_tensor_write(f32, values.data(), values.size() * sizeof(float)));
    if (dtype == RONDO_F32) return f32;
    rondo_tensor* made = nullptr;
    must(rondo_cast(f32, dtype, &made));
    return keep(made);
  }
  rondo_tensor* transposed(rondo_tensor* tensor) {
    const int32_t axes[] = {1, 0};
    rondo_tensor* view = nullptr;
    must(rondo_tensor_transpose(tensor, axes, &view));
    return keep(view);
  }
  void binary(const std::string& name, rondo_binary_op op, rondo_tensor* a, rondo_tensor* b) {
    rondo_tensor* out = nullptr;
    must(rondo_binary(op, a, b, &out));
    note(name, out);
  }
  void unary(const std::string& name, rondo_unary_op op, rondo_tensor* a) {
    rondo_tensor* out = nullptr;
    must(rondo_unary(op, a, &out));
    note(name, out);
  }
  void cast(const std::string& name, rondo_tensor* a, rondo_dtype dtype) {
    rondo_tensor* out = nullptr;
    must(rondo_cast(a, dtype, &out));
    note(name, out);
  }
  void reductions(const std::string& name, rondo_tensor* a) {
    const int32_t axes[] = {0, 1};
    for (const auto op : {RONDO_SUM, RONDO_MEAN, RONDO_MAX, RONDO_L2_NORM, RONDO_NANSUM, RONDO_VAR, RONDO_MIN,
                          RONDO_ARGMAX, RONDO_ARGMIN, RONDO_PROD, RONDO_ALL, RONDO_ANY, RONDO_LOGSUMEXP})
      for (int first = 0; first < 2; ++first)
        for (int count = 1; first + count <= 2; ++count) {
          rondo_tensor* out = nullptr;
          must(rondo_reduce(op, a, count, axes + first, 0, &out));
          note(name + " " + rondo_reduce_op_name(op) + std::to_string(first) + std::to_string(count), out);
        }
  }
  void scans(const std::string& name, rondo_tensor* a) {
    for (const auto op : {RONDO_SUM, RONDO_MAX})
      for (const int32_t axis : {0, 1}) {
        rondo_tensor* out = nullptr;
        must(rondo_cumulative(op, a, axis, axis, &out));
        note(name + " cumulative " + rondo_reduce_op_name(op) + std::to_string(axis), out);
      }
  }
  void softmax(const std::string& name, rondo_tensor* a) {
    for (const int32_t axis : {0, 1}) {
      rondo_tensor* out = nullptr;
      must(rondo_softmax(a, axis, &out));
      note(name + " softmax" + std::to_string(axis), out);
    }
  }

  // Those of the library's own loops, which multiply and add at once where the processor can: see kFused.
  void products() {
    rondo_tensor* const plain = made(RONDO_F32, {271, 517}, 12);
    rondo_tensor* const turned = transposed(made(RONDO_F32, {517, 271}, 13));
    for (const int64_t rows : {2, 5, 13, 100, 256})
      for (rondo_tensor* const b : {plain, turned}) {
        rondo_tensor* out = nullptr;
        must(rondo_matmul(made(RONDO_F32, {rows, 271}, 14), b, nullptr, &out));
        note(kFused + std::to_string(rows) + (b == turned ? " turned" : ""), out);
      }
  }

  // Numbers of 8 bits, a third of them the least or the greatest.
  rondo_tensor* bytes(rondo_dtype dtype, const std::vector<int64_t>& shape, std::vector<int>* values) {
    rondo_tensor* made = nullptr;
    must(rondo_tensor_create(engine_, kCpu, dtype, static_cast<int32_t>(shape.size()), shape.data(), &made));
    keep(made);
    values->assign(static_cast<size_t>(shape[0] * shape[1]), 0);
    std::vector<uint8_t> raw;
    for (int& value : *values) {
      const unsigned bits = bytes_();
      const int least = dtype == RONDO_I8 ? -128 : 0;
      value = least + static_cast<int>(bits % 3 ? bits / 3 % 256 : bits / 3 % 2 * 255);
      raw.push_back(static_cast<uint8_t>(value));
    }
    must(rondo_tensor_write(made, raw.data(), raw.size()));
    return made;
  }
  // Products of whole numbers, which are those of a plain loop: of every pair of signs, odd sizes and views, with zero
  // points and without.
  void integers() {
    const int64_t sizes[][3] = {{1, 1, 1},     {3, 5, 7},    {1, 300, 65},    {16, 64, 16},  {17, 63, 33},
                                {49, 129, 67}, {130, 27, 9}, {200, 512, 130}, {7, 16500, 20}};
    std::vector<int> left, right, left_zero, right_zero;
    for (const auto& [m, k, n] : sizes)
      for (int pair = 0; pair < 8; ++pair) {
        const rondo_dtype a_dtype = pair & 1 ? RONDO_I8 : RONDO_U8, b_dtype = pair & 2 ? RONDO_I8 : RONDO_U8;
        const bool turned = pair & 4, zeros = (m + pair / 2) % 2;
        rondo_tensor* const a = turned ? transposed(bytes(a_dtype, {k, m}, &left)) : bytes(a_dtype, {m, k}, &left);
        rondo_tensor* const b = turned ? transposed(bytes(b_dtype, {n, k}, &right)) : bytes(b_dtype, {k, n}, &right);
        rondo_tensor* const a_zero = zeros ? bytes(a_dtype, {m, 1}, &left_zero) : nullptr;
        rondo_tensor* const b_zero = zeros ? bytes(b_dtype, {1, n}, &right_zero) : nullptr;
        rondo_tensor* out = nullptr;
        must(rondo_matmul_integer(a, b, a_zero, b_zero, &out));
        std::string name = "integers";
        for (const int64_t part : {m, k, n, int64_t{pair}}) name += " " + std::to_string(part);
        note(name, out);
        std::vector<int32_t> got(static_cast<size_t>(m * n));
        must(rondo_tensor_read(out, got.data(), got.size() * sizeof(int32_t)));
        for (int64_t i = 0; i < m; ++i)
          for (int64_t j = 0; j < n; ++j) {
            int32_t sum = 0;
            const int x = zeros ? left_zero[static_cast<size_t>(i)] : 0,
                      y = zeros ? right_zero[static_cast<size_t>(j)] : 0;
            for (int64_t l = 0; l < k; ++l)
              sum += (left[static_cast<size_t>(turned ? l * m + i : i * k + l)] - x) *
                     (right[static_cast<size_t>(turned ? j * k + l : l * n + j)] - y);
            if (sum != got[static_cast<size_t>(i * n + j)])
              throw std::runtime_error(name + " differ from a plain loop");
          }
      }
  }

  // By the same loops: blocks of columns that workers share, blocks of kernels, and sums of several parts.
  void convolutions() {
    struct Case {
      std::string name;
      std::vector<int64_t> image, filter;
    };
    for (const Case& each : {Case{"columns", {2, 24, 30, 31}, {40, 24, 3, 3}},
                             {"kernels", {1, 64, 6, 6}, {509, 64, 3, 3}},
                             {"both", {1, 48, 13, 13}, {192, 48, 3, 3}},
                             {"deep", {1, 700, 6, 7}, {131, 700, 5, 5}}}) {
      rondo_tensor *image = nullptr, *filter = nullptr, *out = nullptr;  // of finite numbers: few sums would be
      must(rondo_unary(RONDO_TANH, made(RONDO_F32, each.image, 15), &image));
      must(rondo_unary(RONDO_TANH, made(RONDO_F32, each.filter, 16), &filter));
      keep(image), keep(filter);
      must(rondo_convolution(image, filter, nullptr, &out));
      note(kFused + "convolution by " + each.name, out);
    }
  }

  // By loops of their own: windows whose lines share what they read, any others, bands of large planes.
  void depthwise_convolutions() {
    struct Case {
      std::vector<int64_t> image, kernel;
      int64_t stride, padding;
    };
    for (const Case& each : {Case{{2, 40, 57, 61}, {3, 3}, 1, 1}, Case{{2, 40, 56, 62}, {3, 3}, 2, 1},
                             Case{{1, 130, 14, 14}, {5, 5}, 1, 2}, Case{{1, 130, 15, 13}, {5, 5}, 2, 2},
                             Case{{1, 6, 150, 131}, {7, 3}, 1, 3}, Case{{3, 70, 7, 7}, {3, 3}, 3, 0}}) {
      rondo_tensor *image = nullptr, *filter = nullptr, *out = nullptr;
      must(rondo_unary(RONDO_TANH, made(RONDO_F32, each.image, 17), &image));
      must(rondo_unary(RONDO_TANH, made(RONDO_F32, {each.image[1], 1, each.kernel[0], each.kernel[1]}, 18), &filter));
      keep(image), keep(filter);
      rondo_convolution_options options = RONDO_CONVOLUTION_OPTIONS_INIT;
      options.groups = each.image[1];
      for (int d = 0; d < 2; ++d) options.stride[d] = each.stride, options.padding[d] = each.padding;
      options.activation = RONDO_ACTIVATION_HARD_SWISH;
      must(rondo_convolution(image, filter, &options, &out));
      note(kFused + "depthwise convolution of " + std::to_string(each.image[2]), out);
    }
  }

  void windows(const std::string& name, rondo_dtype dtype) {
    rondo_tensor* const first = made(dtype, {2, 20, 67, 71}, 10);
    const int32_t back[] = {0, 3, 1, 2};
    rondo_tensor* last = nullptr;
    must(rondo_tensor_transpose(made(dtype, {2, 67, 71, 20}, 11), back, &last));
    keep(last);
    const int64_t kernel[] = {3, 2}, sizes[] = {134, 142};
    rondo_pool_options options = RONDO_POOL_OPTIONS_INIT;
    options.stride[0] = 1, options.stride[1] = 2, options.padding[0] = 1;
    for (rondo_tensor* const image : {first, last}) {
      const std::string label = name + (image == last ? " last" : " first");
      rondo_tape* tape = nullptr;
      must(rondo_tape_begin(engine_, RONDO_TAPE_KEEP, &tape));
      must(rondo_tape_watch(tape, image));
      rondo_tensor* out[4] = {};
      must(rondo_max_pool(image, 2, kernel, &options, &out[0]));
      must(rondo_avg_pool(image, 2, kernel, &options, &out[1]));
      must(rondo_resize(image, 2, sizes, RONDO_RESIZE_NEAREST, RONDO_RESIZE_HALF_PIXEL, &out[2]));
      must(rondo_resize(image, 2, sizes, RONDO_RESIZE_LINEAR, RONDO_RESIZE_HALF_PIXEL, &out[3]));
      must(rondo_tape_end(tape));
      for (int i = 0; i < 4; ++i) {
        rondo_tensor* gradient = nullptr;
        must(rondo_tape_gradients(tape, 1, &out[i], &out[i], 1, &image, &gradient));
        note(label + " windows " + std::to_string(i), out[i]);
        note(label + " windows back " + std::to_string(i), gradient);
      }
      rondo_tape_destroy(tape);
    }
  }

  // FNV-1a, of a NaN its being one only.
  void note(const std::string& name, rondo_tensor* out) {
    keep(out);
    rondo_tensor_info info = RONDO_TENSOR_INFO_INIT;
    must(rondo_tensor_query(out, &info));
    rondo_tensor* exact = nullptr;  // f64 holds all of these dtypes
    must(rondo_cast(out, RONDO_F64, &exact));
    keep(exact);
    size_t elements = 1;
    for (int d = 0; d < info.ndim; ++d) elements *= static_cast<size_t>(info.shape[d]);
    std::vector<double> values(elements);
    must(rondo_tensor_read(exact, values.data(), values.size() * sizeof(double)));
    uint64_t hash = 14695981039346656037u;
    for (double value : values) {
      if (std::isnan(value)) value = NAN;
      uint64_t bits = 0;
      std::memcpy(&bits, &value, sizeof bits);
      if (std::isnan(value)) bits = 1;
      hash = (hash ^ bits) * 1099511628211u;
    }
    char text[20];
    std::snprintf(text, sizeof text, "%016" PRIx64, hash);
    digests_[name] = text;
  }

  rondo_engine* engine_ = nullptr;
  std::vector<rondo_tensor*> tensors_;
  std::mt19937 bytes_{17};
  Digests digests_;
};

TEST(CpuPaths, AnyNumberOfWorkersGivesTheSameBits) {
  const Digests one = Paths(1).run();
  EXPECT_GT(one.size(), 80u);
#if defined(__SANITIZE_THREAD__)
  const std::vector<int> more = {5};  // a race needs two of them
#else
  const std::vector<int> more = {2, 5};
#endif
  for (const int workers : more) {
    const Digests several = Paths(workers).run();
    for (const auto& [name, digest] : one) EXPECT_EQ(several.at(name), digest) << name << ", " << workers << " workers";
  }
}

// Lines "name<tab>digest", for the next tests alone: the build runs the others by their names.
TEST(CpuPaths, Print) {
  // The system refuses tiles of AMX where a stack for signals could not take them.
  static char small[4096];
  stack_t stack = {};
  stack.ss_sp = small;
  stack.ss_size = sizeof small;
  if (std::getenv("CPU_PATHS_SMALL_STACK")) {
    ASSERT_EQ(sigaltstack(&stack, nullptr), 0);
  }
  for (const auto& [name, digest] : Paths(2).run()) std::printf("%s\t%s\n", name.c_str(), digest.c_str());
}

// What a process prints that has these variables; *rest: what else it says.
Digests printed(const std::string& variables, std::string* rest = nullptr) {
  FILE* child = popen((variables + " " + CPU_PATHS + " --gtest_filter=CpuPaths.Print 2>&1").c_str(), "r");
  if (!child) throw std::runtime_error("no process");
  Digests digests;
  char line[256];
  while (std::fgets(line, sizeof line, child)) {
    const std::string text = line;
    const size_t tab = text.find('\t');
    if (tab != std::string::npos)
      digests[text.substr(0, tab)] = text.substr(tab + 1);
    else if (rest)
      *rest += text;
  }
  EXPECT_EQ(pclose(child), 0) << variables;
  EXPECT_GT(digests.size(), 80u) << variables;
  return digests;
}

TEST(CpuPaths, EveryInstructionSetGivesTheSameBits) {
  Digests first;
  for (const std::string set : {"baseline", "avx2", "avx512", "amx"}) {
    Digests digests = printed("RONDO_CPU_INSTRUCTIONS=" + set);
    if (first.empty()) first = digests;
    for (const auto& [name, digest] : first) EXPECT_EQ(digests[name], digest) << name << ", " << set;
    if (set == "baseline")
      std::erase_if(first, [](const auto& each) { return each.first.compare(0, kFused.size(), kFused) == 0; });
  }
}

TEST(CpuPaths, InstructionSetThatIsRefusedIsNotUsed) {
  std::ifstream file("/proc/cpuinfo");
  const std::string processors{std::istreambuf_iterator<char>(file), {}};
  std::string refused, limited;
  const Digests without = printed("CPU_PATHS_SMALL_STACK=1 RONDO_LOG=info", &refused),
                never = printed("CPU_PATHS_SMALL_STACK=1 RONDO_LOG=info RONDO_CPU_INSTRUCTIONS=avx512", &limited);
  EXPECT_EQ(without, never);
  const std::string said = "the system refuses AMX";
  EXPECT_EQ(limited.find(said), std::string::npos) << limited;
  if (processors.find(" amx_int8") == std::string::npos) GTEST_SKIP() << "no AMX here";
  EXPECT_NE(refused.find(said), std::string::npos) << refused;
}

}  // namespace
