// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The grammar of tile names in docs/names.md is that of the parser's tables.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tilewright/key.h"

namespace tilewright {
namespace {

using Words = std::vector<std::string>;

constexpr size_t kColumns = 110;

std::string terminal(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

Words terminals(const Words& words) {
  Words all;
  for (const std::string& word : words) all.push_back(terminal(word));
  return all;
}

std::string join(const Words& words, const std::string& between) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : between) + word;
  return text;
}

// `<symbol> = <alternatives> ;`, in lines that are not too long.
std::string production(const std::string& symbol, const Words& alternatives) {
  std::string text, line = symbol;
  line.resize(std::max<size_t>(line.size(), 8), ' ');
  line += " =";
  const std::string indent(8, ' ');
  for (size_t i = 0; i < alternatives.size(); ++i) {
    const std::string next = (i == 0 ? " " : " | ") + alternatives[i];
    if (i > 0 && line.size() + next.size() > kColumns) {
      text += line + "\n";
      line = indent;
    }
    line += next;
  }
  return text + line + " ;\n";
}

// Triples as few products of words: those of one out type whose lhs go with the
// same rhs stand together.
Words productsOf(const std::vector<const TypeTripleInfo*>& triples) {
  struct Group {
    Words lhs, rhs;
    std::string out;
  };
  std::vector<Group> groups;
  Words seen;
  for (const TypeTripleInfo* first : triples) {
    const std::string lhs(info(first->lhs).name), out(info(first->out).name);
    if (std::count(seen.begin(), seen.end(), lhs + " " + out)) continue;
    seen.push_back(lhs + " " + out);
    Words rhs;
    // In the order of element_types.def, so that equal sets are equal lists.
    for (const ElementTypeInfo& element : elementTypes())
      if (std::any_of(triples.begin(), triples.end(), [&](const auto* other) {
            return other->lhs == first->lhs && other->out == first->out &&
                   other->rhs == element.type;
          }))
        rhs.emplace_back(element.name);
    const auto same =
        std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
          return group.rhs == rhs && group.out == out;
        });
    if (same == groups.end())
      groups.push_back({{lhs}, rhs, out});
    else
      same->lhs.push_back(lhs);
  }
  const auto oneOf = [](const Words& words) {
    const std::string text = join(terminals(words), " | ");
    return words.size() == 1 ? text : "( " + text + " )";
  };
  Words products;
  for (const Group& group : groups)
    products.push_back(oneOf(group.lhs) + " " + oneOf(group.rhs) + " " +
                       terminal(group.out));
  return products;
}

Words isasOf(const ArchitectureInfo& architecture, bool isScalable) {
  Words names;
  for (const IsaInfo& isa : isas())
    if (isa.architecture == &architecture &&
        (!isScalable || isa.scaling != TW_SCALING_NONE))
      names.emplace_back(isa.name);
  return names;
}

std::string grammar() {
  std::vector<const TypeTripleInfo*> triples;
  for (const TypeTripleInfo& types : typeTriples()) triples.push_back(&types);
  std::string name =
      "prefix \"_mmt4d_tile_\" types \"_\" M0 \"x\" N0 \"x\" K0 "
      "\"_\"";
  for (const VariantInfo& variant : tileVariants())
    name += " [ " + terminal(std::string(variant.name) + "_") + " ]";
  const std::string scalable = "1.." + std::to_string(kMaxScale) + " \"vl\"";
  Words architectureNames, scalableIsas;
  std::string levels;
  for (const ArchitectureInfo& architecture : architectures()) {
    const Words names = isasOf(architecture, false);
    architectureNames.emplace_back(architecture.name);
    levels += production(std::string(architecture.name), terminals(names));
    for (const std::string& isa : isasOf(architecture, true))
      scalableIsas.push_back(isa);
  }
  return production("name", {name + " isa"}) +
         production("prefix", {"\"tw\" (* or what a program asks for *)"}) +
         production("types", productsOf(triples)) +
         production("M0", {"1.." + std::to_string(kMaxM0), scalable}) +
         production("N0", {"1.." + std::to_string(kMaxN0), scalable}) +
         production("K0",
                    {"1.." + std::to_string(kMaxK0),
                     "1.." + std::to_string(kMaxK0Gpu) + " (* on GPUs *)"}) +
         production("isa", architectureNames) + levels + "(* vl: with " +
         join(scalableIsas, ", ") + " *)\n";
}

