/**
 * A large conversion in parts that other processes or machines run. `plan` runs the conversion up to its first pass over the input and keeps the
 * parts of that pass; `runPart` runs one of them anywhere; `join` runs the conversion again and takes their results.
 */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import type { Offer } from '@geomill/pipeline/division/division.ts';
import { runPart } from '@geomill/pipeline/division/run-part.ts';
import { newThreads } from '@geomill/pipeline/threads.ts';
import { compareBytes } from '@geomill/platform/bytes.ts';
import { fileBytes, realPath, writeFile } from '@geomill/platform/files.ts';
import { packageVersion } from '@geomill/platform/package-version.ts';
import { absolutePath, joinedPath } from '@geomill/platform/paths.ts';
import { openCall } from './call.ts';
import { invalidJob } from './messages.ts';
import { statOf } from './output-path.ts';
import { statedOutput } from './output-target.ts';
import { plannedDivision } from './planned-division.ts';
import { type AnyJob, convertIn } from './run-job.ts';
import { pathOf, statedInput } from './staged-inputs.ts';
import type {
  Converted,
  ConvertJob,
  OutputOptions,
  Part,
  PartOptions,
  PartResult,
  Plan,
  PlanOptions,
  RunOptions,
} from './types.ts';

const MIB = 1 << 20;
const DEFAULT_PART_BYTES = 64 * MIB;

/** The input as a file that other processes can read. Throws CONFIG_INVALID for data, and FILE_NOT_FOUND. */
function inputOf({ input }: ConvertJob): Plan['input'] {
  const { source } = statedInput(input, 'input');
  if (typeof source !== 'string' && !(source instanceof URL))
    throw invalidJob("'input' must be the path of a file that every process can read, not data");
  const path = absolutePath(pathOf(source, 'input'));
  const facts = statOf(path);
  if (facts === null) throw invalidJob(`'input': there is no file '${path}'`);
  return { path, byteLength: facts.size, modifiedMs: facts.modifiedMs };
}

function jobOf({ input, output, ...rest }: ConvertJob): AnyJob {
  return { operation: 'transform', inputs: [input], output, rest };
}

/** Runs the conversion until it offers parts. */
export async function planParts(job: ConvertJob, options: PlanOptions): Promise<Plan> {
  const { partBytes = DEFAULT_PART_BYTES, ...run } = options;
  const call = openCall(run);
  try {
    if (!Number.isInteger(partBytes) || partBytes < 1)
      throw invalidJob("the option 'partBytes' must be a whole number above 0");
    const input = inputOf(job);
    let parts: readonly Part[] | null = null;
    const division = plannedDivision({
      ...{ partBytes, inputPath: realPath(input.path), passes: [] },
      onNext(offer) {
        parts = partsOf(offer, realPath(input.path));
        throw failure(generalErrors.CANCELLED, {});
      },
      decline() {
        parts = [];
        throw failure(generalErrors.CANCELLED, {});
      },
    });
    // The format without the path: `join` writes the output.
    const output = statedOutput(job.output).members as OutputOptions;
    if (input.byteLength >= partBytes)
      await convertIn(call, jobOf({ ...job, output }), division).catch((error: unknown) => {
        if (parts === null || options.signal?.aborted === true) throw error;
      });
    return { version: packageVersion(), job, input, partBytes, parts: parts ?? [] };
  } catch (error) {
    throw call.failure(error);
  } finally {
    call.close();
  }
}

/** None if they read unpacked files, which are on this machine only. */
function partsOf({ session, parts, files, readsInput }: Offer, inputPath: string): readonly Part[] {
  if (files.length > 0 || !readsInput) return [];
  const version = packageVersion();
  const shared = bytesOf(session);
  return parts.map(({ tasks, count }, index) => ({
    ...{ version, index, inputPath, tasks: bytesOf(tasks), session: shared, taskCount: count },
  }));
}

function bytesOf(path: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(fileBytes(path));
}

/** Resolves with the results of a part. */
export async function runOnePart(part: Part, options: PartOptions): Promise<PartResult> {
  const { input, ...run } = options;
  const call = openCall(run);
  try {
    checkVersion(part.version, 'the part');
    const path = (name: string): string => joinedPath(call.temporary.path, name);
    writeFile(path('session'), part.session);
    writeFile(path('tasks'), part.tasks);
    const here = realPath(input === undefined ? part.inputPath : pathOf(input, 'input'));
    await runPart(
      {
        ...{ session: path('session'), tasks: path('tasks'), result: path('result'), readableEnd: null },
        ...{ gridDirectory: call.paths.gridDirectory, threads: call.paths.threads },
        moved: [[part.inputPath, here]],
      },
      newThreads,
      (fraction) => {
        // What it throws ends the part: there is no task that another call waits for.
        if (call.signal.aborted) throw failure(generalErrors.CANCELLED, {}, undefined, call.signal.reason);
        call.control.onProgress({ fraction, stage: 'converting' });
      },
    );
    // There may be no progress after an abort.
    if (call.signal.aborted) throw failure(generalErrors.CANCELLED, {}, undefined, call.signal.reason);
    return { version: part.version, index: part.index, bytes: bytesOf(path('result')) };
  } catch (error) {
    throw call.failure(error);
  } finally {
    call.close();
  }
}

/** Converts with the results of the parts; a part without a result is run here. */
export async function joinParts(
  plan: Plan,
  results: Iterable<PartResult>,
  options: RunOptions,
): Promise<Converted> {
  const call = openCall(options);
  try {
    checkVersion(plan.version, 'the plan');
    const { byteLength, modifiedMs } = inputOf(plan.job);
    if (byteLength !== plan.input.byteLength || modifiedMs !== plan.input.modifiedMs)
      throw invalidJob(`'${plan.input.path}' has changed since the plan was made; plan it again`);
    if (plan.parts.length === 0) return await convertIn(call, jobOf(plan.job));
    const paths = new Map<number, string>();
    for (const { version, index, bytes } of results) {
      checkVersion(version, `the result of part ${index}`);
      const path = joinedPath(call.temporary.path, `result-${index}`);
      writeFile(path, bytes);
      paths.set(index, path);
    }
    const division = plannedDivision({
      ...{ partBytes: plan.partBytes, inputPath: realPath(plan.input.path) },
      passes: [
        (index, tasks) =>
          isSame(bytesOf(tasks), plan.parts[index]?.tasks) ? (paths.get(index) ?? null) : null,
      ],
    });
    return await convertIn(call, jobOf(plan.job), division);
  } catch (error) {
    throw call.failure(error);
  } finally {
    call.close();
  }
}

function isSame(a: Uint8Array, b: Uint8Array | undefined): boolean {
  return b !== undefined && compareBytes(a, b) === 0;
}

function checkVersion(version: string, what: string): void {
  const own = packageVersion();
  if (version !== own)
    throw invalidJob(`${what} was made by version ${version}, and this is ${own}; use one version for all`);
}
