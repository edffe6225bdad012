// Builds the explorer: src/main.ts and its styles become two files that the Python package ships.
import { build } from "esbuild";

const out = "../src/linsep/explorer/static/";
const common = { bundle: true, minify: true, target: "es2022", charset: "utf8", legalComments: "none", logLevel: "warning" };
await build({ ...common, entryPoints: ["src/main.ts"], format: "esm", outfile: `${out}explore.js` });
await build({ ...common, entryPoints: ["src/explore.css"], outfile: `${out}explore.css` });
