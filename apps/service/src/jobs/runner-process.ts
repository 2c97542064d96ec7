/**
 * One runner process as the service sees it: a state, one task at a time, and an outcome for each task.
 *
 * It runs user data, so it is started under Node's permission model: it reads the program, the PROJ grids and its slot,
 * writes its slot, and has no child processes, nothing of the service's environment and (Node 26 and newer) no network.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { PlainError } from '@geomill/core/messages/errors.ts';
import { PLATFORM_TIMERS, type Timers } from '@geomill/core/timers.ts';
import type { PartOrder } from '@geomill/pipeline/division/run-part.ts';
import type { JobReport, Progress } from '@geomill/pipeline/report.ts';
import { CHANNEL_STDIO, ServiceEnd } from '../processes/process-channel.ts';
import { closeAfterExit } from '../sandbox/leftovers.ts';
import { type Cell, NO_SANDBOX, type Sandbox } from '../sandbox/sandbox.ts';
import { ALLOCATOR_ENVIRONMENT } from '../settings/machine.ts';
import { Slot } from '../storage/workspace.ts';
import type { RunnerOptions } from './runner-command.ts';
import { runnerArguments, runnerConfinement } from './runner-command.ts';
import { checkRunnerMessage, MAX_RUNNER_MESSAGE_BYTES } from './runner-message-check.ts';
import type { FromRunner, RunnerTask, ToRunner } from './runner-messages.ts';
import { lowerPriority } from './runner-priority.ts';

export const runnerStates = ['starting', 'idle', 'warming', 'busy', 'dead'] as const;
export type RunnerState = (typeof runnerStates)[number];

export type RunOutcome =
  | { readonly kind: 'done'; readonly report: JobReport; readonly findingsBytes: number }
  | { readonly kind: 'failed'; readonly error: PlainError; readonly log: string | null }
  | { readonly kind: 'died'; readonly cause: DeathCause; readonly detail: string };

/** As RunOutcome, of a part of a job of another runner. */
export type PartOutcome =
  | { readonly kind: 'part done' }
  | Extract<RunOutcome, { readonly kind: 'failed' | 'died' }>;

/** What a runner says about the parts of its job. */
export type DivisionMessage = Extract<FromRunner, { readonly type: 'offer' | 'withdraw' | 'free' }>;

/**
 * Why a process ended: killed by the service (the causes of `kill`), out of memory, after an invalid message, or
 * on its own.
 */
export type DeathCause =
  | 'timeout'
  | 'cancelled'
  | 'stopped'
  | 'retired'
  | 'frozen'
  | 'memory'
  | 'scratch'
  | 'message'
  | 'crash';

export interface RunnerEvents {
  /** It can accept a task. */
  onIdle(runner: RunnerProcess): void;
  onDeath(runner: RunnerProcess, cause: DeathCause, detail: string): void;
}

const STDERR_TAIL_CHARACTERS = 4000;
const START_TIMEOUT_MS = 60_000;
/** 128 and the number of SIGKILL. */
const STATUS_OF_KILLED = 137;

interface Task {
  settle(outcome: RunOutcome | PartOutcome): void;
  onProgress(progress: Progress): void;
  /** Null: its job is not divided. */
  readonly onDivision: ((message: DivisionMessage) => void) | null;
}

export class RunnerProcess {
  readonly slot: Slot;
  readonly startedAt = Date.now();
  /** True once its code is loaded; a process that dies before shows a broken installation. */
  hasLoaded = false;
  /** True if it was killed, rather than ended by its own code. */
  wasKilled = false;
  readonly #child: ChildProcess;
  readonly #channel: ServiceEnd<FromRunner, ToRunner>;
  readonly #events: RunnerEvents;
  readonly #memoryBytes: number;
  readonly #sandbox: Sandbox;
  readonly #niceness: number | undefined;
  #nodePid: number | null = null;
  #hasLowPriority = false;
  #state: RunnerState = 'starting';
  readonly #timers: Timers;
  #stateSince: number;
  readonly #startTimeoutMs: number;
  #killedFor: DeathCause | null = null;
  /** The fault of an invalid message. */
  #violation: string | null = null;
  #stderrTail = '';
  /** Its state is uncertain, so it gets no more jobs. */
  #isSpent = false;
  #death: Extract<RunOutcome, { kind: 'died' }> | null = null;
  readonly #died = Promise.withResolvers<void>();
  readonly #deathListeners = new Set<() => void>();
  #task: Task | null = null;

