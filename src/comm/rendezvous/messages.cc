// Writes messages as bytes, reads them back, and checks everything that came from another process.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "comm/rendezvous/messages.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <type_traits>

#include "base/text.h"
#include "comm/rendezvous/frame.h"

namespace rondo::comm {

namespace {

constexpr const char* kNames[] = {"alive", "gather", "gathered", "tell", "leave", "lost", "bye"};
static_assert(std::size(kNames) == std::variant_size_v<Frame>);

constexpr uint64_t kMaxLimit = uint64_t{1} << 40;  // milliseconds: 34 years
constexpr size_t kMaxAddresses = 64;
constexpr size_t kMaxAddress = 256;

std::string_view cut(std::string_view text, size_t most) {
  return text.substr(0, most);
}

std::string text_of(const Frame& frame) {
  struct {
    Writer out;
    void operator()(const Alive&) {}
    void operator()(const Bye&) {}
    void operator()(const Gather& it) {
      const uint64_t limit = it.limit_ms < 0 ? 0 : std::min(static_cast<uint64_t>(it.limit_ms), kMaxLimit);
      out.text(it.key).text(it.group).ranks(it.members).number(it.limit_ms < 0).number(limit).number(it.reform);
      out.text(it.label).text(it.text);
    }
    void operator()(const Gathered& it) {
      out.text(it.key).number(static_cast<uint64_t>(it.status.code())).text(cut(it.status.message(), kMaxCause));
      out.ranks(it.ranks).number(it.first).texts(it.texts);
    }
    void operator()(const Tell& it) {
      out.text(it.group).ranks(it.members).number(static_cast<uint64_t>(it.who)).text(cut(it.text, kMaxText));
    }
    void operator()(const Leave& it) { out.text(it.group).ranks(it.members).number(static_cast<uint64_t>(it.who)); }
    void operator()(const Lost& it) { out.number(static_cast<uint64_t>(it.who)).text(cut(it.cause, kMaxCause)); }
  } write;
  std::visit(write, frame);
  return write.out.take();
}

// Each reads one kind, and returns whether this end may get it so.

bool read(Reader& in, const Ends& ends, Gather* it) {
  it->key = in.text(kMaxName + 64);
  it->group = in.text(kMaxName);
  it->members = in.ranks(ends.size);
  const bool unlimited = in.number(1) == 1;
  const auto limit = static_cast<int64_t>(in.number(kMaxLimit));
  it->limit_ms = unlimited ? -1 : limit;
  it->reform = in.number(1) == 1;
  it->label = in.text(kMaxLabel);
  it->text = in.text(kMaxText);
  return it->key.rfind(it->group + "#", 0) == 0 && contains(it->members, ends.from);
}

bool read(Reader& in, const Ends& ends, Gathered* it) {
  it->key = in.text(kMaxName + 64);
  const uint64_t code = in.number(UINT32_MAX);
  const std::string message = in.text(kMaxCause);
  if (code != RONDO_OK) it->status = failure_of(code, message);
  it->ranks = in.ranks(ends.size);
  it->first = in.number(it->ranks.size());
  it->texts = in.texts(it->ranks.size() - it->first, kMaxText);
  return it->status.ok() ? contains(it->ranks, ends.own) : it->ranks.empty();
}

// The sender speaks of itself to rank 0, which passes it on to the other members.
bool may_tell(const Ends& ends, const std::vector<int>& members, int who) {
  if (!contains(members, who)) return false;
  return ends.own == 0 ? who == ends.from : who != ends.own && contains(members, ends.own);
}

bool read(Reader& in, const Ends& ends, Tell* it) {
  it->group = in.text(kMaxName);
  it->members = in.ranks(ends.size);
  it->who = in.rank(ends.size);
  it->text = in.text(kMaxText);
  return may_tell(ends, it->members, it->who);
}

bool read(Reader& in, const Ends& ends, Leave* it) {
  it->group = in.text(kMaxName);
  it->members = in.ranks(ends.size);
  it->who = in.rank(ends.size);
  return may_tell(ends, it->members, it->who);
}

bool read(Reader& in, const Ends& ends, Lost* it) {
  it->who = in.rank(ends.size);
  it->cause = in.text(kMaxCause);
  return it->who != 0 && it->who != ends.own;
}

template <class Kind>
Status read_into(const Ends& ends, std::string_view text, Frame* frame) {
  Kind made;
  bool fits = true;
  Reader in(text);
  if constexpr (!std::is_empty_v<Kind>) fits = read(in, ends, &made);
  if (!in.done() || !fits)
    return error(RONDO_INTERNAL, "its message '%s' of %zu bytes is none of Rondo's", kNames[Frame(made).index()],
                 text.size());
  *frame = std::move(made);
  return {};
}

}  // namespace

std::string encode(const Frame& frame) {
  const std::string text = text_of(frame);
  const FrameHead head = {static_cast<uint32_t>(frame.index()), 0, text.size()};
  return std::string(reinterpret_cast<const char*>(&head), sizeof head) + text;
}

Status check_head(const FrameHead& head) {
  if (head.verb < std::size(kNames) && head.reserved == 0 && head.bytes <= kMaxFrame) return {};
  return error(RONDO_INTERNAL, "what it sends is no message of Rondo's");
}

Status decode(const Ends& ends, uint32_t verb, std::string_view text, Frame* frame) {
  const bool at_root = ends.own == 0;
  switch (verb) {
    case 0: return read_into<Alive>(ends, text, frame);
    case 1:
      if (at_root) return read_into<Gather>(ends, text, frame);
      break;
    case 2:
      if (!at_root) return read_into<Gathered>(ends, text, frame);
      break;
    case 3: return read_into<Tell>(ends, text, frame);
    case 4: return read_into<Leave>(ends, text, frame);
    case 5:
      if (!at_root) return read_into<Lost>(ends, text, frame);
      break;
    case 6:
      if (at_root) return read_into<Bye>(ends, text, frame);
      break;
  }
  return error(RONDO_INTERNAL, "message %u is none that rank %d gets", verb, ends.own);
}

bool take_number(std::string_view* rest, int low, int high, int* value) {
  std::string_view word;
  int read = 0;
  if (!take_word(rest, &word)) return false;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), read);
  if (problem != std::errc() || end != word.data() + word.size() || read < low || read > high) return false;
  *value = read;
  return true;
}

Status failure_of(uint64_t code, std::string_view message) {
  const bool known = code > RONDO_OK && code <= RONDO_TIMED_OUT;
  std::string text(cut(message, kMaxCause));
  if (!known) text += " (with the status " + std::to_string(code) + ", which is none of a failure)";
  return {known ? static_cast<rondo_status>(code) : RONDO_INTERNAL, std::move(text)};
}

std::string encode(const Listening& listening) {
  std::vector<std::string> addresses = listening.addresses;
  if (addresses.size() > kMaxAddresses) addresses.resize(kMaxAddresses);
  return Writer()
      .text(listening.host)
      .number(static_cast<uint64_t>(listening.port))
      .texts(addresses)
      .text(listening.secret)
      .take();
}

Status decode(size_t rank, std::string_view text, Listening* listening) {
  Reader in(text);
  listening->host = in.text(kMaxAddress);
  listening->port = static_cast<int>(in.number(65535));
  listening->addresses = in.texts(kMaxAddresses, kMaxAddress);
  listening->secret = in.text(kMaxAddress);
  if (in.done()) return {};
  return error(RONDO_INTERNAL, "rank %zu does not say where it listens as Rondo does", rank);
}

}  // namespace rondo::comm
