//===- bundle.mjs - Makes the template of the report ----------------------===//
// Part of Parallax, under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
// node web/bundle.mjs OUT.html [--modules DIR]
// Bundles src/ into one HTML file that needs nothing else. `parallax report`
// replaces its line <!--data--> by the files of a build. The same sources give
// the same bytes, since the template is embedded in the tool.
//===----------------------------------------------------------------------===//
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const mostBytes = 350 * 1024;
const here = dirname(fileURLToPath(import.meta.url));

const { values, positionals } = parseArgs({
  options: { modules: { type: "string" } },
  allowPositionals: true,
});
if (positionals.length !== 1)
  fail("usage: bundle.mjs OUT.html [--modules DIR]");
const modules = resolve(values.modules ?? join(here, "node_modules"));
const require = createRequire(join(modules, "here.cjs"));
const esbuild = require("esbuild");

function fail(message) {
  console.error(`bundle.mjs: ${message}`);
  process.exit(1);
}

const options = {
  absWorkingDir: here,
  // Packages may be outside of web/.
  nodePaths: [modules],
  bundle: true,
  minify: true,
  write: false,
  metafile: true,
  target: ["chrome123", "firefox120", "safari17.5"],
  format: "iife",
  legalComments: "none",
  logLevel: "warning",
  tsconfigRaw: {
    compilerOptions: { jsx: "react-jsx", jsxImportSource: "preact" },
  },
};

/// `import text from "worker:./file.ts"` is that file, bundled, as a string:
/// a page from file:// can only start a worker from a blob.
const workers = (inputs) => ({
  name: "workers",
  setup(build) {
    build.onResolve({ filter: /^worker:/ }, (args) => ({
      path: resolve(args.resolveDir, args.path.slice("worker:".length)),
      namespace: "worker",
    }));
    build.onLoad({ filter: /./, namespace: "worker" }, async (args) => {
      const result = await esbuild.build({
        ...options,
        entryPoints: [args.path],
      });
      inputs.push(...Object.keys(result.metafile.inputs));
      return { contents: result.outputFiles[0].text, loader: "text" };
    });
  },
});

/// The packages that files of the bundle belong to, and those that these need:
/// some packages are published with their dependencies inside of them.
function packagesOf(inputs) {
  const names = new Set();
  for (const input of inputs) {
    const match = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (match) names.add(match[1]);
  }
  for (const name of names)
    for (const needed of Object.keys(manifestOf(name).dependencies ?? {}))
      names.add(needed);
  return [...names].sort();
}

function manifestOf(name) {
  return JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8"));
}

/// Without the marks that would end the comment they are put in.
function licenceOf(name) {
  const folder = join(modules, name);
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (!file) fail(`${name} has no licence file`);
  const text = readFileSync(join(folder, file), "utf8").trim();
  return `${name} ${manifestOf(name).version}\n\n${text.replaceAll("--", "- -")}\n`;
}

const hashOf = (text) =>
  `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

const inputs = [];
const result = await esbuild.build({
  ...options,
  entryPoints: ["src/main.tsx"],
  outdir: "out",
  plugins: [workers(inputs)],
});
const textOf = (ending) =>
  result.outputFiles.find((file) => file.path.endsWith(ending))?.text.trim();
const script = textOf(".js");
const style = textOf(".css");
// These would end the elements early, or hide the place of the data.
if (/<\/script|<!--/i.test(script) || /<\/style/i.test(style))
  fail("the bundle contains text that HTML would take for markup");
inputs.push(...Object.keys(result.metafile.inputs));

const policy = [
  "default-src 'none'",
  `script-src ${hashOf(script)}`,
  `style-src ${hashOf(style)}`,
  "img-src data: blob:",
  "worker-src blob:",
  "base-uri 'none'",
  "form-action 'none'",
].join("; ");

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Parallax report</title>
<style>${style}</style>
</head>
<body>
<div id="app"><p class="loading">Reading the report …</p></div>
<noscript><p>This report needs JavaScript. The same numbers are in quant/debug of the build's folder.</p></noscript>
<!--data-->
<script>${script}</script>
<!--
Libraries in this page, and their licences:

${packagesOf(inputs).map(licenceOf).join("\n")}-->
</body>
</html>
`;
const size = Buffer.byteLength(html);
if (size > mostBytes) fail(`${size} bytes are more than ${mostBytes}`);
writeFileSync(positionals[0], html);
console.log(`${positionals[0]}: ${size} bytes`);
