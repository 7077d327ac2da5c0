// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tilewright/Support/Activity.h"
#include "Board.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace tilewright {
namespace {

thread_local const Activity *innermost = nullptr;

/// By kind and end; {0} is the name, {1} the detail, {2} how it ended.
const char *const sentences[][4] = {
    {"internal error: {0} ended {2}",
     "internal error: {0} ended {2}: its stack overflowed", "{0} ended {2}",
     "{2}"},
    {"'{0}': is damaged: reading it ended {2}; expected {1}",
     "'{0}': is nested too deeply: reading it ended {2}; expected {1}",
     "'{0}': reading it ended {2}", "'{0}': is damaged: {2}; expected {1}"},
    {"'{0}': {1} ended {2}: an internal error, or the file is damaged",
     "'{0}': {1} ended {2}: it is nested too deeply", "'{0}': {1} ended {2}",
     "'{0}': {1} failed: {2}"},
    {"{0}: generating it ended {2}",
     "{0}: generating it ended {2}: the stack overflowed",
     "{0}: generating it ended {2}", "{0}: LLVM's back end refuses it: {2}"},
};

} // namespace

std::string Activity::failure(Kind kind, StringRef name, StringRef detail,
                              End end, StringRef how) {
  return formatv(
      /*Validate=*/false,
      sentences[static_cast<unsigned>(kind)][static_cast<unsigned>(end)], name,
      detail, how);
}

std::string Activity::failure(End end, StringRef how) const {
  return failure(kind, name, detail, end, how);
}

const Activity *Activity::current() { return innermost; }

Activity::Activity(Kind kind, StringRef name, StringRef detail)
    : name(name), kind(kind), detail(detail), entry(this->name.c_str()),
      outer(innermost),
      slot(Board::post(static_cast<unsigned>(kind), name, detail)) {
  innermost = this;
}

Activity::~Activity() {
  innermost = outer;
  Board::remove(slot);
}

OwnTemporary::OwnTemporary(StringRef path) : note(Board::postTemporary(path)) {}

OwnTemporary::~OwnTemporary() { Board::removeTemporary(note); }

} // namespace tilewright
