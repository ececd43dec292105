#!/usr/bin/env python3
"""Builds the Java library with Maven and runs its tests. Fails on any report of -Xcheck:jni.

    maven.py cpu SOURCE_ROOT BUILD_ROOT C_DIGITS C_DLRM C_BERT [C_DIGITS_PARALLEL RONDO]
    maven.py newer SOURCE_ROOT BUILD_ROOT
    maven.py simulated SOURCE_ROOT BUILD_ROOT

The first runs all tests on the cpu, then the examples as their users do, from the jars: the
trainings must end with the parameters of the same trainings in C, bit for bit. The last two are for the training on several ranks,
started by the command rondo. The second runs the tests on the newest JDK here, if that is newer than the oldest one that Rondo takes. The
third runs the tests of devices and the examples for them on the simulated driver that the environment names.

Skipped (77) where there is no Maven, or no newer JDK. Maven fetches its plugins and JUnit once, into the user's repository.
"""
# Copyright 2026 the Rondo developers. SPDX-License-Identifier: Apache-2.0

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

# What the virtual machine prints about native methods that break a rule.
JNI_REPORT = re.compile(r"(?:WARNING|FATAL ERROR) in native method|WARNING: JNI local refs|Warning: SIG|# A fatal error has been")
SHORT = os.environ.get("MAVEN_OPTS", "").split()  # options of virtual machines that end soon
SETTINGS = [name for name in os.environ if name.startswith(("RONDO_", "SIMCUDA_")) and name != "RONDO_TEST_LOAD_SECONDS"]


def jdks():
    """Homes of JDKs on this machine besides the one Maven takes, by version."""
    found = {}
    for home in pathlib.Path("/usr/lib/jvm").glob("*"):
        release = home / "release"
        if (home / "bin/java").exists() and release.is_file() and not home.is_symlink():
            version = re.search(r'^JAVA_VERSION="(\d+)', release.read_text(), re.MULTILINE)
            if version:
                found[int(version[1])] = home
    return found


def maven(root, build, place, name, environment, *arguments):
    """Runs Maven, which leaves what it makes in this place; its output is kept in the build folder, and shown if it fails."""
    target = place / "target"
    command = ["mvn", "-B", "-C", "-ntp", "-f", f"{root}/bindings/java", f"-Drondo.build={build}", f"-Drondo.target={target}",
               f"-Drondo.natives={place}/natives", *arguments]
    run = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment,
                         stdin=subprocess.DEVNULL, errors="replace")
    pathlib.Path(build, f"bindings/java/{name}.log").write_text(run.stdout)
    problems = [line for line in run.stdout.splitlines() if JNI_REPORT.search(line)]
    if target.is_dir():
        for stream in target.glob("surefire-reports/*.dumpstream"):
            problems += [line for line in stream.read_text(errors="replace").splitlines() if JNI_REPORT.search(line)]
            stream.unlink()
    totals = re.findall(r"^(?:\[\w+\] )?Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)\s*$", run.stdout, re.MULTILINE)
    print(f"{name}: " + (", ".join(f"{n} {what}" for n, what in zip(totals[-1], ("run", "failed", "broken", "skipped"))) if totals
                         else "no tests"))
    if run.returncode != 0 or problems or not totals or totals[-1][0] == "0":
        shown = [line for line in run.stdout.splitlines() if not line.startswith(("[INFO]", "\tat org.junit", "\tat java.base"))]
        print("\n".join(shown[-200:]))
        print("\n".join(problems[:50]))
        return False
    return True


def run(command, environment, folder):
    """stdout of a program that must succeed."""
    done = subprocess.run([str(part) for part in command], cwd=folder, env=environment, text=True, capture_output=True)
    assert done.returncode == 0, f"{command} exits {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout


