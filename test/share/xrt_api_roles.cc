// SPDX-License-Identifier: Apache-2.0
#include "xrt_api_roles.h"

#include <iterator>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "xrt/xrt_ini.h"
#include "xrt/xrt_kernel.h"

namespace conclave::test {
namespace {

constexpr int kCount = 100;

class XrtClient {
 public:
  std::string step(const std::vector<std::string>& words) {
    const std::string& verb = words.at(0);
    if (verb == "ini") return xrt::ini::set(words.at(1), words.at(2)), "0";
    if (verb == "alone") return xrt::ini::set("Runtime.multiprocess", 0), "0";
    if (!device_) device_ = xrt::device(0);
    if (verb == "load") {
      uuid_ = device_.load_xclbin(xrt_xclbin_file(words.at(1)));
    } else if (verb == "kernel") {
      using Mode = xrt::kernel::cu_access_mode;
      kernel_ = xrt::kernel(device_, uuid_, words.at(1),
                            words.at(2) == "shared" ? Mode::shared : Mode::exclusive);
    } else if (verb == "drop") {
      kernel_ = {};
    } else if (verb == "run") {
      run();
    } else if (verb == "buffer") {
      const int count = std::stoi(words.at(1));
      buffer_ = xrt::bo(device_, static_cast<size_t>(count) * sizeof(int), 0);
      std::iota(begin(), end(), 0);
      return std::to_string(buffer_.export_buffer());
    } else if (verb == "import") {
      buffer_ = xrt::bo(device_, xrt::pid_type{std::stoi(words.at(1))}, std::stoi(words.at(2)));
      double_all();
    } else if (verb == "inherit") {
      buffer_ = xrt::bo(device_, std::stoi(words.at(1)));
      double_all();
    } else if (verb == "sum") {
      return std::to_string(std::accumulate(begin(), end(), 0));
    } else {
      throw std::runtime_error("unknown step " + verb);
    }
    return "0";
  }

 private:
  int* begin() { return buffer_.map<int*>(); }
  int* end() { return begin() + buffer_.size() / sizeof(int); }
  void double_all() {
    for (int* i = begin(); i != end(); ++i) *i *= 2;
  }

  void run() {
    xrt::bo bo[3];
    for (int i = 0; i < 3; ++i) {
      bo[i] = xrt::bo(device_, kCount * sizeof(int), kernel_.group_id(i));
      for (int j = 0; j < kCount; ++j) bo[i].map<int*>()[j] = (i + 1) * j;
    }
    kernel_(bo[0], bo[1], bo[2], kCount).wait2();
    for (int j = 0; j < kCount; ++j)
      if (bo[2].map<int*>()[j] != 3 * j) throw std::runtime_error("the result is wrong");
  }

  xrt::device device_;
  xrt::uuid uuid_;
  xrt::kernel kernel_;
  xrt::bo buffer_;
};

void xrt_role(const Arguments&) {
  XrtClient client;
  for (;;) {
    std::istringstream line(listen());
    const std::vector<std::string> words{std::istream_iterator<std::string>(line), {}};
    if (words.at(0) == "end") return;
    try {
      tell(client.step(words));
    } catch (const xrt::system_error& error) {
      tell(std::to_string(error.get_code()));
    }
  }
}

}  // namespace

const std::map<std::string, Role>& xrt_api_roles() {
  static const std::map<std::string, Role> roles = {{"xrt", xrt_role}};
  return roles;
}

std::string xrt_xclbin_file(const std::string& name) {
  return name == "A" ? XCLBIN_A_FILE : XCLBIN_B_FILE;
}

}  // namespace conclave::test
