/**
 * Loads the files of the bundled program (scripts/bundle-program.ts) with the code that V8 compiled for earlier runs. Node's own
 * compile cache keeps the functions that run while a file is loaded; each process and thread would compile those that it calls later
 * again, which is a fifth of a small command. See docs/decisions/launcher.md.
 */
'use strict';
const fs = require('node:fs');
const { getCompileCacheDir } = require('node:module');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { Script } = require('node:vm');

/** So many runs add the functions that they called; then a file of compiled code stays as it is. */
const RUNS_THAT_ADD = 4;
/** A thread is ended without notice, so it keeps its code when it has called most of its functions. */
const THREAD_ADDS_AFTER_MS = 300;
/** Of compiled code, one for each build of the program. */
const KEPT_DIRECTORIES = 4;
const WRITABLE_BY_OTHERS = 0o022;
const EMPTY = Buffer.alloc(0);

/**
 * Runs an entry of the program. Resolves with its exports.
 *
 * @param {string} entry name of its file in this directory
 * @param {string} build hash of all files of the program: compiled code fits exactly one text
 * @returns {Promise<object>}
 */
function run(entry, build) {
  const compiled = compiledCode(entry, build);
  const loaded = new Map();

  function load(name) {
    let exports = loaded.get(name);
    if (exports === undefined) {
      exports = evaluate(name);
      loaded.set(name, exports);
    }
    return exports;
  }

  function evaluate(name) {
    const filename = path.join(__dirname, name);
    // The build writes plain ASCII.
    const text = fs.readFileSync(filename, 'latin1');
    const script = new Script(text, { filename, cachedData: compiled.read(name) });
    compiled.add(name, script);
    return script.runInThisContext()(load, importPackage, {
      dirname: __dirname,
      filename,
      url: pathToFileURL(filename).href,
      resolve: (specifier) => pathToFileURL(require.resolve(specifier)).href,
    });
  }

  return load(entry);
}

const importPackage = (specifier) => import(specifier);

/** The compiled code that is kept for this entry and command: each command calls other functions. */
function compiledCode(entry, build) {
  const directory = directoryFor(build);
  if (directory === null) return { read: () => undefined, add: () => {} };
  const isCommand = entry.startsWith('main-');
  const [, , command = ''] = isCommand ? process.argv : [];
  const user = /^[a-z-]{1,20}$/.test(command) ? `${entry}.${command}` : entry;
  const pathOf = (name) => path.join(directory, `${name}.${user}`);
  /** By name: the file as it was, empty if there was none. */
  const found = new Map();
  const scripts = new Map();

  function save() {
    // A file that few runs have loaded may have called functions of the others for the first time.
    const isNew = [...found.values()].some((bytes) => runsOf(bytes) < RUNS_THAT_ADD);
    if (!isNew) return;
    try {
      for (const [name, script] of scripts) {
        const before = found.get(name);
        const code = script.createCachedData();
        // V8 forgets code that was not called for long, so a long run may know less than the one before.
        const best = code.length > before.length ? code : before.subarray(0, -1);
        writeWhole(pathOf(name), [best, Buffer.of(Math.min(runsOf(before) + 1, RUNS_THAT_ADD))]);
      }
    } catch {
      // As with a full disk: the functions are compiled again.
    }
  }

  if (isCommand) process.once('exit', (code) => code === 0 && save());
  else setTimeout(save, THREAD_ADDS_AFTER_MS).unref();
  return {
    read(name) {
      let bytes = EMPTY;
      try {
        bytes = readOwn(pathOf(name));
      } catch {
        // It was never kept.
      }
      found.set(name, bytes);
      return bytes.length > 0 ? bytes.subarray(0, -1) : undefined;
    },
    add(name, script) {
      scripts.set(name, script);
      // Code of another V8.
      if (script.cachedDataRejected === true) found.set(name, EMPTY);
    },
  };
}

/** The last byte of a file counts the runs that added to it. */
function runsOf(bytes) {
  return bytes.length > 0 ? bytes[bytes.length - 1] : 0;
}

/** Below the compile cache of Node.js, or null: without it, or if another user could have written there what would be run. */
function directoryFor(build) {
  const parent = getCompileCacheDir();
  if (parent === undefined) return null;
  const directory = path.join(parent, `geomill-${build}`);
  const isNew = !fs.existsSync(directory);
  // Not at the top: processes in a sandbox keep no compiled code, and cannot read the launcher.
  const { privateDirectory } = require('../bin/compile-cache.js');
  const own = privateDirectory(directory);
  // A link would lead to code that was kept elsewhere, for something else.
  if (own === null || path.basename(own) !== path.basename(directory)) return null;
  try {
    if (isNew) removeOldest(path.dirname(own));
  } catch {
    // They are removed after the next build.
  }
  return own;
}

/** The content of a file of this user; throws if it is of another one, from a time when others could write to its directory. */
function readOwn(file) {
  const handle = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0));
  try {
    const { uid, mode } = fs.fstatSync(handle);
    const isForeign =
      process.geteuid !== undefined && (uid !== process.geteuid() || (mode & WRITABLE_BY_OTHERS) !== 0);
    if (isForeign) throw new Error(`${file} is of another user`);
    return fs.readFileSync(handle);
  } finally {
    fs.closeSync(handle);
  }
}

function removeOldest(parent) {
  const directories = fs.readdirSync(parent).filter((name) => name.startsWith('geomill-'));
  const byTime = directories
    .map((name) => path.join(parent, name))
    .map((directory) => ({ directory, time: fs.statSync(directory).mtimeMs }))
    .sort((a, b) => b.time - a.time);
  for (const { directory } of byTime.slice(KEPT_DIRECTORIES))
    fs.rmSync(directory, { recursive: true, force: true });
}

/**
 * V8 finds that a file is too short, but not that its bytes are wrong. So it gets its name only when all bytes are on the disk.
 */
function writeWhole(file, parts) {
  const partial = `${file}.${process.pid}.${process.hrtime.bigint()}`;
  const handle = fs.openSync(partial, 'wx', 0o600);
  try {
    for (const part of parts) fs.writeFileSync(handle, part);
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
  fs.renameSync(partial, file);
}

module.exports = { run };
