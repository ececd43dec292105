// Puts the axes of inputs in the order of their memory, and makes, compares and prints signatures of them.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "callable/signature.h"

#include <algorithm>
#include <numeric>

#include "base/folded_product.h"
#include "base/sort_few.h"
#include "engine/views.h"
#include "graph/run/bindings.h"
#include "ops/autocast/autocast.h"
#include "ops/ops.h"
#include "tape/tape.h"

namespace rondo {

Status Arranged::arrange(const View& given) {
  View seen = given;
  if (!given.layout.contiguous()) {
    const Layout& layout = given.layout;
    for (int d = 0; d < layout.ndim; ++d) order_.push_back(d);
    const auto size_1 = [&layout](int32_t d) { return layout.shape[d] == 1; };
    sort_few(order_.begin(), layout.ndim, [&](int32_t a, int32_t b) {
      if (size_1(a) || size_1(b)) return size_1(a) && !size_1(b);
      return layout.strides[a] > layout.strides[b];
    });
    RONDO_TRY(transpose_view(given, order_.begin(), &seen));
  }
  if (seen.layout.contiguous() && is_aligned(seen)) {
    tensor_.tensor = make_view(Ref<Storage>::share(seen.storage), seen);
  } else {
    order_.clear();
    const Layout row_major = Layout::row_major(given.layout.ndim, given.layout.shape);
    tensor_.tensor = make_tensor(given.engine(), given.device(), given.dtype, row_major);
    RONDO_TRY(ops::copy_elements(given, tensor_.tensor->view));
  }
  active_ = is_float(given.dtype) && tape::depends_on_watched(view());
  return {};
}

Status Arranged::as_given(const View& view, View* result) const {
  *result = view;
  if (order_.empty()) return {};
  SmallVector<int32_t, 8> places;
  for (uint32_t d = 0; d < order_.size(); ++d)
    places.push_back(
        static_cast<int32_t>(std::find(order_.begin(), order_.end(), static_cast<int32_t>(d)) - order_.begin()));
  return transpose_view(view, places.begin(), result);
}

Signature Signature::of(const Engine& engine, std::span<const Arranged> inputs) {
  Signature signature{{}, ops::autocast_text(engine)};
  std::vector<int64_t>& words = signature.words;
  for (const Arranged& input : inputs) {
    const View& view = input.view();
    const rondo_device device = view.device().id();
    words.insert(words.end(), {device.kind, device.index, view.dtype, input.active(), view.layout.ndim});
    for (int d = 0; d < view.layout.ndim; ++d) {
      words.push_back(view.layout.shape[d]);
      words.push_back(input.order().empty() ? d : input.order()[static_cast<uint32_t>(d)]);
    }
  }
  return signature;
}

size_t Signature::Hash::operator()(const Signature& signature) const {
  uint64_t hash = signature.words.size() + 1;
  for (const int64_t word : signature.words) hash = mixed(hash, static_cast<uint64_t>(word));
  for (const char letter : signature.autocast) hash = mixed(hash, static_cast<uint8_t>(letter));
  return hash;
}

std::string signature_text(const Signature& signature, std::span<const Arranged> inputs) {
  std::string text;
  for (const Arranged& input : inputs) {
    if (!text.empty()) text += ", ";
    View given;
    if (!input.as_given(input.view(), &given).ok()) continue;
    text += operand_text(given) + " on " + device_name(given.device().id());
    if (input.active()) text += " with gradient";
  }
  if (text.empty()) text = "no inputs";
  return signature.autocast.empty() ? text : text + " in an autocast scope of " + signature.autocast;
}

}  // namespace rondo
