/**
 * What code in a runner can try. Started in place of runner-main.ts with the facts in the working directory, it tries
 * everything and writes what worked to `out/tried.json`.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { dropThreadPermission } from '../../packages/platform/src/node/threads.ts';

export interface Target {
  readonly databasePath: string;
  readonly outsidePath: string;
  readonly otherSlotPath: string;
  readonly servicePid: number;
  readonly port: number;
}

dropThreadPermission();
const slot = process.cwd();
const target = JSON.parse(readFileSync(join(slot, 'in', '1'), 'utf8')) as Target;

const succeeds = (act: () => unknown): boolean => {
  act();
  return true;
};

function readInThread(path: string): Promise<boolean> {
  const code = `require('node:worker_threads').parentPort.postMessage(require('node:fs').readFileSync(${JSON.stringify(path)}).length)`;
  return new Promise((resolve, reject) => {
    const thread = new Worker(code, { eval: true, execArgv: [] });
    thread.on('message', () => resolve(true)).on('error', reject);
  });
}

function reaches(port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    }).on('error', reject);
  });
}

function query(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.prepare(sql).all();
  database.close();
}

function attach(path: string): void {
  const database = new DatabaseSync(':memory:');
  database.exec(`ATTACH '${path}' AS other`);
  database.prepare('SELECT * FROM other.secrets').all();
}

const attempts: Readonly<Record<string, () => boolean | Promise<boolean>>> = {
  read: () => succeeds(() => readFileSync(target.databasePath)),
  write: () => succeeds(() => writeFileSync(target.outsidePath, 'x')),
  sqlite: () => succeeds(() => query(target.databasePath, 'SELECT * FROM secrets')),
  attach: () => succeeds(() => attach(target.databasePath)),
  worker: () => readInThread(target.databasePath),
  program: () => spawnSync('/bin/sh', ['-c', 'exit 7']).status === 7,
  connect: () => reaches(target.port),
  // 0: whether it may; nothing is sent.
  signal: () => succeeds(() => process.kill(target.servicePid, 0)),
  input: () => succeeds(() => writeFileSync(join(slot, 'in', '0'), 'changed')),
  slot: () => succeeds(() => readFileSync(target.otherSlotPath)),
  environment: () => readFileSync(`/proc/${target.servicePid}/environ`).length > 0,
  memory: () => succeeds(() => closeSync(openSync(`/proc/${target.servicePid}/mem`, 'r'))),
  processes: () =>
    readdirSync('/proc').some(
      (name) => Number(name) === target.servicePid && readFileSync(`/proc/${name}/cmdline`).length > 0,
    ),
};

const tried: Record<string, boolean> = {};
for (const [name, act] of Object.entries(attempts)) {
  try {
    tried[name] = await act();
  } catch {
    tried[name] = false;
  }
}
writeFileSync(join(slot, 'out', 'tried.json'), JSON.stringify(tried));
process.exit();
