#!/usr/bin/env python3
"""The defects that the tests must notice, each put into the library for one test (run.py does it).

Each takes away one thing that a program relies on without seeing it: a wait, a reference, an edge. mutation.py says what belongs to one, and
program_mutations.py has those of program files. Run as a program this prints the names.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import sys

sys.dont_write_bytecode = True  # the source folder stays as it is
import program_mutations  # noqa: E402
from mutation import Mutation  # noqa: E402

OPERATORS = "Conformance/Programs.OperatorsAndHostFunctions/cuda_async"
OF_RECORDING = {"program": "recording", "seeds": (1,)}
LIFETIMES = "Conformance/Lifetimes.TensorsComeAndGo/cuda_async"
WORKSPACES = "Conformance/Lifetimes.WorkspacesOnSeveralStreams/cuda_async"
LARGE = "Conformance/Lifetimes.LargeTensorsChangeStreams/cuda_async"
RECORDINGS = "Conformance/Lifetimes.RandomRecordings/cuda_async"

MUTATIONS = (
    # --- order on the device ---
    Mutation(
        name="wait_removed",
        breaks="a task that depends on one of another stream waits for it on the device",
        cases=OPERATORS,
    ),
    Mutation(
        name="wait_taken_for_an_earlier_one",
        part=r">= fence\.sequence",
        instead="> 0",
        breaks="a wait is left out only where the stream waits already for that task or a later one",
        cases=OPERATORS,
    ),
    Mutation(
        name="event_too_early",
        part=r"marker\.sequence >=",
        instead="marker.sequence + 2 >=",
        breaks="an event covers a task only if it was recorded after it",
        cases=OPERATORS,
    ),
    Mutation(
        name="event_reused_too_soon",
        part=r"^if",
        instead="""static std::mutex ring_lock;
  static auto* ring = new Ref<Event>[2];
  static unsigned turn = 0;
  const std::lock_guard ring_held(ring_lock);
  Ref<Event>& place = ring[turn++ % 2];
  fresh = place;
  if (!fresh) {
    void* made = nullptr;
    RONDO_TRY(device.event_create(false, &made));
    fresh = place = make_ref<Event>(device, made);
  } else if (true) {
  } else if""",
        breaks="an event is recorded again only when nobody relies on what it meant; here they come from a ring of two",
        cases=OPERATORS + ":" + RECORDINGS,
    ),
    Mutation(
        name="write_after_read_on_the_device",
        breaks="a writer comes after the readers before it",
        cases=OPERATORS,
    ),
    Mutation(
        name="readers_forgotten",
        breaks="a variable remembers who reads it on the device",
        cases=OPERATORS,
    ),
    # --- order on the host ---
    Mutation(
        name="write_after_read_on_the_host",
        breaks="a host task that writes comes after the tasks that read before it",
        cases="Conformance/Programs.HostFunctions/cuda_async",
    ),
    Mutation(
        name="host_task_before_the_device",
        breaks="a host task begins when the device has finished what it depends on",
        cases=OPERATORS,
    ),
    Mutation(
        name="wait_returns_at_the_launch",
        breaks="a wait returns when the device has finished, not when the task is launched",
        cases=LIFETIMES,
    ),
    Mutation(
        name="uses_without_the_readers",
        breaks="whoever may write behind Rondo's back is told to wait for those who read",
        program="tensors",
        cases="Conformance/Dlpack.AWriterOnTheStreamComesAfterReaders/cuda_async",
    ),
    Mutation(
        name="auxiliary_not_joined",
        part=r"beside\[i\]\.join\(.*\)",
        instead="Status()",
        breaks="what follows a task comes after what it has put into its auxiliary streams",
        program="engine",
        cases="Conformance/Auxiliaries.KeepTheOrderOfWhatIsAroundThem/cuda_async",
    ),
    Mutation(
        name="poison_stops",
        breaks="a task that reads what a failed task should have written is not run, and hands the failure on",
        cases="Conformance/Programs.WithFailures/cuda_async",
    ),
    # --- memory ---
    Mutation(
        name="memory_released_before_its_last_task",
        part=r"fences",
        instead="pinned_ ? fences : FenceSet()",
        breaks="the memory of a destroyed tensor is used again only after the tensor's last task",
        cases=OPERATORS,
    ),
    Mutation(
        name="staging_released_before_its_copy",
        part=r"fences",
        instead="pinned_ ? FenceSet() : fences",
        breaks="the host writes to a staging buffer only when the copy out of it is done",
        cases=LIFETIMES,
    ),
    Mutation(
        name="workspace_released_before_its_task",
        breaks="a task's workspace is used again, on another stream, only after the task",
        cases=WORKSPACES,
    ),
    Mutation(
        name="host_takes_busy_memory",
        breaks="memory that the host is given has no work of a device left on it",
        cases=LIFETIMES,
    ),
    Mutation(
        name="pool_reuse_without_its_fence",
        breaks="a block that changes streams is waited for on the device",
        cases=LARGE,
    ),
    Mutation(
        name="copy_past_the_end",
        part=r"bytes_",
        instead="bytes_ + 16",
        breaks="a copy touches the bytes of its tensor alone; what lies beside them in the block was never written",
        cases=RECORDINGS,
        endings=("reported",),
    ),
    Mutation(
        name="unwritten_part_left_as_it_was",
        breaks="what a task leaves unwritten of new memory is zero",
        program="engine",
        cases="Conformance/Stale.PartsOfATensorAreZero/cuda_async",
    ),
    Mutation(
        name="failed_task_leaves_memory_as_it_was",
        breaks="a task that fails leaves zeros in memory that it took and did not write",
        program="engine",
        cases="Conformance/Stale.WhatAFailedTaskTookIsZero/cuda_async",
    ),
    # --- graphs ---
    Mutation(
        name="temporary_left_as_it_was",
        breaks="what a task leaves unwritten of a temporary is zero in each launch",
        program="engine",
        cases="Conformance/Stale.PartsOfTemporariesAreZero/cuda_async",
    ),
    Mutation(
        name="part_written_before_the_zeros",
        breaks="new memory is zeroed before any part of it is written, on whatever branch",
        program="recording",
        cases="Conformance/Parts.HalvesOfNewMemoryKeepWhatIsWritten/cuda_async",
    ),
    Mutation(
        name="arena_released_early",
        breaks="a graph's arena stays until its last launch is done, also when the graph is destroyed",
        cases=RECORDINGS,
    ),
    Mutation(
        name="inputs_not_retained",
        breaks="a launch is ordered after what its inputs wait for, and keeps them",
        cases=RECORDINGS,
    ),
    Mutation(
        name="capture_edge_dropped",
        breaks="a task of a captured graph waits for its inputs from other branches",
        cases=RECORDINGS,
    ),
    Mutation(
        name="branch_not_joined",
        breaks="every branch of a capture comes back to the stream where it began",
        cases=RECORDINGS,
    ),
    Mutation(
        name="random_numbers_move_on_early",
        breaks="a graph moves the sequence of random numbers on when every branch has drawn its own",
        program="models",
        cases="Conformance/Random.GraphContinuesTheSequence/cuda_async_graph",
    ),
    Mutation(
        name="branches_are_uploaded",
        part=r" && graph->chain",
        breaks="no graph with branches is uploaded, over which drivers hang",
        program="recording",
        cases="Conformance/Recording.Branches/cuda_async",
        endings=("reported",),
    ),
    Mutation(
        name="choice_among_branches",
        part=r" && !in_chain\(segment\)",
        breaks="a graph with nodes that choose is a chain, as drivers hang over any other",
        program="recording",
        cases="Conformance/ControlChains.SideBySideWorkIsPutInAChain/cuda_async",
    ),
    Mutation(
        name="kernels_begin_at_once",
        breaks="a kernel that starts before the one before it has ended waits for that before it touches memory",
        program="recording",
        cases="Conformance/Programmatic.WriteAfterReadOfAnEarlierKernel/cuda_async",
        seeds=(1, 2),
    ),
    Mutation(
        name="early_read_of_what_is_written",
        part=r"EarlyReads::may_read\(product_\.b\.storage\)",
        instead="true",
        breaks="a product that starts early reads no weights that a task before it writes, before it waits for that",
        cases="Conformance/EarlyProducts.WeightsWrittenBeforeAreWaitedFor/cuda_async",
        **OF_RECORDING,
    ),
    Mutation(
        name="graph_on_one_branch",
        part=r"parallel\[index\] \? max_branches : 1",
        instead="1",
        breaks="tasks of a graph that do not depend on each other are on branches of their own",
        program="models",
        cases="Conformance/Softmax.Values/cuda_async_graph",
        seeds=(1,),
    ),
    Mutation(
        name="no_cost_of_branches",
        part=r"small\[i\] && joined_after\[i\]",
        instead="false",
        breaks="a task that is shorter than an edge between branches has none of its own",
        cases="Conformance/Recording.SmallTaskJoinedAtOnceHasNoBranch/cuda_async",
        **OF_RECORDING,
    ),
    Mutation(
        name="executables_stay_when_memory_is_short",
        part=r"!others_\.empty\(\) && shortages\(engine, device\) != shortages_",
        instead="false",
        breaks="executables are given up when the device's memory ran out",
        cases="Conformance/InTurn.ExecutablesAreGivenUpWhenMemoryRanOut/cuda_async",
        **OF_RECORDING,
    ),
    Mutation(
        name="executable_of_others",
        part=r"storage->address\(\) == addresses\[i\]",
        instead="true",
        breaks="an executable is launched for the addresses that its nodes have",
        cases="Conformance/InTurn.ReturningAddressesHaveAnExecutable/cuda_async",
        **OF_RECORDING,
    ),
    Mutation(
        name="stack_is_not_evenly_spaced",
        breaks="products that are made one lie evenly spaced",
        cases="Conformance/Batched.PartsOfOneResult/cuda_async",
        **OF_RECORDING,
    ),
    Mutation(
        name="launch_shared_with_what_it_waits_for",
        breaks="operators that share a launch do not depend on each other",
        cases="Conformance/Horizontal.PartsThatOverlapAreNotWrittenTogether/cuda_async",
        **OF_RECORDING,
    ),
    Mutation(
        name="copy_of_what_is_written_later",
        part=r"last_write_\[place\] < since",
        instead="true",
        breaks="a copy of what is written afterwards is made",
        cases="Conformance/Cse.CopiesOfWhatStaysAreNotMade/cuda_async",
        **OF_RECORDING,
    ),
    Mutation(
        name="part_of_a_concat_in_use",
        part=r"use\.node <= last",
        instead="false",
        breaks="a part of a concatenation is made in its place only where nothing else is written there",
        cases="Conformance/ConcatInPlace.PartsInUseKeepWhatTheyHold/cuda_async",
        **OF_RECORDING,
    ),
    Mutation(
        name="part_of_a_concat_fails",
        breaks="what a part of a concatenation is made by and read by fails only where it does in eager calls",
        cases="Conformance/ConcatInPlace.FailuresReachAsFarAsInEagerCalls/cpu_async",
        **OF_RECORDING,
        endings=("failed",),
    ),
    Mutation(
        name="call_keeps_an_address",
        part=r"!?same\b",
        instead="*known != &kNowhere",
        breaks="a call's kernels work on what that call was given",
        cases="Conformance/Patched.SameTensorsAgainAndOthersInBetween/cuda_async",
        **OF_RECORDING,
    ),
    Mutation(
        name="sum_in_another_order",
        breaks="a reduction that makes what it reduces itself combines it in the order in which it would have in memory",
        cases="Conformance/FusedRows.OperandsThatAreLoadedOtherwiseStayApart/cuda_async",
        **OF_RECORDING,
    ),
    Mutation(
        name="refused_reader_left_inside",
        breaks="what an operator reads that one kernel could not take too is in memory, whoever joins that kernel after it",
        cases="Conformance/Fused.ReadersThatAreRefusedFindTheirOperand/cpu_async",
        **OF_RECORDING,
        endings=("failed",),
    ),
    Mutation(
        name="write_after_read_in_a_graph",
        breaks="a task of a graph that writes comes after the tasks that read before it",
        cases=RECORDINGS,
    ),
    Mutation(
        name="temporaries_overlap_in_time",
        part=r" \|\| list\.back\(\) != i",
        instead="",
        breaks="two temporaries of a graph share memory only when one is dead before the other begins",
        cases=RECORDINGS,
    ),
    Mutation(
        name="operand_taken_over_early",
        breaks="a result takes the memory of an operand only when all that read it are done, on other branches too",
        cases=RECORDINGS,
    ),
    Mutation(
        name="temporaries_overlap_between_branches",
        breaks="a temporary takes memory only from those whose users, on all branches, come before it",
        cases=RECORDINGS,
    ),
    Mutation(
        name="output_taken_for_a_temporary",
        part=r"stays\(value\)",
        instead="(value.kept || storage->pinned())",
        breaks="what the user still holds has memory of its own, and is what the launch leaves there",
        cases=RECORDINGS,
    ),
    # --- weights packed once ---
    Mutation(
        name="written_weights_packed",
        part=r"written\.count\(&packs->weights\(\)\)",
        instead="false",
        breaks="a graph packs no weights that it writes itself, as it would read what they were before",
        cases="Conformance/PackedWeights.WeightsThatAGraphWritesAreNotPacked/cpu_async*",
        program="models",
        seeds=(1,),
    ),
    Mutation(
        name="weights_packed_inside",
        part=r"written\.count\(&task->weights\(\)\)",
        instead="false",
        breaks="a graph that another one launches reads weights as they lie if that one writes them",
        cases="Conformance/PackedWeights.GraphAroundThatWritesWeightsIsSeen/cpu_async*",
        program="models",
        seeds=(1,),
    ),
    Mutation(
        name="weights_packed_once_for_ever",
        part=r" \|\| version_ != version",
        instead="",
        breaks="weights that were written are packed again by the next launch",
        cases="Conformance/PackedWeights.WritesBetweenLaunchesAreSeen/cpu_async*",
        program="models",
        seeds=(1,),
    ),
    Mutation(
        name="packed_weights_of_other_groups",
        part=r" && group_ == matrix\.group",
        instead="",
        breaks="convolutions with the same kernels and other groups have packed copies of their own",
        cases="Conformance/PackedWeights.EachNumberOfGroupsHasItsOwnCopy/cpu_async*",
        program="models",
        seeds=(1,),
    ),
    # --- control flow ---
    Mutation(
        name="control_keeps_what_no_body_writes",
        part=r"kept && effect\.variable->storage\(\)",
        instead="false",
        breaks="what only some bodies write has contents before",
        cases="Conformance/ControlMisuse.WhatOneBodyWritesNeedsContents/cuda_async",
        **OF_RECORDING,
    ),
    Mutation(
        name="part_taken_for_the_whole",
        part=r" && !effect\.written",
        instead="",
        breaks="a body that has written a part of a tensor may read all of it",
        cases="Conformance/ControlMisuse.PartsThatEachBodyFillsAreContents/cuda_async",
        **OF_RECORDING,
    ),
    Mutation(
        name="smaller_body_decides",
        part=r"std::max",
        instead="std::min",
        breaks="the arena has room for the largest of the bodies of a node",
        program="recording",
        cases="Conformance/Control.MemoryOfBodiesIsTheArenas/cuda_async",
        endings=("failed", "reported", "crashed"),
    ),
    Mutation(
        name="wait_of_control_takes_a_worker",
        breaks="while a worker waits for a device in a body there is another one for other tasks",
        cases="Conformance/Control.WaitsForTheDeviceTakeNoWorker/cuda_async",
        **OF_RECORDING,
    ),
    Mutation(
        name="body_goes_on_before_the_device",
        breaks="what the host runs in a body comes after what a device does in it before",
        program="recording",
        cases="Conformance/Control.SegmentsOfABodyFollowEachOther/cuda_async",
    ),
    Mutation(
        name="control_ends_before_its_body",
        breaks="what follows a body comes after what a device does in it",
        program="recording",
        cases="Conformance/Control.WhatFollowsComesAfterTheDevice/cuda_async",
    ),
    # --- numbers that are checked ---
    Mutation(
        name="turn_not_counted",
        part=r"\(loop\)",
        instead="(loop && false)",
        breaks="the first NaN of a loop is that of its first turn, wherever in the body its operator is",
        cases="Conformance/Numbers.FirstTurnOfALoopIsNamed/cuda_async",
        **OF_RECORDING,
        endings=("failed",),
    ),
    Mutation(
        name="overwritten_before_it_is_checked",
        part=r"disturbs\(nodes\[i\]\)",
        instead="disturbs(nodes[i]) && false",
        breaks="a check that waits for others looks at a result before that is overwritten",
        cases="Conformance/Numbers.OverwrittenResultIsLookedAtBefore/cuda_async",
        **OF_RECORDING,
        endings=("failed",),
    ),
    Mutation(
        name="infinity_blamed_on_its_reader",
        part=r"return true",
        instead="return false",
        breaks="an operator that reads an infinity has not made the one in its result",
        cases="Conformance/Numbers.InfinitiesOfMasksAreNobodys/cuda_async",
        **OF_RECORDING,
        endings=("failed",),
    ),
    Mutation(
        name="calls_overlap_in_what_they_write",
        part=r"values_\.from_outside\(access\.variable\)",
        instead="false",
        breaks="calls that write tensors from outside come one after the other",
        program="recording",
        cases="Conformance/Overlap.WritersOfOuterTensorsStaySerial/cpu_threaded",
        endings=("failed",),
    ),
) + program_mutations.MUTATIONS

if __name__ == "__main__":
    print("\n".join(each.name for each in MUTATIONS))
