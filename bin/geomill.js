#!/usr/bin/env node
// Loads the sources in a checkout and the built program in an installed package. CommonJS in the syntax of Node 12, so that an
// old Node prints what is missing instead of a stack trace. See docs/decisions/launcher.md.
const fs = require('fs');
const path = require('path');
const { pathToFileURL } = require('url');
const { installedRuntime, majorOf, OLDEST_MAJOR } = require('./runtime.js');

if (majorOf(process.version) < OLDEST_MAJOR) runInNewerNode();
else run();

function run() {
  // Before the first file is loaded, so that the cache also keeps TypeScript files with their types stripped.
  require('./compile-cache.js').enableCompileCache();
  const root = path.dirname(__dirname);
  const source = path.join(root, 'apps', 'cli', 'src', 'main.ts');
  if (fs.existsSync(source)) import(pathToFileURL(source).href);
  else require(path.join(root, 'dist', 'main.cjs'));
}

/** Runs the command in the Node that npm installed, and passes signals and the exit status on. */
function runInNewerNode() {
  const runtime = installedRuntime();
  if (runtime === null) return refuse();
  // In a process group of its own: otherwise Ctrl-C reaches the command twice, and the second one ends a service at once.
  const args = process.execArgv.concat(process.argv.slice(1));
  const child = require('child_process').spawn(runtime, args, { stdio: 'inherit', detached: true });
  const forward = (signal) => child.kill(signal);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];
  for (const signal of signals) process.on(signal, forward);
  child.on('error', refuse);
  child.on('exit', (code, signal) => {
    for (const name of signals) process.removeListener(name, forward);
    if (signal === null) process.exitCode = code;
    else process.kill(process.pid, signal);
  });
}

function refuse() {
  process.stderr.write(`geomill needs Node.js ${OLDEST_MAJOR} or newer (found ${process.version})\n`);
  process.exitCode = 1;
}
