// RUN: tw-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{there is no stage 'load'; expected read, compute or write}}
tw.stage_boundary after load

// -----

// expected-error @below {{priority 4 is not in 0..3}}
tw.stage_boundary after read priority 4

// -----

// expected-error @below {{'interleave' orders the stage's instructions, which 'allow' lets leave the stage: one of them}}
tw.stage_boundary after read allow [#tw.instructions<matrix>] interleave [#tw.group<matrix, 1>]

// -----

// expected-error @below {{a group of no instructions}}
tw.stage_boundary after read interleave [#tw.group<matrix, 0>]

// -----

// expected-error @below {{expected a number of pending reads >= 0}}
tw.await_reads -1

// -----

// expected-error @below {{tw.stage: expected #tw.stage<...>}}
func.func private @mark() attributes {tw.stage = "read"}

// -----

// expected-error @below {{tw.stages is for scf.for}}
func.func private @no_loop() attributes {tw.stages = 2}

// -----

// expected-error @below {{tw.workgroup_memory is for gpu.barrier}}
func.func private @no_barrier() attributes {tw.workgroup_memory}

// -----

func.func @boundaries(%n: index) {
  // expected-error @below {{tw.boundaries: boundaries are after read and compute, not 'write'}}
  scf.for %k = %n to %n step %n {
  } {tw.boundaries = {write = {}}}
  return
}

// -----

func.func @controls(%n: index) {
  // expected-error @below {{tw.boundaries: a boundary has allow, interleave and priority, not 'prio'}}
  scf.for %k = %n to %n step %n {
  } {tw.boundaries = {read = {prio = 1}}}
  return
}

// -----

func.func @stages(%n: index) {
  // expected-error @below {{tw.stages: expected an integer}}
  scf.for %k = %n to %n step %n {
  } {tw.stages = "two"}
  return
}