  constructor(options: RunnerOptions, events: RunnerEvents) {
    this.#events = events;
    this.#memoryBytes = options.memoryBytes;
    this.#startTimeoutMs = options.startTimeoutMs ?? START_TIMEOUT_MS;
    this.#timers = options.timers ?? PLATFORM_TIMERS;
    this.#stateSince = this.#timers.now();
    this.#sandbox = options.sandbox ?? NO_SANDBOX;
    this.#niceness = options.niceness;
    const cell = this.#sandbox.cell();
    this.slot = new Slot(options.slotsDirectory, cell);
    try {
      this.#child = startProcess(options, this.slot, cell);
    } catch (error) {
      this.slot.remove();
      throw error;
    }
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderrTail = (this.#stderrTail + text).slice(-STDERR_TAIL_CHARACTERS);
    });
    this.#channel = new ServiceEnd(this.#child, {
      maxBytes: MAX_RUNNER_MESSAGE_BYTES,
      check: checkRunnerMessage,
      onMessage: (message) => this.#receive(message),
      onViolation: (reason) => {
        this.#violation = reason;
        this.kill('message');
      },
    });
    this.#child.on('error', (error) => this.#die(error.message));
    closeAfterExit(this.#child, this.slot.directory, () => !this.hasLoaded && this.#sandbox.hasStages);
    // 'close', not 'exit': by then all messages and all of stderr have arrived.
    this.#child.on('close', (code, signal) => {
      // The exit status of a sandbox process shows how the process in it ended.
      this.wasKilled = signal === 'SIGKILL' || code === STATUS_OF_KILLED;
      this.#die(signal === null ? `exit status ${code}` : `signal ${signal}`);
    });
  }

  get state(): RunnerState {
    return this.#state;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Reserves an idle process for one task; `run` or `release` follows. */
  reserve(): boolean {
    if (!this.isFree) return false;
    this.#enter('busy');
    return true;
  }

  /** Whether it can be reserved. A killed process would soon end a job that it gets. */
  get isFree(): boolean {
    return this.#state === 'idle' && this.#killedFor === null;
  }

  /** How the process ended; null while it runs. */
  get death(): Extract<RunOutcome, { kind: 'died' }> | null {
    return this.#death;
  }

  /** Resolves when the process has died. */
  get died(): Promise<void> {
    return this.#died.promise;
  }

  /** Calls `listener` when the process dies, at once if it has died. Returns a function that removes the listener. */
  onDeath(listener: () => void): () => void {
    if (this.#death !== null) listener();
    else this.#deathListeners.add(listener);
    return () => void this.#deathListeners.delete(listener);
  }

  /** Runs a task on the reserved process; resolves when the task is done or has failed, or the process has died. */
  async run(
    task: RunnerTask,
    onProgress: (progress: Progress) => void,
    onDivision: ((message: DivisionMessage) => void) | null = null,
  ): Promise<RunOutcome> {
    return this.#perform<RunOutcome>({ type: 'run', task }, onProgress, onDivision);
  }

  /** Runs a part of a job of another runner, as `run` runs a job. */
  async runPart(order: PartOrder, onProgress: (progress: Progress) => void): Promise<PartOutcome> {
    return this.#perform<PartOutcome>({ type: 'part', order }, onProgress, null);
  }

  /** Tells the runner of a divided job about a part of it. */
  tellOfPart(message: Extract<ToRunner, { readonly type: 'own' | 'result' }>): void {
    if (this.#death === null) this.#channel.send(message);
  }

  async #perform<Outcome extends RunOutcome | PartOutcome>(
    message: ToRunner,
    onProgress: (progress: Progress) => void,
    onDivision: Task['onDivision'],
  ): Promise<Outcome> {
    if (this.#death !== null) return this.#death as Outcome;
    return new Promise((resolve) => {
      // The kinds of outcomes of a task follow from its message.
      this.#task = { settle: (outcome) => resolve(outcome as Outcome), onProgress, onDivision };
      this.#channel.send(message);
    });
  }

  /** Lets an idle process load the code of jobs; it is idle again afterwards. */
  warm(): void {
    if (this.#state !== 'idle') return;
    this.#enter('warming');
    this.#channel.send({ type: 'warm', directory: this.slot.warmUpDirectory });
  }

  /** Returns the process after a task; without this call it stays busy. */
  release(): void {
    // A killed process ends soon; a job that it got meanwhile would end with it.
    if (this.#state !== 'busy' || this.#killedFor !== null) return;
    // Memory kept after a large job counts for the next one, which therefore gets a new process.
    const residentBytes = this.#residentMemory();
    if (this.#isSpent || (residentBytes !== null && residentBytes > this.#memoryBytes / 2)) {
      this.kill('retired');
      return;
    }
    this.#enter('idle');
    this.#events.onIdle(this);
  }

  /** Ends the process at once. A running task's outcome is `died` with this cause. */
  kill(cause: DeathCause): void {
    this.#killedFor ??= cause;
    this.#child.kill('SIGKILL');
  }

  /**
   * Must be called several times a second. Kills the process if it uses too much memory (buffers are not in V8's
   * heap, so V8's own limit does not cover them), if it makes no progress, and again if it was killed and has not ended.
   */
  check(): void {
    if (this.#killedFor !== null) this.kill(this.#killedFor);
    this.#lowerPriority();
    const isStarting = this.#state === 'starting' || this.#state === 'warming';
    if (isStarting && this.#timers.now() - this.#stateSince > this.#startTimeoutMs) this.kill('frozen');
    if (this.#state !== 'busy') return;
    const residentBytes = this.#residentMemory();
    if (residentBytes !== null && residentBytes > this.#memoryBytes) this.kill('memory');
  }

  /** Process id of Node itself, not of its sandbox. */
  #residentMemory(): number | null {
    this.#findNode();
    return this.#nodePid === null ? null : residentMemory(this.#nodePid);
  }

  #findNode(): void {
    if (this.#nodePid !== null || this.pid === undefined) return;
    this.#nodePid = this.#sandbox.innerPid(this.pid);
    this.#lowerPriority();
  }

  /** Of Node itself, whose sandbox may have started a session. */
  #lowerPriority(): void {
    if (this.#nodePid !== null && !this.#hasLowPriority)
      this.#hasLowPriority = lowerPriority(this.#nodePid, this.#niceness);
  }

  #receive(message: FromRunner): void {
    switch (message.type) {
      case 'loaded':
        this.hasLoaded = true;
        this.#findNode();
        this.#becomeIdle('starting');
        break;
      case 'warmed':
        this.#becomeIdle('warming');
        break;
      case 'progress':
        this.#task?.onProgress(message.progress);
        break;
      case 'offer':
      case 'withdraw':
      case 'free':
        this.#task?.onDivision?.(message);
        break;
      case 'part-done':
        this.#settle({ kind: 'part done' });
        break;
      case 'done':
      case 'failed':
        // It may have lost a thread, or be in any state.
        if (message.type === 'failed' && (message.log !== null || message.error.code === 'JOB_OUT_OF_MEMORY'))
          this.#isSpent = true;
        this.#settle(
          message.type === 'done'
            ? { kind: 'done', report: message.report, findingsBytes: message.findingsBytes ?? 0 }
            : { kind: 'failed', error: message.error, log: message.log },
        );
    }
  }

  #enter(state: RunnerState): void {
    this.#state = state;
    this.#stateSince = this.#timers.now();
  }

  #becomeIdle(expected: RunnerState): void {
    if (this.#state !== expected) return;
    this.#enter('idle');
    this.#events.onIdle(this);
  }

  #settle(outcome: RunOutcome | PartOutcome): void {
    const task = this.#task;
    this.#task = null;
    task?.settle(outcome);
  }

  #die(ending: string): void {
    if (this.#state === 'dead') return;
    this.#enter('dead');
    const outOfMemory = /heap out of memory|Allocation failed|ERR_WORKER_OUT_OF_MEMORY/.test(
      this.#stderrTail,
    );
    const cause = this.#killedFor ?? (outOfMemory ? 'memory' : 'crash');
    const reason = cause === 'message' ? (this.#violation ?? ending) : ending;
    const detail = this.#stderrTail === '' ? reason : `${reason}; ${this.#stderrTail.trim()}`;
    this.#death = { kind: 'died', cause, detail: reason };
    this.#died.resolve();
    for (const listener of this.#deathListeners) listener();
    this.#deathListeners.clear();
    this.#settle(this.#death);
    this.#events.onDeath(this, cause, detail);
  }
}

/** Throws if the process cannot be started or recorded; then no process remains. */
function startProcess(options: RunnerOptions, slot: Slot, cell: Cell): ChildProcess {
  const confinement = runnerConfinement(options, slot);
  const { file, args, identity } = cell.command(runnerArguments(options, confinement), confinement);
  const child = spawn(file, args, {
    ...identity,
    // All of it: that of the service may contain secrets, and a runner needs none of it.
    env: ALLOCATOR_ENVIRONMENT,
    cwd: slot.directory,
    stdio: CHANNEL_STDIO,
  });
  if (child.pid === undefined) return child;
  try {
    slot.notePid(child.pid);
  } catch (error) {
    closeAfterExit(child, slot.directory, () => true);
    child.on('error', () => {}).kill('SIGKILL');
    throw error;
  }
  lowerPriority(child.pid, options.niceness);
  return child;
}

/**
 * Resident memory of a process in bytes; null where it is not available (only Linux gives it cheaply). From `status`, which
 * has kB: `statm` counts pages, whose size Node does not provide.
 */
function residentMemory(pid: number): number | null {
  try {
    const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'));
    return kib === null ? null : Number(kib[1]) * 1024;
  } catch {
    return null;
  }
}
