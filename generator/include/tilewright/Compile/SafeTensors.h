// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of weights in the format of huggingface.co/docs/safetensors.

#ifndef TILEWRIGHT_COMPILE_SAFETENSORS_H
#define TILEWRIGHT_COMPILE_SAFETENSORS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <string>
#include <vector>

namespace tilewright {

/// One tensor of a file: row-major, little-endian.
struct SafeTensor {
  std::string dtype; ///< "F32", as the file says
  llvm::SmallVector<int64_t> shape;
  llvm::StringRef bytes;
  std::string file; ///< where it is, for messages
};

/// The tensors of one or more files, which stay mapped.
class SafeTensors {
public:
  /// Adds those of a file. An error names the file, the tensor and what is
  /// wrong: a header that is cut off or no JSON, an unknown dtype, bytes that
  /// are not as many as the shape says, that overlap, leave a gap or reach
  /// behind the end of the file; and a name that another file has, too.
  llvm::Error add(llvm::StringRef path);
  /// The same of what was read; `name` is for messages.
  llvm::Error add(std::unique_ptr<llvm::MemoryBuffer> buffer,
                  llvm::StringRef name);

  /// Null if there is none.
  const SafeTensor *find(llvm::StringRef name) const;
  std::vector<llvm::StringRef> names() const;
  /// The files, for messages: "'a.safetensors' and 'b.safetensors'".
  std::string files() const;

private:
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> buffers;
  std::vector<std::string> paths;
  llvm::StringMap<SafeTensor> tensors;
};

} // namespace tilewright

#endif // TILEWRIGHT_COMPILE_SAFETENSORS_H
