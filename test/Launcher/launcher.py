#!/usr/bin/env python3
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
#
# What ./parallax does around the tool, in a copy of a few files whose CMake,
# Ninja and apt only pretend: what is installed, when something is built again,
# what is said on the way, and what stdout belongs to. And the script that lets
# objects be found in ccache from another clone.
# Usage: launcher.py ROOT WORK COMPILER
import os
import pathlib
import pty
import shutil
import subprocess
import sys
import time

NINJA = """#!/bin/bash
echo ninja "$@" >>"$LAUNCHER_LOG"
printf '[%d/3] step\\n' 1 2 3
if [[ -n ${LAUNCHER_FAILS-} ]]; then
  printf 'FAILED: a.o\\nclang a.cpp\\na.cpp:1:1: error: no\\n[3/3] step\\n'
  exit 1
fi
mkdir -p build/release/bin build/release/web
echo page >build/release/web/report.html
printf '0\\t700\\t0\\ta.o\\tff\\n' >"$2/.ninja_log"
printf '#!/bin/bash\\necho "tool: $*"\\n' >build/release/bin/parallax
chmod +x build/release/bin/parallax
"""
CMAKE = """#!/bin/bash
echo cmake "$@" >>"$LAUNCHER_LOG"
folder=build/${!#}
echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" >"$folder/CMakeCache.txt"
touch "$folder/build.ninja"
"""
# Knows one package as installed; apt prints what apt prints.
DPKG = "#!/bin/bash\necho -n 'installed:present '\n"
APT = """#!/bin/bash
echo apt "$@" >>"$LAUNCHER_LOG"
[[ $1 == update ]] || printf '1 newly installed\\nUnpacking a\\nSetting up a\\n'
"""
SUDO = '#!/bin/bash\nexec "$@"\n'
CTEST = """#!/bin/bash
echo ctest "$@" >>"$LAUNCHER_LOG"
printf '1/1 Test #1: one ....   Passed    0.10 sec\\n'
printf '100%% tests passed, 0 tests failed out of 1\\n'
exit ${LAUNCHER_CTEST-0}
"""
PACKAGES = """# A comment
present
absent
shell unless bash
node unless no-such-command
checker for tests
"""


class Sandbox:
    def __init__(self, root, work):
        shutil.rmtree(work, ignore_errors=True)
        self.root = work / "clone"
        self.log = work / "log"
        tools = work / "bin"
        for folder in (self.root / "lib", self.root / "web/src",
                       self.root / "test", tools):
            folder.mkdir(parents=True)
        for folder in ("cmake", "include", "tools", "python"):
            (self.root / folder).mkdir()
        shutil.copy(root / "parallax", self.root)
        shutil.copy(root / "test/budget.py", self.root / "test")
        (self.root / "packages.txt").write_text(PACKAGES)
        for name in ("CMakeLists.txt", "CMakePresets.json", "lib/a.cpp"):
            (self.root / name).write_text("")
        for name, text in (("ninja", NINJA), ("cmake", CMAKE), ("sudo", SUDO),
                           ("dpkg-query", DPKG), ("apt-get", APT),
                           ("ctest", CTEST)):
            (tools / name).write_text(text)
            (tools / name).chmod(0o755)
        self.environment = {
            "PATH": f"{tools}:{os.environ['PATH']}", "HOME": str(work),
            "LAUNCHER_LOG": str(self.log), "PARALLAX_JOBS": "3"}

    def run(self, *arguments, **variables):
        """Exit code, stdout, stderr, and the commands that were called."""
        self.log.write_text("")
        done = subprocess.run(
            [self.root / "parallax", *arguments], text=True, check=False,
            stdin=subprocess.DEVNULL, capture_output=True,
            env=self.environment | variables)
        return done.returncode, done.stdout, done.stderr, self.log.read_text()

    def run_in_terminal(self, *arguments):
        """What a terminal gets to see on stderr."""
        mine, other = pty.openpty()
        with subprocess.Popen([self.root / "parallax", *arguments],
                              stdin=subprocess.DEVNULL, stderr=other,
                              stdout=subprocess.DEVNULL,
                              env=self.environment) as process:
            os.close(other)
            seen = b""
            while True:
                try:
                    part = os.read(mine, 4096)
                except OSError:
                    break  # the other side is closed
                if not part:
                    break
                seen += part
        os.close(mine)
        assert process.returncode == 0, seen
        return seen.decode()


