//===- links.ts - Links to files beside the page --------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Folders and files may be called anything, "100 %" and "run #3" too.
//===----------------------------------------------------------------------===//

/// A part of an address as text. Browsers leave a lone % as it is.
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/// Whether a page is in the folder of a build: links lead there. The folder may
/// be elsewhere than it was, so only its name counts.
export function liesIn(address: string, folder: string): boolean {
  // Notebooks have the page in a frame, whose address is the page itself.
  if (!address.startsWith("file:")) return false;
  const last = (path: string) => path.split("/").filter(Boolean).at(-1) ?? "";
  return decoded(last(new URL(".", address).pathname)) === last(folder);
}

/// Below the folder of this page, whatever the name looks like.
export function fileLink(file: string): string {
  return `./${file.split("/").map(encodeURIComponent).join("/")}`;
}
