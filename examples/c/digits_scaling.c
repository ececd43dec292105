/* Drawing how training scales; see digits_scaling.h.
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include "digits_scaling.h"

#include <math.h>
#include <stdio.h>

enum { WIDTH = 640, HEIGHT = 420, LEFT = 90, TOP = 90, INNER_WIDTH = 500, INNER_HEIGHT = 250 };

static const char style[] =
    "text{font-family:system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;font-size:13px;fill:#52514e}"
    ".page{fill:#fcfcfb}.title{font-size:21px;font-weight:600;fill:#0b0b0b}.grid{stroke:#e4e3df}.axis{stroke:#a3a19b}"
    ".ideal{fill:none;stroke:#a3a19b;stroke-width:2;stroke-dasharray:6 5}.seen{fill:none;stroke:#c2410c;stroke-width:3}"
    ".dot{fill:#c2410c}"
    "@media (prefers-color-scheme:dark){text{fill:#c3c2b7}.page{fill:#1a1a19}.title{fill:#fff}.grid{stroke:#33322f}"
    ".axis,.ideal{stroke:#6b6a64}.seen{stroke:#f59e5b}.dot{fill:#f59e5b}}";

static double x_of(const struct run* runs, int n, double ranks) {
  return n > 1 ? LEFT + INNER_WIDTH * (ranks - 1) / (runs[n - 1].ranks - 1) : LEFT + 0.5 * INNER_WIDTH;
}

static double y_of(double value, double high) {
  return TOP + INNER_HEIGHT * (1 - value / high);
}

int scaling_write(const char* path, const struct run* runs, int n) {
  const double ideal = runs[0].images_per_s * runs[n - 1].ranks;
  double high = ideal;
  int i, failed;
  FILE* f = fopen(path, "w");
  if (f == NULL) return -1;
  for (i = 0; i < n; ++i) high = fmax(high, runs[i].images_per_s);
  high *= 1.05;

  fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n", WIDTH,
          HEIGHT, WIDTH, HEIGHT);
  fprintf(f, "<title>Training on several ranks</title>\n<style>%s</style>\n", style);
  fprintf(f, "<rect class=\"page\" width=\"%d\" height=\"%d\"/>\n", WIDTH, HEIGHT);
  fprintf(f, "<text class=\"title\" x=\"40\" y=\"46\">Handwritten digits, trained on several ranks</text>\n");
  fprintf(f, "<text x=\"40\" y=\"70\">images per second; dashed: as many times one rank's</text>\n");
  for (i = 0; i <= 4; ++i) {
    const double value = high * i / 4, y = y_of(value, high);
    fprintf(f, "<line class=\"%s\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>\n", i == 0 ? "axis" : "grid", LEFT, y,
            LEFT + INNER_WIDTH, y);
    fprintf(f, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.0f</text>\n", LEFT - 8, y + 4.5, value);
  }
  fprintf(f, "<line class=\"ideal\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", x_of(runs, n, 1),
          y_of(runs[0].images_per_s, high), x_of(runs, n, runs[n - 1].ranks), y_of(ideal, high));
  fprintf(f, "<polyline class=\"seen\" points=\"");
  for (i = 0; i < n; ++i) fprintf(f, "%.1f,%.1f ", x_of(runs, n, runs[i].ranks), y_of(runs[i].images_per_s, high));
  fprintf(f, "\"/>\n");
  for (i = 0; i < n; ++i) {
    const double x = x_of(runs, n, runs[i].ranks);
    fprintf(f, "<circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\"/>\n", x, y_of(runs[i].images_per_s, high));
    fprintf(f, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d rank%s</text>\n", x, TOP + INNER_HEIGHT + 20,
            runs[i].ranks, runs[i].ranks == 1 ? "" : "s");
    fprintf(f, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.0f \xc2\xb5s, %.3f right</text>\n", x,
            TOP + INNER_HEIGHT + 40, runs[i].step_us, runs[i].accuracy);
  }
  fprintf(f, "</svg>\n");
  failed = ferror(f);
  return fclose(f) != 0 || failed ? -1 : 0;
}