def expect(condition, *shown):
    if not condition:
        raise AssertionError("\n".join(map(str, shown)))


def installs_builds_and_becomes_the_tool(box):
    code, out, err, log = box.run("run", "a b")
    expect(code == 0 and out == "tool: run a b\n", code, out, err)
    expect("installing 2 Debian packages: absent node\n" in err, err)
    expect("configuring build/release" in err, err)
    expect("apt install -q -y --no-install-recommends" in log
           and log.count("cmake --preset release") == 1
           and "ninja -C build/release -j 3 parallax" in log, log)
    expect("[1/3]" not in err, "raw lines of ninja", err)


def builds_again_only_after_a_change(box):
    source = box.root / "lib/a.cpp"
    code, out, err, log = box.run("run")
    expect((code, out, err, log) == (0, "tool: run\n", "", ""), err, log)
    time.sleep(0.05)
    source.write_text("changed")
    expect("ninja" in box.run("run")[3], "a changed source was not built")
    expect(box.run("run")[3] == "", "built twice")
    time.sleep(0.05)
    source.write_text("restored, with an old date")
    os.utime(source, (1, 1))
    expect("ninja" in box.run("run")[3], "an old date hid a change")
    expect(source.stat().st_mtime > 1, "Ninja would not see the change")
    # The same folder in another place is another build.
    moved = box.root.with_name("moved")
    box.root.rename(moved)
    box.root = moved
    log = box.run("run")[3]
    expect("cmake --fresh --preset release" in log and "ninja" in log, log)


def a_failed_build_shows_its_errors(box):
    time.sleep(0.05)
    (box.root / "lib/a.cpp").write_text("broken")
    code, out, err, _ = box.run("run", LAUNCHER_FAILS="1")
    expect(code == 1 and out == "", code, out)
    expect("a.cpp:1:1: error: no" in err and "the build failed" in err, err)
    expect("[3/3]" not in err, err)
    # The old tool must not pass for the new one.
    expect(box.run("run", LAUNCHER_FAILS="1")[0] == 1, "an old tool was run")
    expect(box.run("run")[1] == "tool: run\n", "not built after the mend")


def progress_is_one_line(box):
    time.sleep(0.05)
    (box.root / "lib/a.cpp").write_text("again")
    seen = box.run_in_terminal("run")
    expect("\r\x1b[Kparallax: compiling build/release: 2 of 3" in seen,
           repr(seen))
    expect("[2/3]" not in seen, repr(seen))
    time.sleep(0.05)
    (box.root / "lib/a.cpp").write_text("and again")
    err = box.run("--verbose", "run")[2]
    expect("[2/3] step" in err, err)


def tests_install_more_and_end_with_their_result(box):
    code, out, err, log = box.run("test", "-R", "one")
    expect(code == 0, code, out, err)
    expect("absent checker node" in " ".join(sorted(
        err.partition("packages: ")[2].partition("\n")[0].split())), err)
    expect("ctest --test-dir build/release --output-on-failure -j 3 -R one"
           in log and "ninja -C build/readers" in log
           and "build/asan" not in log, log)
    expect("0.7 s  build/release/a.o" in out and "0.1 s  one" in out, out)
    expect(out.rstrip().endswith("0 tests failed out of 1"), out)
    code, _, _, log = box.run("test", "--full", LAUNCHER_CTEST="8")
    expect(code == 8, "a failed test passed", code)
    for step in ("ninja -C build/asan -j 3 sanitized-all",
                 "ninja -C build/plain", "--build-config full"):
        expect(step in log, step, log)


