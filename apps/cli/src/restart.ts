/** Starts a command again with settings with which it needs less memory: see docs/decisions/memory-of-commands.md. */
import { outputFormatById } from '@geomill/formats/format-by-id.ts';
import { inputSize } from '@geomill/io/input-size.ts';
import { transformations } from '@geomill/operations/registry.ts';
import type { ConversionRequest } from '@geomill/pipeline/request.ts';
import { ALLOCATOR_ENVIRONMENT } from '@geomill/service/settings/machine.ts';
import { wasStandardInputRead } from './json-file.ts';
import { isUrl } from './urls.ts';

/** Of the main thread, for new objects before a collection of garbage: V8 takes up to 53 MB by default, and large conversions make few objects. */
const YOUNG_GENERATION = '--max-semi-space-size=4';
/** Smaller inputs leave little memory behind; the second start takes a tenth of a second of CPU time. */
const LARGE_BYTES = 512 << 20;
/** The same, if the request has a step or an output format that keeps more than its input. */
const LARGE_BYTES_KEPT = 64 << 20;

/**
 * Replaces the process by the same command with these settings, if `files`, which the command reads, are large. Returns if they are not, if the
 * variables are set already, or where this is not possible. To be called before anything is written.
 */
export function restartForLargeFiles(files: readonly string[], requests: readonly ConversionRequest[]): void {
  if (process.platform !== 'linux' || process.execve === undefined) return;
  if (isSet(ALLOCATOR_ENVIRONMENT) || wasStandardInputRead()) return;
  const least = requests.some(needsMuchMemory) ? LARGE_BYTES_KEPT : LARGE_BYTES;
  let bytes = 0;
  for (const path of files) bytes += isUrl(path) ? 0 : inputSize(path);
  if (bytes < least) return;
  const args = [process.argv0, YOUNG_GENERATION, ...process.execArgv, ...process.argv.slice(1)];
  try {
    process.execve(process.execPath, args, { ...process.env, ...ALLOCATOR_ENVIRONMENT });
  } catch {
    // The command then needs more memory, and gives the same output.
  }
}

function isSet(variables: Readonly<Record<string, string>>): boolean {
  return Object.keys(variables).every((name) => process.env[name] !== undefined);
}

function needsMuchMemory({ transformations: steps, output }: ConversionRequest): boolean {
  if (outputFormatById(output.format, 'output.format').needsMuchMemory === true) return true;
  return steps.some(({ type }) => transformations.find(({ id }) => id === type)?.needsMuchMemory === true);
}
