# Part of Tilewright, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One tile function on one CPU: cycles per K step against what bounds them."""

from collections import Counter

from instructions import kind, signature
from loops import hot_loop, k_steps, recurrence, spills
from mca import LOOP, independent, loop_lines


class Body:
    """What a tile function's machine code says, for vectors of `vector_bits`."""

    def __init__(self, key, function, vector_bits):
        self.key, self.vector_bits = key, vector_bits
        self.loop = hot_loop(function, vector_bits)
        self.steps, self.part = k_steps(self.loop, key, vector_bits)
        self.spilled = spills(self.loop)
        # Every figure is per K step of the whole tile: a pass over a part of it counts in full
        # for that part, and multiplies beyond the products count as the time that they take.
        self.per_step = float(self.steps * min(self.part, 1))

    def counts(self):
        """Instructions per K step by kind, and the multiplies by signature."""
        kinds = Counter(kind(i) for i in self.loop.body)
        result = {name: round(kinds.get(name, 0) / self.per_step, 3)
                  for name in ("multiply", "load", "store", "vector", "scalar")}
        result["total"] = round(len(self.loop.body) / self.per_step, 3)
        return result

    def multiplies(self):
        return dict(sorted(Counter(signature(i) for i in self.loop.multiplies).items()))

    def as_json(self):
        result = {"k_steps_per_iteration": self.steps, "part": round(float(self.part), 4),
                  "instructions_per_k_step": self.counts(), "multiplies": self.multiplies(),
                  "spills": [i.text for i in self.spilled]}
        if not self.loop.straight:
            result["branches_inside"] = True
        return result


# Loads of consecutive vectors, as a loop would use them: (lines, bytes) for NEON and for SVE with
# vectors of `bits`. What loads cost at least is the cheapest of these.
NEON_LOADS = ((["ldr q0, [x0, #16]"], 16), (["ldp q0, q1, [x0, #32]"], 32),
              (["ld1 { v0.16b, v1.16b, v2.16b, v3.16b }, [x0], #64"], 64))
SVE_LOAD, SVE_REPLICATE = ["ld1w { z0.s }, p0/z, [x0, #1, mul vl]"], ["ld1rqw { z0.s }, p0/z, [x0]"]
# Loop control: a count and a branch; per iteration of four K steps.
CONTROL = 2 / 4


def prepare(machine, questions):
    """Asks for all questions at once, which llvm-mca answers sooner; judge() then finds it known."""
    machine.time([question.loop for question in questions], LOOP)
    machine.time([lines for question in questions for lines in question.sequences()])


class Question:
    """What llvm-mca is asked about one body, and the judgement of its answers."""

    def __init__(self, body, features):
        self.body, loop = body, body.loop
        self.direct = body.key.multiplies_directly(features)
        self.alone, self.alone_times = independent(loop.multiplies)
        vector = [i for i in loop.body if kind(i) in ("multiply", "vector")] or loop.multiplies
        self.vector, self.vector_times = independent(vector)
        loads = [line for i, line in zip(loop.body, loop_lines(loop)) if i.is_load]
        self.loop, self.loads = loop_lines(loop), loads or ["nop"]
        self.chain = [i.text for i in recurrence(loop)] or ["nop"]

    def sequences(self):
        needed = [SVE_LOAD, SVE_REPLICATE] if self.body.key.scalable else \
            [lines for lines, _ in NEON_LOADS]
        return [self.alone, self.vector, self.loads, self.chain, *needed]

    def _least(self, alone, needed):
        """Cycles per K step that the loads, and dispatching them and the multiplies, need."""
        lhs, rhs = (float(b) for b in self.body.key.step_bytes(self.body.vector_bits))
        if self.body.key.scalable:
            wide = self.body.vector_bits / 8
            counts = ((needed[0], rhs / wide if self.body.key.n0_scalable else 0),
                      (needed[0], lhs / wide if self.body.key.m0_scalable else 0),
                      (needed[1], 0 if self.body.key.n0_scalable else rhs / 16),
                      (needed[1], 0 if self.body.key.m0_scalable else lhs / 16))
            uops = sum(t.uops * n for t, n in counts)
            units = sum(t.resources * n for t, n in counts)
        else:
            each = [(t.uops / size, t.resources / size)
                    for t, (_, size) in zip(needed, NEON_LOADS)]
            uops = min(u for u, _ in each) * (lhs + rhs)
            units = min(c for _, c in each) * (lhs + rhs)
        multiplies = alone.uops / self.alone_times / self.body.per_step
        return max(units, (multiplies + uops + CONTROL) / alone.dispatch_width)

    def _reuse(self):
        """Multiplies per vector of the rhs panel. At most 1, as in a matrix-vector product: no
        vector of the rhs serves twice, so that it comes from memory as quickly as it is used."""
        _, rhs = self.body.key.step_bytes(self.body.vector_bits)
        vector_bytes = self.body.vector_bits / 8 if self.body.key.scalable else 16
        return len(self.body.loop.multiplies) / self.body.per_step / (float(rhs) / vector_bytes)

    def judge(self, machine):
        """The figures on one CPU, per K step; None if the model lacks an instruction.

        multiply_bound: the multiplies alone; vector_bound: with the other vector instructions;
        both with every result in a register of its own. load_bound: what the loop's loads occupy.
        unit_bound: the least that all units and the dispatch allow. `bound_by` says which bound
        the tile is judged by, `share` is that bound over the cycles:

          multiply   the multiplies take longer than loading and dispatching them has to
          convert    as multiply, but the ISA level has to convert the operands first
          chain      each K step rounds, so that it waits for the one before: what an accumulator
                     goes through from step to step
          load       all others, and those that use no vector of the rhs twice: `share` is then
                     that of the units' bound
        """
        loop, = machine.time([self.loop], LOOP)
        alone, vector, loads, one, *needed = machine.time(self.sequences())
        if loop is None or alone is None or vector is None or one is None:
            return None
        per_step = self.body.per_step
        cycles = loop.cycles / per_step
        multiply = alone.cycles / self.alone_times / per_step
        vectors = max(vector.cycles / self.vector_times / per_step, multiply)
        units = max(loop.resources / per_step, multiply)
        least, latency = self._least(alone, needed), 0.0
        if self.body.key.variant == "steprnd":
            latency = one.cycles / per_step
        work = multiply if self.direct else vectors
        if latency > work:
            by, bound = "chain", latency
        elif work <= least or self._reuse() <= 1:
            by, bound = "load", units
        elif not self.direct:
            by, bound = "convert", vectors
        else:
            by, bound = "multiply", multiply
        m0, n0, k0 = self.body.key.sizes(self.body.vector_bits)
        figures = {"cycles": cycles, "multiply_bound": multiply, "vector_bound": vectors,
                   "load_bound": loads.resources / per_step if self.loads != ["nop"] else 0.0,
                   "unit_bound": units, "least": least, "bound": bound, "share": bound / cycles,
                   "products_per_cycle": m0 * n0 * k0 / cycles}
        return {**{name: round(value, 4) for name, value in figures.items()}, "bound_by": by,
                "busiest": loop.units}