def modular(jar, natives, environment, folder):
    """A module that requires dev.rondo finds the natives on the module path, on the oldest Java here and on the newest, and in an image."""
    source = pathlib.Path(folder, "modular/src")
    (source / "app").mkdir(parents=True)
    (source / "module-info.java").write_text("module app {\n  requires dev.rondo;\n}\n")
    (source / "app/Main.java").write_text("""package app;
import dev.rondo.*;
public class Main {
  private record Step(Tensor y) {}
  public static void main(String[] arguments) {
    try (Engine engine = Engine.create(); Tensor x = engine.tensor(Device.CPU, new float[] {1, 2})) {
      System.out.println(Main.class.getModule().getName() + " " + x.mul(2).sum().item());
      engine.record(() -> new Step(x.add(1)));
    } catch (InvalidArgumentException e) { // as nothing opens the package
      System.out.println(e.getMessage());
    }
  }
}
""")
    classes = pathlib.Path(folder, "modular/classes")
    run(["javac", "--release", "17", "-p", jar, "-d", classes, source / "module-info.java", source / "app/Main.java"], environment, folder)
    homes = jdks()
    for version in {min(homes), max(homes)}:
        quiet = ["--enable-native-access=dev.rondo"] if version >= 22 else []
        out = run([homes[version] / "bin/java", *quiet, "-p", f"{jar}:{natives}:{classes}", "-m", "app/app.Main"], environment, folder)
        assert out.startswith("app 6.0\n") and "open its package to dev.rondo" in out, out
    jdk = homes[min(homes)]
    run([jdk / "bin/jlink", "-p", f"{jar}:{natives}:{classes}", "--add-modules", "app,dev.rondo.natives", "--launcher", "hello=app/app.Main",
         "--strip-java-debug-attributes", "--no-header-files", "--no-man-pages", "--output", f"{folder}/image"], environment, folder)
    assert run([f"{folder}/image/bin/hello"], environment, folder).startswith("app 6.0\n")
    print("a module: finds its natives")


def compiled(root, java, class_path, folder):
    """What starts an example, by its name, with its own classes alone, compiled once: given a source, each start would compile it."""
    sources = [*pathlib.Path(root, "examples/java").glob("*.java"), *pathlib.Path(root, "examples/tutorial").glob("*.java")]
    made = pathlib.Path(folder, "classes")
    run(["javac", *[f"-J{option}" for option in SHORT], "-cp", class_path, "-d", made, *sources], dict(os.environ), folder)
    starts = {}
    for name in [source.stem for source in sources]:
        own = pathlib.Path(folder, "programs", name)
        own.mkdir(parents=True)
        for file in [made / f"{name}.class", *made.glob(f"{name}$*.class")]:
            file.rename(own / file.name)
        starts[name] = [*java, "-cp", f"{class_path}:{own}", name]
    assert not any(made.iterdir()), f"classes of no example: {list(made.iterdir())}"
    return starts


def small_examples(root, build, starts, device, environment, folder):
    """Layers as callables, and a branch in a graph: they print what those in C print, but for losses and times. A program file goes from C
    to Java and back, one of C++ is called, and so is each network of the examples in C."""
    run([sys.executable, f"{root}/tests/examples/program.py", device, f"{build}/examples/c/program", "--",
         *starts["ProgramFile"]], environment, folder)
    run([sys.executable, f"{root}/tests/examples/sequences.py", device, f"{build}/examples/cpp/sequences_cpp", *starts["Sequences"]], environment, folder)
    run([sys.executable, f"{root}/tests/examples/networks.py", device, build, *starts["RunFile"]], environment, folder)
    for name, expected in ("GraphFunctionLayers", "callable"), ("Branch", "branch" if device == "cpu" else "branch_simulated"):
        program, *words = starts[name]
        run([sys.executable, f"{root}/tests/examples/small.py", program, expected, *words, device], environment, folder)


