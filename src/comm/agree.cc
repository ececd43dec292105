// Agreeing. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "comm/agree.h"

#include <cstdlib>

#include "base/text.h"

namespace rondo::comm {

Status agree(Session& session, const char* label, const Status& outcome, std::string_view mine,
             std::vector<std::string>* all) {
  const std::string text = format("%d ", static_cast<int>(outcome.code())) +
                           (outcome.ok() ? std::string(mine) : std::string(outcome.message()));
  std::vector<std::string> given;
  RONDO_TRY(session.all_gather(label, text, &given));
  for (size_t rank = 0; rank < given.size(); ++rank) {
    const size_t space = given[rank].find(' ');
    if (space == std::string::npos)
      return error(RONDO_INTERNAL, "%s: rank %zu says '%s'", label, rank, given[rank].c_str());
    const auto code = static_cast<rondo_status>(std::atoi(given[rank].c_str()));
    given[rank].erase(0, space + 1);
    if (code != RONDO_OK) return Status(code, format("rank %zu: ", rank) + given[rank]);
  }
  if (all) *all = std::move(given);
  return {};
}

}  // namespace rondo::comm
