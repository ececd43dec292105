// Calls the function of the user's that makes a gradient, and adds up what it returns.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tape/user_gradient.h"

#include <algorithm>

#include "base/machine/arithmetic.h"
#include "base/text.h"
#include "engine/user_call.h"
#include "tape/backward.h"

namespace rondo::tape {

Status UserGradient::run(Backward& backward) const {
  const Node& node = backward.node();
  const size_t n_outputs = node.outputs.size(), n_inputs = node.inputs.size();
  std::vector<OwnedTensor> incoming(n_outputs);
  std::vector<rondo_tensor*> given(n_outputs), made(n_inputs, nullptr);
  for (size_t i = 0; i < n_outputs; ++i) {
    View view;
    RONDO_TRY(backward.incoming_or_zeros(&view, i));
    incoming[i].tensor = given[i] = make_view(Ref<Storage>::share(view.storage), view);
  }
  std::vector<OwnedTensor> owned(n_inputs);  // there before what it is to own
  const UserCall call(given);
  RONDO_TRY(call.check(format("the gradient function of '%s'", name.c_str()).c_str()));
  rondo_status code = RONDO_OK;
  try {
    const KeptArithmetic arithmetic;
    code = gradient_(arg_, static_cast<int32_t>(n_outputs), given.data(), static_cast<int32_t>(n_inputs), made.data());
  } catch (...) {
    return error(RONDO_USER_ERROR, "its function threw an exception, which it must not");
  }
  const auto again = [&](const std::vector<rondo_tensor*>& among, size_t end, size_t i) {
    const auto last = among.begin() + static_cast<std::ptrdiff_t>(end);
    return std::find(among.begin(), last, made[i]) != last;
  };
  Status wrong;
  for (size_t i = 0; i < n_inputs; ++i) {
    if (!made[i] || !alive(made[i])) continue;
    const char* which = again(given, n_outputs, i) ? "of an output's gradient"
                        : again(made, i, i)        ? "of another one"
                                                   : nullptr;
    if (!which)
      owned[i].tensor = made[i];
    else if (wrong.ok())
      wrong = error(RONDO_USER_ERROR, "input_gradients[%zu] is the handle %s; give a copy or a view of it", i, which);
  }
  if (const std::ptrdiff_t i = call.destroyed(); i >= 0)
    return error(RONDO_USER_ERROR, "its function was to destroy output_gradients[%td], which it borrows", i);
  if (code != RONDO_OK)
    return error(code > RONDO_OK && code <= RONDO_TIMED_OUT ? code : RONDO_USER_ERROR, "its function returned %d",
                 static_cast<int>(code));
  RONDO_TRY(wrong);
  for (size_t i = 0; i < n_inputs; ++i) {
    const Operand& input = node.inputs[i];
    if (!made[i]) continue;
    if (!owned[i].tensor) return error(RONDO_USER_ERROR, "input_gradients[%zu] is not a live tensor", i);
    const View& view = made[i]->view;
    if (&view.engine() != &backward.engine() || &view.device() != input.device || view.dtype != input.view.dtype ||
        !view.layout.same_shape(input.view.layout))
      return error(RONDO_USER_ERROR, "input_gradients[%zu] is %s; its input is %s on %s", i, operand_text(view).c_str(),
                   operand_text(input.view).c_str(), device_name(input.device->id()).c_str());
    if (!backward.wants(i)) continue;
    const Value value = Value::of(view);
    backward.pin(value);  // the function may hold it too
    RONDO_TRY(backward.pass(i, view.layout, value));
  }
  return {};
}

}  // namespace rondo::tape
