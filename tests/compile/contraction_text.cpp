// Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A contraction as a function in MLIR.

#include "tests/compile/contraction_program.h"

namespace tilewright::testing {
namespace {

std::string tensorType(const ContractionOperand& operand, const Element& type,
                       const Extents& extents) {
  std::string text = "tensor<";
  for (size_t i = 0; i < operand.indices.size(); ++i)
    text += (operand.isDynamic[i]
                 ? "?"
                 : std::to_string(extents.at(operand.indices[i]))) +
            "x";
  return text + type.mlir + ">";
}

std::string join(const std::string& letters) {
  std::string text;
  for (char letter : letters)
    text += (text.empty() ? "" : ", ") + std::string(1, letter);
  return text;
}

std::string affineMap(const std::string& loops, const std::string& indices,
                      const std::map<char, WindowIndex>& windows = {}) {
  std::string results;
  for (char index : indices) {
    results += results.empty() ? "" : ", ";
    auto window = windows.find(index);
    if (window == windows.end()) {
      results += index == '1' ? '0' : index;
      continue;
    }
    const WindowIndex& sum = window->second;
    results += std::string(1, sum.place) + " * " + std::to_string(sum.stride) +
               " + " + sum.tap + " * " + std::to_string(sum.dilation);
  }
  return "affine_map<(" + join(loops) + ") -> (" + results + ")>";
}

std::string literal(int value, const Element& type) {
  return std::to_string(value) + (type.kind == Element::kFloat ? ".0" : "");
}

class Writer {
 public:
  explicit Writer(const ContractionProgram& program)
      : p_(program), types_(program.types) {}

  std::string write() {
    const Extents& extents = p_.calls[0];
    lhs_ = tensorType(p_.lhs, *types_.lhs, extents);
    rhs_ = tensorType(p_.rhs, *types_.rhs, extents);
    out_ = tensorType(p_.out, *types_.out, extents);
    std::string passedLhs = tensorType(p_.passedLhs(), *types_.lhs, extents),
                passedRhs = tensorType(p_.passedRhs(), *types_.rhs, extents),
                resultType = tensorType(p_.result(), *types_.out, extents);
    const char *fromLhs = p_.lhsSource ? "%lhss" : "%lhs",
               *fromRhs = p_.rhsSource ? "%rhss" : "%rhs";
    std::string arguments;
    auto argument = [&](const char* name, const std::string& type) {
      arguments +=
          (arguments.empty() ? "" : ", ") + std::string(name) + ": " + type;
    };
    if (!p_.lhs.isConstant) argument(fromLhs, passedLhs);
    if (!p_.rhs.isConstant) argument(fromRhs, passedRhs);
    if (p_.init == Init::kArgument) argument("%c", out_);
    if (p_.addend) argument("%b", tensorType(*p_.addend, *types_.out, extents));
    if (p_.zerosAreArguments) {
      if (p_.lhsZero) argument("%xz", types_.out->mlir);
      if (p_.rhsZero) argument("%yz", types_.out->mlir);
    }
    text_ = "func.func @" + p_.name + "(" + arguments + ") -> " + resultType +
            " {\n";
    if (p_.lhs.isConstant)
      constant(fromLhs, p_.passedLhs(), *types_.lhs, passedLhs);
    if (p_.rhs.isConstant)
      constant(fromRhs, p_.passedRhs(), *types_.rhs, passedRhs);
    if (p_.lhsSource)
      move("%lhs", fromLhs, *p_.lhsSource, p_.lhs, passedLhs, lhs_,
           *types_.lhs);
    if (p_.rhsSource)
      move("%rhs", fromRhs, *p_.rhsSource, p_.rhs, passedRhs, rhs_,
           *types_.rhs);
    std::string lhs = "%lhs", result = "%r";
    if (p_.negatesLhs) {
      lhs = "%nlhs";
      elementwise(lhs, "%lhs", p_.lhs, *types_.lhs, lhs_, /*isNegation=*/true);
    }
    std::string init = writeInit();
    writeOperation(lhs, init);
    if (p_.doublesOut || (p_.addend && !p_.addsFirst)) {
      result = "%d";
      elementwise(result, "%r", p_.out, *types_.out, out_,
                  /*isNegation=*/false);
    }
    if (!p_.transposedOut.empty()) {
      move("%moved", result, p_.out, p_.result(), out_, resultType,
           *types_.out);
      result = "%moved";
    }
    return text_ + "  return " + result + " : " + resultType + "\n}\n";
  }

