/** Checks a data directory and its machine. Changes nothing, so it can run while the service runs. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Capacity } from '../../capacity.ts';
import { isFileLocked } from '../../engines/sqlite/file-lock.ts';
import { failure } from '../../errors.ts';
import type { SandboxLevel } from '../../sandbox/sandbox.ts';
import { checkClock } from './clock.ts';
import { checkDatabases } from './databases.ts';
import { checkDisk } from './disk.ts';
import { checkFiles } from './files.ts';
import { type DoctorFinding, finding, type Severity, type Subject, severities } from './finding.ts';
import { checkIsolation } from './isolation.ts';
import { checkPermissions } from './permissions.ts';
import { checkRuntime, runtimeFacts } from './runtime.ts';

export interface CheckedFinding extends DoctorFinding {
  /** Name of the check. */
  readonly check: string;
}

export interface Diagnosis {
  readonly dataDirectory: string;
  readonly isRunning: boolean;
  /** Process id of the service, if known. */
  readonly pid: number | null;
  readonly findings: readonly CheckedFinding[];
  /** The most severe level of all findings. */
  readonly severity: Severity;
}

export interface DoctorOptions {
  readonly dataDirectory: string;
  readonly depth: Subject['depth'];
  /** STORE_URL. */
  readonly storeUrl: string | null;
  readonly capacity: Capacity;
  readonly gridDirectory: string | null;
  /** RUNNER_SANDBOX. */
  readonly sandbox: SandboxLevel | 'auto';
}

/** Throws SETTING_INVALID if the directory does not exist. */
export async function examine(options: DoctorOptions): Promise<Diagnosis> {
  const { dataDirectory: path, depth, capacity, gridDirectory } = options;
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw failure('SETTING_INVALID', { name: 'DATA_DIR', value: path, reason: 'there is no such directory' });
  const lock = lockState(join(path, 'lock.sqlite'));
  const { isRunning } = lock;
  const subject: Subject = { path, depth, isRunning, now: Date.now() };
  const checks: Readonly<Record<string, () => DoctorFinding[] | Promise<DoctorFinding[]>>> = {
    databases: () => [...lock.findings, ...checkDatabases(subject)],
    files: () =>
      options.storeUrl === null
        ? checkFiles(subject)
        : [finding('note', `the files are in ${options.storeUrl}, and were not compared with jobs.sqlite`)],
    disk: () => checkDisk(subject),
    permissions: () => checkPermissions(subject),
    clock: () => checkClock(subject),
    isolation: () => checkIsolation(options.sandbox),
    runtime: () => checkRuntime(runtimeFacts(capacity, gridDirectory)),
  };
  const findings: CheckedFinding[] = [];
  for (const [check, run] of Object.entries(checks))
    for (const one of await attempted(run)) findings.push({ check, ...one });
  const worst = Math.max(0, ...findings.map(({ severity }) => severities.indexOf(severity)));
  return {
    dataDirectory: path,
    isRunning,
    pid: isRunning ? pidIn(path) : null,
    findings,
    severity: severities[worst],
  };
}

/** A check that fails to run becomes a finding, and the other checks still run. */
async function attempted(run: () => DoctorFinding[] | Promise<DoctorFinding[]>): Promise<DoctorFinding[]> {
  try {
    return await run();
  } catch (error) {
    const message = `this could not be checked: ${(error as Error).message}`;
    return [
      finding(
        'problem',
        message,
        'run geomill doctor as the user of the service; else the message names the file',
      ),
    ];
  }
}

function lockState(path: string): { isRunning: boolean; findings: DoctorFinding[] } {
  try {
    return { isRunning: isFileLocked(path), findings: [] };
  } catch (error) {
    const message = `lock.sqlite cannot be read (${(error as Error).message}): no service can start`;
    const remedy = 'remove it while no service runs; it holds no data';
    return { isRunning: false, findings: [finding('problem', message, remedy)] };
  }
}

function pidIn(path: string): number | null {
  try {
    return Number.parseInt(readFileSync(join(path, 'service.pid'), 'utf8'), 10) || null;
  } catch {
    return null;
  }
}
