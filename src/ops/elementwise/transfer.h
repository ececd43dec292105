// Copies tensors between devices, from and to the user's memory, and from and to files.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "engine/tensor.h"
#include "ops/program/operator_task.h"

namespace rondo::ops {

// `to` = `from`, same shape and dtype, different devices. Asynchronous in every direction: pageable memory goes through
// pinned staging, copied by a host task, so that no stream's issue waits for the host's memory.
Status copy_across(const View& from, const View& to);
// True for a copy of bytes that is one task, and no kernel: between contiguous views of two GPUs, or of one side and
// pinned memory.
bool is_transfer(const View& from, const View& to);
Ref<OperatorTask> make_transfer(const View& from, const View& to);
// True for a copy between devices that is several tasks.
bool has_stages(const View& from, const View& to);

// Bytes that are fetched when a load's turn comes: a file's.
class ByteSource : public RefCounted {
 public:
  // Called by workers, by several at once.
  virtual Status fetch(uint64_t offset, char* to, size_t bytes) const = 0;
};
// `to` = the source's bytes, row-major, from its start. Asynchronous.
Status load_from(const View& to, const Ref<ByteSource>& source);

// Waits for `from` and hands over its bytes, row-major, piece by piece, on this thread. Outside tasks.
Status read_pieces(const View& from, const std::function<Status(const char* data, size_t bytes)>& take);

}  // namespace rondo::ops