def examples(root, build, c_digits, c_dlrm, c_bert, parallel, cpu):
    """What the README shows, layers as callables, and trainings against C, digits on two ranks too."""
    target = pathlib.Path(build, "bindings/java/target")
    jar = min(target.glob("rondo-*.jar"), key=lambda path: len(path.name))  # the others have a word more
    natives = next(target.glob("rondo-*-linux-x86_64.jar"))
    sources = pathlib.Path(root, "examples/java")
    cpu = {**cpu, "RONDO_EXAMPLE_DATA": f"{root}/examples/data"}
    with tempfile.TemporaryDirectory() as folder:
        for placed in (["-cp", f"{jar}:{natives}"], ["-p", jar, "--add-modules", "dev.rondo", "-cp", natives],
                       ["-p", f"{jar}:{natives}", "--add-modules", "dev.rondo,dev.rondo.natives"]):
            out = run(["java", *SHORT, *placed, sources / "Hello.java"], cpu, folder)
            assert out == "Tensor[F32 [4] on cpu:0\n[ 1.0,  4.0,  7.0, 10.0]]\n", out
        starts = compiled(root, ["java", *SHORT], f"{jar}:{natives}", folder)
        small_examples(root, build, starts, "cpu", cpu, folder)
        if "dev/rondo/native/linux-x86_64/librondo_onnx.so.0" in zipfile.ZipFile(natives).namelist():  # it is built where protozero is
            run([sys.executable, f"{root}/tests/examples/onnx.py", *starts["OnnxFile"]], cpu, folder)
        run([sys.executable, f"{root}/tests/examples/tutorial.py", *starts["Train"], "--", *starts["Serve"]], cpu, folder)
        modular(jar, natives, cpu, folder)
        for mode, precision in (("async", "f32"), ("threaded", "f32"), ("naive", "f32"), ("async", "f16"), ("naive", "bf16")):
            options = ["--device", "cpu", "--engine", mode, "--epochs", "2", "--batch", "32", "--seed", "3", "--precision", precision,
                       "--parameters"]
            out = run([*starts["Digits"], *options, f"{folder}/java"], cpu, folder)
            assert "all 9610 agree bit for bit" in out, out
            run([c_digits, *options, f"{folder}/c"], cpu, folder)
            java, c = (pathlib.Path(folder, name).read_bytes() for name in ("java", "c"))
            assert len(c) > 9610 * 4 and java == c, f"{mode}, {precision}: Java's parameters are not those of C"
        for name, in_c, in_java in (("dlrm", c_dlrm, "Dlrm"), ("bert", c_bert, "Bert")):
            run([sys.executable, f"{root}/tests/examples/same_training.py", name, "cpu", in_c, *starts[in_java]], cpu, folder)
        if parallel:
            c_parallel, rondo = parallel
            java = " ".join(starts["DigitsParallel"])
            for case in ("launch_2", "adamw"):
                run([sys.executable, f"{root}/tests/examples/parallel.py", java, rondo, case, "cpu", c_parallel], cpu, folder)
            for status, problem, *options in ((2, "sgd or adamw, not 'lion'", "--optimizer", "lion"),
                                              (2, "not a multiple of the 2 ranks", "--batch", "63"), (1, "nothing.bin", "--data", "nothing.bin")):
                done = subprocess.run([rondo, "launch", "-n", "2", *java.split(), *options], cwd=folder, env=cpu, text=True, capture_output=True)
                assert done.returncode == status and problem in done.stderr, done
    print("examples: as in C")


def device_examples(root, build, place, environment):
    """Layers as callables, and digits and a step of a recommender as captured graphs."""
    java = ["java", *SHORT, f"-Ddev.rondo.native.path={build}/bindings/java"]
    environment = {**environment, "RONDO_EXAMPLE_DATA": f"{root}/examples/data"}
    with tempfile.TemporaryDirectory() as folder:
        starts = compiled(root, java, place / "target/classes", folder)
        small_examples(root, build, starts, "cuda:0", environment, folder)
        out = run([*starts["Digits"], "--device", "cuda:0", "--epochs", "1"], environment, folder)
        assert "all 9610 agree bit for bit" in out and "1 captured as CUDA graph" in out, out
        for half in ([], ["--half"]):
            run([*starts["Dlrm"], *half, "cuda:0", "8", "32"], environment, folder)  # it looks at its graph itself
    print("examples: on the device")


def main(part, root, build, *programs):
    if not shutil.which("mvn"):
        print("Maven is not installed")
        return 77
    newer = max(jdks(), default=0)
    if part == "newer" and newer < 21:
        print(f"there is no newer JDK than {newer}")
        return 77
    place = pathlib.Path(build, "bindings/java" if part == "cpu" else f"bindings/java/{part}")
    onnx = pathlib.Path(build, "src/onnx/librondo_onnx.so.0")
    subprocess.run([sys.executable, f"{root}/bindings/java/pack.py", f"{build}/bindings/java/librondo_jni.so",
                    f"{build}/src/librondo.so.0", "linux-x86_64", place / "natives", *([onnx] if onnx.exists() else [])], check=True)
    short = f"-Drondo.vm={' '.join(SHORT)}"
    if part == "simulated":
        ok = maven(root, build, place, "simulated", dict(os.environ), "test", "-Dgroups=device", short)
        if ok:
            device_examples(root, build, place, dict(os.environ))
        return 0 if ok else 1
    cpu = {key: value for key, value in os.environ.items() if key not in SETTINGS}
    cpu.update(RONDO_CUDA_DRIVER="none", RONDO_CACHE=f"{build}/kernel-cache")
    if part == "newer":
        return 0 if maven(root, build, place, f"jdk{newer}", cpu, "test", f"-Djvm={jdks()[newer]}/bin/java",
                          "-Drondo.vm=--enable-native-access=ALL-UNNAMED,dev.rondo") else 1
    ok = maven(root, build, place, "cpu", cpu, "verify", short)
    if ok:
        c_digits, c_dlrm, c_bert, *parallel = [pathlib.Path(path).resolve() for path in programs]
        examples(root, build, c_digits, c_dlrm, c_bert, parallel, cpu)
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
