// Variables and tensors: handles, facts, contents. Part of rondo.hpp, which says what holds for all of it.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#ifndef RONDO_HPP_TENSOR_HPP
#define RONDO_HPP_TENSOR_HPP

#include <rondo/hpp/arguments.hpp>
#include <rondo/hpp/base.hpp>
#include <rondo/hpp/generated/binary_methods.hpp>
#include <rondo/hpp/generated/reduce_methods.hpp>
#include <rondo/hpp/generated/unary_methods.hpp>
#include <rondo/hpp/views.hpp>

#include <functional>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace rondo {
inline namespace abi_0 {

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
  else if constexpr (std::is_integral_v<T> && sizeof(T) == sizeof(int64_t))
    return std::is_signed_v<T> ? RONDO_I64 : RONDO_U64;  // long and long long, whichever int64_t is
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
  void wait() const { throw_on_failure(rondo_variable_wait(get())); }
  // wait() without a thread that waits.
  void notify(Done done) const {
    detail::notify(std::move(done),
                   [&](rondo_done_fn fn, void* arg) { return rondo_variable_notify(get(), 0, fn, arg); });
  }
  // False where it takes more than so many milliseconds; 0 asks only.
  bool wait_for(int64_t milliseconds) const { return detail::in_time(rondo_variable_wait_for(get(), milliseconds)); }
  uint64_t version() const {
    uint64_t version = 0;
    throw_on_failure(rondo_variable_version(get(), &version));
    return version;
  }
};

