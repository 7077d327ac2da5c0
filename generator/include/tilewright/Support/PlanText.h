// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans as text: "lanes=16 block=12x2". A plan is a record with one table of
// fields, from which reading, printing, overriding, comparing and documentation
// come, so that what decides code is all in its text.
//
// Beside each kind of plan stands its table:
//
//   template <> struct PlanTable<MyPlan> {
//     /// In the order in which they are printed; what others depend on first.
//     static constexpr auto fields() {
//       return std::tuple(Number<&MyPlan::lanes>{"lanes", "...", 1, 1024},
//                         Word<&MyPlan::staging>{"stage", "...", kStagings});
//     }
//     /// Whether a plan has the field at all, and prints it.
//     static bool applies(const MyPlan &, llvm::StringRef field);
//   };
//
// A field is a type with
//   llvm::StringLiteral name, meaning
//   Members           Is<&MyPlan::lanes, ...>: what it stands for
//   accepts()         its values, for documentation
//   read(text, plan, key)    sets them; says why not, or ""
//   print(os, plan)

#ifndef TILEWRIGHT_SUPPORT_PLANTEXT_H
#define TILEWRIGHT_SUPPORT_PLANTEXT_H

#include "tilewright/key.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tilewright {

template <typename Plan> struct PlanTable;

// ---- Kinds of fields

template <auto Member> struct MemberTag {};

/// The members that a field stands for.
template <auto... Members> struct Is {
  template <auto Member>
  static constexpr bool has =
      (std::is_same_v<MemberTag<Member>, MemberTag<Members>> || ...);
  template <typename Plan> static bool same(const Plan &a, const Plan &b) {
    return ((a.*Members == b.*Members) && ...);
  }
};

/// `text` as a number in least..most; otherwise `why` says what is wrong.
std::optional<int> readPlanNumber(llvm::StringRef text, int least, int most,
                                  std::string &why);
/// "1..1024"
std::string numbersInPlans(int least, int most);

template <auto Member> struct Number {
  using Members = Is<Member>;
  llvm::StringLiteral name, meaning;
  int least, most;

  std::string accepts() const { return numbersInPlans(least, most); }
  template <typename Plan>
  std::string read(llvm::StringRef text, Plan &plan, const TileKey &) const {
    std::string why;
    if (std::optional<int> value = readPlanNumber(text, least, most, why))
      plan.*Member = *value;
    return why;
  }
  template <typename Plan>
  void print(llvm::raw_ostream &os, const Plan &plan) const {
    os << plan.*Member;
  }
};

/// A number or "none": a std::optional<int>.
template <auto Member> struct NumberOrNone {
  using Members = Is<Member>;
  llvm::StringLiteral name, meaning;
  int least, most;

  std::string accepts() const { return numbersInPlans(least, most) + ", none"; }
  template <typename Plan>
  std::string read(llvm::StringRef text, Plan &plan, const TileKey &) const {
    std::string why;
    plan.*Member = std::nullopt;
    if (text != "none")
      plan.*Member = readPlanNumber(text, least, most, why);
    return why;
  }
  template <typename Plan>
  void print(llvm::raw_ostream &os, const Plan &plan) const {
    if (plan.*Member)
      os << *(plan.*Member);
    else
      os << "none";
  }
};

/// Two numbers, "12x2".
template <auto First, auto Second> struct Pair {
  using Members = Is<First, Second>;
  llvm::StringLiteral name, meaning;
  int least, most;

  std::string accepts() const {
    std::string each = numbersInPlans(least, most);
    return each + " x " + each;
  }
  template <typename Plan>
  std::string read(llvm::StringRef text, Plan &plan, const TileKey &) const {
    auto [a, b] = text.split('x');
    if (text.count('x') != 1)
      return "expected two numbers, <first>x<second>";
    std::string why;
    if (std::optional<int> value = readPlanNumber(a, least, most, why))
      plan.*First = *value;
    if (std::optional<int> value =
            why.empty() ? readPlanNumber(b, least, most, why) : std::nullopt)
      plan.*Second = *value;
    return why;
  }
  template <typename Plan>
  void print(llvm::raw_ostream &os, const Plan &plan) const {
    os << plan.*First << 'x' << plan.*Second;
  }
};

/// "a, b or c"
std::string listOfWords(llvm::ArrayRef<llvm::StringRef> words,
                        llvm::StringRef last);

template <typename T> using PlanWord = std::pair<llvm::StringLiteral, T>;

template <typename Plan, typename T>
constexpr T memberType(T Plan::*); // not defined

