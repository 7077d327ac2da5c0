// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which GPUs of the machine are a model's.

#include "ukernels/hip/devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// More than any release's hipDeviceProp_t, whose first member is a name of 256
// bytes that people read.
enum { PROPERTIES_BYTES = 16384, NAME_BYTES = 256 };

// The member gcnArchName stands elsewhere in each release, but it is the only
// string of this form.
static const char* find_gfx(const char* properties) {
  for (size_t at = NAME_BYTES; at + 8 < PROPERTIES_BYTES; at += 4)
    if (memcmp(properties + at, "gfx", 3) == 0 &&
        strchr("0123456789", properties[at + 3]) && properties[at + 3])
      return properties + at;
  return NULL;
}

tw_status_t tw_hip_device_gfx(const tw_hip_api_t* hip, int device, char* name,
                              size_t size) {
  char* properties = calloc(1, PROPERTIES_BYTES);
  if (!properties)
    return tw_hip_fail(TW_STATUS_OUT_OF_MEMORY,
                       "There is no memory for a device's properties.");
  tw_status_t status =
      tw_hip_check(hip, hip->GetDeviceProperties(properties, device),
                   "hipGetDeviceProperties");
  if (status == TW_STATUS_OK) {
    const char* gfx = find_gfx(properties);
    size_t length = gfx ? strcspn(gfx, ":") : 0;
    if (!gfx || length >= size) {
      status = tw_hip_fail(TW_STATUS_DEVICE_ERROR,
                           "HIP does not say which gfx device %d is.", device);
    } else {
      memcpy(name, gfx, length);
      name[length] = '\0';
    }
  }
  free(properties);
  return status;
}

// What there is, for a sentence, and whose it is by now.
static void describe_devices(char* text, size_t size, char (*names)[NAME_BYTES],
                             int device_count,
                             tw_hip_program_t* const* programs,
                             const int* devices, int64_t found) {
  size_t used = 0;
  for (int i = 0; i < device_count && used < size; ++i) {
    used += (size_t)snprintf(text + used, size - used, "%sdevice %d is %s",
                             i ? ", " : "", i, names[i]);
    for (int64_t p = 0; p < found && used < size; ++p)
      if (devices[p] == i)
        used += (size_t)snprintf(text + used, size - used, " (taken by '%s')",
                                 programs[p]->name);
  }
}

static tw_status_t choose(char (*names)[NAME_BYTES], int device_count,
                          tw_hip_program_t* const* programs, int64_t count,
                          int* devices) {
  for (int64_t p = 0; p < count; ++p) {
    int device = 0;
    for (; device < device_count; ++device) {
      int taken = strcmp(names[device], programs[p]->gfx) != 0;
      for (int64_t i = 0; i < p; ++i) taken |= devices[i] == device;
      if (!taken) break;
    }
    devices[p] = device;
    if (device < device_count) continue;
    char others[256] = "";
    describe_devices(others, sizeof(others), names, device_count, programs,
                     devices, p);
    if (!programs[p]->name)
      return tw_hip_fail(
          TW_STATUS_UNSUPPORTED,
          "The code object is for %s, but %s; compile it for that.",
          programs[p]->gfx, others);
    return tw_hip_fail(TW_STATUS_UNSUPPORTED,
                       "The model's device '%s' is a GPU of %s, and there is "
                       "none left for it: %s.",
                       programs[p]->name, programs[p]->gfx, others);
  }
  return TW_STATUS_OK;
}

tw_status_t tw_hip_find_devices(const tw_hip_api_t* hip,
                                tw_hip_program_t* const* programs,
                                int64_t count, int* devices) {
  int device_count = 0;
  tw_hip_error_t error = hip->GetDeviceCount(&device_count);
  if (error == TW_HIP_ERROR_NO_DEVICE ||
      (error == TW_HIP_SUCCESS && !device_count)) {
    const char* name = programs[0]->name;
    return tw_hip_fail(TW_STATUS_UNSUPPORTED,
                       "%s%s%s needs a GPU of %s, but HIP sees no device.",
                       name ? "The model's device '" : "This", name ? name : "",
                       name ? "'" : "", programs[0]->gfx);
  }
  tw_status_t status = tw_hip_check(hip, error, "hipGetDeviceCount");
  if (status != TW_STATUS_OK) return status;
  char (*names)[NAME_BYTES] = malloc((size_t)device_count * NAME_BYTES);
  if (!names)
    return tw_hip_fail(TW_STATUS_OUT_OF_MEMORY,
                       "There is no memory for the names of devices.");
  for (int i = 0; status == TW_STATUS_OK && i < device_count; ++i)
    status = tw_hip_device_gfx(hip, i, names[i], NAME_BYTES);
  if (status == TW_STATUS_OK)
    status = choose(names, device_count, programs, count, devices);
  free((void*)names);
  return status;
}
