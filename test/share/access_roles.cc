// SPDX-License-Identifier: Apache-2.0
#include "access_roles.h"

#include <CL/cl.h>
#include <CL/cl_ext_conclave.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "platform/base/error.h"
#include "platform/share/access_handles.h"
#include "platform/share/share.h"
#include "platform/share/xclbin_client.h"

namespace conclave::test {
namespace {

using share::AccessMode;
using Words = std::vector<std::string>;

Words words_of(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

AccessMode mode_of(const std::string& name) {
  for (AccessMode mode : {AccessMode::kExclusive, AccessMode::kPrimary, AccessMode::kShared})
    if (name == name_of(mode)) return mode;
  throw std::runtime_error("there is no mode " + name);
}

share::Operation operation_of(const std::string& name) {
  for (int i = 0; i < share::kOperations; ++i)
    if (const auto operation = static_cast<share::Operation>(i); name == name_of(operation))
      return operation;
  throw std::runtime_error("there is no operation " + name);
}

share::XclbinSlot::Description xclbin_of(const std::string& name) {
  share::XclbinSlot::Description xclbin;
  xclbin.uuid.fill(static_cast<uint8_t>(name.at(0)));
  return xclbin;
}

// All words from the one with this number.
std::string rest(const Words& words, size_t first) {
  std::string text;
  for (size_t i = first; i < words.size(); ++i) text += (i > first ? " " : "") + words[i];
  return text;
}

class AccessClient {
 public:
  int step(const std::string& line) {
    const Words words = words_of(line);
    if (words.at(0) == "thread") return on_thread(rest(words, 1));
    if (words.at(0) == "fork") return in_child(rest(words, 1));
    try {
      act(words);
      return 0;
    } catch (const Error& error) {
      error_ = error.text();
      return error.error_number();
    }
  }
  const std::string& error() const { return error_; }

 private:
  void act(const Words& words) {
    const std::string& verb = words.at(0);
    if (verb == "load")
      load_xclbin(xclbin_of(words.at(1)), "an xclbin");
    else if (verb == "array")
      arrays_.push_back(std::make_unique<share::OpenArray>(mode_of(words.at(1))));
    else if (verb == "unarray")
      close_array(mode_of(words.at(1)));
    else if (verb == "drop")
      arrays_.erase(find(mode_of(words.at(1))));
    else if (verb == "graph")
      open_graph(words.at(1), words.at(2), mode_of(words.at(3)));
    else if (verb == "ungraph")
      close_graph(words.at(1));
    else if (verb == "may")
      may(words.at(1), operation_of(rest(words, 2)));
    else
      throw std::runtime_error("unknown step " + verb);
  }

  std::vector<std::unique_ptr<share::OpenArray>>::iterator find(AccessMode mode) {
    auto array = arrays_.begin();
    while (array != arrays_.end() && (*array)->mode() != mode) ++array;
    return array;
  }
  void close_array(AccessMode mode) {
    const auto array = find(mode);
    if (array == arrays_.end())  // there is no object: the table itself is asked
      return share::Share::get().membership().access_modes.close_array(mode);
    (*array)->close();
    arrays_.erase(array);
  }
  void open_graph(const std::string& xclbin, const std::string& number, AccessMode mode) {
    auto graph = std::make_unique<share::OpenGraph>(xclbin_of(xclbin).uuid,
                                                    static_cast<uint32_t>(std::stoul(number)),
                                                    "gr[" + number + "]", mode);
    graphs_[number] = std::move(graph);
  }
  void close_graph(const std::string& number) {
    const auto graph = graphs_.find(number);
    if (graph == graphs_.end())
      return share::Share::get().membership().access_modes.close_graph(
          static_cast<uint32_t>(std::stoul(number)));
    graph->second->close();
    graphs_.erase(graph);
  }
  void may(const std::string& what, share::Operation operation) {
    if (what == "array")
      arrays_.back()->require(operation);
    else
      graphs_.at(what)->require(operation);
  }

  int on_thread(const std::string& line) {
    int error = -1;
    std::thread([&] { error = step(line); }).join();
    return error;
  }
  int in_child(const std::string& line) {
    const pid_t child = fork();
    if (child == 0) _exit(step(line));
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  std::vector<std::unique_ptr<share::OpenArray>> arrays_;
  std::map<std::string, std::unique_ptr<share::OpenGraph>> graphs_;
  std::string error_;
};

void access(const Arguments&) {
  AccessClient client;
  for (;;) {
    const std::string line = listen();
    if (line == "end") return;
    tell(line == "error" ? client.error() : std::to_string(client.step(line)));
  }
}

// --- OpenCL ---

std::string g_told;
void CL_CALLBACK keep_text(const char* text, const void*, size_t, void*) {
  g_told = text;
}

cl_context_properties value_of(const std::string& mode) {
  if (mode == "exclusive") return CL_ACCESS_MODE_EXCLUSIVE_CONCLAVE;
  if (mode == "primary") return CL_ACCESS_MODE_PRIMARY_CONCLAVE;
  return mode == "shared" ? CL_ACCESS_MODE_SHARED_CONCLAVE : std::stol(mode);
}

class OpenClClient {
 public:
  OpenClClient() {
    cl_platform_id platform;
    clGetPlatformIDs(1, &platform, nullptr);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device_, nullptr);
  }

  cl_int step(const Words& words) {
    const std::string& verb = words.at(0);
    cl_int code = CL_SUCCESS;
    if (verb == "release") {
      code = clReleaseContext(contexts_.back());
      contexts_.pop_back();
      return code;
    }
    if (verb != "context") throw std::runtime_error("unknown step " + verb);
    std::vector<cl_context_properties> properties;
    for (size_t i = 1; i < words.size(); ++i)
      properties.insert(properties.end(), {CL_CONTEXT_ACCESS_MODE_CONCLAVE, value_of(words[i])});
    properties.push_back(0);
    const cl_context context =
        clCreateContext(properties.data(), 1, &device_, keep_text, nullptr, &code);
    if (context) contexts_.push_back(context);
    return code;
  }

  std::string mode() const {
    cl_context_properties properties[8] = {};
    size_t size = 0;
    clGetContextInfo(contexts_.back(), CL_CONTEXT_PROPERTIES, sizeof properties, properties, &size);
    std::string text;
    for (size_t i = 0; i < size / sizeof *properties; ++i)
      text += std::to_string(properties[i]) + " ";
    return text;
  }

 private:
  cl_device_id device_ = nullptr;
  std::vector<cl_context> contexts_;
};

void opencl(const Arguments&) {
  OpenClClient client;
  for (;;) {
    const std::string line = listen();
    if (line == "end") return;
    if (line == "told")
      tell(g_told);
    else if (line == "mode")
      tell(client.mode());
    else
      tell(std::to_string(client.step(words_of(line))));
  }
}

}  // namespace

const std::map<std::string, Role>& access_roles() {
  static const std::map<std::string, Role> roles = {{"access", access}, {"opencl", opencl}};
  return roles;
}

}  // namespace conclave::test
