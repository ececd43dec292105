#!/bin/bash
# Everything that needs a GPU, in one go, from the repository root: the tests on cuda, compute-sanitizer over the conformance
# suite, the examples, and the benchmark table.
#
#   tests/bench/gpu.sh [BUILD] [STEP...]
#
# BUILD: a folder with a finished build of this tree (made elsewhere, if this machine has no GoogleTest); without it the
# tree is built in build-gpu. STEP: some of compile info kernels conformance layouts programs large stress digits bench memcheck racecheck; without one, all
# of these. networks (minutes: ResNet-50 beside PyTorch), operators (large ones), prepare (compiling) and load (graphs without end, by eight processes at once: what drivers stand still over), files (whole networks as program files, in the languages that there are) and starts (of such a file) run only when they are named; rust and java run only when they are named: they need the folder that packaging/gpu-kit makes, and no build.
# Ends with a summary of at most 80 lines; exits 1 if a step failed. Each step has a limit of its own, so that one that hangs
# does not take the others' turn. From the environment:
#   OUT          folder to put the summary, all logs packed, the table as JSON and the picture into, besides build-gpu/logs
#   GPU_SECONDS  limit of the whole (470)
#   GPU_FILTER   GoogleTest filter of the suites (all of conformance and stress; cuda cases under compute-sanitizer)
#   GPU_SHARDS   processes that share each conformance program under compute-sanitizer (as many as make 70 in all: each takes a gigabyte of the GPU)
#   LAYOUTS_SECONDS  how long layouts are tried (75)
#   LOAD_SECONDS  of each piece of the load (20)
#   PROGRAMS     how many programs by chance each of sixteen processes fuses and compares (40)
#   NETWORKS     which networks the step files takes (all)
#   DEVICE       where rust, java, service, files and starts run (cuda:0)
#
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0
set -u
cd "$(dirname "$0")/../.." || exit 2

build='build-gpu'
prebuilt=no
if [ $# -gt 0 ] && [ -d "$1" ]; then
  build=${1%/}
  prebuilt=yes
  shift
fi
all="compile info kernels conformance layouts programs large stress digits bench memcheck racecheck"
named="rust java service comm networks operators prepare load files starts"
steps=${*:-$all}
for step in $steps; do
  case " $all $named " in
    *" $step "*) ;;
    *) echo "gpu.sh: no step '$step' and no such folder; steps are: $all; $named" >&2; exit 2 ;;
  esac
done

logs=build-gpu/logs
rm -rf "$logs"
mkdir -p "$logs"
deadline=$((SECONDS + ${GPU_SECONDS:-470}))
lines=()
failed=0

# run NAME LIMIT COMMAND...: COMMAND within LIMIT seconds and the whole's deadline, its output in $logs/NAME.log.
run() {
  local name=$1 limit=$2 left=$((deadline - SECONDS)) begin=$SECONDS code
  shift 2
  if [ "$left" -lt 5 ]; then
    lines+=("$(printf '%-12s not run: the time was up' "$name")")
    failed=1
    return 1
  fi
  [ "$left" -lt "$limit" ] && limit=$left
  timeout -k 5 "$limit" "$@" >"$logs/$name.log" 2>&1
  code=$?
  local word=ok
  if [ $code -eq 124 ] || [ $code -eq 137 ]; then
    word="TIMED OUT"
  elif [ $code -ne 0 ]; then
    word="FAILED ($code)"
  fi
  [ $code -ne 0 ] && failed=1
  lines+=("$(printf '%-12s %-12s %4d s' "$name" "$word" $((SECONDS - begin)))")
  return $code
}

# tell NAME N [PATTERN]: adds the last N lines of a log (that match PATTERN) to the summary, each cut to a fair length.
tell() {
  local line
  while IFS= read -r line; do
    lines+=("    ${line:0:170}")
  done < <(grep -E -- "${3:-.}" "$logs/$1.log" 2>/dev/null | tail -n "$2")
}

# The programs of a suite, wherever the build put them.
programs() {
  find "$build" -type f -name "$1*" -perm -u+x -path "*tests/$1/*" 2>/dev/null | sort
}