 private:
  void line(const std::string& text) { text_ += "  " + text + "\n"; }

  void constant(const std::string& name, const ContractionOperand& operand,
                const Element& element, const std::string& type) {
    std::string hex;
    for (uint8_t byte :
         encodeValues(element, operandValues(p_, operand, /*call=*/0))) {
      const char* digits = "0123456789ABCDEF";
      hex += {digits[byte >> 4], digits[byte & 15]};
    }
    line(name + " = arith.constant dense<\"0x" + hex + "\"> : " + type);
  }

  // The value of a size of the tensor `name`.
  std::string dim(const std::string& name, const std::string& type, size_t i) {
    std::string index = "%i" + std::to_string(values_++);
    std::string size = "%s" + std::to_string(values_++);
    line(index + " = arith.constant " + std::to_string(i) + " : index");
    line(size + " = tensor.dim " + name + ", " + index + " : " + type);
    return size;
  }

  // The tensor `to` of what `from` has at the same letters, as an operation
  // that has a name where there is one.
  void move(const std::string& name, const std::string& source,
            const ContractionOperand& from, const ContractionOperand& to,
            const std::string& fromType, const std::string& toType,
            const Element& element) {
    std::string sizes, iterators, permutation;
    for (size_t i = 0; i < to.indices.size(); ++i) {
      size_t at = from.indices.find(to.indices[i]);
      if (to.isDynamic[i])
        sizes += (sizes.empty() ? "" : ", ") + dim(source, fromType, at);
      iterators += std::string(i ? ", " : "") + "\"parallel\"";
      permutation += (i ? ", " : "") + std::to_string(at);
    }
    empty(name + "d", sizes, toType);
    std::string operands = "ins(" + source + " : " + fromType + ") outs(" +
                           name + "d : " + toType + ")";
    if (from.indices.size() == to.indices.size() && !to.indices.empty()) {
      line(name + " = linalg.transpose " + operands + " permutation = [" +
           permutation + "]");
      return;
    }
    std::string e = element.mlir;
    line(name + " = linalg.generic {indexing_maps = [" +
         affineMap(to.indices, from.indices) + ", " +
         affineMap(to.indices, to.indices) + "], iterator_types = [" +
         iterators + "]} " + operands + " {");
    line("^bb0(%x: " + e + ", %o: " + e + "):");
    line("  linalg.yield %x : " + e);
    line("} -> " + toType);
  }

  void empty(const std::string& name, const std::string& sizes,
             const std::string& type) {
    line(name + " = tensor.empty(" + sizes + ") : " + type);
  }

