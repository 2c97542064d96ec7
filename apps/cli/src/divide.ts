/** `geomill divide`: prints a script or manifest that runs the parts of a conversion on an engine. It plans and runs nothing. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { MAX_PASSES } from '@geomill/pipeline/division/division.ts';
import { packageVersion } from '@geomill/platform/package-version.ts';
import { type Flags, type Parsed, parseCommand } from './arguments.ts';
import { readPlan } from './divided/plan-file.ts';
import { DATA_DIRECTORY, type Division, ENGINES, type EngineScript } from './divided/scripts.ts';
import { checkedPlan, flags as planFlags } from './plan.ts';
import { standardOutput } from './standard-output.ts';

export const usage =
  (): string => `geomill divide IN OUT --parts N --work DIR --on ENGINE [options of geomill plan]
geomill divide WORK --on ENGINE

Prints a script or manifest that plans a conversion, runs its parts and joins them; with WORK, the directory of a plan, one that runs
the parts of that plan. It does nothing else.   (docs/batch.md)

${Object.entries(ENGINES)
  .map(([name, { title }]) => `  --on ${name.padEnd(18)}${title}`)
  .join('\n')}
  --image IMAGE         container image of geomill, for kubernetes and argo (default: geomill:VERSION)
  --claim NAME          persistent volume claim with the data, for kubernetes and argo (default: geomill-data); it is mounted
                        at ${DATA_DIRECTORY}, where relative paths begin

Examples:
  geomill divide roads.geojsonl roads.csv --parts 8 --work work --on slurm > roads.sh
  geomill divide roads.geojsonl roads.csv --parts 8 --work work --on kubernetes > roads.yaml
  geomill divide work --on parallel`;

const OWN_FLAGS = ['on', 'image', 'claim'];

export const flags = (): Flags => ({
  on: { type: 'string' },
  image: { type: 'string' },
  claim: { type: 'string' },
  ...planFlags(),
});

/** Runs the command; resolves with the exit status. Throws GeomillError. */
export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseCommand(argv, flags(), usage);
  if (parsed === null) return 0;
  standardOutput().write(scriptOf(parsed));
  return 0;
}

/** Throws USAGE. */
export function scriptOf(parsed: Parsed): string {
  const engine = engineOf(parsed.values.on);
  return engine.script(divisionOf(parsed, engine));
}

function engineOf(name: unknown): EngineScript {
  const names = Object.keys(ENGINES).join(', ');
  if (typeof name === 'string' && Object.hasOwn(ENGINES, name)) return ENGINES[name];
  throw usageError(
    name === undefined ? `--on ENGINE is required: ${names}` : `--on takes ${names}, not '${String(name)}'`,
  );
}

function divisionOf(parsed: Parsed, { needsCount }: EngineScript): Division {
  const { values, positionals, order } = parsed;
  const containers = {
    image: nameOf('image', values.image ?? `geomill:${packageVersion()}`),
    claim: nameOf('claim', values.claim ?? 'geomill-data'),
  };
  if (positionals.length === 1) {
    const other = order.find(({ name }) => !OWN_FLAGS.includes(name));
    if (other !== undefined)
      throw usageError(
        `--${other.name} belongs to a plan, and '${positionals[0]}' is one; or state IN and OUT`,
      );
    const [work] = positionals;
    const { firstPass, passes } = readPlan(work);
    return { ...containers, plan: null, work, parts: firstPass.parts.length, passes };
  }
  const { input, output, work, count } = checkedPlan('divide', parsed);
  if (needsCount && count === null)
    throw usageError(
      'the manifest states the number of parts: use --parts N, or plan first and name WORK in place of IN and OUT',
    );
  const options = order
    .filter(({ name }) => !OWN_FLAGS.includes(name))
    .flatMap(({ name, value }) =>
      value === undefined
        ? [`--${name}`]
        : value.startsWith('-')
          ? [`--${name}=${value}`]
          : [`--${name}`, value],
    );
  return { ...containers, plan: [input, output, ...options], work, parts: count, passes: MAX_PASSES };
}

/** A name that needs no quotes in YAML. */
function nameOf(flag: string, value: unknown): string {
  if (typeof value === 'string' && /^[\w][\w./:@-]*$/.test(value)) return value;
  throw usageError(`--${flag} wants a name, not '${String(value)}'`);
}

function usageError(detail: string): Error {
  return failure(generalErrors.USAGE, { detail: `${detail}; see geomill divide --help` });
}
