/**
 * A runner whose conversion is a fixed function of its input, so that tests of jobs need no codec and can tell a
 * right output from a wrong, half or doubled one. The input's text tells what to do:
 *
 *   "<anything>"          the output is outputOf(input)
 *   "wait <ms> ..."       as above, after that time, in steps with progress
 *   "fill <bytes> ..."    writes a temporary file of so many bytes, and an output of half of it, and waits until it is ended
 *   "crash" / "hang" / "grow" / "fault" / "refuse"
 *   "peek <path>"         fails with what it may do to that file, and to the world
 *   "say <JSON text>"     sends what the text says ({"text": ..., "times": ...}) as a message, and goes on
 *   "print ..."           prints to standard output, where nothing may be broken by it
 */
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Perform, serveTasks } from '../../apps/service/src/jobs/runner-loop.ts';
import { failure } from '../../packages/core/src/messages/errors.ts';
import { generalErrors } from '../../packages/core/src/messages/general-errors.ts';
import { csvErrors } from '../../packages/formats/src/csv/messages.ts';
import type { ConversionPaths } from '../../packages/pipeline/src/request.ts';
import { fakeReport, outputOf } from './fake-conversion.ts';

const perform: Perform = async (request, paths, { onProgress }) => {
  const input = paths.inputs.map(({ path }) => readFileSync(path, 'utf8')).join('+');
  const [word, argument] = input.split(' ');
  if (word === 'wait') await waitInSteps(Number(argument), onProgress);
  if (word === 'fill') await fill(Number(argument), paths);
  if (word === 'crash') process.abort();
  if (word === 'hang') for (;;);
  if (word === 'grow') grow();
  if (word === 'peek') throw failure(generalErrors.USAGE, { detail: peek(argument) });
  if (word === 'say') say(JSON.parse(input.slice(word.length)) as { text: string; times: number });
  if (word === 'print') for (let i = 0; i < 1000; i++) writeSync(1, '{"type":"done","report":null}\n');
  if (word === 'fault') throw new Error('a secret of ours');
  if (word === 'refuse')
    throw failure(csvErrors.CSV_SYNTAX, { line: 3, reason: 'it is a test' }, { layer: 'x', line: 3 });
  // In two halves with a pause between them, so that a kill may leave half a file in the slot.
  if (existsSync(paths.outputPath)) throw new Error('the output exists already');
  const output = outputOf(input);
  const descriptor = openSync(paths.outputPath, 'wx');
  writeWhole(descriptor, output.slice(0, output.length / 2));
  await new Promise((resolve) => setImmediate(resolve));
  writeWhole(descriptor, output.slice(output.length / 2));
  closeSync(descriptor);
  return fakeReport(request, output.length);
};

/** A disk that is nearly full takes a part of it. */
function writeWhole(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written);
}

async function fill(byteLength: number, { scratchDirectory, outputPath }: ConversionPaths): Promise<never> {
  const nested = join(scratchDirectory, 'a', 'b');
  mkdirSync(nested, { recursive: true });
  writeFileSync(join(nested, 'features'), Buffer.alloc(byteLength));
  writeFileSync(`${outputPath}.partial`, Buffer.alloc(byteLength / 2));
  for (;;) await new Promise((resolve) => setTimeout(resolve, 1000));
}

async function waitInSteps(ms: number, onProgress: Parameters<Perform>[2]['onProgress']): Promise<void> {
  const start = performance.now();
  for (let passed = 0; passed < ms; passed = performance.now() - start) {
    onProgress({ fraction: passed / ms, stage: 'converting' });
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

function peek(path: string): string {
  const attempts: Record<string, () => unknown> = {
    read: () => readFileSync(path),
    write: () => writeFileSync(`${path}.evil`, 'x'),
    link: () => symlinkSync(path, 'evil'),
    spawn: () => spawnSync('true'),
    environment: () => {
      // bubblewrap tells the working directory, which is the slot; the other one is a setting of the allocator.
      const known = ['PWD', 'MALLOC_MMAP_THRESHOLD_'];
      const names = Object.keys(process.env).filter((name) => !known.includes(name));
      if (names.length === 0) throw Object.assign(new Error(), { code: 'EMPTY' });
    },
  };
  return Object.entries(attempts)
    .map(([name, act]) => {
      try {
        act();
        return `${name} done`;
      } catch (error) {
        return `${name} ${(error as { code?: string }).code}`;
      }
    })
    .join(', ');
}

function say({ text, times }: { text: string; times: number }): void {
  const bytes = Buffer.from(text.repeat(1000));
  for (let left = times; left > 0; left -= 1000) {
    const piece = left >= 1000 ? bytes : Buffer.from(text.repeat(left));
    for (let written = 0; written < piece.length; ) written += writeSync(3, piece, written);
  }
}

function grow(): never {
  const kept: Uint8Array[] = [];
  for (;;) kept.push(new Uint8Array(16 << 20).fill(1));
}

serveTasks(perform, async () => {});
