/**
 * The program as one file for each process and a few that are loaded later: the service, the command line, and the entries of runners, threads and
 * fetching processes. Each file is a script that packages/platform/src/program-loader.cjs runs. They are not modules, because Node.js keeps no compiled code of
 * functions that a module calls after it was loaded.
 */
import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, isAbsolute, join } from 'node:path';
import { Script } from 'node:vm';
import type { OutputChunk } from 'rolldown';
import { importResolver } from './workspaces.ts';

/** Files that a process or thread starts with. */
const ENTRIES = [
  'apps/cli/src/main.ts',
  'apps/service/src/jobs/runner-main.ts',
  'packages/pipeline/src/worker-entry.js',
  'packages/engines/sqlite/src/node/checkpoint-entry.js',
  'apps/service/src/remote-input/fetch-main.ts',
];
const MAIN = ENTRIES[0];

/** Read at run time, by packages/crs-search/src/suggest.ts. */
const PLACEMENTS = 'packages/crs-search/src/placements.txt';

const LOADER = 'packages/platform/src/program-loader.cjs';

type Resolver = ReturnType<typeof importResolver>;

const PLAIN_BUILTINS = ['node:buffer', 'node:fs', 'node:path', 'node:url', 'node:util'];

/** Modules with nothing but functions, which load sockets and streams: 3 ms of every command. */
const CALLED_LATE = ['node:net', 'node:stream/promises', 'node:timers/promises'];

/** Writes the program of the checkout `root` to `directory`. */
export async function bundleProgram(root: string, directory: string): Promise<void> {
  const resolve = importResolver(root);
  cpSync(join(root, PLACEMENTS), join(directory, basename(PLACEMENTS)));
  const { build: rolldown } = await import('rolldown');
  const main = join(root, MAIN);
  const command = staticImports([main, join(dirname(main), 'convert.ts')], resolve);
  for (const id of sharedByCodecs(root, resolve)) command.add(id);
  // It waits for commands, which therefore cannot be in the same file as what they import.
  command.delete(main);
  const { output } = await rolldown({
    input: Object.fromEntries(ENTRIES.map((path) => [basename(path, extname(path)), join(root, path)])),
    platform: 'node',
    external: (id) => !id.startsWith('.') && !id.startsWith('@geomill/') && !isAbsolute(id),
    // A module that is loaded later by one command and at once by another.
    checks: { ineffectiveDynamicImport: false },
    output: {
      dir: directory,
      format: 'esm',
      // In the directory itself, where program-files.ts expects to be.
      entryFileNames: '[name]-[hash].js',
      chunkFileNames: '[name]-[hash].js',
      codeSplitting: { groups: [{ name: 'command', test: (id) => command.has(id) }] },
      // Stack traces of users name functions and lines.
      minify: false,
      comments: { legal: true, annotation: true, jsdoc: false },
      plugins: [{ name: 'quick-to-load', renderChunk }],
    },
  });
  const chunks = output.filter((file) => file.type === 'chunk');
  checkLoadable(chunks);
  writeEntries(directory, chunks);
}

/** Throws if a file does not parse as a script, or if files wait for each other: modules may do so, but packages/platform/src/program-loader.cjs would never finish. */
function checkLoadable(chunks: readonly OutputChunk[]): void {
  for (const { fileName, code } of chunks) new Script(code, { filename: fileName });
  const loaded = new Set<string>();
  for (let before = -1; before < loaded.size; ) {
    before = loaded.size;
    for (const { fileName, code } of chunks)
      if (waitsFor(code).every((name) => loaded.has(name))) loaded.add(fileName);
  }
  const circular = chunks.filter(({ fileName }) => !loaded.has(fileName)).map(({ fileName }) => fileName);
  if (circular.length > 0) throw new Error(`these files wait for each other: ${circular.join(', ')}`);
}

/** The files that a file loads before its own code runs. */
function waitsFor(code: string): string[] {
  return [...code.matchAll(/(?:^|'use strict'; )(?:const .+ = )?await __load\("([^"]+)"\);$/gm)].map(
    ([, name]) => name,
  );
}

/** The files that processes and threads start with. */
function writeEntries(directory: string, chunks: readonly OutputChunk[]): void {
  const loader = basename(LOADER);
  cpSync(join(import.meta.dirname, '..', LOADER), join(directory, loader));
  const hash = createHash('sha256');
  for (const { fileName, code } of chunks) hash.update(`${fileName}\0${code}\0`);
  const build = hash.digest('hex').slice(0, 16);
  for (const { isEntry, name, fileName } of chunks) {
    if (!isEntry) continue;
    const run = `module.exports = require('./${loader}').run('${fileName}', '${build}');\n`;
    writeFileSync(join(directory, `${name}.cjs`), run);
  }
}