  // -of, or what follows the contraction.
  void elementwise(const std::string& name, const std::string& of,
                   const ContractionOperand& operand, const Element& element,
                   const std::string& type, bool isNegation) {
    std::string sizes;
    for (size_t i = 0; i < operand.indices.size(); ++i)
      if (operand.isDynamic[i])
        sizes += (sizes.empty() ? "" : ", ") + dim(of, type, i);
    empty(name + "e", sizes, type);
    bool adds = !isNegation && p_.addend && !p_.addsFirst;
    std::string e = element.mlir;
    std::string map = affineMap(operand.indices, operand.indices), iterators;
    for (size_t i = 0; i < operand.indices.size(); ++i)
      iterators += std::string(i ? ", " : "") + "\"parallel\"";
    line(name + " = linalg.generic {indexing_maps = [" + map + ", " +
         (adds ? affineMap(operand.indices, p_.addend->indices) + ", " : "") +
         map + "], iterator_types = [" + iterators + "]} ins(" + of +
         (adds ? ", %b : " : " : ") + type +
         (adds ? ", " + tensorType(*p_.addend, element, p_.calls[0]) : "") +
         ") outs(" + name + "e : " + type + ") {");
    line("^bb0(%x: " + e + (adds ? ", %y: " + e : "") + ", %o: " + e + "):");
    bool isFloat = element.kind == Element::kFloat;
    std::string suffix = isFloat ? "f " : "i ", value = "%x";
    auto compute = [&](const std::string& result, const std::string& what) {
      line("  " + result + " = arith." + what + " : " + e);
      value = result;
    };
    if (isNegation && isFloat) {
      compute("%n", "negf %x");
    } else if (isNegation) {
      line("  %z = arith.constant 0 : " + e);
      compute("%n", "subi %z, %x");
    }
    if (!isNegation && p_.doublesOut) compute("%t", "add" + suffix + "%x, %x");
    if (adds) compute("%v", "add" + suffix + value + ", %y");
    line("  linalg.yield " + value + " : " + e);
    line("} -> " + type);
  }

  std::string writeInit() {
    const Element& element = *types_.out;
    if (p_.init == Init::kArgument) return "%c";
    if (p_.init == Init::kZeroConstant) {
      line("%z = arith.constant dense<" + literal(0, element) + "> : " + out_);
      return "%z";
    }
    std::string sizes;
    for (size_t i = 0; i < p_.out.indices.size(); ++i) {
      if (!p_.out.isDynamic[i]) continue;
      size_t at = p_.lhs.indices.find(p_.out.indices[i]);
      bool isLhs = at != std::string::npos;
      if (!isLhs) at = p_.rhs.indices.find(p_.out.indices[i]);
      sizes += (sizes.empty() ? "" : ", ") +
               dim(isLhs ? "%lhs" : "%rhs", isLhs ? lhs_ : rhs_, at);
    }
    empty("%e", sizes, out_);
    if (p_.addsFirst) {
      broadcast("%z", "%e");
      return "%z";
    }
    int value = p_.init == Init::kFill ? p_.fill : 0;
    line("%fill = arith.constant " + literal(value, element) + " : " +
         element.mlir);
    line(std::string("%z = linalg.fill ins(%fill : ") + element.mlir +
         ") outs(%e : " + out_ + ") -> " + out_);
    return "%z";
  }

  void broadcast(const std::string& name, const std::string& destination) {
    const Element& element = *types_.out;
    std::string iterators;
    for (size_t i = 0; i < p_.out.indices.size(); ++i)
      iterators += std::string(i ? ", " : "") + "\"parallel\"";
    line(name + " = linalg.generic {indexing_maps = [" +
         affineMap(p_.out.indices, p_.addend->indices) + ", " +
         affineMap(p_.out.indices, p_.out.indices) + "], iterator_types = [" +
         iterators +
         "]} ins(%b : " + tensorType(*p_.addend, element, p_.calls[0]) +
         ") outs(" + destination + " : " + out_ + ") {");
    std::string e = element.mlir;
    line("^bb0(%x: " + e + ", %o: " + e + "):");
    line("  linalg.yield %x : " + e);
    line("} -> " + out_);
  }

