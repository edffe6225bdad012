// Builds the explorer: src/main.ts and its styles become two files that the Python package ships, beside the licences
// of what was bundled into them.
import { readFile, writeFile } from "node:fs/promises";
import { build } from "esbuild";

const out = "../src/linsep/explorer/static/";
const common = { bundle: true, minify: true, target: "es2022", charset: "utf8", legalComments: "none", logLevel: "warning", metafile: true };
const script = await build({ ...common, entryPoints: ["src/main.ts"], format: "esm", outfile: `${out}explore.js` });
await build({ ...common, entryPoints: ["src/explore.css"], outfile: `${out}explore.css` });

const packages = Object.keys(script.metafile.inputs).map((path) => /^node_modules\/([^/]+)\//.exec(path)?.[1]);
const used = [...new Set(packages.filter(Boolean))].sort();
const texts = await Promise.all(
  used.map(async (name) => {
    const { version } = JSON.parse(await readFile(`node_modules/${name}/package.json`, "utf8"));
    return `${name} ${version}\n\n${(await readFile(`node_modules/${name}/LICENSE`, "utf8")).trim()}\n`;
  }),
);
await writeFile(`${out}LICENSES.txt`, `explore.js and explore.css hold parts of these packages.\n\n${texts.join(`\n${"-".repeat(72)}\n\n`)}`);
