// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// oneDNN's matmul primitive, of version 3: with B as it lies, and in the layout
// that the library asks for, reordered before.

#include <array>
#include <cstdio>

#include "bench/peers/library.h"
#include "bench/peers/way.h"

namespace tilewright::bench {
namespace {

// dnnl_types.h and dnnl_common_types.h
constexpr int kCpu = 1, kAnyTag = 1, kWeightsMd = 131, kSource = 1,
              kDestination = 17, kWeights = 33, kFrom = 1, kTo = 17;
constexpr int kBf16 = 2, kF32 = 3, kS32 = 4, kS8 = 5;
constexpr int kUnimplemented = 3;
using Dims = std::array<int64_t, 12>;
using Handle = void*;
struct Argument {
  int argument;
  Handle memory;
};

int dataType(tw_element_type_t type) {
  switch (type) {
    case TW_ELEMENT_F32:
      return kF32;
    case TW_ELEMENT_BF16:
      return kBf16;
    case TW_ELEMENT_S32:
      return kS32;
    case TW_ELEMENT_S8:
      return kS8;
    default:
      return 0;
  }
}

class OneDnn {
 public:
  OneDnn(const std::string& path, Matrices& matrices, std::vector<Way>& ways)
      : library_(path), m_(matrices), ways_(ways) {}

  std::string add() {
    if (!dataType(m_.types.lhs) || !dataType(m_.types.rhs) ||
        !dataType(m_.types.out))
      return "";
    findAll();
    if (!library_.error().empty()) return library_.error();
    if (version_()->major != 3)
      return "it is version " + std::to_string(version_()->major) +
             "; this program knows 3";
    note(engineCreate_(&engine_, kCpu, 0), "engine_create");
    note(streamCreate_(&stream_, engine_, 1), "stream_create");
    const Handle a = described(m_.types.lhs, m_.M, m_.K),
                 b = described(m_.types.rhs, m_.K, m_.N),
                 c = described(m_.types.out, m_.M, m_.N);
    Handle anyB = nullptr;
    const Dims dims = {m_.K, m_.N};
    note(withTag_(&anyB, 2, dims.data(), dataType(m_.types.rhs), kAnyTag),
         "memory_desc_create_with_tag");
    if (error_.empty()) addMatmul(a, b, b, c, Ahead::kNothing);
    if (error_.empty()) addMatmul(a, b, anyB, c, Ahead::kRhs);
    return error_;
  }

 private:
  struct Version {
    int major, minor, patch;
  };

  void findAll() {
    library_.find("dnnl_version", version_);
    library_.find("dnnl_engine_create", engineCreate_);
    library_.find("dnnl_stream_create", streamCreate_);
    library_.find("dnnl_stream_wait", streamWait_);
    library_.find("dnnl_memory_desc_create_with_strides", withStrides_);
    library_.find("dnnl_memory_desc_create_with_tag", withTag_);
    library_.find("dnnl_memory_desc_get_size", sizeOf_);
    library_.find("dnnl_memory_create", memoryCreate_);
    library_.find("dnnl_matmul_primitive_desc_create", matmulCreate_);
    library_.find("dnnl_reorder_primitive_desc_create", reorderCreate_);
    library_.find("dnnl_primitive_desc_query_md", queryMd_);
    library_.find("dnnl_primitive_create", primitiveCreate_);
    library_.find("dnnl_primitive_execute", execute_);
  }

  void note(int status, const char* function) {
    if (status != 0 && error_.empty())
      error_ = std::string("dnnl_") + function + " gives status " +
               std::to_string(status);
  }

  Handle described(tw_element_type_t type, int64_t rows, int64_t cols) {
    Handle described = nullptr;
    const Dims dims = {rows, cols}, strides = {cols, 1};
    note(withStrides_(&described, 2, dims.data(), dataType(type),
                      strides.data()),
         "memory_desc_create_with_strides");
    return described;
  }

