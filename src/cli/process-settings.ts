/** Settings of the process of a command, by the sizes of the files that it reads. */
import { outputFormatById } from '../formats/format-by-id.ts';
import { ALLOCATOR_ENVIRONMENT } from '../machine.ts';
import type { ConversionRequest } from '../pipeline/request.ts';
import { transformations } from '../transformations/registry.ts';
import { delayTurboFan } from './compiler.ts';
import { statOf } from './files.ts';
import { wasStandardInputRead } from './json-file.ts';
import { isUrl } from './urls.ts';

/** Of the main thread, for new objects before a collection of garbage: V8 takes up to 53 MB by default, and large conversions make few objects. */
const YOUNG_GENERATION = '--max-semi-space-size=4';
/** Smaller inputs leave little memory behind; the second start takes a tenth of a second of CPU time. */
const LARGE_BYTES = 512 << 20;
/** The same, if the request has a step or an output format that keeps more than its input. */
const LARGE_BYTES_KEPT = 64 << 20;

/** Larger conversions call functions often enough for V8 to optimise them. */
const OPTIMISED_BYTES = 1 << 20;

/** To be called when it is known which `files` the command reads, before anything is written. Does not return if the process is replaced. */
export function adaptProcess(files: readonly string[], requests: readonly ConversionRequest[]): void {
  let bytes = 0;
  for (const path of files) bytes += isUrl(path) ? 0 : (statOf(path)?.size ?? 0);
  if (bytes >= (requests.some(needsMuchMemory) ? LARGE_BYTES_KEPT : LARGE_BYTES)) restart();
  if (bytes >= OPTIMISED_BYTES) delayTurboFan();
}

/**
 * Replaces the process by the same command with settings with which it needs less memory (docs/decisions/memory-of-commands.md). Returns
 * if the variables are set already, or where this is not possible.
 */
function restart(): void {
  if (process.platform !== 'linux' || process.execve === undefined) return;
  if (isSet(ALLOCATOR_ENVIRONMENT) || wasStandardInputRead()) return;
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