// What a variant is for, found by asking about each key.
struct Uses {
  std::vector<const TypeTripleInfo*> types;
  Words isas;
  std::vector<int> k0;
};

Uses usesOf(const VariantInfo& variant) {
  Uses uses;
  const auto add = [](auto& all, const auto& one) {
    if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
  };
  for (const IsaInfo& isa : isas())
    for (const TypeTripleInfo& types : typeTriples())
      for (int k0 = 1; k0 <= kMaxK0Gpu; ++k0) {
        const TileKey key{types.value, 8, 8, k0, Rounding::kOnce, isa.isa};
        tw_tile_key_t c = keyInC(key);
#define TW_VARIANT(text, ENUM, field, excludes, about) \
  if (variant.name == #text) c.field = 1;
#include "tilewright/variants.def"
        tw_name_fault_t fault;
        if (!tw_check_tile_key(&c, &fault)) continue;
        add(uses.types, &types);
        add(uses.isas, std::string(isa.name));
        add(uses.k0, k0);
      }
  std::sort(uses.k0.begin(), uses.k0.end());
  return uses;
}

// The instruction sets, whole architectures by their names.
std::string describeIsas(const Words& names) {
  if (names.size() == isas().size()) return "all";
  Words text;
  for (const ArchitectureInfo& architecture : architectures()) {
    Words own;
    const Words all = isasOf(architecture, false);
    for (const std::string& name : all)
      if (std::count(names.begin(), names.end(), name)) own.push_back(name);
    if (own.size() == all.size())
      text.push_back("all of " + std::string(architecture.name));
    else
      text.insert(text.end(), own.begin(), own.end());
  }
  return join(text, ", ");
}

std::string variantsTable() {
  std::string table =
      "| variant | says | not with | types | instruction sets | K0 |\n"
      "|---|---|---|---|---|---|\n";
  for (const VariantInfo& variant : tileVariants()) {
    Words excluded, k0;
    for (const VariantInfo& other : tileVariants())
      if (variant.excludes & other.bit)
        excluded.push_back("`" + std::string(other.name) + "`");
    const Uses uses = usesOf(variant);
    for (int each : uses.k0) k0.push_back(std::to_string(each));
    std::string types;
    for (const std::string& product : productsOf(uses.types)) {
      std::string cell;
      for (char c : product)
        if (c != '"') cell += c == '|' ? "\\|" : std::string(1, c);
      types += (types.empty() ? "" : "; ") + cell;
    }
    table += "| `" + std::string(variant.name) + "` | " +
             std::string(variant.doc) + " | " + join(excluded, ", ") + " | " +
             types + " | " + describeIsas(uses.isas) + " | " +
             (k0.size() > 10 ? "any" : join(k0, ", ")) + " |\n";
  }
  return table;
}

void expectBlock(const std::string& block) {
  std::ifstream in(std::string(TW_TEST_SOURCE) + "/docs/names.md");
  ASSERT_TRUE(in);
  std::stringstream page;
  page << in.rdbuf();
  EXPECT_NE(page.str().find("\n" + block + "\n"), std::string::npos)
      << "docs/names.md is to have this:\n"
      << block;
}

TEST(NamesDoc, HasTheGrammar) {
  expectBlock("```ebnf\n" + grammar() + "```\n");
}

TEST(NamesDoc, HasTheVariants) { expectBlock(variantsTable()); }

}  // namespace
}  // namespace tilewright