  void writeOperation(const std::string& lhs, const std::string& init) {
    std::string scalarMaps;
    if (p_.zerosAreArguments)
      for (const std::optional<int>& zero : {p_.lhsZero, p_.rhsZero})
        if (zero) scalarMaps += ", " + affineMap(p_.letters, "");
    std::string maps =
        "indexing_maps = [" +
        affineMap(p_.letters, p_.lhs.indices, p_.windows) + ", " +
        affineMap(p_.letters, p_.rhs.indices, p_.windows) + scalarMaps + ", " +
        affineMap(p_.letters, p_.out.indices) + "]";
    std::string zeros, zeroTypes, zeroElements;
    writeZeroPoint("%xz", p_.lhsZero, zeros, zeroTypes, zeroElements);
    writeZeroPoint("%yz", p_.rhsZero, zeros, zeroTypes, zeroElements);
    std::string operands = "ins(" + lhs + ", %rhs" + zeros + " : " + lhs_ +
                           ", " + rhs_ + zeroTypes + ") outs(" + init + " : " +
                           out_ + ")";
    if (p_.operation != "linalg.generic") {
      bool hasMaps = p_.operation == "linalg.contract" ||
                     p_.operation == "linalg.matmul" ||
                     p_.operation == "linalg.batch_matmul";
      line("%r = " + p_.operation + " " + (hasMaps ? maps + " " : "") +
           (p_.unsignedCast ? "{cast = #linalg.type_fn<cast_unsigned>} " : "") +
           operands + " -> " + out_);
      return;
    }
    std::string iterators;
    for (char letter : p_.letters)
      iterators += std::string(iterators.empty() ? "" : ", ") +
                   (p_.isReduced(letter) ? "\"reduction\"" : "\"parallel\"");
    line("%r = linalg.generic {" + maps + ", iterator_types = [" + iterators +
         "]} " + operands + " {");
    std::string out = types_.out->mlir;
    line(std::string("^bb0(%x: ") + types_.lhs->mlir +
         ", %y: " + types_.rhs->mlir + zeroElements + ", %o: " + out + "):");
    std::string x = widen("%x", *types_.lhs, p_.lhsZero),
                y = widen("%y", *types_.rhs, p_.rhsZero);
    std::string suffix = types_.out->kind == Element::kFloat ? "f " : "i ";
    line("  %p = arith.mul" + suffix +
         (p_.swapsFactors ? y + ", " + x : x + ", " + y) + " : " + out);
    line("  %s = arith.add" + suffix + (p_.swapsFactors ? "%p, %o" : "%o, %p") +
         " : " + out);
    line("  linalg.yield %s : " + out);
    line("} -> " + out_);
  }

  // As an operand of the operation, which the caller passes, or a constant that
  // the body finds outside.
  void writeZeroPoint(const std::string& name, const std::optional<int>& zero,
                      std::string& operands, std::string& types,
                      std::string& elements) {
    if (!zero) return;
    std::string type = types_.out->mlir;
    if (p_.zerosAreArguments) {
      operands += ", " + name;
      types += ", " + type;
      elements += ", " + name + "e: " + type;
    } else {
      line(name + "e = arith.constant " + std::to_string(*zero) + " : " + type);
    }
  }

  // An element as the result has them, without its zero point.
  std::string widen(const std::string& name, const Element& from,
                    const std::optional<int>& zero) {
    if (from.bits == types_.out->bits) return name;
    const char* op = from.kind == Element::kFloat    ? "extf"
                     : from.kind == Element::kSigned ? "extsi"
                                                     : "extui";
    line("  " + name + "w = arith." + op + " " + name + " : " + from.mlir +
         " to " + types_.out->mlir);
    if (!zero) return name + "w";
    line("  " + name + "d = arith.subi " + name + "w, " + name +
         "ze : " + types_.out->mlir);
    return name + "d";
  }

  const ContractionProgram& p_;
  const ContractionTypes& types_;
  std::string text_, lhs_, rhs_, out_;
  int values_ = 0;
};

}  // namespace

std::string ContractionProgram::text() const { return Writer(*this).write(); }

std::string ContractionProgram::describe() const {
  std::string text = lhs.indices + "," + rhs.indices + "->" + out.indices;
  for (auto [letter, window] : windows)
    text += std::string(", ") + letter + " = " + std::to_string(window.stride) +
            window.place + " + " + std::to_string(window.dilation) + window.tap;
  for (const auto* source : {&lhsSource, &rhsSource})
    if (*source)
      text += std::string(source == &lhsSource ? ", lhs" : ", rhs") + " from " +
              (*source)->indices;
  if (!transposedOut.empty()) text += ", then " + transposedOut;
  if (lhsZero || rhsZero) text += ", with zero points,";
  return text + " of " + types.name() + " as " + operation;
}

}  // namespace tilewright::testing
