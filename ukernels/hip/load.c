// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finding HIP.

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ukernels/hip/api.h"

static _Thread_local char message[512];

const char* tw_hip_message(void) { return message; }

tw_status_t tw_hip_fail(tw_status_t status, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof(message), format, arguments);
  va_end(arguments);
  return status;
}

tw_status_t tw_hip_check(const tw_hip_api_t* hip, tw_hip_error_t error,
                         const char* function) {
  if (error == TW_HIP_SUCCESS) return TW_STATUS_OK;
  tw_status_t status = TW_STATUS_DEVICE_ERROR;
  if (error == TW_HIP_ERROR_OUT_OF_MEMORY) status = TW_STATUS_OUT_OF_MEMORY;
  if (error == TW_HIP_ERROR_NO_DEVICE ||
      error == TW_HIP_ERROR_NO_BINARY_FOR_GPU)
    status = TW_STATUS_UNSUPPORTED;
  return tw_hip_fail(status, "%s failed: %s (%d).", function,
                     hip->GetErrorString(error), error);
}

static pthread_once_t load_once = PTHREAD_ONCE_INIT;
static tw_hip_api_t api;
static int is_loaded;
// Why it is not: every thread's message.
static char load_message[512];

static void* open_library(void) {
  const char* named = getenv("TW_HIP_LIBRARY");
  if (named && *named) {
    // Whoever sets it chooses what is loaded: that is its purpose.
    // NOLINTNEXTLINE(clang-analyzer-optin.taint.GenericTaint)
    void* library = dlopen(named, RTLD_NOW | RTLD_LOCAL);
    if (!library)
      snprintf(load_message, sizeof(load_message),
               "HIP cannot be loaded from TW_HIP_LIBRARY: %s.", dlerror());
    return library;
  }
  static const char* const names[] = {"libamdhip64.so.7", "libamdhip64.so.6",
                                      "libamdhip64.so.5"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
    void* library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (library) return library;
  }
  snprintf(load_message, sizeof(load_message),
           "HIP is not installed: none of libamdhip64.so.7, .6 and .5 can be "
           "loaded (%s); TW_HIP_LIBRARY may name another file.",
           dlerror());
  return NULL;
}

static int find_function(void* library, const char* name, void* member) {
  void* function = dlsym(library, name);
  if (!function) return 0;
  memcpy(member, (const void*)&function, sizeof(function));
  return 1;
}

static void load(void) {
  void* library = open_library();
  if (!library) return;
#define TW_FIND(NAME)                                                          \
  if (!find_function(library, "hip" #NAME, (void*)&api.NAME)) {                \
    snprintf(load_message, sizeof(load_message),                               \
             "The HIP library that was loaded has no function hip%s.", #NAME); \
    dlclose(library);                                                          \
    return;                                                                    \
  }
  TW_FIND(GetDeviceCount)
  TW_FIND(SetDevice)
  if (!find_function(library, "hipGetDevicePropertiesR0600",
                     (void*)&api.GetDeviceProperties))
    TW_FIND(GetDeviceProperties)
  TW_FIND(ModuleLoadData)
  TW_FIND(ModuleUnload)
  TW_FIND(ModuleGetFunction)
  TW_FIND(ModuleGetGlobal)
  TW_FIND(ModuleLaunchKernel)
  TW_FIND(Malloc)
  TW_FIND(Free)
  TW_FIND(MemcpyAsync)
  TW_FIND(MemsetAsync)
  TW_FIND(StreamCreate)
  TW_FIND(StreamDestroy)
  TW_FIND(StreamSynchronize)
  TW_FIND(EventCreate)
  TW_FIND(EventDestroy)
  TW_FIND(EventRecord)
  TW_FIND(EventSynchronize)
  TW_FIND(EventElapsedTime)
  TW_FIND(GetErrorString)
#undef TW_FIND
  is_loaded = 1;
}

const tw_hip_api_t* tw_hip_load(void) {
  pthread_once(&load_once, load);
  if (is_loaded) return &api;
  tw_hip_fail(TW_STATUS_UNSUPPORTED, "%s", load_message);
  return NULL;
}
