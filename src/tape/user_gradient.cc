// The gradient that a function of the user's makes. Copyright 2026 the Rondo developers. SPDX-License-Identifier:
// Apache-2.0
#include "tape/user_gradient.h"

#include "base/machine/arithmetic.h"
#include "base/text.h"
#include "tape/backward.h"

namespace rondo::tape {

Status UserGradient::run(Backward& backward) const {
  const Node& node = backward.node();
  const size_t n_outputs = node.outputs.size(), n_inputs = node.inputs.size();
  std::vector<Slot> incoming(n_outputs);
  std::vector<rondo_tensor*> given(n_outputs), made(n_inputs, nullptr);
  for (size_t i = 0; i < n_outputs; ++i) {
    View view;
    RONDO_TRY(backward.incoming_or_zeros(&view, i));
    incoming[i].tensor = given[i] = make_view(Ref<Storage>::share(view.storage), view);
  }
  rondo_status code = RONDO_OK;
  try {
    const KeptArithmetic arithmetic;
    code = gradient_(arg_, static_cast<int32_t>(n_outputs), given.data(), static_cast<int32_t>(n_inputs), made.data());
  } catch (...) {
    return error(RONDO_USER_ERROR, "its function threw an exception, which it must not");
  }
  std::vector<Slot> owned(n_inputs);
  for (size_t i = 0; i < n_inputs; ++i)
    if (made[i] && alive(made[i])) owned[i].tensor = made[i];
  if (code != RONDO_OK)
    return error(code > RONDO_OK && code <= RONDO_TIMED_OUT ? code : RONDO_USER_ERROR, "its function returned %d",
                 static_cast<int>(code));
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
