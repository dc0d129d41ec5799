// SPDX-License-Identifier: Apache-2.0
// What most tests include, precompiled. Each file still includes what it uses (see
// platform/base/precompiled.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>
