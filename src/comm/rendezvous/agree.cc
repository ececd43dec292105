// Gathers every rank's outcome and text, so that all ranks succeed or fail with the same error.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "comm/rendezvous/agree.h"

#include <climits>

#include "base/text.h"
#include "comm/rendezvous/messages.h"

namespace rondo::comm {

Status agree(Session& session, const char* label, const Status& outcome, std::string_view mine,
             std::vector<std::string>* all) {
  const std::string_view why = outcome.message();
  const std::string text =
      format("%d ", static_cast<int>(outcome.code())) + std::string(outcome.ok() ? mine : why.substr(0, kMaxCause));
  std::vector<std::string> given;
  RONDO_TRY(session.all_gather(label, text, &given));
  for (size_t rank = 0; rank < given.size(); ++rank) {
    std::string_view rest = given[rank];
    int code = 0;
    if (!take_number(&rest, 0, INT_MAX, &code))
      return error(RONDO_INTERNAL, "%s: rank %zu says '%.200s'", label, rank, given[rank].c_str());
    std::string said(rest);
    if (code != RONDO_OK) return failure_of(static_cast<uint64_t>(code), said).with_context(format("rank %zu", rank));
    given[rank] = std::move(said);
  }
  if (all) *all = std::move(given);
  return {};
}

}  // namespace rondo::comm
