// Exchanges nodes of a graph that are one operator for that operator, and says what was found.
//
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "onnx/file/model.h"

namespace rondo_onnx {

// How often each pattern was found, by its name, in the order of the table.
using Findings = std::vector<std::pair<std::string, size_t>>;

// The nodes of the graph, in an order in which they can run. Those that are made here are `rewritten`: they follow the
// rules of the newest version of ONNX's operators, whatever the model's is: `version`, 7 or later.
std::vector<NodeProto> find_patterns(const GraphProto& graph, int64_t version, const std::string& path,
                                     int64_t memory_limit, Findings* findings);

// --- products.cc
class Finder;
// Gives products of one value by constant matrices, whose results attention takes apart, as one product.
size_t join_products(Finder& finder);

// --- channels.cc
// Puts constants of each channel that follow convolutions into these.
size_t join_channels(Finder& finder);

// --- quantised.cc
// Gives products of dequantised numbers as products of these.
size_t join_scales(Finder& finder);

}  // namespace rondo_onnx
