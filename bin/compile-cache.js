// Where compiled code is kept between runs: Node and V8 run what they find there without checking it, so the directory must be one that
// no other user can change. See docs/security.md, "Kept code".
const fs = require('fs');
const os = require('os');
const path = require('path');

const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;
/** As many as Linux follows in one path. */
const MAX_LINKS = 40;

/**
 * Turns Node's compile cache on, in the user's cache directory. Without a directory that only this user can change it stays off.
 * NODE_COMPILE_CACHE turns it on before any file is loaded, and NODE_DISABLE_COMPILE_CACHE off; both then hold.
 */
function enableCompileCache() {
  const { enableCompileCache: enable, getCompileCacheDir } = require('module');
  if (getCompileCacheDir() !== undefined || isSet(process.env.NODE_DISABLE_COMPILE_CACHE)) return;
  const directory = privateDirectory(path.join(cacheDirectory(process.env), 'code'));
  if (directory === null) return;
  enable(directory);
  // Worker threads and processes read only the variable.
  process.env.NODE_COMPILE_CACHE = directory;
}

function isSet(text) {
  return text !== undefined && text !== '';
}

/** Directory for data that can be computed again: the same that apps/service/src/settings/config.ts finds. */
function cacheDirectory({ CACHE_DIR: own, XDG_CACHE_HOME: xdg, LOCALAPPDATA: local }) {
  if (isSet(own)) return path.resolve(own);
  const isWindows = process.platform === 'win32';
  if (xdg !== undefined && path.isAbsolute(xdg)) return path.join(xdg, 'geomill');
  if (isWindows && local !== undefined) return path.join(local, 'geomill');
  return path.join(os.homedir(), process.platform === 'darwin' ? 'Library/Caches' : '.cache', 'geomill');
}

/**
 * The directory `given` without symbolic links in its path; made, with those above it, if it does not exist. Null if it cannot be made, or if
 * another user than this one and root could change it: as the owner of a directory or link on the way to it, or because others may
 * write to one of these. In directories such as /tmp others may write, but cannot replace what is not theirs.
 */
function privateDirectory(given) {
  try {
    // Windows: the profile of a user has access rights that the mode of a file does not show.
    if (process.platform !== 'win32') return walk(given);
    fs.mkdirSync(given, { recursive: true });
    return fs.realpathSync(given);
  } catch (_) {
    return null;
  }
}

function walk(given) {
  let current = path.parse(given).root;
  if (current === '') return null;
  const names = namesOf(given);
  let links = 0;
  let stat = fs.lstatSync(current);
  for (;;) {
    if (!isTrusted(stat)) return null;
    if (names.length === 0) break;
    const name = names.shift();
    const next = path.join(current, name);
    stat = name === '..' ? fs.lstatSync(next) : statOrMake(next);
    if (!stat.isSymbolicLink()) current = next;
    else {
      if (!isOwnOrOfRoot(stat) || ++links > MAX_LINKS) return null;
      const target = fs.readlinkSync(next);
      names.unshift(...namesOf(target));
      if (path.isAbsolute(target)) current = path.parse(target).root;
      stat = fs.lstatSync(current);
    }
  }
  // What is in the last directory is believed, whoever wrote it, so nobody else may ever write there.
  return stat.uid === process.geteuid() && (stat.mode & WRITABLE_BY_OTHERS) === 0 ? current : null;
}

function namesOf(given) {
  return given.split(path.sep).filter((name) => name !== '' && name !== '.');
}

function statOrMake(directory) {
  try {
    return fs.lstatSync(directory);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  try {
    fs.mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    // Another process was faster; its directory is checked like any other.
    if (error.code !== 'EEXIST') throw error;
  }
  return fs.lstatSync(directory);
}

/** Whether no other user can replace what belongs to this user or root in the directory. */
function isTrusted(stat) {
  const others = stat.mode & WRITABLE_BY_OTHERS;
  return stat.isDirectory() && isOwnOrOfRoot(stat) && (others === 0 || (stat.mode & STICKY) !== 0);
}

function isOwnOrOfRoot({ uid }) {
  return uid === 0 || uid === process.geteuid();
}

module.exports = { enableCompileCache, cacheDirectory, privateDirectory };
