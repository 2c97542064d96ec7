/** Worker thread of broken.full.test.ts: converts damaged copies of one fixture after the other and reports each outcome. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { seededRandom } from '../../bench/data.ts';
import { GeomillError } from '../../packages/core/src/messages/errors.ts';
import { convertFile } from '../support/convert.ts';

/** Answered with a HammerCase for each damaged copy, then null. */
export interface HammerJob {
  readonly path: string;
  readonly format: string;
  readonly workspace: string;
  readonly outputs: readonly string[];
  /** CRS to state in the request; null: the file declares its own. */
  readonly crs: string | null;
  readonly cuts: number;
  readonly flips: number;
}

export interface HammerCase {
  readonly name: string;
  readonly outcome: 'done' | 'refused' | 'bad';
  readonly detail: string;
}

const CUT_STEPS_FROM_ENDS = 4;

/**
 * Lengths spread over the file, including those just above 0 and just below the whole, which affect headers and
 * trailers.
 */
function cutLengths(byteLength: number, count: number): number[] {
  const lengths = new Set<number>();
  for (let i = 0; i < CUT_STEPS_FROM_ENDS; i++) {
    lengths.add(i);
    lengths.add(byteLength - 1 - i);
  }
  for (let i = 1; i <= count; i++) lengths.add(Math.floor((byteLength * i) / (count + 1)));
  return [...lengths].filter((length) => length >= 0 && length < byteLength).slice(0, count);
}

async function tryOne(job: HammerJob, bytes: Uint8Array, name: string, output: string): Promise<HammerCase> {
  const directory = join(job.workspace, 'case');
  mkdirSync(directory);
  const input = join(directory, basename(job.path));
  writeFileSync(input, bytes);
  try {
    await convertFile(input, directory, { from: job.format, to: output, fromCrs: job.crs, threads: 1 });
    return { name, outcome: 'done', detail: '' };
  } catch (error) {
    const left = readdirSync(join(directory, 'out'));
    if (left.length > 0)
      return { name, outcome: 'bad', detail: `left ${left.join(', ')} behind after ${String(error)}` };
    if (error instanceof GeomillError && error.fault === 'user')
      return { name, outcome: 'refused', detail: error.code };
    const stack =
      error instanceof Error ? ((error.cause as Error | undefined)?.stack ?? error.stack) : String(error);
    return { name, outcome: 'bad', detail: String(stack) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function* hammer(job: HammerJob): AsyncGenerator<HammerCase> {
  const whole = readFileSync(job.path);
  const random = seededRandom(whole.length);
  let turn = 0;
  const nextOutput = (): string => job.outputs[turn++ % job.outputs.length];
  for (const length of cutLengths(whole.length, job.cuts))
    yield tryOne(job, whole.subarray(0, length), `cut at ${length}`, nextOutput());
  for (let i = 0; i < job.flips && whole.length > 0; i++) {
    const damaged = Uint8Array.from(whole);
    const at = Math.floor(random() * damaged.length);
    const bit = Math.floor(random() * 8);
    damaged[at] ^= 1 << bit;
    yield tryOne(job, damaged, `bit ${bit} of byte ${at} flipped`, nextOutput());
  }
}

parentPort!.on('message', async (job: HammerJob) => {
  for await (const done of hammer(job)) parentPort!.postMessage(done);
  parentPort!.postMessage(null);
});
