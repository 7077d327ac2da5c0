// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP without its headers: the functions that are used, loaded at run time, so
// that programs build and start on machines without a GPU. Declarations follow
// the C interface of libamdhip64.so, releases 5 to 7.

#ifndef TILEWRIGHT_UKERNELS_HIP_API_H_
#define TILEWRIGHT_UKERNELS_HIP_API_H_

#include <stddef.h>

#include "tilewright/hip.h"
#include "tilewright/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// hipError_t, of which these are told apart.
typedef int tw_hip_error_t;
enum {
  TW_HIP_SUCCESS = 0,
  TW_HIP_ERROR_OUT_OF_MEMORY = 2,
  TW_HIP_ERROR_NO_DEVICE = 100,
  TW_HIP_ERROR_NO_BINARY_FOR_GPU = 209,
};

// hipMemcpyKind.
enum {
  TW_HIP_HOST_TO_DEVICE = 1,
  TW_HIP_DEVICE_TO_HOST = 2,
  TW_HIP_DEVICE_TO_DEVICE = 3,
};

// Keys of the `extra` of hipModuleLaunchKernel: the arguments are one buffer,
// the kernel's kernarg segment.
#define TW_HIP_LAUNCH_BUFFER ((void*)1)
#define TW_HIP_LAUNCH_BUFFER_SIZE ((void*)2)
#define TW_HIP_LAUNCH_END ((void*)3)

// One member per function, without its prefix `hip`. Modules, functions,
// streams and events are opaque pointers; the null stream is the default one.
typedef struct tw_hip_api_t {
  tw_hip_error_t (*GetDeviceCount)(int* count);
  tw_hip_error_t (*SetDevice)(int device);
  // hipGetDevicePropertiesR0600, before release 6 hipGetDeviceProperties.
  tw_hip_error_t (*GetDeviceProperties)(void* properties, int device);
  tw_hip_error_t (*ModuleLoadData)(void** module, const void* image);
  tw_hip_error_t (*ModuleUnload)(void* module);
  tw_hip_error_t (*ModuleGetFunction)(void** function, void* module,
                                      const char* name);
  tw_hip_error_t (*ModuleGetGlobal)(void** pointer, size_t* bytes, void* module,
                                    const char* name);
  tw_hip_error_t (*ModuleLaunchKernel)(void* function, unsigned grid_x,
                                       unsigned grid_y, unsigned grid_z,
                                       unsigned block_x, unsigned block_y,
                                       unsigned block_z, unsigned dynamic_lds,
                                       void* stream, void** arguments,
                                       void** extra);
  tw_hip_error_t (*Malloc)(void** pointer, size_t bytes);
  tw_hip_error_t (*Free)(void* pointer);
  tw_hip_error_t (*MemcpyAsync)(void* to, const void* from, size_t bytes,
                                int kind, void* stream);
  tw_hip_error_t (*MemsetAsync)(void* to, int byte, size_t bytes, void* stream);
  tw_hip_error_t (*StreamCreate)(void** stream);
  tw_hip_error_t (*StreamDestroy)(void* stream);
  tw_hip_error_t (*StreamSynchronize)(void* stream);
  tw_hip_error_t (*EventCreate)(void** event);
  tw_hip_error_t (*EventDestroy)(void* event);
  tw_hip_error_t (*EventRecord)(void* event, void* stream);
  tw_hip_error_t (*EventSynchronize)(void* event);
  tw_hip_error_t (*EventElapsedTime)(float* ms, void* from, void* to);
  const char* (*GetErrorString)(tw_hip_error_t error);
} tw_hip_api_t;

// Loads HIP on the first call: the library that the environment variable
// TW_HIP_LIBRARY names, else libamdhip64.so.7, .6 or .5. Null if that cannot be
// done; tw_hip_message() says why. Thread-safe; the library stays loaded.
const tw_hip_api_t* tw_hip_load(void);

// The name of a device's instruction set, "gfx942", without the settings that
// may follow it (":sramecc+:xnack-"). `name` has `size` bytes.
tw_status_t tw_hip_device_gfx(const tw_hip_api_t* hip, int device, char* name,
                              size_t size);

// Keeps a sentence for tw_hip_message() and returns `status`.
tw_status_t tw_hip_fail(tw_status_t status, const char* format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

// The status for what HIP's `function` returned, OK or with a sentence.
tw_status_t tw_hip_check(const tw_hip_api_t* hip, tw_hip_error_t error,
                         const char* function);

#ifdef __cplusplus
}
#endif

#endif  // TILEWRIGHT_UKERNELS_HIP_API_H_
