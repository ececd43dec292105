// Maps the driver's answer, and what the system says about its module and nodes, to advice.
// Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
#include "device/cuda/next_step.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/text.h"

namespace rondo::cuda {

namespace {

constexpr char kNode[] = "/dev/nvidiactl";

bool module_loaded() {
  return access("/proc/driver/nvidia/version", F_OK) == 0;
}

bool may_not_open(const char* node) {
  return access(node, R_OK | W_OK) != 0 && errno == EACCES;
}

// Adds the user to the group that a device file belongs to.
std::string join_group_of(const char* node) {
  return format("sudo usermod -aG \"$(stat -c %%G %s)\" \"$USER\"", node);
}

NextStep no_device() {
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES"))
    return {format("CUDA_VISIBLE_DEVICES=%s decides which devices the process sees: unset it, or name one that "
                   "`nvidia-smi -L` lists",
                   visible),
            "unset CUDA_VISIBLE_DEVICES"};
  for (const char* node : {kNode, "/dev/nvidia0"})
    if (may_not_open(node))
      return {"this user may not open /dev/nvidia*: give the user the permission, often by a group",
              join_group_of(node)};
  if (!module_loaded())
    return {
        "the kernel module is not loaded: load it (after an update of the kernel it must be built again); in a "
        "container, start it with the GPU",
        "sudo modprobe nvidia"};
  return {"`nvidia-smi -L` lists what the kernel module sees; in a container, start it with the GPU", "nvidia-smi -L"};
}

}  // namespace

NextStep next_step(CUresult answer) {
  switch (answer) {
    case CUDA_SUCCESS:
    case CUDA_ERROR_NO_DEVICE: return no_device();
    case CUDA_ERROR_NOT_INITIALIZED:
      return {
          "the driver cannot start in this process: a child that was forked from a process with CUDA must start "
          "anew (exec, or \"spawn\" in Python); else load the kernel modules or reboot, and with MIG make an "
          "instance",
          "sudo modprobe -a nvidia nvidia_uvm"};
    case CUDA_ERROR_STUB_LIBRARY:
      return {
          "the library is the toolkit's stub, which programs are linked with and none runs with: take its folder "
          "(stubs) out of LD_LIBRARY_PATH and the configuration of ldconfig",
          "ldconfig -p | grep libcuda.so.1"};
    case CUDA_ERROR_SYSTEM_NOT_READY:
      return {"start the service that sets up the links between GPUs (nvidia-fabricmanager), of the driver's version",
              "sudo systemctl start nvidia-fabricmanager"};
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
      return {
          "the driver library and the loaded kernel module are of different versions: reboot after the update of "
          "the driver, or in a container use the library of the host",
          "sudo reboot"};
    case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
      return {
          "the library is one for forward compatibility (the package cuda-compat), which this GPU does not support: "
          "take its folder out of LD_LIBRARY_PATH and the configuration of ldconfig, or update the driver",
          "ldconfig -p | grep libcuda.so.1"};
    case CUDA_ERROR_UNKNOWN:
      if (may_not_open("/dev/nvidia-uvm"))
        return {"this user may not open /dev/nvidia-uvm: give the user the permission",
                join_group_of("/dev/nvidia-uvm")};
      return {
          "often the kernel module nvidia_uvm is missing or broken: load it again or reboot, and look into the "
          "kernel's log (`dmesg`)",
          "sudo modprobe -r nvidia_uvm; sudo modprobe nvidia_uvm"};
    default: return {"see whether `nvidia-smi` works, and look into the kernel's log (`dmesg`)", "nvidia-smi"};
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

}  // namespace rondo::cuda
