// One pass over the tokens of a preprocessed kernel source.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "nvrtc/rewrite.h"

#include <algorithm>
#include <cctype>

namespace simcuda {
namespace {

struct Token {
  std::size_t begin, end;
  enum Kind { Word, Punctuation, Literal } kind;
};

bool word_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// Comments are gone; lines that begin with # (line markers, pragmas) are no tokens.
std::vector<Token> tokenize(const std::string& s) {
  std::vector<Token> tokens;
  bool line_start = true;
  for (std::size_t i = 0; i < s.size();) {
    char c = s[i];
    if (c == '\n') {
      line_start = true;
      ++i;
    } else if (std::isspace(static_cast<unsigned char>(c))) {
      ++i;
    } else if (c == '#' && line_start) {
      i = std::min(s.find('\n', i), s.size());
    } else if (c == '"' || c == '\'') {
      std::size_t begin = i++;
      while (i < s.size() && s[i] != c) i += s[i] == '\\' ? 2 : 1;
      tokens.push_back({begin, ++i, Token::Literal});
      line_start = false;
    } else {
      std::size_t begin = i++;
      if (word_char(c)) {
        // A quote inside a number is a digit separator.
        while (i < s.size() && (word_char(s[i]) || (s[i] == '\'' && std::isdigit(static_cast<unsigned char>(c)) &&
                                                    i + 1 < s.size() && word_char(s[i + 1]))))
          ++i;
      }
      tokens.push_back({begin, i, word_char(c) ? Token::Word : Token::Punctuation});
      line_start = false;
    }
  }
  return tokens;
}

class Rewriter {
 public:
  explicit Rewriter(const std::string& source) : source_(source), tokens_(tokenize(source)) {}

  Rewritten run() {
    for (std::size_t i = 0; i < tokens_.size() && result_.error.empty(); ++i) {
      std::string t = text(i);
      if (t == "{") {
        scopes_.push_back(scope_before(i));
      } else if (t == "}") {
        if (!scopes_.empty()) scopes_.pop_back();
      } else if (t == "__global__") {
        kernel(i);
      } else if (t == "__launch_bounds__") {
        blank(i, closing(i + 1));
      } else if (t == "extern" && text(i + 1) == "__shared__") {
        i = dynamic_shared(i);
      } else if (t == "__shared__" && text(i + 1) == "alignas") {
        replace(i + 1, i + 1, "__align__");
      } else if (t == "_Float16" || t == "__int128" || t == "__float128" || t == "__fp16" || t == "__bf16") {
        result_.error = "identifier \"" + t + "\" is undefined";
      } else if (t == "asm" || t == "__asm__") {
        result_.error = "inline PTX cannot be simulated: keep it out with #if !RONDO_SIMULATED";
      }
    }
    result_.text += source_.substr(copied_);
    return std::move(result_);
  }

 private:
  enum Scope { Namespace, ExternC, Other };

  std::string text(std::size_t i) const {
    return i < tokens_.size() ? source_.substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin) : std::string();
  }
  std::size_t closing(std::size_t open) const {
    int depth = 0;
    for (std::size_t i = open; i < tokens_.size(); ++i) {
      std::string t = text(i);
      if (t == "(" || t == "[" || t == "{") ++depth;
      if ((t == ")" || t == "]" || t == "}") && --depth == 0) return i;
    }
    return tokens_.size() - 1;
  }
  void replace(std::size_t first, std::size_t last, const std::string& with) {
    result_.text += source_.substr(copied_, tokens_[first].begin - copied_) + with;
    // Keep the lines, so that the compiler's messages point where they should.
    for (std::size_t i = tokens_[first].begin; i < tokens_[last].end; ++i)
      if (source_[i] == '\n') result_.text += '\n';
    copied_ = tokens_[last].end;
  }
  void blank(std::size_t first, std::size_t last) {
    if (tokens_[first].begin >= copied_) replace(first, last, " ");
  }
  bool file_scope() const {
    return std::all_of(scopes_.begin(), scopes_.end(), [](Scope s) { return s != Other; });
  }

  // What a brace opens: a namespace, an extern "C" block, or something with code or members in it.
  Scope scope_before(std::size_t brace) const {
    if (brace >= 2 && text(brace - 1) == "\"C\"" && text(brace - 2) == "extern") return ExternC;
    for (std::size_t i = brace; i-- > 0;) {
      std::string t = text(i);
      if (t == ";" || t == "{" || t == "}" || t == ")") break;
      if (t == "namespace") return Namespace;
    }
    return Other;
  }

  // Only an extern "C" kernel can be found by its plain name, here as with the real thing.
  void kernel(std::size_t at) {
    bool extern_c = std::find(scopes_.begin(), scopes_.end(), ExternC) != scopes_.end();
    for (std::size_t i = at; i-- > 0;) {
      std::string t = text(i);
      if (t == ";" || t == "{" || t == "}" || t == ">") break;
      if (t == "\"C\"") extern_c = true;
    }
    KernelName found;
    std::size_t i = at + 1;
    for (; i < tokens_.size(); ++i) {
      if (text(i + 1) != "(") continue;
      std::string t = text(i);
      if (t == "__launch_bounds__") {
        std::size_t end = closing(i + 1), comma = i + 2;
        int depth = 0;
        while (comma < end && (depth > 0 || text(comma) != ",")) {
          depth += text(comma) == "(" ? 1 : text(comma) == ")" ? -1 : 0;
          ++comma;
        }
        found.max_threads = source_.substr(tokens_[i + 2].begin, tokens_[comma - 1].end - tokens_[i + 2].begin);
        i = end;
        continue;
      }
      if (t == "__attribute__" || t == "alignas" || t == "__cluster_dims__" || t == "__maxnreg__") {
        i = closing(i + 1);
        continue;
      }
      found.name = t;
      break;
    }
    if (!extern_c || found.name.empty()) return;
    for (KernelName& other : result_.kernels)
      if (other.name == found.name) {
        if (other.max_threads == "0") other.max_threads = found.max_threads;
        return;
      }
    result_.kernels.push_back(found);
  }

  // extern __shared__ [alignment] T name[];
  std::size_t dynamic_shared(std::size_t at) {
    std::size_t end = at;
    while (end < tokens_.size() && text(end) != ";") ++end;
    std::size_t bracket = end;
    while (bracket > at && text(bracket) != "[") --bracket;
    if (end == tokens_.size() || bracket <= at + 3) {
      result_.error = "extern __shared__ that is not an array of unknown bound";
      return end;
    }
    std::string type;
    for (std::size_t i = at + 2; i + 1 < bracket; ++i) {
      if (text(i) == "__align__" || text(i) == "alignas" || text(i) == "__attribute__") {
        i = closing(i + 1);
        continue;
      }
      type += text(i) + " ";
    }
    std::string name = text(bracket - 1), value = "static_cast<" + type + "*>(simcuda_dynamic_shared())";
    if (file_scope())
      replace(at, end, "\n#define " + name + " (" + value + ")\n");
    else
      replace(at, end, type + "* const " + name + " = " + value + ";");
    return end;
  }

  const std::string& source_;
  std::vector<Token> tokens_;
  std::vector<Scope> scopes_;
  std::size_t copied_ = 0;
  Rewritten result_;
};

}  // namespace

Rewritten rewrite(const std::string& preprocessed) {
  return Rewriter(preprocessed).run();
}

}  // namespace simcuda
