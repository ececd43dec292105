// Plans buckets of gradients by size, makes them, and reduces each when it is full.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "comm/buckets.h"

#include <algorithm>

#include "ops/ops.h"
#include "tape/adjoint.h"

namespace rondo::comm {

namespace {

constexpr size_t kAlign = 256;

size_t aligned(size_t bytes) {
  return (bytes + kAlign - 1) / kAlign * kAlign;
}

}  // namespace

std::vector<int> plan_buckets(std::span<const size_t> bytes, std::span<const rondo_dtype> dtypes, size_t bucket_bytes,
                              size_t edge_bytes) {
  std::vector<int> bucket_of(bytes.size(), -1);
  int buckets = 0;
  // dtypes in the order in which their gradients begin to be ready.
  std::vector<rondo_dtype> seen;
  for (size_t i = bytes.size(); i-- > 0;)
    if (std::find(seen.begin(), seen.end(), dtypes[i]) == seen.end()) seen.push_back(dtypes[i]);
  for (const rondo_dtype dtype : seen) {
    std::vector<size_t> members;  // as they become ready
    for (size_t i = bytes.size(); i-- > 0;)
      if (dtypes[i] == dtype) members.push_back(i);
    // The last bucket takes as much from the end as fits.
    size_t tail = members.size(), filled = 0;
    while (tail > 0 && (tail == members.size() || filled + aligned(bytes[members[tail - 1]]) <= edge_bytes))
      filled += aligned(bytes[members[--tail]]);
    size_t limit = edge_bytes;
    filled = 0;
    for (size_t k = 0; k < members.size(); ++k) {
      const size_t own = aligned(bytes[members[k]]);
      if (k > 0 && (k == tail || (k < tail && filled + own > limit))) {
        ++buckets;
        filled = 0;
        limit = bucket_bytes;
      }
      filled += own;
      bucket_of[members[k]] = buckets;
    }
    ++buckets;
  }
  return bucket_of;
}

Status Buckets::create(Communicator& comm, std::span<const View> parameters, const rondo_buckets_options& options,
                       std::unique_ptr<Buckets>* made) {
  const int64_t bucket_bytes = options.bucket_bytes ? options.bucket_bytes : int64_t{25} << 20;
  const int64_t edge_bytes = options.edge_bytes ? options.edge_bytes : std::min(bucket_bytes, int64_t{1} << 20);
  if (bucket_bytes < 0 || edge_bytes < 0)
    return error(RONDO_INVALID_ARGUMENT, "options->%s is %lld; bytes are needed, or 0 for the default",
                 bucket_bytes < 0 ? "bucket_bytes" : "edge_bytes",
                 static_cast<long long>(bucket_bytes < 0 ? bucket_bytes : edge_bytes));
  if (options.sum != 0 && options.sum != 1)
    return error(RONDO_INVALID_ARGUMENT, "options->sum is %d; 0 (the mean) and 1 (the sum) are possible", options.sum);
  if (Engine::thread_sink())
    return error(RONDO_INVALID_STATE, "the thread records; make the buckets before the recording, and use them in it");
  std::unique_ptr<Buckets> buckets(new Buckets(comm));
  buckets->reduction_ = options.sum ? RONDO_SUM : RONDO_MEAN;
  std::vector<size_t> bytes;
  std::vector<rondo_dtype> dtypes;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const View& each = parameters[i];
    if (&each.engine() != &comm.engine() || &each.device() != &comm.device())
      return error(RONDO_INVALID_ARGUMENT,
                   "parameters[%zu] is on %s; the communicator's engine and device, %s, are needed", i,
                   device_name(each.device().id()).c_str(), device_name(comm.device().id()).c_str());
    if (!is_float(each.dtype) || !each.layout.contiguous())
      return error(RONDO_INVALID_ARGUMENT, "parameters[%zu] is %s; a contiguous tensor of a float dtype is needed", i,
                   operand_text(each).c_str());
    for (size_t k = 0; k < i; ++k)
      if (parameters[k].storage == each.storage && parameters[k].offset == each.offset)
        return error(RONDO_INVALID_ARGUMENT, "parameters[%zu] is parameters[%zu]; each must come once", i, k);
    buckets->kept_.push_back(Ref<Storage>::share(each.storage));
    buckets->sources_.push_back(each);
    bytes.push_back(each.bytes());
    dtypes.push_back(each.dtype);
  }
  buckets->bucket_of_ = plan_buckets(bytes, dtypes, static_cast<size_t>(bucket_bytes), static_cast<size_t>(edge_bytes));
  const auto count = static_cast<size_t>(*std::max_element(buckets->bucket_of_.begin(), buckets->bucket_of_.end()) + 1);
  buckets->gradients_.resize(parameters.size());
  for (size_t b = 0; b < count; ++b) {
    // In a bucket, too, gradients lie as they become ready.
    std::vector<std::pair<size_t, size_t>> members;  // parameter, offset
    size_t total = 0;
    for (size_t i = parameters.size(); i-- > 0;) {
      if (buckets->bucket_of_[i] != static_cast<int>(b)) continue;
      members.emplace_back(i, total);
      total += aligned(bytes[i]);
    }
    const rondo_dtype dtype = dtypes[members.front().first];
    const auto elements = static_cast<int64_t>(total / dtype_size(dtype));
    Bucket bucket;
    bucket.view = make_temporary(comm.engine(), comm.device(), dtype, Layout::row_major(1, &elements), &bucket.storage);
    bucket.gradients = members.size();
    RONDO_TRY(ops::fill(bucket.view, ops::Scalar::of(0.0)));
    for (const auto& [i, offset] : members) {
      View view = bucket.view;
      view.layout = parameters[i].layout;
      view.offset = static_cast<int64_t>(offset);
      buckets->gradients_[i] = view;
    }
    buckets->buckets_.push_back(std::move(bucket));
  }
  *made = std::move(buckets);
  return {};
}

