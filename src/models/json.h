// Reads and writes the JSON that headers of model files and programs are made of: objects, arrays, texts, truths and
// whole numbers, read strictly, in one pass and without recursion into members that are skipped. The library has no
// JSON parser of others, so as to need none.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace rondo::models {

// The place where text stops being UTF-8; npos if it is all.
size_t first_not_utf8(std::string_view text);

// A text for a message: no control characters, not too long.
std::string excerpt(std::string_view text);

// The text from its first character on that is no white space.
std::string_view without_space(std::string_view text);

// Says what a text is worth that stands in place of a number.
class NumberTexts {
 public:
  virtual Status read(std::string_view text, int64_t* value) = 0;

 protected:
  ~NumberTexts() = default;
};

// Reads text, which must be UTF-8, from the start. One thread. After an error nothing more is read.
class JsonReader {
 public:
  // subject: what messages call the text, which must be a literal.
  // texts: may stand where an integer is expected; null: none may.
  explicit JsonReader(std::string_view text, const char* subject = "its header", NumberTexts* texts = nullptr)
      : text_(text), subject_(subject), texts_(texts) {}

  Status text(std::string* value);
  Status number(uint64_t* value);
  Status integer(int64_t* value);
  Status boolean(bool* value);
  NumberTexts* texts() const { return texts_; }
  void read_texts(NumberTexts* texts) { texts_ = texts; }
  // Any value as it is written, which another reader may read.
  Status raw(std::string_view* value);
  // All that follows but the last character that is no white space, which stands next then.
  std::string_view rest();
  // The character that stands next, white space aside; 0 at the end.
  char next();
  // {"key": member(key), ...} and [element(), ...]: the functions read what follows.
  template <class Member>
  Status object(const Member& member) {
    return members([](const void* function,
                      const std::string& key) -> Status { return (*static_cast<const Member*>(function))(key); },
                   &member);
  }
  template <class Element>
  Status array(const Element& element) {
    return list(
        '[', ']', [](const void* function) -> Status { return (*static_cast<const Element*>(function))(); }, &element);
  }
  // Any value, as deep as JSON texts of others may nest (100), which is read and not kept.
  Status skip() { return skip(0); }
  // Takes the word null if it stands next.
  bool null();
  // Nothing but white space may follow.
  Status end();
  // An error that says what is wrong at the place that was reached.
  RONDO_COLD Status wrong(const std::string& what) const;
  RONDO_COLD Status wrong(const char* what) const;  // of a literal, so that callers make no text

 private:
  // Not templates, so that each of the many lists costs the call alone.
  Status members(Status (*member)(const void* function, const std::string& key), const void* function);
  Status list(char open, char close, Status (*item)(const void* function), const void* function);
  Status skip(int depth);
  Status skip_number();
  bool word(std::string_view wanted);
  void skip_space();
  bool take(char wanted);
  Status expect(char wanted);
  Status escape(std::string* value);
  Status code_unit(uint32_t* unit);

  std::string_view text_;
  const char* subject_;
  NumberTexts* texts_;
  size_t at_ = 0;
};

}  // namespace rondo::models
