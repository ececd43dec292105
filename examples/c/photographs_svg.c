/* See photographs_svg.h. Colours come from classes, so that one media query suits the picture to dark viewers.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include "photographs_svg.h"

#include <errno.h>
#include <stdio.h>

#include "data_url.h"
#include "svg_text.h"

enum { WIDTH = 960, TOP = 104, SIDE = 280, ROW = 340, BARS = 368, BAR_WIDTH = 460 };

static const char style[] =
    "text{font-family:system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;font-size:15px;fill:#0b0b0b}"
    ".page{fill:#fcfcfb}.title{font-size:21px;font-weight:600}.small{font-size:13px;fill:#52514e}"
    ".rail{fill:#eceae5}.bar{fill:#8ab8f0}.best{fill:#2563b0}.first{font-weight:600}"
    "@media (prefers-color-scheme:dark){text{fill:#fff}.page{fill:#1a1a19}.small{fill:#c3c2b7}"
    ".rail{fill:#2a2927}.bar{fill:#2f62a3}.best{fill:#8ab8f0}}";

static void draw_bar(FILE* f, double y, const char* name, double share, int first) {
  fprintf(f, "<text class=\"%s\" x=\"%d\" y=\"%.1f\">", first ? "first" : "other", BARS, y);
  draw_text(f, name);
  fprintf(f, "</text>\n<rect class=\"rail\" x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"14\" rx=\"7\"/>\n", BARS, y + 9,
          BAR_WIDTH);
  fprintf(f, "<rect class=\"%s\" x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"14\" rx=\"7\"/>\n", first ? "best" : "bar",
          BARS, y + 9, 14 + share * (BAR_WIDTH - 14));
  fprintf(f, "<text class=\"%s\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.1f %%</text>\n", first ? "first" : "other",
          WIDTH - 40, y + 21, 100 * share);
}

static int draw_photograph(FILE* f, double top, const struct shown* shown, int64_t size) {
  int failed, i;
  fprintf(f, "<image x=\"40\" y=\"%.1f\" width=\"%d\" height=\"%d\" href=\"", top, SIDE, SIDE);
  failed = data_url_write(f, shown->rgb, size);
  fprintf(f, "\"/>\n<text x=\"40\" y=\"%.1f\">", top + SIDE + 22);
  draw_text(f, shown->name);
  fprintf(f, "<tspan class=\"small\" dx=\"10\">");
  draw_text(f, shown->credit);
  fprintf(f, "</tspan></text>\n");
  for (i = 0; i < SHOWN_CLASSES; ++i) draw_bar(f, top + 18 + i * 58.0, shown->classes[i], shown->shares[i], i == 0);
  return failed;
}

int photographs_svg_write(const char* path, int64_t n, const struct shown* photographs, int64_t size,
                          const char* subtitle) {
  FILE* f = fopen(path, "w");
  const int height = TOP + (int)n * ROW;
  int failed = 0;
  int64_t i;
  if (f == NULL) return -1;
  fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n", WIDTH,
          height, WIDTH, height);
  fprintf(f, "<title>What is in the photographs</title>\n<style>%s</style>\n", style);
  fprintf(f, "<rect class=\"page\" width=\"%d\" height=\"%d\"/>\n", WIDTH, height);
  fprintf(f, "<text class=\"title\" x=\"40\" y=\"46\">What is in the photographs</text>\n");
  fprintf(f, "<text class=\"small\" x=\"40\" y=\"70\">");
  draw_text(f, subtitle);
  fprintf(f, "</text>\n");
  for (i = 0; i < n && !failed; ++i) failed = draw_photograph(f, TOP + (double)i * ROW, &photographs[i], size);
  fprintf(f, "</svg>\n");
  if (failed) errno = ENOMEM;
  failed |= ferror(f);
  return fclose(f) != 0 || failed ? -1 : 0;
}
