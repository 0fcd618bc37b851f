# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
#
# The tests that call our tools from a command line. They take the tools of the
# build they were configured for; the environment variable PARALLAX_BIN_DIR
# names another folder, such as that of the build with sanitizers.
import os

import lit.formats

config.name = "Parallax"
config.test_format = lit.formats.ShTest(execute_external=False)
config.test_source_root = os.path.dirname(__file__)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Browser", "Conformance", "Fuzz", "Unit"]

bin_dir = os.path.abspath(
    os.environ.get("PARALLAX_BIN_DIR") or config.parallax_bin_dir
)
if not os.access(os.path.join(bin_dir, "parallax"), os.X_OK):
    lit_config.fatal(f"there is no program 'parallax' in {bin_dir}; build it first")

config.environment["PATH"] = os.pathsep.join(
    [bin_dir, config.llvm_tools_dir, os.environ.get("PATH", "/usr/bin:/bin")]
)
config.environment["FILECHECK_OPTS"] = "-enable-var-scope"
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
# A sanitizer's finding ends the program by a signal, so that `not` can tell it
# from an error of the user.
# LLVM's allocators forbid memory that they have not given out yet. Their code in
# our programs does so, but libMLIR, which is not sanitized, never allows it again.
config.environment["ASAN_OPTIONS"] = (
    "detect_leaks=0:abort_on_error=1:allocator_may_return_null=1:allow_user_poisoning=0")
config.environment["UBSAN_OPTIONS"] = "abort_on_error=1:print_stacktrace=1"

config.substitutions.append((r"%\{root\}", config.parallax_root))
config.substitutions.append(("%python", "/usr/bin/python3"))

# Without npm the tool has no page of reports; whoever tests that tool is told.
page = os.path.join(bin_dir, "..", "web", "report.html")
if os.path.exists(page) and os.path.getsize(page) > 0:
    config.available_features.add("report-page")
else:
    lit_config.warning("no page of HTML reports was built: its tests are skipped")
