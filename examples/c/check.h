/* CHECK: how the examples treat a status. A program can do little but say what went wrong and stop; a library would
 * hand the status on instead. rondo_last_error() holds the sentence that goes with the last failure on this thread.
 *
 * Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0 */
#ifndef EXAMPLES_CHECK_H
#define EXAMPLES_CHECK_H

#include <rondo/rondo.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                                \
  do {                                                                                                             \
    const rondo_status check_status = (call);                                                                      \
    if (check_status != RONDO_OK) {                                                                                \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, rondo_status_name(check_status), rondo_last_error()); \
      exit(1);                                                                                                     \
    }                                                                                                              \
  } while (0)

#endif /* EXAMPLES_CHECK_H */
