// What every run of a segment uses. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "graph/run/segment_run.h"

namespace rondo {

SegmentRun::SegmentRun(const char* name, Segment& segment)
    : Task(name, segment.device()), segment_(segment), fails_in_parts_(segment.fails_in_parts()) {
  random_count_ = segment.facts().numbers.count;
  choice_count_ = segment.facts().choices.count;
  want_auxiliaries(segment.auxiliaries());
  for (const Use& use : segment.uses) {
    // mutation: inputs_not_retained
    if (use.input)
      reads(*use.variable);
    else if (use.read)
      follows(*use.variable);
    if (use.write) writes(*use.variable);
  }
  keep();
}

}  // namespace rondo
