/* What the examples' pictures share: text in an SVG.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLES_SVG_TEXT_H
#define EXAMPLES_SVG_TEXT_H

#include <stdio.h>

/* Text with what XML reserves written as it must be between tags. */
void draw_text(FILE* f, const char* text);

#endif /* EXAMPLES_SVG_TEXT_H */