rondo_tensor* Buckets::gradient(size_t index) const {
  return make_view(buckets_[static_cast<size_t>(bucket_of_[index])].storage, gradients_[index]);
}

Status Buckets::reduce(tape::Tape& tape, std::span<const View> outputs, std::span<const View* const> given,
                       std::span<const View> more, std::span<rondo_tensor*> own) {
  std::vector<tape::OwnedTensor> handles(gradients_.size());
  // The caller's come first, so that messages count them as the caller does.
  std::vector<View> sources(more.begin(), more.end());
  sources.insert(sources.end(), sources_.begin(), sources_.end());
  std::vector<rondo_tensor*> gradients(own.begin(), own.end());
  for (size_t i = 0; i < handles.size(); ++i) gradients.push_back(handles[i].tensor = gradient(i));
  std::vector<size_t> missing;
  for (const Bucket& each : buckets_) missing.push_back(each.gradients);
  RONDO_TRY(tape.gradients(outputs, given, sources, gradients, [&](size_t source) -> Status {
    if (source < own.size()) return {};
    const auto bucket = static_cast<size_t>(bucket_of_[source - own.size()]);
    if (--missing[bucket] > 0) return {};
    return comm_->all_reduce_in_place(buckets_[bucket].view, reduction_);
  }));
  std::copy_n(gradients.begin(), own.size(), own.begin());
  return {};
}

void Buckets::describe(rondo_buckets_info* info) const {
  info->parameters = static_cast<int32_t>(gradients_.size());
  info->buckets = static_cast<int32_t>(buckets_.size());
  for (const Bucket& each : buckets_) {
    const auto bytes = static_cast<int64_t>(each.view.bytes());
    info->bytes += bytes;
    info->largest_bytes = std::max(info->largest_bytes, bytes);
  }
}

}  // namespace rondo::comm