function renderChunk(code: string, { name }: { readonly name: string }): string {
  const rendered = asAscii(asScript(withoutBuiltinImports(code)));
  const [statement] = /^(?:.*'use strict'; )?const .* = await __import\(.*$/m.exec(rendered) ?? [];
  // It would take milliseconds of every command, and the processes that fetch files may not read packages.
  if (name === 'command' && statement !== undefined)
    throw new Error(`what every command loads must not import packages: ${statement}`);
  return rendered;
}

/**
 * Takes the modules of Node.js from `process.getBuiltinModule`: an `import` reads each of their exports, and with them loads
 * parts of Node.js that the program does not use, such as the streams of node:fs. This took 6 ms of a command's start.
 */
function withoutBuiltinImports(code: string): string {
  return code.replace(/^import (.+) from "(node:[^"]+)";$/gm, (statement, names, module) => {
    const [, all] = /^\* as (\w+)$/.exec(names) ?? [];
    const [, named] = /^(\{[^{}]*\})$/.exec(names) ?? [];
    const target = all ?? named?.replaceAll(' as ', ': ');
    if (target === undefined) throw new Error(`the build cannot rewrite: ${statement}`);
    if (CALLED_LATE.includes(module)) return lateFunctions(target, module);
    return `const ${target} = process.getBuiltinModule("${module}");`;
  });
}

/**
 * The text of a module as that of a script: the value of the script is a function that runs the module and resolves with its exports. It gets
 * functions that load other files of the program and packages, and what `import.meta` has.
 */
function asScript(code: string): string {
  const exported = /^export \{([^}]*)\};?\s*$/m;
  const names = renamings(exported.exec(code)?.[1] ?? '');
  for (const [, name] of code.matchAll(/^let ([\w$]+)/gm))
    if (names.some(([own]) => own === name))
      throw new Error(`the build cannot export ${name}, which changes`);
  const body = code
    .replace(exported, () => `return { ${names.map(([own, name]) => `${name}: ${own}`).join(', ')} };`)
    .replace(
      /^import (.+) from "([^"]+)";$/gm,
      (_, names, from) => `const ${pattern(names)} = await ${loading(from)};`,
    )
    // Of a file of which it needs only that it has run.
    .replace(/^import "(\.[^"]+)";$/gm, (_, from) => `await ${loading(from)};`)
    .replace(/\bimport\("(\.[^"]+)"\)/g, (_, from) => loading(from))
    .replace(/(?<![.#\w$])import\(/g, '__import(')
    .replaceAll('import.meta.', '__meta.');
  const [statement] = /^(?:import|export)\b.*$/m.exec(body) ?? [];
  if (statement !== undefined) throw new Error(`the build cannot rewrite: ${statement}`);
  // In the first line, so that stack traces name the lines of the file.
  return `(async function (__load, __import, __meta) { 'use strict'; ${body}\n})`;
}

/** Pairs of names of a list such as "a as b, c": of the exporting and of the importing side. */
function renamings(list: string): (readonly [string, string])[] {
  return list.split(',').flatMap((text) => {
    const [, own, name = own] = /^\s*([\w$]+)(?: as ([\w$]+))?\s*$/.exec(text) ?? [];
    return own === undefined ? [] : [[own, name] as const];
  });
}

/** What an import names, as a pattern for the exports. */
function pattern(names: string): string {
  const [, whole, named] = /^([\w$]+)?(?:, )?(?:\{(.*)\})?$/.exec(names) ?? [];
  if (whole === undefined && named === undefined)
    throw new Error(`the build cannot rewrite: import ${names}`);
  const parts = renamings(named ?? '').map(([own, name]) => `${own}: ${name}`);
  return `{ ${(whole === undefined ? parts : [`default: ${whole}`, ...parts]).join(', ')} }`;
}

/** All files of the program are in one directory. */
function loading(from: string): string {
  return from.startsWith('.') ? `__load("${basename(from)}")` : `__import("${from}")`;
}

/** Functions that load their module when one is called. */
function lateFunctions(names: string, module: string): string {
  const functions = [...names.matchAll(/([\w$]+)(?:: ([\w$]+))?/g)].map(
    ([, name, own = name]) =>
      `${own} = (...given) => process.getBuiltinModule("${module}").${name}(...given)`,
  );
  return `const ${functions.join(', ')};`;
}

/** With escapes for other characters, which may occur in literals only. Node.js decodes ASCII faster and keeps it in half the memory. */
function asAscii(code: string): string {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Small modules that several readers and writers import: a file of its own for each takes longer to find than to load. Not
 * those that need more of Node.js than its files, or a package.
 */
function sharedByCodecs(root: string, resolve: Resolver): string[] {
  const formats = join(root, 'packages', 'formats', 'src');
  const codecs = readdirSync(formats, { recursive: true, encoding: 'utf8' })
    .filter((name) => /^[^/\\]+[/\\](?:read|write)\.ts$/.test(name))
    .map((name) => staticImports([join(formats, name)], resolve));
  const users = Map.groupBy(
    codecs.flatMap((files) => [...files]),
    (file) => file,
  );
  const isPlain = (file: string): boolean =>
    [...staticImports([file], resolve)].every((own) =>
      importsOf(own).every((name) => resolve(own, name) !== null || PLAIN_BUILTINS.includes(name)),
    );
  return [...users].flatMap(([file, { length }]) => (length > 1 && isPlain(file) ? [file] : []));
}

/** The given files and all that they import at once, directly or not: what `geomill convert` always loads. */
function staticImports(files: readonly string[], resolve: Resolver): Set<string> {
  const found = new Set(files);
  for (const file of found)
    for (const name of importsOf(file)) {
      const path = resolve(file, name);
      if (path !== null) found.add(path);
    }
  return found;
}

/** What a file imports at once, as it names it. */
function importsOf(file: string): string[] {
  const statements = /^(?:import|export) (?!type )[^;]*?from '([^']+)';/gm;
  return [...readFileSync(file, 'utf8').matchAll(statements)].map(([, name]) => name);
}
