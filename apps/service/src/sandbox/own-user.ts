/**
 * The sandbox level of users: a service that runs as root gives each process a user of its own, which owns only the files it may
 * write. It works where namespaces are not available, as in most containers. The network is restricted by Node alone.
 */
import { execFile } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { PROGRAM_DIRECTORIES } from '@geomill/platform/program-files.ts';
import type { Cell, Sandbox } from './sandbox.ts';

/** Long enough for a busy machine. */
const PROBE_TIMEOUT_MS = 20_000;

/**
 * Closes the data directory to other users, except for the path to `slotsDirectory` in it. Throws an Error with the reason if the
 * service is not root or such a user cannot reach its files.
 */
export async function ownUserSandbox(firstUid: number, slotsDirectory: string): Promise<Sandbox> {
  if (process.getuid?.() !== 0)
    throw new Error('only a service that runs as root can start processes as other users');
  closeDataDirectory(slotsDirectory);
  const taken = new Set<number>();
  const sandbox: Sandbox = {
    level: 'user',
    text: `Node's permission model and users from ${firstUid} on`,
    cell: () => {
      let uid = firstUid;
      while (taken.has(uid)) uid += 1;
      taken.add(uid);
      return cellOf(uid, () => taken.delete(uid));
    },
    hasStages: false,
    innerPid: (pid) => pid,
  };
  await probe(sandbox, slotsDirectory);
  return sandbox;
}

function cellOf(uid: number, free: () => void): Cell {
  const identity = { uid, gid: uid };
  return {
    command: (args) => ({ file: process.execPath, args, identity }),
    give(directory, access) {
      chownSync(directory, access === 'write' ? uid : 0, uid);
      chmodSync(directory, { pass: 0o711, read: 0o750, write: 0o700 }[access]);
    },
    giveFile(path) {
      // This changes the stored file, of which `path` is a hard link. Jobs that use the same upload share it, so every user may
      // read it; each reaches only the name in its own directory.
      chownSync(path, 0, uid);
      chmodSync(path, 0o444);
    },
    release() {
      // Its child processes are killed before another process gets this user.
      execFile('/bin/sh', ['-c', 'kill -9 -1'], { ...identity, env: {}, cwd: '/' }, free);
    },
  };
}

function closeDataDirectory(slotsDirectory: string): void {
  const dataDirectory = dirname(slotsDirectory);
  mkdirSync(slotsDirectory, { recursive: true });
  for (const entry of readdirSync(dataDirectory, { withFileTypes: true })) {
    const path = join(dataDirectory, entry.name);
    if (path === slotsDirectory) chmodSync(path, 0o711);
    else if (['inputs', 'outputs', 'uploads'].includes(entry.name)) chmodSync(path, 0o700);
    else if (entry.isFile() && entry.name.includes('.sqlite')) chmodSync(path, 0o600);
  }
  chmodSync(dataDirectory, 0o711);
}

/** Tests that such a user can run the program, and can write only where it should. */
async function probe(sandbox: Sandbox, slotsDirectory: string): Promise<void> {
  const directory = join(slotsDirectory, 'probe');
  const [programDirectory] = PROGRAM_DIRECTORIES;
  const cell = sandbox.cell();
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory);
  try {
    cell.give(directory, 'write');
    const path = (value: string): string => JSON.stringify(value);
    const script = `const { readdirSync, writeFileSync } = require('node:fs');
      const can = (act) => { try { act(); return true; } catch { return false; } };
      [can(() => readdirSync(${path(programDirectory)})), can(() => writeFileSync(${path(join(directory, 'x'))}, '')),
       can(() => readdirSync(${path(dirname(slotsDirectory))}))].join(' ')`;
    const { file, args, identity } = cell.command(['-p', script], {
      readable: [],
      writable: [directory],
      network: false,
      directory,
    });
    const options = { ...identity, env: {}, cwd: directory, timeout: PROBE_TIMEOUT_MS };
    const { stdout } = await promisify(execFile)(file, [...args], options);
    const [program, slot, data] = stdout.trim().split(' ');
    if (program !== 'true') throw new Error(`user ${identity?.uid} cannot read ${programDirectory}`);
    if (slot !== 'true') throw new Error(`user ${identity?.uid} cannot reach ${slotsDirectory}`);
    if (data !== 'false') throw new Error(`user ${identity?.uid} can list ${dirname(slotsDirectory)}`);
  } finally {
    cell.release();
    rmSync(directory, { recursive: true, force: true });
  }
}
