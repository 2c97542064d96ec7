/** `geomill plan IN OUT`: divides a conversion into parts, which an engine runs, and a join. */
import { readdirSync } from 'node:fs';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { counted } from '@geomill/core/messages/message.ts';
import { inputSize } from '@geomill/io/input-size.ts';
import { MAX_PARTS } from '@geomill/pipeline/division/division.ts';
import { type Flags, type Parsed, parseCommand } from './arguments.ts';
import type { CommandContext } from './conversion.ts';
import { conversionFlags, conversionUsage } from './conversion-flags.ts';
import { jobOfFlags } from './divided/plan-job.ts';
import { planConversion, requireFreeWork } from './divided/planned-conversion.ts';
import { standardOutput } from './standard-output.ts';

/** Flags of a conversion that belong to the join, or that no plan has. */
const JOIN_FLAGS = ['report', 'findings', 'json'] as const;

export const usage = (): string => `geomill plan IN OUT --parts N|--part-size SIZE --work DIR [options]

Divides a conversion into parts that run anywhere: with SLURM, Kubernetes, Argo, AWS Batch, GNU parallel or by hand.
Prints the number of parts. Then 'geomill part DIR --index I' runs a part, and 'geomill join DIR' writes OUT, with the bytes
that 'geomill convert' gives on one machine. 'geomill divide' prints scripts for that   (docs/batch.md)

  IN, OUT               files, at paths that are the same on all machines
  --parts N             number of parts, from 1 to ${MAX_PARTS}; a small IN has fewer
  --part-size SIZE      bytes of IN in a part, such as 256MB, in place of --parts
  --work DIR            new directory for the plan and the results of parts, on a disk that all machines share
  --from FORMAT         format of IN          --to FORMAT           format of OUT
  --from-crs CRS        CRS of IN, if the file does not define one (EPSG:28350)
  --override-crs        use --from-crs although the file defines another CRS
  --to-crs CRS          CRS of OUT (default: that of IN)
  --layer NAME          read only this layer; can be repeated
  --layer-name NAME     name of the layer in OUT
${usageOfPlan()}

Examples:
  geomill plan roads.geojsonl roads.csv --parts 8 --work work
  geomill plan parcels.gpkg parcels.geojsonl --part-size 256MB --work work --to-crs EPSG:4326`;

function usageOfPlan(): string {
  const lines = conversionUsage('planned').split('\n');
  return lines
    .filter((line) => !JOIN_FLAGS.some((flag) => new RegExp(`^ {2}--${flag}\\b`).test(line)))
    .join('\n');
}

export function flags(): Flags {
  const shared = { ...conversionFlags() };
  for (const flag of JOIN_FLAGS) delete shared[flag];
  return {
    parts: { type: 'string' },
    'part-size': { type: 'string' },
    work: { type: 'string' },
    'from-crs': { type: 'string' },
    'override-crs': { type: 'boolean' },
    'layer-name': { type: 'string' },
    // It is refused, with the reason.
    'split-by': { type: 'string' },
    ...shared,
  };
}

/** Runs the command; resolves with the exit status. Throws GeomillError. */
export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const parsed = parseCommand(argv, flags(), usage);
  if (parsed === null) return 0;
  const { input, output, work, parts } = checkedPlan('plan', parsed);
  requireFreeWork(work, (directory) => readdirSync(directory).length === 0);
  const job = await jobOfFlags(input, output, parsed);
  const order = { work, job, overwrite: parsed.values.overwrite === true, parts: parts(input) };
  const { firstPass, passes } = await planConversion(order, parsed, context);
  const count = firstPass.parts.length;
  standardOutput().write(`${count}\n`);
  if (parsed.values.quiet !== true)
    process.stderr.write(
      `${counted(count, 'part')} in '${work}', ${passes === 1 ? 'one pass' : `${passes} passes`} over the input\n`,
    );
  return 0;
}

export interface CheckedPlan {
  readonly input: string;
  readonly output: string;
  readonly work: string;
  /** The number of parts that are asked for; null: it depends on the input. */
  readonly count: number | null;
  readonly parts: (input: string) => number;
}

/** What a command line says of a plan. Throws USAGE. */
export function checkedPlan(command: string, { values, positionals }: Parsed): CheckedPlan {
  const [input, output, ...others] = positionals;
  const refuse = (detail: string): Error =>
    failure(generalErrors.USAGE, { detail: `${detail}; see geomill ${command} --help` });
  if (output === undefined || others.length > 0)
    throw refuse(`${command} takes IN and OUT, got ${counted(positionals.length, 'name')}`);
  const { work, parts, 'part-size': size } = values;
  if (typeof work !== 'string' || work === '')
    throw refuse('--work DIR is required, the directory for the parts');
  if ((parts === undefined) === (size === undefined))
    throw refuse('state one of --parts N and --part-size SIZE');
  if (typeof parts === 'string') {
    const count = Number(parts);
    if (!/^\d+$/.test(parts) || count < 1 || count > MAX_PARTS)
      throw refuse(`--parts wants a number from 1 to ${MAX_PARTS}, not '${parts}'`);
    return { input, output, work, count, parts: () => count };
  }
  const bytes = bytesOf(String(size));
  if (bytes === null) throw refuse(`--part-size wants a size such as 256MB or 1GiB, not '${String(size)}'`);
  return {
    input,
    output,
    work,
    count: null,
    parts: (file) => Math.min(Math.max(1, Math.ceil(inputSize(file) / bytes)), MAX_PARTS),
  };
}

const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  m: 1e6,
  g: 1e9,
  t: 1e12,
  ki: 2 ** 10,
  mi: 2 ** 20,
  gi: 2 ** 30,
  ti: 2 ** 40,
};

/** Null: it is no size above 0. */
function bytesOf(text: string): number | null {
  const [, number, prefix = ''] = /^(\d+(?:\.\d+)?) ?([kmgt]i?)?b?$/i.exec(text) ?? [];
  const bytes = Number(number) * UNITS[prefix.toLowerCase()];
  return bytes >= 1 && bytes <= Number.MAX_SAFE_INTEGER ? bytes : null;
}
