/**
 * What each level prevents if code has taken over a runner: the table of docs/security.md, and the attempts that
 * apps/service/test/escape.full.test.ts makes.
 */
import type { SandboxLevel } from './sandbox.ts';

/**
 * - `held`: prevented, also for machine code, which Node's permission model does not stop
 * - `by Node`: prevented for JavaScript, by the permission model alone
 * - `open`: not prevented
 */
export type Holding = 'held' | 'by Node' | 'open';

/** `node24`: no sandbox but the permission model of Node 24. */
export type Level = SandboxLevel | 'node24';
export const LEVELS: readonly Level[] = ['node24', 'none', 'user', 'bwrap'];

export interface Attempt {
  readonly id: string;
  readonly text: string;
  readonly holds: Readonly<Record<Level, Holding>>;
}

function attempt(id: string, text: string, ...holds: readonly [Holding, Holding, Holding, Holding]): Attempt {
  const [node24, none, user, bwrap] = holds;
  return { id, text, holds: { node24, none, user, bwrap } };
}

export const ATTEMPTS: readonly Attempt[] = [
  attempt('read', 'read a file outside of the slot (`jobs.sqlite`)', 'by Node', 'by Node', 'held', 'held'),
  attempt('write', 'write a file outside of the slot', 'by Node', 'by Node', 'held', 'held'),
  attempt('sqlite', 'open `jobs.sqlite` with `node:sqlite`', 'open', 'open', 'held', 'held'),
  attempt('attach', 'ATTACH `jobs.sqlite` with `node:sqlite`', 'open', 'open', 'held', 'held'),
  attempt(
    'worker',
    'read that file in a thread outside of the permission model',
    'open',
    'by Node',
    'held',
    'held',
  ),
  attempt('program', 'start another program', 'by Node', 'by Node', 'by Node', 'held'),
  attempt('connect', 'connect to the service on the loopback address', 'open', 'by Node', 'by Node', 'held'),
  attempt('signal', 'send a signal to the service', 'open', 'open', 'held', 'held'),
  attempt('input', 'change its stored input', 'by Node', 'by Node', 'held', 'held'),
  attempt('slot', 'read the slot of another runner', 'by Node', 'by Node', 'held', 'held'),
  attempt('environment', 'read the environment of the service', 'by Node', 'by Node', 'held', 'held'),
  attempt('memory', 'open the memory of the service', 'by Node', 'by Node', 'held', 'held'),
  attempt('processes', 'see the command lines of other processes', 'by Node', 'by Node', 'by Node', 'held'),
];

/** The rows of the table in docs/security.md. */
export function tableRows(): string[] {
  return ATTEMPTS.map(
    ({ text, holds }) => `| ${text} | ${LEVELS.map((level) => holds[level]).join(' | ')} |`,
  );
}
