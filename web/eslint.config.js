//===- eslint.config.js - Rules for the sources of the page ---------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// The rules of typescript-eslint that know types, and none of the ways to turn text
// into markup or code: names in a report come from models.
//===----------------------------------------------------------------------===//
import js from "@eslint/js";
import tseslint from "typescript-eslint";

const markup = [
  "innerHTML",
  "outerHTML",
  "insertAdjacentHTML",
  "dangerouslySetInnerHTML",
];

export default tseslint.config(
  { ignores: ["node_modules/"] },
  js.configs.recommended,
  {
    files: ["src/**/*.{ts,tsx}"],
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      "no-eval": "error",
      "no-restricted-syntax": [
        "error",
        ...markup.flatMap((name) => [
          {
            selector: `MemberExpression[property.name="${name}"]`,
            message: `${name} parses markup`,
          },
          {
            selector: `JSXAttribute[name.name="${name}"]`,
            message: `${name} parses markup`,
          },
        ]),
      ],
    },
  },
  {
    files: ["*.mjs"],
    languageOptions: {
      globals: { process: "readonly", console: "readonly", Buffer: "readonly" },
    },
  },
);
