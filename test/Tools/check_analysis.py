#!/usr/bin/env python3
# Part of Parallax, under the Apache License 2.0.
# SPDX-License-Identifier: Apache-2.0
"""Checks what the precision analysis of a build wrote for programs.

Usage: check_analysis.py BUILD rows METHOD ROWS FIELD at_least|below|is VALUE
       check_analysis.py BUILD worst CAUSE OPERATOR
       check_analysis.py BUILD healthy

BUILD is the folder of a build. The first form is a claim about the numbers of
one operator, of the "outputs" of the network, or of "all" rows, and must hold in
the tables of every mode; about rows that do not exist it is false. The second
names the worst diagnosis, the third says that there is none.
"""

import json
import operator
import pathlib
import sys

CLAIMS = {"at_least": operator.ge, "below": operator.lt, "is": operator.eq}


def check_rows(report, method, rows, field, claim, value):
    tables = [table for table in report["tables"] if table["method"] == method]
    if not tables:
        sys.exit(f"no table of {method}")
    for table in tables:
        where = f"{method} {table['mode']}"
        selected = [
            row
            for row in table["rows"]
            if rows == "all"
            or (row["is_output"] if rows == "outputs" else row["operator"] == rows)
        ]
        if not selected:
            sys.exit(f"{where}: no row of {rows}")
        for row in selected:
            if not CLAIMS[claim](row[field], float(value)):
                sys.exit(
                    f"{where}: {field} of {row['operator']} is {row[field]},"
                    f" not {claim} {value}"
                )


def check_worst(report, cause, *names):
    """Any of the layers may come first."""
    found = [(d["cause"], d["operator"]) for d in report.get("diagnoses", [])]
    if not any(found[:1] == [(cause, name)] for name in names):
        sys.exit(f"{cause} of {names} is not the first of {found}")


def check_healthy(report):
    if report.get("diagnoses") or report.get("suggestions"):
        sys.exit(f"found {report.get('diagnoses')}, {report.get('suggestions')}")


CHECKS = {"rows": check_rows, "worst": check_worst, "healthy": check_healthy}


def main():
    build, check, *arguments = sys.argv[1:]
    path = pathlib.Path(build) / "quant/debug/precision_analysis_table.json"
    CHECKS[check](json.loads(path.read_text()), *arguments)


if __name__ == "__main__":
    main()