# Copies its input, each frame of a stack (tests/crash/report.cc) with the function that it is in.
named() {
  local line
  while IFS= read -r line; do
    printf '%s\n' "$line"
    [[ ! $line =~ ^([^ \(]+)\(\+(0x[0-9a-f]+)\) ]] || addr2line -Cfpe "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
  done
}
export -f named

# together N COMMAND... -- PROGRAM...: every GoogleTest program at once, its tests shared by N processes, each run by COMMAND.
# Fails if one of them does; what each said is printed in one piece.
together() {
  local n=$1 command=() programs=() pids=() code=0 program i at
  shift
  while [ "$1" != -- ]; do
    command+=("$1")
    shift
  done
  shift
  programs=("$@")
  at=$(mktemp -d)
  part_of() { echo "$(basename "${programs[$1 / n]}"), part $(($1 % n + 1)) of $n"; }
  late() { # out of time: show what there is, and who is to blame
    for i in "${!pids[@]}"; do
      ! kill -0 "${pids[i]}" 2>/dev/null || echo "$(part_of "$i"): FAILED with no end in time"
    done
    cat "$at"/*
    exit 124
  }
  trap late TERM
  for program in "$@"; do
    for ((i = 0; i < n; i++)); do
      GTEST_TOTAL_SHARDS=$n GTEST_SHARD_INDEX=$i "${command[@]}" "$program" --gtest_brief=1 >"$at/${#pids[@]}" 2>&1 &
      pids+=($!)
    done
  done
  for i in "${!pids[@]}"; do
    wait "${pids[i]}" || { code=$? && echo "$(part_of "$i"): FAILED with status $code"; }
    named <"$at/$i"
  done
  rm -r "$at"
  return "$code"
}
export -f together

# test_suite STEP SUITE LIMIT N COMMAND...: the programs of a suite (but those that WITHOUT matches), each in N processes run by COMMAND.
test_suite() {
  local step=$1 limit=$3 n=$4 found
  mapfile -t found < <(programs "$2" | grep -v "${WITHOUT:-^$}")
  shift 4
  if [ ${#found[@]} -eq 0 ]; then
    lines+=("$(printf '%-12s not run: no program of it in %s' "$step" "$build")")
    failed=1
    return
  fi
  run "$step" "$limit" bash -c 'together "$@"' together "$n" "$@" -- "${found[@]}"
  local code=$?
  lines+=("    $(tally "$step")")
  [ $code -ne 0 ] && tell "$step" 10 'FAILED with|^killed by|^\[  FAILED|Failure$|========= (Invalid|Error|Race|Program)|terminate'
}

# Sums what the programs of a step counted.
tally() {
  awk '/^\[  PASSED  \]/ { passed += $4 } /^\[  SKIPPED \] [0-9]+ test/ { skipped += $4 }
       /^\[  FAILED  \] [0-9]+ test/ { failed += $4 } /ERROR SUMMARY: [0-9]+/ { errors += $4; checked++ }
       /RACECHECK SUMMARY: [0-9]+/ { errors += $4; checked++ }
       END {
         printf "%d passed, %d failed, %d skipped", passed, failed, skipped
         if (checked) printf "; %d errors reported by compute-sanitizer in %d processes", errors, checked
       }' "$logs/$1.log"
}

# sanitize TOOL CASES: those cases of the conformance suite under compute-sanitizer. It cannot follow a fork, and the child
# processes that GoogleTest starts for the two cases of leaving a process wait in the sanitizer's own library during cuInit.
sanitize() {
  if [ -z "$sanitizer" ]; then
    lines+=("$(printf '%-12s not run: compute-sanitizer is not installed' "$1")")
    failed=1
    return
  fi
  local tool=$1 parts=$((70 / ($(programs conformance | wc -l) + 1) + 1)) own=()
  # Calls that fail on purpose are the suite's to judge; kernels of cuDNN are not ours to mend: its filter gradient in f32
  # (wgrad_alg1_engine, cuDNN 9) reads up to some hundred bytes behind a small image, and uses nothing of it.
  [ "$tool" = memcheck ] && own=(--report-api-errors no --kernel-name-exclude kns=cudnn --kernel-name-exclude kns=wgrad_alg1)
  # Communicators of one GPU make no call that the sanitizer could attend, and it takes the place of the profiler that ranges are shown to.
  local alone=/conformance_ranges$
  [ "$(nvidia-smi -L 2>/dev/null | wc -l)" -lt 2 ] && alone='/conformance_\(comm\|ranges\)$'
  # under STEP PROGRAMS-LEFT-OUT LIMIT N FILTER: those programs, each in N processes of the tool.
  under() {
    WITHOUT=$2 GTEST_FILTER=$5 RONDO_TEST_QUICK=1 test_suite "$1" conformance "$3" "$4" "$sanitizer" --tool "$tool" "${own[@]}" --error-exitcode 99
  }
  if [ -n "${GPU_FILTER:-}" ]; then
    under "$tool" "$alone" 240 "${GPU_SHARDS:-$parts}" "$GPU_FILTER"
    return
  fi
  # Graphs with conditional nodes have processes of their own: in one that has made many other graphs the tool loses the device
  # over them, without a report.
  local name choosing=()
  for name in 'Control*' Common.WhatOthersWriteIsReadAnew Profile.BodiesAre Sites.BodiesAnd; do choosing+=("*/$name$2"); done
  choosing=$(IFS=: && echo "${choosing[*]}")
  under "$tool" "$alone" 240 "${GPU_SHARDS:-$parts}" "$2:-*Fork*:*ExitWithoutDestroying*:*EngineInAStaticObject*:$choosing"
  under "$tool-choosing" 'conformance_\([a-qs-z]\|ra\|recom\|recu\)' 120 40 "$choosing"
}

# trained NAME COMMAND...: digits on the device and on the cpu, whose parameters may differ by what sums and exponentials round; those
# on the device are the same, bit for bit, whatever language trained them.
trained() {
  local name=$1 on=${DEVICE//:/} code=0
  local options=(--epochs 2 --batch 32 --data examples/data/digits.bin --parameters)
  shift
  "$@" --device "$DEVICE" "${options[@]}" "$logs/$name-$on.safetensors" || code=1
  "$@" --device cpu "${options[@]}" "$logs/$name-cpu.safetensors" || code=1
  python3 tests/bench/parameters.py 1e-3 "$logs/$name-cpu.safetensors" "$logs/$name-$on.safetensors" || code=1
  python3 tests/bench/parameters.py 0 "$logs/$name-$on.safetensors" "$logs"/*-"$on.safetensors" || code=1
  return $code
}

# The Rust examples: a kernel of their own, threads that serve, training.
rust_examples() {
  local code=0
  carry/rust/cuda_task "$DEVICE" || code=1
  carry/rust/serve "$DEVICE" 20 || code=1
  carry/rust/callable "$DEVICE" || code=1
  trained rust carry/rust/digits || code=1
  carry/rust/dlrm "$DEVICE" || code=1
  carry/rust/bert --device "$DEVICE" --text LICENSE || code=1
  return $code
}

# The Java examples, from the jars, by the runtime image.
java_examples() {
  local code=0 vm=(carry/java/runtime/bin/java -cp 'carry/java/lib/*:carry/java/classes')
  "${vm[@]}" Hello || code=1
  trained java "${vm[@]}" Digits || code=1
  "${vm[@]}" Dlrm "$DEVICE" || code=1
  "${vm[@]}" Bert --device "$DEVICE" --text LICENSE || code=1
  return $code
}
# The Java service: its model is trained there, its answers are the cpu's.
service_example() {
  local vm=(carry/java/runtime/bin/java -cp 'carry/java/service/*:carry/java/lib/*:carry/java/classes')
  "${vm[@]}" Digits --device "$DEVICE" --epochs 10 --data examples/data/digits.bin --parameters "$logs/model.safetensors" || return
  python3 tests/bench/service.py "$DEVICE" "$logs/model.safetensors" "${vm[@]}" dev.rondo.examples.service.Main
}
# Between two GPUs: all-reduce in one process, in two, and PyTorch's; a data-parallel step, and PyTorch's.
comm_rows() {
  local code=0
  export NCCL_NVLS_ENABLE=0 # no multicast, so that both use the same wires
  export RONDO_NCCL=${RONDO_NCCL:-$(python3 -c 'import nvidia.nccl as n; print(list(n.__path__)[0] + "/lib/libnccl.so.2")' 2>/dev/null)}
  "$build/tests/bench/comm" || code=1
  "$build/tests/bench/comm" --processes || code=1
  timeout 60 python3 tests/bench/peers/comm_torch.py || code=1
  "$build/src/rondo" launch -n 2 "$build/tests/bench/parallel" --trace "$logs/parallel.json" || code=1
  timeout 90 python3 tests/bench/peers/parallel_torch.py || code=1
  return $code
}
# Whole networks of the examples, saved there and called in C, C++ and what else is there; each is compared with its operators at sizes 1 to 64.
whole_files() {
  local name code=0 pids=() others=() vm=(carry/java/runtime/bin/java -cp 'carry/java/lib/*:carry/java/classes')
  local sequences=("$build/examples/cpp/sequences_cpp")
  export RONDO_TRIAL_MS=0 RONDO_EXAMPLE_SIZES=${RONDO_EXAMPLE_SIZES:-64}
  if [ -d carry/java/native ]; then # made without a portable build: what is there uses the library of this one
    vm+=(-Ddev.rondo.native.path="$PWD/carry/java/native")
    export LD_LIBRARY_PATH="$PWD/$build/src${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
  fi
  [ -x carry/rust/run_file ] && others+=(-- carry/rust/run_file)
  [ -x "${vm[0]}" ] && others+=(-- "${vm[@]}" RunFile)
  for name in ${NETWORKS:-digits resnet50 photographs bert sentences dlrm}; do
    python3 tests/examples/networks.py --whole --only "$name" "$DEVICE" "$build" "${others[@]}" >"$logs/whole-$name.log" 2>&1 &
    pids+=($!)
  done
  python3 tests/examples/sequences.py "$DEVICE" "${sequences[@]}" || code=1
  [ -x carry/rust/sequences ] && { python3 tests/examples/sequences.py "$DEVICE" "${sequences[@]}" carry/rust/sequences || code=1; }
  [ -x "${vm[0]}" ] && { python3 tests/examples/sequences.py "$DEVICE" "${sequences[@]}" "${vm[@]}" Sequences || code=1; }
  for name in "${pids[@]}"; do wait "$name" || code=1; done
  tail -n 5 "$logs"/whole-*.log
  return $code
}
# The start of a program file beside a bare program, what looking for the first NaN costs, and packs: tests/bench/programs.py.
file_starts() {
  local name code=0 runs=${RUNS:-10}
  export RONDO_EXAMPLE_SIZES=1
  for name in sentences photographs; do
    RONDO_TRIAL_MS=0 python3 tests/examples/networks.py --whole --only "$name" --keep "$logs/files" "$DEVICE" "$build" "$build/examples/cpp/run_file_cpp" || code=1
  done
  for name in sentences photographs; do
    RONDO_TRIAL_TOTAL_MS=600000 python3 tests/bench/programs.py "$build/src/rondo" "$build/src/librondo.so" "$logs/files/$name.safetensors" "$runs" "$DEVICE" "$build/tests/bench/bare" || code=1
  done
  rm -r "$logs/files"
  return $code
}
export DEVICE=${DEVICE:-cuda:0} logs build
export -f trained rust_examples java_examples service_example comm_rows whole_files file_starts

sanitizer=$(command -v compute-sanitizer || find /usr/local/cuda*/bin /opt/nvidia -name compute-sanitizer 2>/dev/null | head -n 1)

for step in $steps; do
  case $step in
    compile)
      [ $prebuilt = yes ] && continue
      build_tree() {
        [ -f "$1/build.ninja" ] || meson setup "$1" --buildtype=release || return
        ninja -C "$1"
      }
      export -f build_tree
      run compile 150 bash -c 'build_tree "$@"' build_tree "$build" || tell compile 8 'error|ERROR|FAILED|warning'
      ;;
    info)
      run info 20 nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
      tell info 4
      ;;
    kernels)
      # All operators' kernels, by every processor, into the cache, where each mode of the suite finds them: a mode compiles one after the other.
      GTEST_FILTER='*cuda_async_eager*' run kernels 200 bash -c 'together "$@"' together "$(nproc)" env -- "$build/tests/conformance/conformance_operators"
      lines+=("    $(tally kernels)")
      ;;
    conformance | stress)
      GTEST_FILTER=${GPU_FILTER:-*} test_suite "$step" "$step" 300 4 env RONDO_TEST_CASE_S=60
      ;;
    layouts) # of convolutions: every combination, then others by chance, with the first engine that works
      RONDO_TRIAL_MS=0 RONDO_TEST_LAYOUTS_S=${LAYOUTS_SECONDS:-75} run layouts $((${LAYOUTS_SECONDS:-75} + 45)) \
        "$build/tests/conformance/conformance_convolution" --gtest_filter='*ConvolutionLayouts*cuda_async_eager' --gtest_brief=1
      lines+=("    $(tally layouts)")
      tell layouts 2 'combinations$|by chance$'
      ;;
    programs) # by chance, recorded with all passes and as written, and run eagerly
      fused_programs() {
        local pids=() code=0 i
        for i in {1..16}; do
          RONDO_TEST_SHARE=$i RONDO_TEST_PROGRAMS=${PROGRAMS:-40} "$build/tests/conformance/conformance_recording" \
            --gtest_filter='*Fused.ProgramsByChance*cuda_async' --gtest_brief=1 &
          pids+=($!)
        done
        for i in "${pids[@]}"; do wait "$i" || code=1; done
        return $code
      }
      export -f fused_programs
      run programs 200 bash -c fused_programs
      lines+=("    $(tally programs) of ${PROGRAMS:-40} programs each")
      tell programs 6 'seed|Failure$'
      ;;
    large) # sums of 2^28 elements
      run large 90 "$build/tests/conformance/large" --gtest_filter='*cuda*' --gtest_brief=1
      lines+=("    $(tally large)")
      ;;
    memcheck) sanitize memcheck '*cuda*' ;;
    # Races are inside kernels, which are the same in every mode; one mode is enough, and this tool is slow.
    racecheck) sanitize racecheck '*cuda_async*' ;;
    digits)
      run digits 45 "$build/examples/c/digits" --device cuda:0 --out "$logs/digits.svg"
      tell digits 6 'graph:|arena|accuracy  |time per step|parameters|: RONDO_'
      ;;
    rust | java)
      run "$step" 120 bash -c "${step}_examples"
      tell "$step" 14 'graph:|launches on|furthest|answers on|accuracy  |time per step|parameters|f32|: RONDO_|rror'
      ;;
    files)
      run files 420 bash -c whole_files
      tell files 30 'same bits|other bits|rror|from a cpu|exits'
      ;;
    starts)
      run starts 300 bash -c file_starts
      tell starts 24
      ;;
    service)
      run service 90 bash -c service_example
      tell service 8 '^service|rror'
      ;;
    comm)
      run comm 200 bash -c comm_rows
      tell comm 70
      ;;
    prepare)
      run prepare 60 "$build/tests/bench/prepare"
      tell prepare 6
      ;;
    load) # docs/driver-faults.md: each piece by itself, for a driver that stands still over one says which
      loaded() { # PIECE
        local pids=() code=0 each i at
        at=$(mktemp -d)
        for i in {1..8}; do
          "$build/tests/stress/load" "$1" --seconds "${LOAD_SECONDS:-20}" --threads 4 --seed $i >"$at/$i" 2>&1 &
          pids+=($!)
        done
        for each in "${pids[@]}"; do
          wait "$each" || { i=$?; [ $i -eq 77 ] || code=1; }
        done
        cat "$at"/*
        rm -r "$at"
        return $code
      }
      export -f loaded
      for piece in choices branches calls gradients ranks; do
        run "load-$piece" $((${LOAD_SECONDS:-20} + 60)) bash -c "loaded $piece"
        lines+=("    $(awk '/ fine$/ { fine++; launches += $(NF - 2) } END { printf "%d of 8 processes ended well, with %d launches", fine, launches }' "$logs/load-$piece.log")")
        tell "load-$piece" 4 'stands still|wrong|rondo_|not run'
      done
      ;;
    networks)
      # All networks are of one process here, which has time to try the engines of each.
      RONDO_TRIAL_TOTAL_MS=600000 run networks 440 "$build/tests/bench/bench" --device cuda:0 --networks --json "$logs/networks.json"
      tell networks 30 '   |cannot run|prepared in|^bench:|^torch|rondo_'
      ;;
    operators)
      run operators 420 "$build/tests/bench/bench" --device cuda:0 --operators --json "$logs/operators.json"
      tell operators 46 '   |cannot run|^bench:|^torch|without '
      RONDO_BACKWARD_STREAMS=never run one-by-one 60 "$build/tests/bench/bench" --device cuda:0 --operators --filter backward --peers no
      tell one-by-one 7 'both gradients'
      ;;
    bench)
      run bench 150 "$build/tests/bench/bench" --device cuda:0 --json "$logs/bench.json"
      tell bench 36 '   |cannot run|^bench:|^torch|^cupy'
      ;;
  esac
done

{
  echo "--- summary ($SECONDS s; logs in $logs)"
  printf '%s\n' "${lines[@]}" | head -n 78
} | tee "$logs/summary.txt"
if [ -n "${OUT:-}" ]; then
  tar czf "$OUT/logs.tar.gz" -C "$logs" .
  for file in summary.txt bench.json operators.json networks.json digits.svg; do
    [ -f "$logs/$file" ] && cp "$logs/$file" "$OUT"
  done
fi
exit $failed
