/* The picture of the digits example; see digits_svg.h. Colours come from classes, so that one media query suits the
 * picture to dark viewers; it brings its own background for those who know neither.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#include "digits_svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "svg_text.h"

enum { SHOWN = 20, SHOWN_WRONG = 8, PER_ROW = 10, WIDTH = 960, HEIGHT = 684 };

/* A chart's frame on the page and the range of values it shows; logarithmic in y if `logarithmic`. */
struct chart {
  double left, top, width, height;
  double low, high;
  int epochs, logarithmic;
};

static const char style[] =
    "text{font-family:system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;font-size:13px;fill:#52514e}"
    ".page{fill:#fcfcfb}.title{font-size:21px;font-weight:600;fill:#0b0b0b}.head{font-weight:600;fill:#0b0b0b}"
    ".grid{stroke:#e4e3df;stroke-width:1}.axis{stroke:#a3a19b;stroke-width:1}"
    ".curve{fill:none;stroke-linejoin:round;stroke-linecap:round}"
    ".eager{stroke:#8ab8f0;stroke-width:7}.replayed{stroke:#c2410c;stroke-width:2}"
    ".paper{fill:#f1f0ec}.ink{fill:#0b0b0b}.wrong{fill:none;stroke:#d03b3b;stroke-width:2.5}.says{font-size:14px}"
    ".miss{fill:#d03b3b;font-weight:600}"
    "@media (prefers-color-scheme:dark){text{fill:#c3c2b7}.page{fill:#1a1a19}.title,.head{fill:#fff}"
    ".grid{stroke:#33322f}.axis{stroke:#6b6a64}.eager{stroke:#2f62a3}.replayed{stroke:#f59e5b}"
    ".paper{fill:#2a2927}.ink{fill:#fff}.wrong{stroke:#f07171}.miss{fill:#f07171}}";

static double chart_x(const struct chart* c, int epoch) {
  return c->left + (c->epochs > 1 ? c->width * (epoch - 1) / (c->epochs - 1) : 0.5 * c->width);
}

static double chart_y(const struct chart* c, double value) {
  const double share =
      c->logarithmic ? log(value / c->low) / log(c->high / c->low) : (value - c->low) / (c->high - c->low);
  return c->top + c->height * (1.0 - share);
}

static void draw_tick(FILE* f, const struct chart* c, double value, const char* format) {
  const double y = chart_y(c, value);
  if (y < c->top - 0.5 || y > c->top + c->height + 0.5) return;
  fprintf(f, "<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", c->left, y, c->left + c->width,
          y);
  fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", c->left - 8, y + 4.5);
  fprintf(f, format, value);
  fprintf(f, "</text>\n");
}

static void draw_frame(FILE* f, const struct chart* c, const char* head) {
  const int step = c->epochs <= 12 ? 1 : c->epochs <= 30 ? 5 : c->epochs <= 60 ? 10 : (c->epochs + 59) / 60 * 10;
  const double bottom = c->top + c->height;
  int epoch;
  fprintf(f, "<text class=\"head\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", c->left, c->top - 14, head);
  if (c->logarithmic) {
    static const double digits[3] = {1, 2, 5};
    int decade, i;
    for (decade = -9; decade < 9; ++decade) {
      for (i = 0; i < 3; ++i) draw_tick(f, c, digits[i] * pow(10, decade), "%g");
    }
  } else {
    const double unit = c->high - c->low > 0.3 ? 0.1 : c->high - c->low > 0.12 ? 0.05 : 0.02;
    int i;
    for (i = 0; i * unit <= c->high + 1e-9; ++i) draw_tick(f, c, i * unit, "%.2f");
  }
  fprintf(f, "<line class=\"axis\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", c->left, bottom,
          c->left + c->width, bottom);
  for (epoch = 1; epoch <= c->epochs; ++epoch) {
    if (epoch != 1 && epoch % step != 0) continue;
    fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%d</text>\n", chart_x(c, epoch), bottom + 18, epoch);
  }
  fprintf(f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">epoch</text>\n", c->left + 0.5 * c->width,
          bottom + 36);
}

static void draw_curve(FILE* f, const struct chart* c, const char* name, const double* values) {
  int epoch;
  fprintf(f, "<polyline class=\"curve %s\" points=\"", name);
  for (epoch = 1; epoch <= c->epochs; ++epoch) {
    /* A loss may be 0 or not a number in a training that went wrong; the picture must still be one. */
    const double value = values[epoch - 1];
    const double inside = !(value > c->low) ? c->low : value < c->high ? value : c->high;
    fprintf(f, "%.1f,%.1f ", chart_x(c, epoch), chart_y(c, inside));
  }
  fprintf(f, "\"/>\n");
}

/* Smallest and largest of the finite positive values in both arrays; 1 and 1 if there is none. */
static void range(const double* a, const double* b, int n, double* low, double* high) {
  int i, found = 0;
  *low = *high = 1.0;
  for (i = 0; i < 2 * n; ++i) {
    const double value = i < n ? a[i] : b[i - n];
    if (!(value > 0.0) || value > 1e30) continue;
    if (!found || value < *low) *low = value;
    if (!found || value > *high) *high = value;
    found = 1;
  }
}

