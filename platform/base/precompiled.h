// SPDX-License-Identifier: Apache-2.0
// The library's headers that most of the runtime's files include, precompiled: reading them takes
// more time than compiling such a file. Each file still includes what it uses: the presets tsan and
// fuzz build without precompiled headers, so a file that forgets one does not compile there.
#include <algorithm>
#include <array>
#include <atomic>
#include <boost/intrusive/list.hpp>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
