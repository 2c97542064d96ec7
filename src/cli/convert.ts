/** `geomill convert IN OUT`: the pipeline without a service. */
import { createReadStream, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseCrs } from '../crs/crs.ts';
import { failure } from '../errors.ts';
import { DEFAULT_INPUT_LIMITS } from '../io/limits.ts';
import type { ConversionReport } from '../pipeline/report.ts';
import type { ConversionRequest } from '../pipeline/request.ts';
import { runConversion } from '../pipeline/run.ts';
import { chooseFormat, formatFlags, formatOptions, type Parsed, parse } from './arguments.ts';
import { asOutputFailure, checkOutput, stageInput } from './files.ts';
import { progressBar } from './progress-bar.ts';
import { stepFlags, stepsOf, stepUsage } from './steps.ts';
import { summarize } from './summary.ts';

/** All of them let the command clean up behind itself; a second one ends it at once. */
const INTERRUPTING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** What the entrance tells a command about its surroundings. */
export interface CommandContext {
  /** Directory with PROJ grids (PROJ_GRIDS), or null. */
  readonly gridDirectory: string | null;
}

export const usage = `geomill convert IN OUT [options]

  IN, OUT               files; the format comes from the ending, '-' is standard input or output
  --from FORMAT         format of IN          --to FORMAT           format of OUT
  --from-crs CRS        CRS of IN, where the file does not say or does not hold it (EPSG:28350)
  --to-crs CRS          CRS of OUT (default EPSG:4326)
  --layer NAME          read this layer only; can be repeated
  --in-NAME VALUE       an option of the input format, e.g. --in-delimiter ';'   (docs/formats)
  --out-NAME VALUE      an option of the output format, e.g. --out-precision 9
  --overwrite           replace OUT if it exists
  --threads N           worker threads for large files (default: one per core)
  --json                print the report as JSON
  --quiet               print nothing but errors

Transformations, done in the order they are given; each can be repeated   (docs/transformations.md):
${stepUsage()}

Exit status: 0 converted, 1 the input or the request is at fault, 2 wrong usage, 3 geomill is at fault, 130 interrupted.`;

/** Runs the command; resolves with the exit status. Throws GeomillError. */
export async function run(argv: readonly string[], context: CommandContext): Promise<number> {
  const parsed = parse(argv, {
    from: { type: 'string' },
    to: { type: 'string' },
    'from-crs': { type: 'string' },
    'to-crs': { type: 'string' },
    layer: { type: 'string', multiple: true },
    overwrite: { type: 'boolean' },
    threads: { type: 'string' },
    json: { type: 'boolean' },
    quiet: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
    ...formatFlags('in'),
    ...formatFlags('out'),
    ...stepFlags(),
  });
  if (parsed.values.help === true) {
    process.stdout.write(`${usage}\n`);
    return 0;
  }
  if (parsed.positionals.length !== 2) {
    throw failure('USAGE', {
      detail: `convert takes IN and OUT, got ${parsed.positionals.length} names; see geomill convert --help`,
    });
  }
  const [input, output] = parsed.positionals;
  const request = await requestOf(parsed, input, output);
  if (output !== '-') checkOutput(output, input, parsed.values.overwrite === true);
  const work = mkdtempSync(join(tmpdir(), 'geomill-'));
  try {
    const report = await convert(request, parsed, { input, output, work }, context);
    tell(report, parsed, output);
    return 0;
  } catch (error) {
    throw asOutputFailure(error, output);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function requestOf(parsed: Parsed, input: string, output: string): Promise<ConversionRequest> {
  const { values } = parsed;
  const from = chooseFormat(values.from, input, 'from');
  const to = chooseFormat(values.to, output, 'to');
  const crs = (flag: 'from-crs' | 'to-crs') =>
    values[flag] === undefined ? null : parseCrs(values[flag], `--${flag}`);
  return {
    operation: 'transform',
    input: {
      format: from.id,
      files: [{ crs: crs('from-crs'), crsPath: 'input.epsg' }],
      layers: values.layer === undefined ? null : (values.layer as string[]),
      options: await formatOptions(parsed, 'in', from),
    },
    transformations: await stepsOf(parsed),
    output: {
      format: to.id,
      crs: crs('to-crs'),
      toFile: true,
      options: await formatOptions(parsed, 'out', to),
    },
  };
}

async function convert(
  request: ConversionRequest,
  parsed: Parsed,
  { input, output, work }: { readonly input: string; readonly output: string; readonly work: string },
  context: CommandContext,
): Promise<ConversionReport> {
  const scratchDirectory = join(work, 'scratch');
  mkdirSync(scratchDirectory);
  const extension = chooseFormat(parsed.values.to, output, 'to').outputExtension;
  const outputPath = output === '-' ? join(work, `geomill${extension}`) : output;
  const abort = new AbortController();
  const interrupt = (): void => abort.abort();
  for (const signal of INTERRUPTING) process.once(signal, interrupt);
  const bar = progressBar(process.stderr, parsed.values.quiet !== true);
  try {
    const source = await stageInput(input, work, abort.signal);
    const place = {
      inputs: [source],
      outputPath,
      scratchDirectory,
      gridDirectory: context.gridDirectory,
      threads: threadCount(parsed.values.threads),
      limits: DEFAULT_INPUT_LIMITS,
    };
    const report = await runConversion(request, place, { signal: abort.signal, onProgress: bar.update });
    if (output === '-') await pipeline(createReadStream(outputPath), process.stdout, { end: false });
    return report;
  } catch (error) {
    // What was under way breaks in its own way.
    throw abort.signal.aborted ? failure('CANCELLED', {}) : error;
  } finally {
    bar.clear();
    for (const signal of INTERRUPTING) process.removeListener(signal, interrupt);
  }
}

function threadCount(value: unknown): number {
  if (value === undefined) return availableParallelism();
  const count = Number(value);
  if (Number.isInteger(count) && count >= 1 && count <= 256) return count;
  throw failure('USAGE', { detail: `--threads wants a number from 1 to 256, not '${String(value)}'` });
}

function tell(report: ConversionReport, parsed: Parsed, output: string): void {
  const stream = output === '-' ? process.stderr : process.stdout;
  if (parsed.values.json === true) stream.write(`${JSON.stringify(report, null, 2)}\n`);
  else if (parsed.values.quiet !== true) process.stderr.write(summarize(report));
}
