/**
 * Loaded with --import before every test file: ends a process in which no test begins or ends for a long time, and says which test that
 * was and what it waited for. Without it, a socket that nobody closes keeps a run waiting for ever.
 */
import { appendFileSync, writeSync } from 'node:fs';
import { afterEach, beforeEach, type TestContext } from 'node:test';
import { isMainThread, Worker } from 'node:worker_threads';
import { waits } from './until.ts';

/**
 * Twenty times what the slowest test takes on two quiet processors. Of a process that computes, in CPU time: others may keep the
 * processors busy.
 */
const BOUND_MS = process.env.TEST_EXHAUSTIVE === undefined ? 300_000 : 3_000_000;
/** After that time the thread below ends a process whose event loop is blocked. */
const BLOCKED_MS = BOUND_MS + 15_000;
const NAME_BYTES = 500;
/** A file to which the CPU time of each test in milliseconds is appended, to see where the time of a run goes. */
const TIMES = process.env.TEST_TIMES;
/** Share of the time in which a process that waits computes at most. */
const WAITING_SHARE = 0.02;
/** What is open in every process of a test. */
const USUAL_RESOURCES = ['TTYWrap', 'PipeWrap', 'MessagePort'];

const BLOCKED = `
const { workerData: { shared, ms, pid, share } } = require('node:worker_threads');
const progress = new Int32Array(shared, 0, 2);
const cpuMs = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
for (let isOver = false; !isOver; ) {
  const seen = Atomics.load(progress, 0);
  const before = cpuMs();
  while (!isOver && Atomics.wait(progress, 0, seen, ms) === 'timed-out') {
    const used = cpuMs() - before;
    isOver = used >= ms || used <= ms * share;
  }
}
const name = new TextDecoder().decode(new Uint8Array(shared, 8, progress[1]).slice());
require('node:fs').writeSync(2, 'the event loop is blocked while this runs: ' + name + '\\n');
process.kill(pid, 'SIGKILL');
`;

// Neither in threads nor in processes that a test starts, which inherit the flags of their parent.
if (isMainThread && process.send === undefined && /\.test\.m?[tj]s$/.test(process.argv[1] ?? '')) watch();

function watch(): void {
  const running = new Set<string>();
  const shared = new SharedArrayBuffer(8 + NAME_BYTES);
  const progress = new Int32Array(shared, 0, 2);
  const name = new Uint8Array(shared, 8);
  let timer: NodeJS.Timeout | undefined;
  const proceed = (): void => {
    const names = [...running].join(', ') || 'no test';
    progress[1] = new TextEncoder().encodeInto(names, name).written;
    Atomics.add(progress, 0, 1);
    Atomics.notify(progress, 0);
    clearTimeout(timer);
    const computed = process.cpuUsage();
    const check = (): void => {
      const { user, system } = process.cpuUsage(computed);
      const usedMs = (user + system) / 1000;
      if (usedMs >= BOUND_MS || usedMs <= BOUND_MS * WAITING_SHARE) end(names);
      timer = setTimeout(check, BOUND_MS).unref();
    };
    timer = setTimeout(check, BOUND_MS).unref();
  };
  let before = process.cpuUsage();
  beforeEach((context) => {
    running.add((context as TestContext).fullName);
    proceed();
    if (TIMES !== undefined) before = process.cpuUsage();
  });
  afterEach((context) => {
    const { fullName } = context as TestContext;
    running.delete(fullName);
    proceed();
    if (TIMES === undefined) return;
    const { user, system } = process.cpuUsage(before);
    appendFileSync(TIMES, `${Math.round((user + system) / 1000)}\t${fullName}\n`);
  });
  proceed();
  const workerData = { shared, ms: BLOCKED_MS, pid: process.pid, share: WAITING_SHARE };
  new Worker(BLOCKED, { eval: true, execArgv: [], workerData }).unref();
}

function end(names: string): never {
  const resources = process.getActiveResourcesInfo().filter((type) => !USUAL_RESOURCES.includes(type));
  const lines = [
    `no test has begun or ended for ${BOUND_MS / 1000} s in ${process.argv[1]}`,
    `  running: ${names}`,
    ...[...waits].map((what) => `  waits until ${what()}`),
    `  open: ${resources.join(', ') || 'nothing'}\n`,
  ];
  writeSync(2, lines.join('\n'));
  process.exit(1);
}
