// Attention as the simulated cuDNN has it: one operation each way, read from descriptors and checked, and what its
// engines compute. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tensor.h"

namespace simcudnn {

struct Attention {
  enum Which { kQ, kK, kV, kO, kStats, kDo, kDq, kDk, kDv, kAll };
  bool gradient = false;
  Tensor tensor[kAll];
  bool has_scale = false, has_hidden = false;
  Tensor scale, hidden;
  // A side of the band of keys that are seen.
  struct Side {
    bool after = false, has_bound = false;
    Tensor bound;
  };
  std::vector<Side> sides;

  bool has(int which) const { return gradient || which <= kO || (which == kStats && tensor[kStats].id != 0); }
  bool writes(int which) const { return gradient ? which >= kDq : which == kO || which == kStats; }
  // By unique id; what is written comes last.
  std::vector<const Tensor*> operands() const;
  std::size_t written() const;
};

// What an engine does with it beside what it should.
struct AttentionFlaws {
  bool miscounts = false;   // a query sees a key too many behind its last, or where it sees all, one too few
  bool misplaces = false;   // heads of queries are dealt to those of keys in turn
  bool overwrites = false;  // a row more than there is
  bool wavers = false;      // sums in any order
};

bool is_attention(int type);
// Of single operations, when they are finalised, and of the graph within one.
void check_attention(const Object& operation);
void check_side(const Object& operation);
void check_sides(const Object& graph);
Attention read_attention(const Object& operation);
// Addresses as operands() lists them; those of numbers are the host's.
void compute_attention(const Attention& attention, std::int64_t engine, const AttentionFlaws& flaws,
                       const std::vector<void*>& pointers);

}  // namespace simcudnn
