/* Attention of queries, keys and values that are parts of one product.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLES_PACKED_ATTENTION_H
#define EXAMPLES_PACKED_ATTENTION_H

#include <rondo/rondo.h>

/* packed: [batch, places, 3 * width], of which the parts are views in so many heads. The result, [batch, places,
 * width], is the caller's. Failures end the program (check.h). */
rondo_tensor* packed_attention(rondo_tensor* packed, int64_t heads, const rondo_attention_options* options);

#endif /* EXAMPLES_PACKED_ATTENTION_H */
