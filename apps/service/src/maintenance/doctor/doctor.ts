/** Checks a data directory and its machine. Changes nothing, so it can run while the service runs. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { isFileLocked } from '@geomill/sqlite/file-lock.ts';
import type { DatabaseSettings } from '../../jobs/open-database.ts';
import type { SandboxLevel } from '../../sandbox/sandbox.ts';
import type { Capacity } from '../../settings/capacity.ts';
import type { StoreSettings } from '../../storage/open-store.ts';
import { DATABASES } from '../manifest.ts';
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
  readonly settings: DatabaseSettings & StoreSettings;
  readonly capacity: Capacity;
  readonly gridDirectory: string | null;
  /** RUNNER_SANDBOX. */
  readonly sandbox: SandboxLevel | 'auto';
}

type Check = () => DoctorFinding[] | Promise<DoctorFinding[]>;

/** Throws SETTING_INVALID if the directory does not exist; with DATABASE_URL the first start creates it. */
export async function examine(options: DoctorOptions): Promise<Diagnosis> {
  const { dataDirectory: path, depth, capacity, gridDirectory, settings } = options;
  const isThere = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isThere && settings.databaseUrl === null)
    throw failure(generalErrors.SETTING_INVALID, {
      name: 'DATA_DIR',
      value: path,
      reason: 'there is no such directory',
    });
  const lock = isThere ? lockState(join(path, 'lock.sqlite')) : { isRunning: false, findings: [] };
  const { isRunning } = lock;
  const subject: Subject = { path, depth, isRunning, now: Date.now() };
  const ofDirectory: Readonly<Record<string, Check>> = {
    disk: () => checkDisk(subject),
    permissions: () => checkPermissions(subject),
    clock: () => checkClock(subject),
  };
  const checks: Readonly<Record<string, Check>> = {
    databases: async () =>
      settings.databaseUrl === null
        ? [...lock.findings, ...checkDatabases(subject)]
        : [...lock.findings, ...(await postgresFindings(settings)), ...checkUnused(path)],
    files: async () =>
      settings.storeUrl === null && settings.databaseUrl === null
        ? checkFiles(subject)
        : storeFindings(settings, path),
    ...(isThere ? ofDirectory : {}),
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

async function postgresFindings(settings: DatabaseSettings): Promise<DoctorFinding[]> {
  // Most services have no such database.
  const { checkPostgres } = await import('./postgres.ts');
  return checkPostgres(settings);
}

async function storeFindings(settings: StoreSettings, path: string): Promise<DoctorFinding[]> {
  if (settings.storeUrl === null) {
    const message = 'STORE_URL is not set: no process starts with DATABASE_URL alone';
    return [finding('problem', message, 'set STORE_URL to a store that all processes can use')];
  }
  const { checkStore } = await import('./store.ts');
  const note = finding(
    'note',
    `the files are in ${settings.storeUrl}, and were not compared with the rows of jobs`,
  );
  return [...(await checkStore(settings, path)), note];
}

/** Databases of a service that did not have DATABASE_URL. */
function checkUnused(path: string): DoctorFinding[] {
  const unused = Object.keys(DATABASES).filter((name) => existsSync(join(path, name)));
  if (unused.length === 0) return [];
  const message = `${unused.join(' and ')} in ${path} are not used with DATABASE_URL`;
  return [finding('note', `${message}; 'geomill migrate-store' moves them, and then they can be removed`)];
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
