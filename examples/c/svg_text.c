/* See svg_text.h. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include "svg_text.h"

void draw_text(FILE* f, const char* text) {
  for (; *text != '\0'; ++text) {
    if (*text == '&') {
      fputs("&amp;", f);
    } else if (*text == '<') {
      fputs("&lt;", f);
    } else {
      fputc(*text, f);
    }
  }
}
