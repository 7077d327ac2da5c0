# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tool says of the tables that give the parts of tile names a meaning, and of cores."""

import functools
import json

from sources import run


class Tables:
    """What `tilewright list` prints. `tool` is the program."""

    def __init__(self, tool):
        self.tool = tool

    @functools.lru_cache(maxsize=None)
    def rows(self, subject):
        return json.loads(run([self.tool, "list", subject, "--json"]))

    @functools.cached_property
    def element_bits(self):
        return {row["name"]: row["bits"] for row in self.rows("elements")}

    @functools.cached_property
    def triples(self):
        """{"s8s8s32": ("s8", "s8", "s32"), …}"""
        return {row["name"]: (row["lhs"], row["rhs"], row["out"]) for row in self.rows("types")}

    @functools.cached_property
    def isa_features(self):
        """{"arm_64_i8mm": {"i8mm", "dotprod", "neon"}, …}, by LLVM's names."""
        return {row["name"]: {feature.removeprefix("+") for feature in row["features"].split(",") if feature}
                for row in self.rows("isas")}

    def cores(self, arch):
        """[(enumerator in cores.def, LLVM's name)] of an architecture, in the order of the table."""
        return [(row["enumerator"], row["name"]) for row in self.rows("cores") if row["arch"] == arch]

    @functools.cached_property
    def rated(self):
        """{name: row} of the instructions that core_rates.def may speak of."""
        return {row["name"]: row for row in self.rows("instructions") if row["rate"] == row["name"]}


def add_tool(parser):
    """The options that say which tool is asked."""
    parser.add_argument("--tilewright", help="the tool (default: BUILD_DIR/bin/tilewright)")


def tables_of(options):
    """The tables of the tool that the options say."""
    return Tables(options.tilewright or f"{options.build_dir}/bin/tilewright")
