/** `geomill doctor`: checks a data directory, also while its service runs. */
import { resolve } from 'node:path';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { DatabaseSettings } from '@geomill/service/jobs/open-database.ts';
import { type Diagnosis, examine } from '@geomill/service/maintenance/doctor/doctor.ts';
import { type Severity, severities } from '@geomill/service/maintenance/doctor/finding.ts';
import type { Config } from '@geomill/service/settings/config.ts';
import type { StoreSettings } from '@geomill/service/storage/open-store.ts';
import { type Flags, parseCommand } from './arguments.ts';
import { standardOutput } from './standard-output.ts';

export const usage = (): string => `geomill doctor [DATA_DIR] [--quick] [--json]

Checks a data directory (default: that of the setting DATA_DIR) and the machine: databases, files of jobs, disk, permissions, clock,
isolation of jobs, Node and memory. Says what is wrong and what to do. It only reads, so the service may be running.

With DATABASE_URL it checks PostgreSQL instead of the databases: connection, version, tables, rights, clock, number of connections. With
STORE_URL it writes a test file to the store, reads it and removes it.

  --quick  does not compare indexes of the databases with their tables, which takes long in large ones
  --json   prints the findings as JSON

Exit status: 0 nothing to do, 1 warnings, 4 problems (the service does not start, or jobs, outputs or secrets are in danger).

Examples:
  geomill doctor
  geomill doctor /var/lib/geomill --quick --json`;

export const flags = (): Flags => ({
  quick: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
});

/** Documented in docs/cli.md. */
const EXIT: Readonly<Record<Severity, number>> = { ok: 0, note: 0, warning: 1, problem: 4 };

type DoctorConfig = Pick<Config, 'dataDirectory' | 'capacity' | 'gridDirectory' | 'runnerSandbox'> &
  DatabaseSettings &
  StoreSettings;

/** Runs the command; resolves with the exit status. Throws GeomillError. */
export async function run(argv: readonly string[], config: DoctorConfig): Promise<number> {
  const parsed = parseCommand(argv, flags(), usage);
  if (parsed === null) return 0;
  const { values, positionals } = parsed;
  if (positionals.length > 1)
    throw failure(generalErrors.USAGE, { detail: 'doctor takes one data directory' });
  const diagnosis = await examine({
    dataDirectory: positionals.length === 1 ? resolve(positionals[0]) : config.dataDirectory,
    depth: values.quick === true ? 'quick' : 'full',
    capacity: config.capacity,
    settings: config,
    gridDirectory: config.gridDirectory,
    sandbox: config.runnerSandbox as Parameters<typeof examine>[0]['sandbox'],
  });
  standardOutput().write(
    values.json === true ? `${JSON.stringify(toJson(diagnosis), null, 2)}\n` : toText(diagnosis),
  );
  return EXIT[diagnosis.severity];
}

function toText({ dataDirectory, isRunning, pid, findings }: Diagnosis): string {
  const process = pid === null ? '' : ` (process ${pid})`;
  const service = isRunning ? `its service is running${process}` : 'no service is running in it';
  const lines = findings.flatMap(({ severity, check, message, remedy }) => [
    `${severity.padEnd(8)} ${check.padEnd(11)} ${message}`,
    ...(remedy === null ? [] : [`${' '.repeat(21)}To do: ${remedy}`]),
  ]);
  return [`${dataDirectory}: ${service}; nothing is changed`, ...lines, summary(findings), ''].join('\n');
}

function summary(findings: Diagnosis['findings']): string {
  const count = (one: Severity): number => findings.filter(({ severity }) => severity === one).length;
  return count('problem') + count('warning') === 0
    ? 'Nothing to do.'
    : `Problems: ${count('problem')}, warnings: ${count('warning')}.`;
}

function toJson({ dataDirectory, isRunning, pid, findings, severity }: Diagnosis): object {
  const counts = Object.fromEntries(
    severities.map((one) => [one, findings.filter((found) => found.severity === one).length]),
  );
  return {
    data_directory: dataDirectory,
    service: { is_running: isRunning, pid },
    severity,
    counts,
    findings,
  };
}
