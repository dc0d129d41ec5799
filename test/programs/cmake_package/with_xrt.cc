// SPDX-License-Identifier: Apache-2.0
#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <xrt/xrt_kernel.h>

int main(int, char** arguments) {
  xrt::device device(0);
  const auto uuid = device.load_xclbin(arguments[1]);
  xrt::kernel twice(device, uuid, "twice");
  xrt::bo numbers(device, sizeof(int), twice.group_id(0));
  *numbers.map<int*>() = 21;
  twice(numbers).wait();
  return *numbers.map<int*>() == 42 ? 0 : 1;
}
