/** `geomill join WORK`: writes the output of a plan from the results of its parts. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { type Flags, parseCommand } from './arguments.ts';
import { type CommandContext, tell } from './conversion.ts';
import { requireUnchanged } from './divided/fingerprints.ts';
import { partStatusOf } from './divided/part-status.ts';
import { missingParts, passesBefore } from './divided/pass-chain.ts';
import { removeWork, resultOf, type WorkPass } from './divided/passes.ts';
import { type PlanFile, readPlan } from './divided/plan-file.ts';
import { joinConversion } from './divided/planned-conversion.ts';
import { cliErrors } from './errors.ts';

export const usage = (): string => `geomill join WORK [options]

Writes the output of the plan in WORK, when all of its parts are complete, with the bytes that 'geomill convert' gives on one machine.
Prints the report, and removes WORK.

  --keep                do not remove WORK
  --overwrite           replace OUT if it exists
  --threads N           maximum number of worker threads (default: one per core)
  --report FILE         write the report to FILE, as JSON
  --json                print the report as JSON
  --quiet               print errors only

Examples:
  geomill join work
  geomill join work --report report.json

Exit status: 0 done, 65 the input is at fault (do not repeat), 75 parts are missing or the disk is full (try again), 78 the plan is of
another version or damaged, or an input has changed since; 2 wrong usage or OUT exists, 3 internal error.`;

export const flags = (): Flags => ({
  keep: { type: 'boolean' },
  overwrite: { type: 'boolean' },
  threads: { type: 'string' },
  report: { type: 'string' },
  json: { type: 'boolean' },
  quiet: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
});

export const statusOf = partStatusOf;

/** Runs the command; resolves with the exit status. Throws GeomillError. */
export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const parsed = parseCommand(argv, flags(), usage);
  if (parsed === null) return 0;
  const { values, positionals } = parsed;
  if (positionals.length !== 1)
    throw failure(generalErrors.USAGE, {
      detail: 'join takes WORK, the directory of a plan; see geomill join --help',
    });
  const [work] = positionals;
  const plan = readPlan(work);
  requireUnchanged(plan, context.gridDirectory);
  const passes = completePasses(work, plan);
  const setting = { ...parsed, values: { ...values, ...(plan.overwrite ? { overwrite: true } : {}) } };
  const { report, request, output } = await joinConversion({ work, plan, passes }, setting, context);
  tell(report, request, parsed, output);
  if (values.keep !== true) removeWork(work);
  return 0;
}

/** Throws PARTS_MISSING, unless a part found an error: then the conversion reports the first one. */
function completePasses(work: string, plan: PlanFile): readonly WorkPass[] {
  const passes = passesBefore(work, plan, plan.passes + 1);
  for (const pass of passes) {
    const missing = missingParts(pass);
    if (missing !== null) throw missing;
    if (pass.table.parts.some((_, index) => resultOf(pass, index)?.error !== null)) return passes;
  }
  const last = passes[passes.length - 1];
  if (last.table.isEncoding || passes.length === plan.passes) return passes;
  throw failure(cliErrors.PARTS_MISSING, {
    missing: `the parts of pass ${passes.length + 1} are`,
    work,
  });
}