// A tensor of an engine. A copy is the same handle once more, which is destroyed with the last of them; clone() has
// memory of its own. Operators are methods (a.exp(), a.add(b)) and functions (exp(a), add(a, b)) of the same names; a
// method that ends in _ writes into the tensor, and so do += and its like. Comparisons are named (a.eq(b), a.gt(0)): a
// tensor in an `if` asks whether there is one, not what is in it.
class Tensor : public detail::UnaryMethods<Tensor>,
               public detail::BinaryMethods<Tensor>,
               public detail::ReduceMethods<Tensor>,
               public detail::Views<Tensor> {
 public:
  Tensor() = default;
  // Adopts a handle. Its engine is for what makes tensors like it, zeros_like(a) and grad(f)(a), and need not be given.
  explicit Tensor(rondo_tensor* handle, rondo_engine* engine = nullptr) : shared_(share(handle, engine, true)) {}
  Tensor(rondo_tensor* handle, Borrowed, rondo_engine* engine = nullptr) : shared_(share(handle, engine, false)) {}
  Tensor(const Tensor&) = default;
  Tensor(Tensor&&) noexcept = default;
  ~Tensor() = default;
  Tensor& operator=(const Tensor&) & = default;
  Tensor& operator=(Tensor&&) & noexcept = default;
  // To a part writes into it: a[0] = b, a.index({Slice(), 1}) = 0.5.
  const Tensor& operator=(const Tensor& values) && { return copy_(values); }
  const Tensor& operator=(Number value) && { return fill_(value); }

  rondo_tensor* get() const noexcept { return shared_ ? shared_->handle : nullptr; }
  explicit operator bool() const noexcept { return shared_ != nullptr; }
  void reset() noexcept { shared_.reset(); }
  // A handle that the caller owns; this one is empty then. Where others hold the handle too, or it is borrowed, it is a
  // new handle of the same tensor.
  rondo_tensor* release() {
    if (!shared_) return nullptr;
    rondo_tensor* handle = shared_->handle;
    if (shared_->owned && shared_.use_count() == 1)
      shared_->owned = false;
    else
      handle = another_handle();
    shared_.reset();
    return handle;
  }
  // Borrowed: of the engine that it was made by, null if that is not known.
  rondo_engine* engine() const noexcept { return shared_ ? shared_->engine : nullptr; }

  // --- facts
  rondo_tensor_info info() const {
    rondo_tensor_info info = RONDO_TENSOR_INFO_INIT;
    throw_on_failure(rondo_tensor_query(get(), &info));
    return info;
  }
  Shape shape() const {
    const rondo_tensor_info facts = info();
    return Shape(facts.shape, facts.shape + facts.ndim);
  }
  Shape sizes() const { return shape(); }
  // Of one axis, which may count from the end.
  int64_t size(int64_t axis) const {
    const rondo_tensor_info facts = info();
    return facts.shape[detail::place_of(axis, facts.ndim, "rondo::Tensor::size: the axis")];
  }
  Shape strides() const {
    const rondo_tensor_info facts = info();
    return Shape(facts.strides, facts.strides + facts.ndim);
  }
  int32_t dim() const { return info().ndim; }
  int32_t ndim() const { return dim(); }
  int64_t numel() const { return info().elements; }
  rondo_dtype dtype() const { return info().dtype; }
  rondo_device device() const { return info().device; }
  bool is_contiguous() const { return info().contiguous != 0; }

  // --- contents
  void wait() const { throw_on_failure(rondo_tensor_wait(get())); }
  bool wait_for(int64_t milliseconds) const { return detail::in_time(rondo_tensor_wait_for(get(), milliseconds)); }
  // wait() without a thread that waits.
  void notify(Done done) const {
    detail::notify(std::move(done),
                   [&](rondo_done_fn fn, void* arg) { return rondo_variable_notify(variable(), 1, fn, arg); });
  }
  // What is in the memory counts as written, whatever it is.
  void accept() const { throw_on_failure(rondo_tensor_accept(get())); }
  void write(const void* data, size_t bytes) const { throw_on_failure(rondo_tensor_write(get(), data, bytes)); }
  void read(void* data, size_t bytes) const { throw_on_failure(rondo_tensor_read(get(), data, bytes)); }
  // All elements in row-major order; T must be the tensor's dtype. uint8_t is what bool and the codes of 8-bit floats
  // are.
  template <class T>
  std::vector<T> read() const {
    static_assert(!std::is_same_v<T, bool>, "read bool tensors as uint8_t");
    const rondo_tensor_info facts = info();
    check_type<T>(facts.dtype, "rondo::Tensor::read");
    std::vector<T> values(static_cast<size_t>(facts.elements));
    read(values.data(), values.size() * sizeof(T));
    return values;
  }
  // The only element, in another type if need be: as astype() would make it.
  template <class T>
  T item() const {
    const rondo_tensor_info facts = info();
    if (facts.elements != 1)
      throw std::invalid_argument("rondo::Tensor::item: the tensor has " + std::to_string(facts.elements) +
                                  " elements; it must have one");
    detail::StoredAs<T> value{};
    (facts.dtype == dtype_of<T>() ? *this : astype(dtype_of<T>())).read(&value, sizeof value);
    return static_cast<T>(value);
  }
  void fill(Number value) const {
    throw_on_failure(value.whole() ? rondo_fill_i64(get(), value.i64()) : rondo_fill(get(), value.f64()));
  }
  void fill_i64(int64_t value) const { fill(value); }
  const Tensor& fill_(Number value) const {
    fill(value);
    return *this;
  }
  const Tensor& zero_() const { return fill_(0); }
  // Every element becomes one of `values`, which are broadcast, in any dtype and on any device.
  const Tensor& copy_(const Tensor& values) const;
  void* data() const {
    void* address = nullptr;
    throw_on_failure(rondo_tensor_data(get(), &address));
    return address;
  }
  // The same of a type, which must be the dtype's; uint8_t is what bool and the codes of 8-bit floats are.
  template <class T>
  T* data() const {
    check_type<std::remove_const_t<T>>(dtype(), "rondo::Tensor::data");
    return static_cast<T*>(data());
  }
  // Borrowed: lives as long as the tensor.
  rondo_variable* variable() const {
    rondo_variable* variable = nullptr;
    throw_on_failure(rondo_tensor_variable(get(), &variable));
    return variable;
  }

  // --- copies
  Tensor clone() const {
    return made([&](rondo_tensor** out) { return rondo_copy(get(), out); });
  }
  Tensor astype(rondo_dtype dtype) const {
    return made([&](rondo_tensor** out) { return rondo_cast(get(), dtype, out); });
  }
  // The tensor itself where it is so already.
  Tensor to(rondo_dtype dtype) const { return info().dtype == dtype ? *this : astype(dtype); }
  Tensor to(rondo_device device) const {
    const rondo_device home = info().device;
    if (home.kind == device.kind && home.index == device.index) return *this;
    return made([&](rondo_tensor** out) { return rondo_copy_to(get(), device, out); });
  }

  // --- operators that stand before a tensor's name elsewhere
  Tensor matmul(const Tensor& b) const {
    return made([&](rondo_tensor** out) { return rondo_matmul(get(), b.get(), nullptr, out); });
  }
  Tensor softmax(int32_t axis = -1) const {
    return made([&](rondo_tensor** out) { return rondo_softmax(get(), axis, out); });
  }
  Tensor log_softmax(int32_t axis = -1) const {
    return made([&](rondo_tensor** out) { return rondo_log_softmax(get(), axis, out); });
  }
  // --- DLPack: the consumer calls the deleter
  struct DLManagedTensorVersioned* to_dlpack(void* stream = nullptr) const {
    struct DLManagedTensorVersioned* managed = nullptr;
    throw_on_failure(rondo_tensor_to_dlpack(get(), stream, &managed));
    return managed;
  }
  struct DLManagedTensor* to_dlpack_v0(void* stream = nullptr) const {
    struct DLManagedTensor* managed = nullptr;
    throw_on_failure(rondo_tensor_to_dlpack_v0(get(), stream, &managed));
    return managed;
  }

  // The tensor that `call` stores through its argument, of this one's engine or of the engine given.
  template <class Call>
  Tensor made(const Call& call) const {
    return made_by(engine(), call);
  }
  template <class Call>
  static Tensor made_by(rondo_engine* engine, const Call& call) {
    rondo_tensor* out = nullptr;
    throw_on_failure(call(&out));
    return Tensor(out, engine);
  }

 private:
  struct Shared {
    Shared(rondo_tensor* given, rondo_engine* made_by, bool adopted) : handle(given), engine(made_by), owned(adopted) {}
    Shared(const Shared&) = delete;
    Shared& operator=(const Shared&) = delete;
    ~Shared() {
      if (owned) rondo_tensor_destroy(handle);
    }
    rondo_tensor* handle;
    rondo_engine* engine;
    bool owned;
  };
  static std::shared_ptr<Shared> share(rondo_tensor* handle, rondo_engine* engine, bool adopted) {
    if (!handle) return nullptr;
    try {
      return std::make_shared<Shared>(handle, engine, adopted);
    } catch (...) {
      if (adopted) rondo_tensor_destroy(handle);
      throw;
    }
  }
  template <class T>
  static void check_type(rondo_dtype dtype, const char* whose) {
    const bool byte = dtype == RONDO_BOOL || dtype == RONDO_F8_E4M3 || dtype == RONDO_F8_E5M2;
    if (dtype != dtype_of<T>() && !(byte && std::is_same_v<T, uint8_t>))
      throw std::invalid_argument(std::string(whose) + ": the tensor is " + to_string(dtype) + ", read as " +
                                  to_string(dtype_of<T>()));
  }
  rondo_tensor* another_handle() const {
    std::vector<int32_t> axes(static_cast<size_t>(dim()));
    for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int32_t>(i);
    return transpose(axes).release();
  }

  std::shared_ptr<Shared> shared_;
};

