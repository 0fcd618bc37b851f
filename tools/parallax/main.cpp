//===- main.cpp - The program `parallax` ----------------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The driver is a function of its own, which tests call too.
//===----------------------------------------------------------------------===//
#include "parallax.h"

int main(int argc, char **argv) { return parallax::runTool(argc, argv); }
