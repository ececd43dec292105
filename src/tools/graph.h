// Runs `rondo graph`: it shows the files that a program saved of a graph.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace rondo::tools {

// arguments: what follows `graph`. Prints a profile (rondo_graph_profile) or what a DOT picture (rondo_graph_dot)
// holds; with --svg writes a picture too. 1 where a file cannot be read or written, or is not what it should be, 2
// where the arguments are wrong.
int graph(int count, char** arguments);

}  // namespace rondo::tools