// Tensors as an argument: {a, b + c}, or any range of them, such as a vector or a span, whose length need not be known
// before. It refers to them, so it is for arguments alone.
class Tensors {
 public:
  Tensors() = default;
  Tensors(std::initializer_list<Tensor> tensors) { add(tensors); }
  template <class Range, class = std::enable_if_t<
                             std::is_convertible_v<decltype(*std::begin(std::declval<const Range&>())), const Tensor&>>>
  Tensors(const Range& tensors) {
    add(tensors);
  }
  size_t size() const noexcept { return handles_.size(); }
  int32_t count() const noexcept { return static_cast<int32_t>(handles_.size()); }
  rondo_tensor* const* data() const noexcept { return handles_.data(); }
  const std::vector<rondo_tensor*>& handles() const noexcept { return handles_; }
  rondo_engine* engine() const noexcept { return engine_; }

 private:
  template <class Range>
  void add(const Range& tensors) {
    handles_.reserve(static_cast<size_t>(detail::count(std::size(tensors), "rondo::Tensors: the tensors of a list")));
    for (const Tensor& each : tensors) {
      handles_.push_back(each.get());
      if (!engine_) engine_ = each.engine();
    }
  }
  std::vector<rondo_tensor*> handles_;
  rondo_engine* engine_ = nullptr;
};

namespace detail {

// Room for the tensors that a call makes; what nobody has taken is destroyed.
class Made {
 public:
  Made(size_t n, rondo_engine* engine) : handles_(n), engine_(engine) {}
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;
  ~Made() {
    for (rondo_tensor* each : handles_) rondo_tensor_destroy(each);
  }
  rondo_tensor** at(size_t i) noexcept { return &handles_[i]; }
  rondo_tensor** data() noexcept { return handles_.data(); }
  int32_t count() const { return detail::count(handles_.size(), "rondo: outputs"); }
  Tensor take(size_t i) { return Tensor(std::exchange(handles_[i], nullptr), engine_); }
  std::vector<Tensor> take_all() {
    std::vector<Tensor> all;
    all.reserve(handles_.size());
    for (size_t i = 0; i < handles_.size(); ++i) all.push_back(take(i));
    return all;
  }

 private:
  std::vector<rondo_tensor*> handles_;
  rondo_engine* engine_;
};

// Calls with an output that is there.
template <class Call>
const Tensor& into(const Tensor& out, const Call& call) {
  rondo_tensor* given = out.get();
  throw_on_failure(call(&given));
  return out;
}

}  // namespace detail

inline Index::Index(const Tensor& where) : kind(Kind::places), places(where.get()) {}

inline const Tensor& Tensor::copy_(const Tensor& values) const {
  const Tensor same = values.to(info().dtype);
  return detail::into(*this, [&](rondo_tensor** given) { return rondo_copy(same.get(), given); });
}

}  // namespace abi_0
}  // namespace rondo

#endif  // RONDO_HPP_TENSOR_HPP
