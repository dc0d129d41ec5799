// SPDX-License-Identifier: Apache-2.0
// Contexts on the xclbin, client by client: an xclDeviceHandle or a cl_kernel. Clients of one
// process count like clients of several processes; the segment knows only the process.
#ifndef CONCLAVE_PLATFORM_SHARE_XCLBIN_CLIENT_H_
#define CONCLAVE_PLATFORM_SHARE_XCLBIN_CLIENT_H_

#include <cstdint>
#include <map>
#include <span>
#include <string_view>

#include "platform/share/xclbin_slot.h"

namespace conclave::share {

struct Membership;

// Loads an xclbin, and waits for others as the configuration says; see XclbinSlot::load(). Keeps
// its file's `bytes` for other processes. Throws Error{EPERM} as AccessModes::require_may_load()
// does.
bool load_xclbin(const XclbinSlot::Description& xclbin, std::string_view bytes);

class XclbinClient {
 public:
  using Uuid = XclbinSlot::Uuid;
  using Mode = XclbinSlot::Mode;
  // Stands for no compute unit: a context that only pins the xclbin.
  static constexpr uint32_t kNoUnit = ~uint32_t{0};

  XclbinClient();
  // Closes all contexts.
  ~XclbinClient();
  XclbinClient(const XclbinClient&) = delete;
  XclbinClient& operator=(const XclbinClient&) = delete;

  // Opens a context, and waits for others as the configuration says. A shared one may be opened
  // again, and is closed as often. Throws Error as XclbinSlot::open() does, and Error{EINVAL} for a
  // compute unit that this client has in an exclusive context, or wants in an exclusive one
  // although it has it.
  void open(const Uuid& uuid, uint32_t unit, Mode mode);
  // Throws Error{EINVAL} if there is no such context, and Error{EBUSY} for the UUID of another
  // xclbin or if a command of this client still uses the compute unit.
  void close(const Uuid& uuid, uint32_t unit);

  // Closes also those that were opened several times, and those whose compute units commands use.
  void close_all();

  bool has_context() const;
  // The UUID of the xclbin that the contexts are on, or were on.
  const Uuid& uuid() const { return uuid_; }
  bool has(uint32_t unit) const;

  // A command that uses these compute units begins or ends. Until it ends their contexts stay open.
  void begin_use(std::span<const uint32_t> units);
  void end_use(std::span<const uint32_t> units);

 private:
  struct Use {
    uint32_t contexts = 0;
    uint32_t commands = 0;
    Mode mode = Mode::kShared;
  };

  void try_to_open(const Uuid& uuid, uint32_t unit, Mode mode);
  void leave(uint32_t unit);

  const Membership* process_;  // not of a child that was forked meanwhile
  Uuid uuid_{};                // of the xclbin that the contexts are on
  std::map<uint32_t, Use> uses_;
};

}  // namespace conclave::share

#endif  // CONCLAVE_PLATFORM_SHARE_XCLBIN_CLIENT_H_
