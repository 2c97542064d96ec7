/** Worker thread of broken.full.test.ts: converts damaged copies of one fixture after the other and reports each outcome. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { GeomillError } from '../../packages/core/src/messages/errors.ts';
import { convertFile } from '../support/convert.ts';
import { damagedCopies } from './damage.ts';

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
  let turn = 0;
  for (const { name, bytes } of damagedCopies(readFileSync(job.path), job.cuts, job.flips))
    yield tryOne(job, bytes, name, job.outputs[turn++ % job.outputs.length]);
}

parentPort!.on('message', async (job: HammerJob) => {
  for await (const done of hammer(job)) parentPort!.postMessage(done);
  parentPort!.postMessage(null);
});
