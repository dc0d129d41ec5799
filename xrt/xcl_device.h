// SPDX-License-Identifier: Apache-2.0
// What an xclDeviceHandle stands for: one client of the device, with its contexts on the
// xclbin, its buffer objects and its commands.
#ifndef CONCLAVE_XRT_XCL_DEVICE_H_
#define CONCLAVE_XRT_XCL_DEVICE_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "platform/base/owned.h"
#include "platform/loader/xclbin.h"
#include "platform/model/command_queue.h"
#include "platform/model/context.h"
#include "platform/model/kernel.h"
#include "platform/model/memory.h"
#include "platform/model/program.h"
#include "platform/share/access_mode.h"
#include "platform/share/xclbin_client.h"
#include "xrt/xrt.h"
#include "xrt/xrt_conclave.h"

namespace conclave::xrt {

class XclGraph;
class XclPacket;

class XclDevice : public std::enable_shared_from_this<XclDevice> {
 public:
  using Uuid = XclbinUuid;

  // All throw Error, whose error_number() XRT's interface returns.

  // Makes this process a user of the device.
  void use();
  void load(std::string xclbin);
  void open_context(const Uuid& uuid, uint32_t unit, bool shared);
  void close_context(const Uuid& uuid, uint32_t unit);
  uint32_t unit_number(const std::string& name) const;

  xclBufferHandle allocate(size_t size, void* host, uint32_t flags);
  void free(xclBufferHandle handle);
  // `size` bytes from `offset` on. Throws Error{ENOENT}, and Error{EINVAL} if they do not lie
  // inside.
  std::byte* bytes(xclBufferHandle handle, size_t size, size_t offset);
  // The whole buffer object, if they do.
  Ref<Memory> memory(xclBufferHandle handle, size_t size, size_t offset);
  xclBOProperties properties(xclBufferHandle handle);
  // A new descriptor of a buffer object's memory, and a buffer object in another process's.
  int export_buffer(xclBufferHandle handle);
  xclBufferHandle import_buffer(int descriptor, uint32_t flags);

  // The loaded xclbin, whichever process has loaded it. Throws Error{EINVAL} if there is none, or
  // if its file cannot be had.
  std::shared_ptr<const Xclbin> resident_xclbin();
  // Empties the streams that nobody uses, and resets the graphs that nobody has open.
  void reset_graphs();
  // A graph of the resident xclbin. Throws Error{EINVAL} for another UUID or an unknown name, and
  // as share::OpenGraph does.
  std::shared_ptr<XclGraph> open_graph(const Uuid& uuid, const std::string& name,
                                       share::AccessMode mode);

  // A description of a kernel of the xclbin that the contexts are on.
  xclConclaveKernel kernel(const std::string& name);
  xclConclaveArgument argument(const std::string& kernel, uint32_t index);

  // Who is told of a command's end; null: nobody.
  struct Listener {
    void (*ended)(unsigned int state, void* data);
    void* data;
  };
  // Starts the command whose packet is in the buffer object.
  void execute(xclBufferHandle handle, Listener listener);
  // Whether a command has ended since the last time.
  bool wait(int timeout_ms);
  // Waits until all commands have ended, and closes all contexts.
  void close();

 private:
  struct Buffer {
    Owned<Memory> memory;
    uint32_t flags;
  };
  struct Running;

  void use_device();
  xclBufferHandle add_buffer(Owned<Memory> memory, uint32_t flags);
  Buffer& buffer(xclBufferHandle handle);
  const Xclbin& xclbin_of_contexts();
  const Xclbin& xclbin_with(const Uuid& uuid);
  void build();
  uint32_t choose_unit(const XclPacket& packet, const Xclbin& xclbin);
  Kernel& kernel_of(uint32_t unit, const Xclbin& xclbin);
  void set_arguments(Kernel& kernel, const XclPacket& packet);
  void set_address(Kernel& kernel, cl_uint index, uint64_t address);
  void start_kernel(Memory& memory, const XclPacket& packet, Listener listener);
  void start_copy(Memory& memory, const XclPacket& packet, Listener listener);
  void require_ended(const Memory& packet);
  void start(cl_command_type type, std::unique_ptr<Command> command,
             std::unique_ptr<Running> running);
  void ended(const Running& command, ert_cmd_state state);

  share::XclbinClient client_;
  std::mutex mutex_;  // guards everything below
  Owned<Context> context_;
  Owned<CommandQueue> queue_;
  std::shared_ptr<const Xclbin> xclbin_;
  Owned<Program> program_;                     // of xclbin_; none: not built yet
  std::map<uint32_t, Owned<Kernel>> kernels_;  // by compute unit
  std::map<uint32_t, uint64_t> starts_;        // likewise: how often it was used
  std::map<xclBufferHandle, Buffer> buffers_;
  xclBufferHandle last_buffer_ = 0;
  std::mutex ends_mutex_;
  std::condition_variable end_;
  uint64_t ends_ = 0;     // ends that have not been reported
  uint64_t running_ = 0;  // commands
};

}  // namespace conclave::xrt

#endif  // CONCLAVE_XRT_XCL_DEVICE_H_
