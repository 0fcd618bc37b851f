//===- env.d.ts - Imports that are not modules ----------------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// Style sheets, and the sources of workers, which bundle.mjs gives as text.
//===----------------------------------------------------------------------===//
declare module "*.css";
declare module "worker:*" {
  const source: string;
  export default source;
}
