// Advice by the driver's answer. Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "tools/next_step.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace rondo::tools {

using namespace cuda;

namespace {

constexpr char kNode[] = "/dev/nvidiactl";

bool module_loaded() {
  return access("/proc/driver/nvidia/version", F_OK) == 0;
}

bool may_not_open(const char* node) {
  return access(node, R_OK | W_OK) != 0 && errno == EACCES;
}

std::string no_device() {
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES"))
    return std::string("CUDA_VISIBLE_DEVICES=") + visible +
           " decides which devices the process sees: unset it, or name one that `nvidia-smi -L` lists";
  if (may_not_open(kNode) || may_not_open("/dev/nvidia0"))
    return "this user may not open /dev/nvidia*: give the user the permission, often by a group";
  if (!module_loaded())
    return "the kernel module is not loaded: `modprobe nvidia` as root (after an update of the kernel it must be built "
           "again); in a container, start it with the GPU";
  return "`nvidia-smi -L` lists what the kernel module sees; in a container, start it with the GPU";
}

}  // namespace

std::string next_step(CUresult answer) {
  switch (answer) {
    case CUDA_SUCCESS:
    case CUDA_ERROR_NO_DEVICE: return no_device();
    case CUDA_ERROR_NOT_INITIALIZED:
      return "the driver cannot start in this process: a child that was forked from a process with CUDA must start "
             "anew (exec, or \"spawn\" in Python); else load the kernel modules (`modprobe nvidia nvidia_uvm`) or "
             "reboot, and with MIG make an instance";
    case CUDA_ERROR_SYSTEM_NOT_READY:
      return "start the service that sets up the links between GPUs (nvidia-fabricmanager), of the driver's version";
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
      return "the driver library and the loaded kernel module are of different versions: reboot after the update of "
             "the driver, or in a container use the library of the host";
    case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
      return "the library is one for forward compatibility (the package cuda-compat), which this GPU does not support: "
             "take its folder out of LD_LIBRARY_PATH and the configuration of ldconfig, or update the driver";
    case CUDA_ERROR_UNKNOWN:
      if (may_not_open("/dev/nvidia-uvm"))
        return "this user may not open /dev/nvidia-uvm: give the user the permission";
      return "often the kernel module nvidia_uvm is missing or broken: load it again (`modprobe -r nvidia_uvm; "
             "modprobe "
             "nvidia_uvm` as root) or reboot, and look into the kernel's log (`dmesg`)";
    default: return "see whether `nvidia-smi` works, and look into the kernel's log (`dmesg`)";
  }
}

DriverNode driver_node() {
  const int file = open(kNode, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file >= 0) {
    close(file);
    return DriverNode::works;
  }
  if (errno == ENOENT) return DriverNode::absent;
  return errno == EACCES && module_loaded() ? DriverNode::works : DriverNode::behind_none;
}

}  // namespace rondo::tools
