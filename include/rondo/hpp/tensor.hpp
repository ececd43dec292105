// Variables and tensors: their contents and their views. Part of rondo.hpp, which says what holds for all of it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_TENSOR_HPP
#define RONDO_HPP_TENSOR_HPP

#include <rondo/hpp/base.hpp>

#include <functional>
#include <initializer_list>
#include <type_traits>
#include <vector>

namespace rondo {
inline namespace abi_0 {

using Shape = std::vector<int64_t>;

// The dtype of a C++ type.
template <class T>
constexpr rondo_dtype dtype_of() {
  if constexpr (std::is_same_v<T, bool>)
    return RONDO_BOOL;
  else if constexpr (std::is_same_v<T, uint8_t>)
    return RONDO_U8;
  else if constexpr (std::is_same_v<T, int8_t>)
    return RONDO_I8;
  else if constexpr (std::is_same_v<T, int16_t>)
    return RONDO_I16;
  else if constexpr (std::is_same_v<T, uint16_t>)
    return RONDO_U16;
  else if constexpr (std::is_same_v<T, int32_t>)
    return RONDO_I32;
  else if constexpr (std::is_same_v<T, uint32_t>)
    return RONDO_U32;
  else if constexpr (std::is_same_v<T, uint64_t>)
    return RONDO_U64;
  else if constexpr (std::is_same_v<T, int64_t>)
    return RONDO_I64;
  else if constexpr (std::is_same_v<T, float>)
    return RONDO_F32;
  else {
    static_assert(std::is_same_v<T, double>,
                  "no dtype for this type; f16, bf16 and the 8-bit floats are read and written as bytes");
    return RONDO_F64;
  }
}

class Variable : public Owner<rondo_variable, rondo_variable_destroy> {
 public:
  using Owner::Owner;
  void wait() const { check(rondo_variable_wait(get())); }
  // wait() without a thread that waits.
  void notify(Done done) const {
    detail::notify(std::move(done),
                   [&](rondo_done_fn fn, void* arg) { return rondo_variable_notify(get(), 0, fn, arg); });
  }
  // False where it takes more than so many milliseconds; 0 asks only.
  bool wait_for(int64_t milliseconds) const { return in_time(rondo_variable_wait_for(get(), milliseconds)); }
  uint64_t version() const {
    uint64_t version = 0;
    check(rondo_variable_version(get(), &version));
    return version;
  }
};

class Tensor : public Owner<rondo_tensor, rondo_tensor_destroy> {
 public:
  using Owner::Owner;

  rondo_tensor_info info() const {
    rondo_tensor_info info = RONDO_TENSOR_INFO_INIT;
    check(rondo_tensor_query(get(), &info));
    return info;
  }
  Shape shape() const {
    const rondo_tensor_info facts = info();
    return Shape(facts.shape, facts.shape + facts.ndim);
  }
  void wait() const { check(rondo_tensor_wait(get())); }
  bool wait_for(int64_t milliseconds) const { return in_time(rondo_tensor_wait_for(get(), milliseconds)); }
  // What is in the memory counts as written, whatever it is.
  void accept() { check(rondo_tensor_accept(get())); }
  void write(const void* data, size_t bytes) { check(rondo_tensor_write(get(), data, bytes)); }
  void read(void* data, size_t bytes) const { check(rondo_tensor_read(get(), data, bytes)); }
  // All elements in row-major order; T must be the tensor's dtype. uint8_t is what bool and the codes of 8-bit floats
  // are.
  template <class T>
  std::vector<T> read() const {
    static_assert(!std::is_same_v<T, bool>, "read bool tensors as uint8_t");
    const rondo_tensor_info facts = info();
    const bool byte = facts.dtype == RONDO_BOOL || facts.dtype == RONDO_F8_E4M3 || facts.dtype == RONDO_F8_E5M2;
    const rondo_dtype asked = byte && std::is_same_v<T, uint8_t> ? facts.dtype : dtype_of<T>();
    if (facts.dtype != asked)
      throw std::invalid_argument(std::string("rondo::Tensor::read: the tensor is ") + rondo_dtype_name(facts.dtype) +
                                  ", read as " + rondo_dtype_name(asked));
    std::vector<T> values(static_cast<size_t>(facts.elements));
    read(values.data(), values.size() * sizeof(T));
    return values;
  }
  void fill(double value) { check(rondo_fill(get(), value)); }
  void fill_i64(int64_t value) { check(rondo_fill_i64(get(), value)); }
  void* data() const {
    void* address = nullptr;
    check(rondo_tensor_data(get(), &address));
    return address;
  }
  // Borrowed: lives as long as the tensor.
  rondo_variable* variable() const {
    rondo_variable* variable = nullptr;
    check(rondo_tensor_variable(get(), &variable));
    return variable;
  }

  // wait() without a thread that waits.
  void notify(Done done) const {
    detail::notify(std::move(done),
                   [&](rondo_done_fn fn, void* arg) { return rondo_variable_notify(variable(), 1, fn, arg); });
  }

  // --- views of the same memory
  Tensor reshape(const Shape& shape) const {
    return made([&](rondo_tensor** view) { return rondo_tensor_reshape(get(), ndim(shape), shape.data(), view); });
  }
  Tensor slice(int32_t axis, int64_t start, int64_t stop, int64_t step = 1) const {
    return made([&](rondo_tensor** view) { return rondo_tensor_slice(get(), axis, start, stop, step, view); });
  }
  // Without axes: reversed.
  Tensor transpose(const std::vector<int32_t>& axes = {}) const {
    return made(
        [&](rondo_tensor** view) { return rondo_tensor_transpose(get(), axes.empty() ? nullptr : axes.data(), view); });
  }
  // Without axes: of all of them.
  Tensor flip(const std::vector<int32_t>& axes = {}) const {
    return made([&](rondo_tensor** view) {
      return rondo_tensor_flip(get(), static_cast<int32_t>(axes.size()), axes.empty() ? nullptr : axes.data(), view);
    });
  }
  std::vector<Tensor> split(int64_t parts, int32_t axis = 0) const {
    std::vector<Tensor> views;
    for (int64_t part = 0; part < parts || part == 0; ++part)
      views.push_back(made([&](rondo_tensor** view) { return rondo_tensor_split(get(), axis, parts, part, view); }));
    return views;
  }
  Tensor broadcast(const Shape& shape) const {
    return made([&](rondo_tensor** view) { return rondo_tensor_broadcast(get(), ndim(shape), shape.data(), view); });
  }
  Tensor accumulator() const {
    return made([&](rondo_tensor** view) { return rondo_tensor_accumulator(get(), view); });
  }

  // --- DLPack: the consumer calls the deleter
  struct DLManagedTensorVersioned* to_dlpack(void* stream = nullptr) const {
    struct DLManagedTensorVersioned* managed = nullptr;
    check(rondo_tensor_to_dlpack(get(), stream, &managed));
    return managed;
  }
  struct DLManagedTensor* to_dlpack_v0(void* stream = nullptr) const {
    struct DLManagedTensor* managed = nullptr;
    check(rondo_tensor_to_dlpack_v0(get(), stream, &managed));
    return managed;
  }

  // The tensor that `call` stores through its argument.
  template <class Call>
  static Tensor made(const Call& call) {
    rondo_tensor* out = nullptr;
    check(call(&out));
    return Tensor(out);
  }
  static int32_t ndim(const Shape& shape) { return static_cast<int32_t>(shape.size()); }
};

using Tensors = std::initializer_list<std::reference_wrapper<const Tensor>>;
inline std::vector<rondo_tensor*> handles_of(Tensors tensors) {
  std::vector<rondo_tensor*> handles;
  for (const Tensor& each : tensors) handles.push_back(each.get());
  return handles;
}

// Calls with an output that is there.
template <class Call>
void into(const Tensor& out, const Call& call) {
  rondo_tensor* given = out.get();
  check(call(&given));
}

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_TENSOR_HPP