def the_budget_names_the_slowest(root, work):
    folder = work / "objects"
    folder.mkdir()
    (folder / ".ninja_log").write_text(
        "# ninja log v5\n" + "".join(
            f"{start}\t{end}\t0\t{name}\tffff\n" for start, end, name in (
                (0, 9000, "lib/CMakeFiles/Old.cpp.o"), (0, 2000, "a.txt"),
                (0, 1500, "lib/CMakeFiles/Old.cpp.o"),
                *((0, 100 + i, f"{i}.o") for i in range(20)))))
    (work / "tests").write_text(
        "2/2 Test #2: slow-one .......   Passed   12.50 sec\n"
        "1/2 Test  #1: broken ....***Failed    3.00 sec\n")
    out = subprocess.run(
        [sys.executable, root / "test/budget.py", "90", "30", work / "tests",
         folder], capture_output=True, text=True, check=True).stdout
    expect("Building took 1.5 minutes, testing 0.5." in out, out)
    expect("1.5 s  " in out and "Old.cpp.o" in out and "9.0 s" not in out, out)
    expect(out.count(".o\n") == 10, "not ten", out)
    expect(out.index("12.5 s  slow-one") < out.index("3.0 s  broken"), out)


CCACHE = """#!/bin/bash
printf '%s\\n' "$CCACHE_BASEDIR" "$CCACHE_SLOPPINESS" "$@"
"""


def a_precompiled_header_is_known_by_its_text(root, work, compiler):
    """What ccache is told of it must be the same in any folder, and another as
    soon as a macro is another."""
    fake = work / "ccache-bin"
    fake.mkdir()
    (fake / "ccache").write_text(CCACHE)
    (fake / "ccache").chmod(0o755)
    environment = os.environ | {"PATH": f"{fake}:{os.environ['PATH']}"}

    def compiled(name, text):
        folder = work / name
        (folder / "cmake").mkdir(parents=True)
        wrapper = folder / "cmake/cached-compiler"
        shutil.copy(root / "cmake/cached-compiler", wrapper)
        header = folder / "cmake_pch.hxx"
        header.write_text(text)
        subprocess.run(
            [wrapper, compiler, "-x", "c++-header", "-Xclang", "-emit-pch",
             "-MD", "-MF", "a.d", "-o", f"{header}.pch", "-c", header],
            cwd=folder, env=environment, check=True)
        expect((folder / "cmake_pch.hxx.pch").stat().st_size > 0, name)
        # An ordinary object goes through ccache, with paths made relative.
        out = subprocess.run(
            [wrapper, compiler, "-include-pch", f"{header}.pch", "-c", "a.cpp"],
            cwd=folder, env=environment, check=True, capture_output=True,
            text=True).stdout.splitlines()
        expect(out[0] == str(folder) and "pch_defines" in out[1], out)
        return (folder / "cmake_pch.hxx.pch.sum").read_text()

    text = "#define SIZE 1\ninline int size() { return SIZE; }\n"
    first = compiled("first", text)
    expect(first == compiled("second", text), "the folder matters")
    expect(first != compiled("third", text + "#define MORE\n"),
           "a macro does not matter")


def main():
    *paths, compiler = sys.argv[1:]
    root, work = (pathlib.Path(path).resolve() for path in paths)
    box = Sandbox(root, work)
    for check in (installs_builds_and_becomes_the_tool,
                  builds_again_only_after_a_change,
                  a_failed_build_shows_its_errors, progress_is_one_line,
                  tests_install_more_and_end_with_their_result):
        check(box)
    the_budget_names_the_slowest(root, work)
    a_precompiled_header_is_known_by_its_text(root, work, compiler)


main()
