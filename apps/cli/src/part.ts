/** `geomill part WORK`: runs a part of a plan. Run twice, also at the same time, it does no harm. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { asOutputFailure } from '@geomill/library/output-path.ts';
import { type Flags, type Parsed, parseCommand } from './arguments.ts';
import type { Environment } from './commands.ts';
import { type CommandContext, threadCount } from './conversion.ts';
import { requireUnchanged } from './divided/fingerprints.ts';
import { partStatusOf } from './divided/part-status.ts';
import { missingParts, passesBefore } from './divided/pass-chain.ts';
import { laterPass, passDirectory, runPlannedPart, type WorkPass } from './divided/passes.ts';
import { type PlanFile, readPlan } from './divided/plan-file.ts';
import { planPass } from './divided/planned-conversion.ts';
import { interruptible } from './interrupt.ts';
import { progressBar } from './progress-bar.ts';

/** Variables in which engines state the index of a task of an array, in the order in which they count. */
export const INDEX_VARIABLES = [
  'JOB_COMPLETION_INDEX',
  'SLURM_ARRAY_TASK_ID',
  'AWS_BATCH_JOB_ARRAY_INDEX',
] as const;

export const usage = (): string => `geomill part WORK [options]

Runs a part of the plan that 'geomill plan' wrote to WORK. A part whose result is complete is not run again, so that an engine may
repeat it, or run it twice at once.

  --index I             which part, from 0 (default: ${INDEX_VARIABLES.join(', ')})
  --index-from N        index of the first part, if it is not 0, as in arrays that begin with 1
  --pass N              which pass over the input, from 1 (default: 1); a pass is run after all parts of the one before.
                        'geomill plan' says how many there are; a pass that is not needed does nothing
  --threads N           maximum number of worker threads (default: one per core)
  --quiet               print errors only

Examples:
  geomill part work --index 3
  geomill part work --pass 2                in a task of an array of SLURM, Kubernetes or AWS Batch

Exit status: 0 done, 65 the input is at fault (do not repeat), 75 try again, 78 the plan is of another version or damaged, or an input
has changed since; 2 wrong usage, 3 internal error.`;

export const flags = (): Flags => ({
  index: { type: 'string' },
  'index-from': { type: 'string' },
  pass: { type: 'string' },
  threads: { type: 'string' },
  quiet: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
});

export const statusOf = partStatusOf;

/** Runs the command; resolves with the exit status. Throws GeomillError. */
export async function run(
  argv: readonly string[],
  context: CommandContext,
  environment: Environment,
): Promise<number> {
  const parsed = parseCommand(argv, flags(), usage);
  if (parsed === null) return 0;
  const { values, positionals } = parsed;
  if (positionals.length !== 1)
    throw failure(generalErrors.USAGE, {
      detail: 'part takes WORK, the directory of a plan; see geomill part --help',
    });
  const [work] = positionals;
  await interruptible(async (signal) => {
    const plan = readPlan(work);
    const order = { work, plan, number: numberOf('pass', values.pass ?? '1', 1, 10) };
    await runIndexed({ ...order, index: indexOf(parsed, plan, environment) }, parsed, context, signal);
  });
  return 0;
}

interface PartOrder {
  readonly work: string;
  readonly plan: PlanFile;
  /** Of the pass, from 1. */
  readonly number: number;
  /** Of the part, from 0. */
  readonly index: number;
}

/** Throws the error that the part finds in the input. */
async function runIndexed(
  order: PartOrder,
  parsed: Parsed,
  context: CommandContext,
  signal: AbortSignal,
): Promise<void> {
  const { work, plan, number, index } = order;
  const { threads, quiet } = parsed.values;
  requireUnchanged(plan, context.gridDirectory);
  const pass = await passOf(work, plan, number, parsed, context);
  // Fewer parts than were asked for, or no such pass.
  if (pass === null || index >= pass.table.parts.length) return;
  const bar = progressBar(process.stderr, quiet !== true);
  try {
    const error = await runPlannedPart({
      ...{ pass, index, gridDirectory: context.gridDirectory, threads: threadCount(threads) },
      onProgress(fraction) {
        // What it throws ends the part.
        if (signal.aborted) throw failure(generalErrors.CANCELLED, {});
        bar.update({ fraction, stage: 'converting' });
      },
    });
    if (error !== null) throw error;
  } catch (error) {
    throw asOutputFailure(error, passDirectory(work, number));
  } finally {
    bar.clear();
  }
}

/** The pass of this number, which is planned if it was not; null: the conversion has no such pass. Throws PARTS_MISSING. */
async function passOf(
  work: string,
  plan: PlanFile,
  number: number,
  parsed: Parsed,
  context: CommandContext,
): Promise<WorkPass | null> {
  for (;;) {
    const passes = passesBefore(work, plan, number);
    const last = passes[passes.length - 1];
    if (last?.table.isEncoding === true) return null;
    if (passes.length === number - 1) {
      const known =
        number === 1
          ? { number, directory: passDirectory(work, 1), table: plan.firstPass }
          : laterPass(work, number);
      if (known !== null) return known;
    }
    const missing = missingParts(last);
    if (missing !== null) throw missing;
    await planPass({ work, plan, passes }, parsed, context);
  }
}

function indexOf(
  { values }: Parsed,
  { requestedParts, firstPass }: PlanFile,
  environment: Environment,
): number {
  const from = numberOf('index-from', values['index-from'] ?? '0', 0, Number.MAX_SAFE_INTEGER);
  const variable = INDEX_VARIABLES.find((name) => (environment[name] ?? '') !== '');
  const stated = values.index ?? (variable === undefined ? undefined : environment[variable]);
  if (stated === undefined)
    throw failure(generalErrors.USAGE, {
      detail: `--index I is required: none of ${INDEX_VARIABLES.join(', ')} is set`,
    });
  const last = Math.max(requestedParts, firstPass.parts.length) - 1 + from;
  return numberOf(values.index === undefined ? String(variable) : 'index', stated, from, last) - from;
}

function numberOf(name: string, value: unknown, least: number, most: number): number {
  const number = Number(value);
  if (/^\d+$/.test(String(value)) && number >= least && number <= most) return number;
  const shown = /^[A-Z]/.test(name) ? name : `--${name}`;
  const range = most === Number.MAX_SAFE_INTEGER ? `a whole number` : `a number from ${least} to ${most}`;
  throw failure(generalErrors.USAGE, { detail: `${shown} wants ${range}, not '${String(value)}'` });
}
