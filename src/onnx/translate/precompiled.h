// Includes the headers that most files of the converter use, so that they are read once by the compiler instead of by
// each file. For speed alone: a file still includes what it uses.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include <rondo/rondo.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>