  Handle memory(Handle descriptor, void* data) {
    Handle memory = nullptr;
    note(memoryCreate_(&memory, descriptor, engine_, data), "memory_create");
    return memory;
  }

  Handle primitive(Handle descriptor) {
    Handle primitive = nullptr;
    if (error_.empty())
      note(primitiveCreate_(&primitive, descriptor), "primitive_create");
    return primitive;
  }

  void addMatmul(Handle a, Handle plainB, Handle b, Handle c, Ahead ahead) {
    Handle descriptor = nullptr;
    const int status =
        matmulCreate_(&descriptor, engine_, a, b, nullptr, c, nullptr);
    if (status == kUnimplemented) {
      if (ahead == Ahead::kNothing)
        std::fprintf(stderr,
                     "onednn has no matmul of %s on this CPU: left out\n",
                     std::string(m_.types.name).c_str());
      return;
    }
    note(status, "matmul_primitive_desc_create");
    const Handle matmul = primitive(descriptor);
    if (!error_.empty()) return;
    Handle weights = memory(plainB, m_.b.get());
    std::shared_ptr<AlignedBytes> packed;
    if (ahead == Ahead::kRhs) {
      const Handle wanted =
          const_cast<Handle>(queryMd_(descriptor, kWeightsMd, 0));
      packed = std::make_shared<AlignedBytes>(
          allocateAligned(int64_t(sizeOf_(wanted))));
      const Handle from = weights;
      weights = memory(wanted, packed->get());
      Handle reorder = nullptr;
      note(reorderCreate_(&reorder, plainB, engine_, wanted, engine_, nullptr),
           "reorder_primitive_desc_create");
      const Argument arguments[] = {{kFrom, from}, {kTo, weights}};
      const Handle reordering = primitive(reorder);
      if (!error_.empty()) return;
      note(execute_(reordering, stream_, 2, arguments), "primitive_execute");
      note(streamWait_(stream_), "stream_wait");
    }
    const std::array<Argument, 3> arguments = {
        {{kSource, memory(a, m_.a.get())},
         {kWeights, weights},
         {kDestination, memory(c, m_.c.get())}}};
    if (!error_.empty()) return;
    ways_.push_back(
        {"onednn", ahead == Ahead::kRhs ? "matmul, B in its layout" : "matmul",
         ahead,
         [=, execute = execute_, wait = streamWait_, stream = stream_,
          keep = packed] {
           execute(matmul, stream, 3, arguments.data());
           wait(stream);
         },
         m_.c.get()});
  }

  Library library_;
  Matrices& m_;
  std::vector<Way>& ways_;
  std::string error_;
  Handle engine_ = nullptr, stream_ = nullptr;
  const Version* (*version_)();
  int (*engineCreate_)(Handle*, int kind, size_t index);
  int (*streamCreate_)(Handle*, Handle engine, unsigned flags);
  int (*streamWait_)(Handle);
  int (*withStrides_)(Handle*, int, const int64_t* dims, int type,
                      const int64_t* strides);
  int (*withTag_)(Handle*, int, const int64_t* dims, int type, int tag);
  size_t (*sizeOf_)(Handle);
  int (*memoryCreate_)(Handle*, Handle descriptor, Handle engine, void*);
  int (*matmulCreate_)(Handle*, Handle engine, Handle a, Handle b, Handle bias,
                       Handle c, Handle attributes);
  int (*reorderCreate_)(Handle*, Handle from, Handle fromEngine, Handle to,
                        Handle toEngine, Handle attributes);
  const void* (*queryMd_)(Handle, int what, int index);
  int (*primitiveCreate_)(Handle*, Handle descriptor);
  int (*execute_)(Handle, Handle stream, int count, const Argument*);
};

}  // namespace

std::string addOneDnnWays(const std::string& path, Matrices& matrices,
                          std::vector<Way>& ways) {
  return OneDnn(path, matrices, ways).add();
}

}  // namespace tilewright::bench
