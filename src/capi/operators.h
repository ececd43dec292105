// Holds what the functions for operators share: the out argument, and operands of the usual numbers.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>

#include "base/text.h"
#include "capi/capi.h"
#include "engine/views.h"
#include "ops/autocast/autocast.h"
#include "ops/ops.h"

namespace rondo::capi {

// The out argument: a pointer to NULL or to a live tensor.
inline Status check_out(rondo_tensor** out, const char* name = "out") {
  if (!out) return null_argument(name);
  if (!*out || alive(*out)) [[likely]]
    return {};
  return error(RONDO_INVALID_ARGUMENT,
               "%s is not a live tensor: initialise it to NULL for a new one, or pass a tensor that was not destroyed",
               name);
}

// One of a list of tensors, which an error names by its place.
inline Status check_each(rondo_tensor* const* tensors, size_t i, const char* list) {
  if (tensors[i] && alive(tensors[i])) [[likely]]
    return {};
  return check_tensor(tensors[i], format("%s[%zu]", list, i).c_str());
}

// The view of a tensor that may be left out.
inline const View* view_of(const rondo_tensor* tensor) {
  return tensor ? &tensor->view : nullptr;
}

// Refuses a number that is no activation of a product or a convolution.
RONDO_COLD Status check_activation(rondo_activation activation);

// Casts an operator's operands as the thread's autocast scope demands (ops/autocast/autocast.h): all of them, optional
// ones included, for they decide together.
RONDO_COLD Status cast_operands(Call call, std::span<rondo_tensor** const> operands, rondo_tensor** out);
inline Status cast_operands(const ops::Casting& casting, Call call, std::initializer_list<rondo_tensor**> operands,
                            rondo_tensor** out) {
  return casting.on() ? cast_operands(call, std::span(operands.begin(), operands.size()), out) : Status();
}

// The live tensors of a list, of which an autocast scope may put casts in the place.
class CastList {
 public:
  explicit CastList(std::span<rondo_tensor* const> given) : given_(given) {}
  Status apply(Call call, rondo_tensor** out) { return casting_.on() ? cast(call, out) : Status(); }
  std::span<rondo_tensor* const> tensors() const { return given_; }

 private:
  RONDO_COLD Status cast(Call call, rondo_tensor** out);
  std::span<rondo_tensor* const> given_;
  std::vector<rondo_tensor*> copies_;
  const ops::Casting casting_;
};

// Operators of one tensor and an output, of two, and of an engine that is usable. In an autocast scope a cast may be
// put in an operand's place before the body runs.
template <class Body>
rondo_status operator1(Call call, rondo_tensor*& a, const char* a_name, rondo_tensor** out, Body&& body) {
  return guard(call, [&]() -> Status {
    RONDO_TRY(check_tensor(a, a_name));
    RONDO_TRY(check_out(out));
    const ops::Casting casting;
    if (casting.on()) [[unlikely]] {
      rondo_tensor* copy = a;  // the parameter itself may stay in a register
      rondo_tensor** const operands[] = {&copy};
      RONDO_TRY(cast_operands(call, operands, out));
      a = copy;
    }
    ops::Output output(out);
    return body(output);
  });
}

template <class Body>
rondo_status operator2(Call call, rondo_tensor*& a, const char* a_name, rondo_tensor*& b, const char* b_name,
                       rondo_tensor** out, Body&& body) {
  return guard(call, [&]() -> Status {
    RONDO_TRY(check_tensor(a, a_name));
    RONDO_TRY(check_tensor(b, b_name));
    RONDO_TRY(check_out(out));
    const ops::Casting casting;
    if (casting.on()) [[unlikely]] {
      rondo_tensor *first = a, *second = b;  // the parameters themselves may stay in registers
      rondo_tensor** const operands[] = {&first, &second};
      RONDO_TRY(cast_operands(call, operands, out));
      a = first, b = second;
    }
    ops::Output output(out);
    return body(output);
  });
}

// Runs an operator with three operands, the last of which may be left out if `optional` is true.
template <class Body>
rondo_status operator3(Call call, rondo_tensor* a, const char* a_name, rondo_tensor* b, const char* b_name,
                       rondo_tensor* c, const char* c_name, bool optional, rondo_tensor** out, Body&& body) {
  return guard(call, [&]() -> Status {
    RONDO_TRY(check_tensor(a, a_name));
    if (b || !optional) RONDO_TRY(check_tensor(b, b_name));
    if (c || !optional) RONDO_TRY(check_tensor(c, c_name));
    RONDO_TRY(check_out(out));
    const ops::Casting casting;
    RONDO_TRY(cast_operands(casting, call, {&a, &b, &c}, out));
    ops::Output output(out);
    return body(a, b, c, output);
  });
}

// Sets the properties of the output of an operator without operands: from the arguments, or from *out if it is given.
inline Status new_tensor(rondo_engine* engine, rondo_device device, rondo_dtype dtype, int32_t ndim,
                         const int64_t* shape, rondo_tensor** out, ops::NewTensor* made) {
  RONDO_TRY(check_engine(engine, "engine"));
  RONDO_TRY(check_out(out));
  made->engine = engine->engine.get();
  RONDO_TRY(made->engine->usable());
  if (*out) {
    const View& given = (*out)->view;
    if (&given.engine() != made->engine) return error(RONDO_INVALID_ARGUMENT, "out belongs to another engine");
    made->device = &given.device();
    made->dtype = given.dtype;
    made->shape = given.layout;
    return {};
  }
  RONDO_TRY(check_shape(ndim, shape, dtype, &made->shape));
  made->dtype = dtype;
  return get_device(device, &made->device);
}

}  // namespace rondo::capi