static void draw_digit(FILE* f, double x, double y, const float* pixels, int64_t label, int64_t prediction) {
  const double cell = 9.0, side = 8 * cell;
  int i;
  fprintf(f, "<g transform=\"translate(%.1f %.1f) scale(%g)\" shape-rendering=\"crispEdges\">", x, y, cell);
  fprintf(f, "<rect class=\"paper\" width=\"8\" height=\"8\"/>");
  for (i = 0; i < DIGITS_PIXELS; ++i) {
    if (pixels[i] <= 0.0f) continue;
    fprintf(f, "<rect class=\"ink\" x=\"%d\" y=\"%d\" width=\"1\" height=\"1\" opacity=\"%.3g\"/>", i % 8, i / 8,
            pixels[i]);
  }
  fprintf(f, "</g>\n");
  if (prediction == label) {
    fprintf(f, "<text class=\"says\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%d</text>\n", x + 0.5 * side,
            y + side + 19, (int)prediction);
  } else {
    fprintf(f, "<rect class=\"wrong\" x=\"%.1f\" y=\"%.1f\" width=\"%g\" height=\"%g\"/>\n", x - 1.5, y - 1.5, side + 3,
            side + 3);
    fprintf(f, "<text class=\"says miss\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%d, is %d</text>\n",
            x + 0.5 * side, y + side + 19, (int)prediction, (int)label);
  }
}

/* The first wrong ones, then the first right ones, until there are SHOWN; returns how many were found. */
static int choose(const struct digits* digits, const int64_t* predictions, int64_t chosen[SHOWN], int* shown_wrong,
                  int* all_wrong) {
  int n = 0;
  int64_t i;
  *all_wrong = 0;
  for (i = 0; i < digits->n_test; ++i) {
    if (predictions[i] == digits->test_labels[i]) continue;
    ++*all_wrong;
    if (n < SHOWN_WRONG) chosen[n++] = i;
  }
  *shown_wrong = n;
  for (i = 0; i < digits->n_test && n < SHOWN; ++i) {
    if (predictions[i] == digits->test_labels[i]) chosen[n++] = i;
  }
  return n;
}

static void draw_digits(FILE* f, const struct digits* digits, const int64_t* predictions, double top) {
  int64_t chosen[SHOWN];
  int shown_wrong, all_wrong, i;
  const int n = choose(digits, predictions, chosen, &shown_wrong, &all_wrong);
  fprintf(f,
          "<text class=\"head\" x=\"40\" y=\"%.1f\">%d of %d test images and their predictions"
          "<tspan dx=\"12\" font-weight=\"400\">%d of the %d wrong ones first, framed</tspan></text>\n",
          top, n, (int)digits->n_test, shown_wrong, all_wrong);
  for (i = 0; i < n; ++i) {
    const int row = i / PER_ROW, column = i % PER_ROW;
    draw_digit(f, 40 + 89.7 * column, top + 18 + 106.0 * row, digits->test_images + chosen[i] * DIGITS_PIXELS,
               digits->test_labels[chosen[i]], predictions[chosen[i]]);
  }
}

static void draw_legend(FILE* f, const struct training* t, double x, double y) {
  fprintf(f, "<line class=\"curve %s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", t->name, x, y - 4.5,
          x + 28, y - 4.5);
  fprintf(f, "<text x=\"%.1f\" y=\"%.1f\"><tspan class=\"head\">%s</tspan> %.1f \xc2\xb5s per step</text>\n", x + 38, y,
          t->name, t->step_us);
}

int svg_write(const char* path, const struct training* eager, const struct training* replayed,
              const struct digits* digits, const int64_t* predictions, const char* subtitle) {
  struct chart loss = {86, 136, 374, 224, 0, 0, 0, 1}, accuracy = {546, 136, 374, 224, 0, 0, 0, 0};
  FILE* f = fopen(path, "w");
  int failed;
  if (f == NULL) return -1;

  loss.epochs = accuracy.epochs = eager->epochs;
  range(eager->loss, replayed->loss, eager->epochs, &loss.low, &loss.high);
  loss.low *= 0.8;
  loss.high *= 1.25;
  range(eager->accuracy, replayed->accuracy, eager->epochs, &accuracy.low, &accuracy.high);
  accuracy.low = floor(accuracy.low * 20 - 0.2) / 20;
  accuracy.high = 1.0;

  fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n", WIDTH,
          HEIGHT, WIDTH, HEIGHT);
  fprintf(f, "<title>Handwritten digits, trained eagerly and replayed</title>\n<style>%s</style>\n", style);
  fprintf(f, "<rect class=\"page\" width=\"%d\" height=\"%d\"/>\n", WIDTH, HEIGHT);
  fprintf(f, "<text class=\"title\" x=\"40\" y=\"46\">Handwritten digits, trained eagerly and replayed</text>\n");
  fputs("<text x=\"40\" y=\"70\">", f);
  draw_text(f, subtitle);
  fputs("</text>\n", f);
  draw_legend(f, eager, 490, 93);
  draw_legend(f, replayed, 714, 93);

  draw_frame(f, &loss, "training loss (cross-entropy, logarithmic)");
  draw_curve(f, &loss, eager->name, eager->loss);
  draw_curve(f, &loss, replayed->name, replayed->loss);
  draw_frame(f, &accuracy, "test accuracy");
  draw_curve(f, &accuracy, eager->name, eager->accuracy);
  draw_curve(f, &accuracy, replayed->name, replayed->accuracy);
  draw_digits(f, digits, predictions, 444);
  fprintf(f, "</svg>\n");

  failed = ferror(f);
  return fclose(f) != 0 || failed ? -1 : 0;
}
