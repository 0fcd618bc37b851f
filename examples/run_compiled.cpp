//===- run_compiled.cpp - A compiled model in a program -------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Prints the inputs and outputs of a compiled model and runs it, on zeros or on
// the raw bytes of files:
//
//   run-compiled compiled.axmodel [--output-dir DIR] [input.bin ...]
//===----------------------------------------------------------------------===//
#include "parallax/Runtime.h"

#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>

using namespace parallax;

namespace {

using Bytes = std::vector<std::byte>;

Bytes readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw Error(path + ": there is no such file");
  std::vector<char> text((std::istreambuf_iterator<char>(file)), {});
  Bytes bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

void print(const char *kind, const PortInfo &port, const Shape &shape) {
  std::cout << kind << " '" << port.name << "': " << nameOf(port.dtype) << " "
            << toString(shape) << "\n";
}

int run(const std::string &model, const std::string &outputDir,
        const std::vector<std::string> &files) {
  Runtime runtime(model);
  std::vector<Bytes> inputs, outputs;
  for (const PortInfo &port : runtime.inputs()) {
    print("input", port, port.shape);
    inputs.push_back(inputs.size() < files.size()
                         ? readFile(files[inputs.size()])
                         : Bytes(byteSizeOf(port)));
  }
  for (const PortInfo &port : runtime.outputs())
    outputs.emplace_back(byteSizeOf(port));

  std::vector<Runtime::InputBuffer> from(inputs.begin(), inputs.end());
  std::vector<Runtime::OutputBuffer> to(outputs.begin(), outputs.end());
  runtime.run(from, to);

  for (size_t i = 0; i < outputs.size(); ++i) {
    const PortInfo &port = runtime.outputs()[i];
    print("output", port, runtime.lastShape(i));
    if (outputDir.empty())
      continue;
    std::ofstream file(outputDir + "/" + port.name + ".bin", std::ios::binary);
    file.write(reinterpret_cast<const char *>(outputs[i].data()),
               std::streamsize(outputs[i].size()));
    if (!file)
      throw Error(outputDir + "/" + port.name + ".bin can't be written");
  }
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  std::string outputDir;
  if (words.size() > 2 && words[1] == "--output-dir") {
    outputDir = words[2];
    words.erase(words.begin() + 1, words.begin() + 3);
  }
  if (words.empty()) {
    std::cerr << "usage: run-compiled compiled.axmodel [--output-dir DIR] "
                 "[input.bin ...]\n";
    return 2;
  }
  try {
    return run(words[0], outputDir, {words.begin() + 1, words.end()});
  } catch (const Error &error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
