// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/compile/child_output.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>

namespace tilewright::testing {

std::string outputOfChild(unsigned seconds,
                          llvm::function_ref<void(llvm::raw_ostream&)> work,
                          std::string& how) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  llvm::outs().flush();
  pid_t child = fork();
  if (child < 0) std::abort();
  if (child == 0) {
    close(ends[0]);
    alarm(seconds);
    llvm::raw_fd_ostream os(ends[1], /*shouldClose=*/true);
    work(os);
    os.close();
    // Handlers of the process's end are the parent's.
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t got; (got = read(ends[0], buffer, sizeof(buffer))) > 0;)
    text.append(buffer, static_cast<size_t>(got));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    how = std::string("killed by ") + strsignal(WTERMSIG(status));
  else if (WEXITSTATUS(status) != 0)
    how = "ended with the status " + std::to_string(WEXITSTATUS(status));
  return text;
}

std::vector<llvm::json::Object> objectsOfChild(
    unsigned seconds, llvm::function_ref<void(llvm::raw_ostream&)> work,
    std::string& how) {
  std::string text = outputOfChild(seconds, work, how);
  std::vector<llvm::json::Object> objects;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines) {
    llvm::Expected<llvm::json::Value> value = llvm::json::parse(line);
    if (value)
      objects.push_back(std::move(*value->getAsObject()));
    else
      llvm::consumeError(value.takeError());
  }
  return objects;
}

}  // namespace tilewright::testing