/// A value that has a word for each of its values.
template <auto Member> struct Word {
  using Members = Is<Member>;
  using Value = decltype(memberType(Member));
  llvm::StringLiteral name, meaning;
  llvm::ArrayRef<PlanWord<Value>> words;

  std::string list(llvm::StringRef last) const {
    llvm::SmallVector<llvm::StringRef> texts;
    for (const PlanWord<Value> &word : words)
      texts.push_back(word.first);
    return listOfWords(texts, last);
  }
  std::string accepts() const { return list(", "); }
  template <typename Plan>
  std::string read(llvm::StringRef text, Plan &plan, const TileKey &) const {
    for (const PlanWord<Value> &word : words)
      if (word.first == text) {
        plan.*Member = word.second;
        return "";
      }
    return "expected " + list(" or ");
  }
  template <typename Plan>
  void print(llvm::raw_ostream &os, const Plan &plan) const {
    for (const PlanWord<Value> &word : words)
      if (word.second == plan.*Member)
        os << word.first;
  }
};

// ---- What comes of a table

/// Calls use(field, index) for each field of the plan's table.
template <typename Plan, typename Use> void forPlanFields(Use use) {
  std::apply(
      [&](const auto &...fields) {
        unsigned index = 0;
        (use(fields, index++), ...);
      },
      PlanTable<Plan>::fields());
}

template <typename Plan> std::string printPlan(const Plan &plan) {
  std::string text;
  llvm::raw_string_ostream os(text);
  forPlanFields<Plan>([&](const auto &field, unsigned) {
    if (!PlanTable<Plan>::applies(plan, field.name))
      return;
    os << (text.empty() ? "" : " ") << field.name << '=';
    field.print(os, plan);
  });
  return text;
}

/// Whether the two say the same in every field.
template <typename Plan> bool samePlans(const Plan &a, const Plan &b) {
  return std::apply(
      [&](const auto &...fields) {
        return (std::decay_t<decltype(fields)>::Members::same(a, b) && ...);
      },
      PlanTable<Plan>::fields());
}

/// Parts of a plan that are given, the others to be chosen.
template <typename Plan> struct GivenParts {
  Plan plan;
  uint64_t given = 0; ///< a bit for each field

  template <auto Member> bool has() const {
    return given >> indexOf<Member>() & 1;
  }
  template <auto Member>
  auto valueOr(decltype(memberType(Member)) otherwise) const {
    return has<Member>() ? plan.*Member : otherwise;
  }
  /// Whether `other` has all that is given.
  bool agreesWith(const Plan &other) const {
    bool all = true;
    forPlanFields<Plan>([&](const auto &field, unsigned index) {
      if (given >> index & 1)
        all &= std::decay_t<decltype(field)>::Members::same(plan, other);
    });
    return all;
  }
  /// Nothing is left to be chosen.
  bool inFull() const {
    bool all = true;
    forPlanFields<Plan>([&](const auto &field, unsigned index) {
      all &=
          (given >> index & 1) || !PlanTable<Plan>::applies(plan, field.name);
    });
    return all;
  }

private:
  template <auto Member> static constexpr unsigned indexOf() {
    unsigned index = 0, found = 64;
    std::apply(
        [&](const auto &...fields) {
          ((std::decay_t<decltype(fields)>::Members::template has<Member>
                ? found = index++
                : index++),
           ...);
        },
        PlanTable<Plan>::fields());
    return found;
  }
};

/// "lanes=16, block=12x2" -> its parts: spaces, tabs and commas part them.
llvm::SmallVector<llvm::StringRef> splitPlan(llvm::StringRef text);

llvm::Error badPlanPart(llvm::StringRef part, const llvm::Twine &why);

/// A later part takes the place of an earlier one of its name.
template <typename Plan>
llvm::Expected<GivenParts<Plan>>
readPlanParts(llvm::ArrayRef<llvm::StringRef> parts, const TileKey &key) {
  GivenParts<Plan> result;
  for (llvm::StringRef part : parts) {
    auto [name, value] = part.split('=');
    bool known = false;
    std::string why;
    llvm::SmallVector<llvm::StringRef> names;
    forPlanFields<Plan>(
        [&, name = name, value = value](const auto &field, unsigned index) {
          names.push_back(field.name);
          if (field.name != name)
            return;
          known = true;
          why = field.read(value, result.plan, key);
          result.given |= uint64_t{1} << index;
        });
    if (!known)
      why = ("no part '" + name + "'; expected " + listOfWords(names, " or "))
                .str();
    if (!why.empty())
      return badPlanPart(part, why);
  }
  return result;
}

/// The fields as rows of a table in Markdown: name, values, meaning.
template <typename Plan> std::string describePlanFields() {
  std::string text;
  llvm::raw_string_ostream os(text);
  forPlanFields<Plan>([&](const auto &field, unsigned) {
    os << "| `" << field.name << "` | " << field.accepts() << " | "
       << field.meaning << " |\n";
  });
  return text;
}

} // namespace tilewright

#endif // TILEWRIGHT_SUPPORT_PLANTEXT_H
