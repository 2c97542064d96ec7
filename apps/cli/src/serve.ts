/** `geomill serve`: runs the service until SIGTERM or SIGINT. */
import { setFlagsFromString } from 'node:v8';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { startService } from '@geomill/service/service.ts';
import { roles } from '@geomill/service/service-options.ts';
import type { Config } from '@geomill/service/settings/config.ts';
import { type Flags, parseCommand } from './arguments.ts';
import { greeting } from './greeting.ts';

export const usage = (): string => `geomill serve [--role api|worker|all] [--insecure-open] [--adopt-empty]

Runs the service. Environment variables configure it, see docs/settings.md.

  --role ROLE      api answers requests, worker runs jobs, all (the default) does both; needs DATABASE_URL
  --insecure-open  let a service with AUTH=open listen on an address that other machines can reach
  --adopt-empty    start with a new jobs.sqlite although inputs and outputs are stored, and remove these files

Examples:
  PORT=8080 geomill serve
  DATA_DIR=/var/lib/geomill AUTH=required geomill serve`;

export const flags = (): Flags => ({
  role: { type: 'string' },
  'insecure-open': { type: 'boolean' },
  'adopt-empty': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
});

/** The process ends so long after its service, whatever has not ended yet. */
const LEFTOVERS_MS = 2000;

/**
 * This process makes much garbage and keeps little: left alone V8 lets the heap of a busy one grow to twice what it holds
 * before it looks. Runners, which may need all they get, are processes of their own.
 */
function keepHeapSmall(): void {
  setFlagsFromString('--heap-growing-percent=60');
}

/** Runs the service until SIGTERM or SIGINT. Resolves with the exit code. */
export async function run(argv: readonly string[], config: Config): Promise<number> {
  const parsed = parseCommand(argv, flags(), usage);
  if (parsed === null) return 0;
  const { values, positionals } = parsed;
  if (positionals.length > 0)
    throw failure(generalErrors.USAGE, {
      detail: 'geomill serve takes no arguments; set environment variables (docs/settings.md)',
    });
  keepHeapSmall();
  // Node opens its inspector at this signal, with which any process of this user could take the service over.
  process.on('SIGUSR1', () => {});
  // Inputs, outputs and databases are for this user alone, also in a data directory that the operator made for all to read.
  process.umask(0o077);
  // Before the start: the first line of output may already be answered with a signal.
  const stopSignal = new Promise<void>((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
  const role = roles.find((one) => one === (values.role ?? 'all'));
  if (role === undefined)
    throw failure(generalErrors.USAGE, {
      detail: `--role is one of ${roles.join(', ')}, not '${values.role}'`,
    });
  try {
    const running = await startService(config, {
      role,
      insecureOpen: values['insecure-open'] === true,
      adoptEmpty: values['adopt-empty'] === true,
    });
    // The service goes on if nobody reads what it prints.
    process.stdout.on('error', () => {});
    process.stdout.write(greeting(running));
    if (Number(process.versions.node.split('.')[0]) < 26)
      process.stderr.write(
        'geomill: with this Node its permission model neither closes the network to runners nor keeps their threads in; Node 26 does\n',
      );
    await stopSignal;
    process.stderr.write('geomill: stopping; running jobs may finish\n');
    await running.stop();
    return 0;
  } finally {
    // After a start that failed, work on storage that has not ended would keep the process alive, and no supervisor would start it again.
    setTimeout(() => process.exit(), LEFTOVERS_MS).unref();
  }
}
