#!/usr/bin/env python3
"""Lists, selects and counts test cases for tests/run.

A case is one case of a GoogleTest program (a meson test with protocol 'gtest') or one whole script. Meson itself counts
programs, and calls a program with skipped cases a success; this script looks inside.

    cases.py select BUILD FILTER          tests of a build folder with cases that match, one per line
    cases.py list BUILD FILTER            the cases themselves
    cases.py collect BUILD FLAVOUR FILE   reads the log of the last `meson test` and writes result lines to FILE
    cases.py sources BUILD                our C and C++ files that the build folder compiles
    cases.py summary TURN FILE...         adds result lines up; the last line is `N passed, N failed, N skipped`
    cases.py judge SCOPE FILE...          compares what the run cost with its budget (prices.py), as a result line
    cases.py renew SCOPE FILE...          the same, but writes what it cost into the table

A result line is `passed|failed|skipped <TAB> flavour <TAB> case <TAB> reason or time`; `left <TAB> flavour <TAB> test <TAB> suite` for a test
that tests/plan.py leaves to a longer run or, where only some run, to another TURN; `time <TAB> flavour <TAB> part <TAB> hundredths of a second
on the clock, and of processors`; `part <TAB> flavour <TAB> test <TAB> what a test has left to other turns, in its own words`; `suite <TAB> flavour <TAB> suite <TAB> seconds of processors that a test took`; `reference <TAB> flavour <TAB> part
<TAB> hundredths of a second that a compilation of the reference took`. FILTER is part of a name, or a GoogleTest filter where it holds any of * ? : ;
summary fails when a case failed or none ran.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import collections
import fnmatch
import json
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

sys.dont_write_bytecode = True  # the source folder stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "prices"))
import prices


def registered(build):
    return json.loads((pathlib.Path(build) / "meson-info" / "intro-tests.json").read_text())


def gtest_filter(text):
    if not text or any(c in text for c in "*?:"):
        return text or "*"
    return f"*{text}*"


def name_matches(name, text):
    positive = gtest_filter(text).split("-")[0]
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in positive.split(":"))


def gtest_cases(test, build, text):
    """Full names of a program's cases that match the filter."""
    command = test["cmd"] + ["--gtest_list_tests", f"--gtest_filter={gtest_filter(text)}"]
    run = subprocess.run(command, cwd=test["workdir"] or build, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{test['name']} cannot list its cases:\n{run.stdout}{run.stderr}")
    cases, suite = [], ""
    for line in run.stdout.splitlines():
        name = line.split("#")[0].rstrip()
        if name.startswith("  "):
            cases.append(suite + name.strip())
        elif name.endswith("."):
            suite = name
    return cases


def matching(build, text):
    """(test, its cases that match) for every registered test with any."""
    for test in registered(build):
        if test["protocol"] == "gtest":
            cases = gtest_cases(test, build, text)
            if cases:
                yield test, cases
        elif name_matches(test["name"], text):
            yield test, [test["name"]]


def select(build, text):
    for test, _ in matching(build, text):
        print(test["name"])


def list_cases(build, text):
    for test, cases in matching(build, text):
        for case in cases:
            print(case if case == test["name"] else f"{test['name']}: {case}")


def sources(build):
    root = pathlib.Path.cwd()
    commands = json.loads((pathlib.Path(build) / "compile_commands.json").read_text())
    files = {(pathlib.Path(command["directory"]) / command["file"]).resolve() for command in commands}
    for file in sorted(files):
        if file.is_relative_to(root) and not file.relative_to(root).parts[0].startswith("build"):
            print(file.relative_to(root))


def one_line(text):
    return " ".join(text.split())


def skip_reason(message):
    """GoogleTest puts a line `file:line` before the text that GTEST_SKIP() was given."""
    place, _, text = message.strip().partition("\n")
    return one_line(text) or f"no reason given at {place}"


def cases_of_xml(file):
    for case in ElementTree.parse(file).getroot().iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        skipped = case.find("skipped")
        if case.find("failure") is not None:
            yield "failed", name, one_line(case.find("failure").get("message", ""))[:200]
        elif skipped is not None:
            yield "skipped", name, skip_reason(skipped.text or skipped.get("message", ""))
        elif case.get("status") == "notrun":
            yield "skipped", name, "disabled in the source"
        else:
            yield "passed", name, case.get("time", "")


def unfinished_case(output):
    """The case a GoogleTest program was in when it died, or None."""
    begun = [line[13:].strip() for line in output.splitlines() if line.startswith("[ RUN      ] ")]
    if begun and not any(f"] {begun[-1]} (" in line for line in output.splitlines()):
        return begun[-1]
    return None


# Where the report of a sanitizer begins, or that of the handler in tests/crash.
LAST_WORDS = "ERROR: [A-Z][A-Za-z]+Sanitizer|WARNING: ThreadSanitizer|: runtime error: |Sanitizer: CHECK failed|^killed by |^terminate called"


def last_words(record):
    """What a program that died has said of it: the first lines of a sanitizer's report or of a backtrace, as one."""
    lines = [line.strip() for kind in ("stdout", "stderr") for line in (record.get(kind) or "").splitlines()]
    begins = [at for at, line in enumerate(lines) if re.search(LAST_WORDS, line)]
    return "".join(f"; {line}" for line in lines[begins[0] : begins[0] + 14] if line)[:1600] if begins else ""


def seconds(text):
    minutes, _, rest = text.rstrip("s").partition("m")
    return 60 * int(minutes) + float(rest)


# What measure.sh adds to the output of a test: the time of the shell, and of what it started.
MEASURED = re.compile(r"\n?processor time: \S+ \S+\n(\S+) (\S+)\n?")


def take_processor_time(record):
    """Takes what measure.sh said out of the record; seconds, 0 where the test was ended before it could say so."""
    spent = 0.0
    for kind in ("stdout", "stderr"):
        for user, system in MEASURED.findall(record.get(kind) or ""):
            spent += seconds(user) + seconds(system)
        if kind in record:
            record[kind] = MEASURED.sub("", record[kind] or "")
    return spent


def cases_of_program(record, test, build):
    """Result lines of one finished meson test."""
    name, result, output = test["name"], record["result"], record.get("stdout") or ""
    is_gtest = test["protocol"] == "gtest"
    cases = []
    if is_gtest:
        file = pathlib.Path(test["workdir"] or build) / f"{name}.xml"  # where meson tells GoogleTest to put it
        # A program that dies leaves no report, or the one of an earlier run.
        if file.exists() and file.stat().st_mtime >= record["starttime"] - 1:
            cases = [(outcome, f"{name}: {case}", why) for outcome, case, why in cases_of_xml(file)]
    if result in ("OK", "EXPECTEDFAIL"):
        if not is_gtest:
            cases.append(("passed", name, f"{record['duration']:.3f}"))
    elif result == "SKIP":
        lines = [line for line in output.splitlines() if line.strip()]
        cases.append(("skipped", name, one_line(lines[-1]) if lines else "no reason given"))
    elif not any(outcome == "failed" for outcome, _, _ in cases):
        # It failed outside its checks: a crash, a sanitizer's report, a time-out.
        case = unfinished_case(output) if is_gtest else None
        cases.append(("failed", f"{name}: {case}" if case else name, f"{result}, exit code {record['returncode']}{last_words(record)}"))
    return cases


def collect(build, flavour, file):
    tests = {test["name"]: test for test in registered(build)}
    (log,) = (pathlib.Path(build) / "meson-logs").glob("testlog*.json")  # meson adds the name of what wraps the tests
    with open(file, "a") as out:
        for line in log.read_text().splitlines():
            record = json.loads(line)
            test = tests[record["name"].rpartition(" / ")[2]]  # the log says `project:suite / name`
            spent = take_processor_time(record)
            for words in re.findall(r"^left to other turns: (.+)$", record.get("stdout") or "", re.M):
                out.write(f"part\t{flavour}\t{test['name']}\t{words}\n")
            for outcome, case, why in cases_of_program(record, test, build):
                out.write(f"{outcome}\t{flavour}\t{case}\t{why}\n")
            out.write(f"suite\t{flavour}\t{test['suite'][0].rpartition(':')[2]}\t{spent:.3f}\n")


def clock(seconds):
    return f"{int(seconds + 0.5) // 60}:{int(seconds + 0.5) % 60:02d}"


def print_times(times, suites):
    """How long each part took: by the clock, and in brackets the processors' time; of tests, each suite's processor time."""
    print("Time (processor time in brackets and of suites):")
    total = spent = 0
    for flavour, part, figures in times:
        wall, processors = (int(figure) / 100 for figure in figures.split())
        total, spent = total + (0 if part == "build ahead" else wall), spent + processors  # while tests ran, whose time is told
        if wall < 0.5:
            continue
        print(f"  {clock(wall):>6} ({clock(processors)})  {flavour}: {part}")
        if part == "tests":
            sums = collections.Counter()
            for each, suite, seconds in suites:
                if each == flavour:
                    sums[suite] += float(seconds)
            print("          " + ", ".join(f"{suite} {clock(seconds)}" for suite, seconds in sums.most_common()))
    print(f"  {clock(total):>6} ({clock(spent)})  all")


def print_left(turn, left, parts):
    """One line about what the plan leaves out, and what tests do by themselves."""
    counts = collections.Counter((flavour, suite) for flavour, _, suite in left)
    texts = [f"{count} {suite} ({flavour})" for (flavour, suite), count in sorted(counts.items())]
    text = ", ".join(texts + [f"{words} of {test} ({flavour})" for flavour, test, words in parts])
    print(f"Left to other turns or to --thorough: {text or 'nothing'}; --turn {turn} chooses as this run did.")


def results_of(files):
    results = collections.defaultdict(list)
    for file in files:
        for line in pathlib.Path(file).read_text().splitlines():
            outcome, flavour, case, why = line.split("\t", 3)
            results[outcome].append((flavour, case, why))
    return results


def prices_of(files):
    """What the run cost, by build and part, and the builds that it made."""
    results = results_of(files)
    times = [(build, part, int(figures.split()[1])) for build, part, figures in results["time"]]
    suites = [(build, suite, float(spent) * 100) for build, suite, spent in results["suite"]]
    builds = list(dict.fromkeys(build for build, part, _ in times if part == "build"))
    return prices.prices(times, suites, [int(spent) for _, _, spent in results["reference"]]), builds


def judge(scope, *files):
    now, builds = prices_of(files)
    kept, words = prices.judge(prices.TABLE, prices.kind(scope, builds), now)
    print("passed" if kept else "failed", "prices", "budget of processor time", words, sep="\t")


def renew(scope, *files):
    now, builds = prices_of(files)
    prices.renew(prices.TABLE, prices.kind(scope, builds), now)


def summary(turn, files):
    results = results_of(files)
    passed, failed, skipped = (results[outcome] for outcome in ("passed", "failed", "skipped"))
    print()
    if results["time"]:
        print_times(results["time"], results["suite"])
    for _, _, words in (case for case in passed if case[0] == "prices"):
        print(f"Price: {words}.")
    if skipped:
        print("Skipped:")
        reasons = collections.Counter(why for _, _, why in skipped)
        for why, count in sorted(reasons.items(), key=lambda item: (-item[1], item[0])):
            print(f"  {count:5d}  {why}")
    if failed:
        print("Failed:")
        for flavour, case, why in failed:
            print(f"  [{flavour}] {case}: {why}")
    if results["left"] or results["part"]:
        print_left(turn, results["left"], results["part"])
    if not passed and not failed:
        print("No test ran.")
    print(f"{len(passed)} passed, {len(failed)} failed, {len(skipped)} skipped")
    return 1 if failed or not passed else 0


def main(arguments):
    commands = {"select": select, "list": list_cases, "collect": collect, "sources": sources, "judge": judge, "renew": renew}
    if arguments and arguments[0] == "summary":
        return summary(arguments[1], arguments[2:])
    if not arguments or arguments[0] not in commands:
        sys.exit(__doc__)
    commands[arguments[0]](*arguments[1:])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
