/** The conversion of a plan: it is planned, its later passes are planned, and in the end it takes the results of all of them. */
import { mkdirSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { asGeomillError, failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { TemporaryDirectory } from '@geomill/io/temporary-directory.ts';
import { asOutputFailure, statOf } from '@geomill/library/output-path.ts';
import { plannedDivision } from '@geomill/library/planned-division.ts';
import type { Division, Offer } from '@geomill/pipeline/division/division.ts';
import { offerFacts } from '@geomill/pipeline/division/run-part.ts';
import { packageVersion } from '@geomill/platform/package-version.ts';
import { parseDocument } from '@geomill/requests/job-document.ts';
import { inputLimits } from '@geomill/service/settings/input-limits.ts';
import type { Parsed } from '../arguments.ts';
import { type CommandContext, type Converted, runConversionOf } from '../conversion.ts';
import { type Conversion, filesRead } from '../conversion-request.ts';
import { cliErrors } from '../errors.ts';
import { conversionOf } from '../run.ts';
import { fingerprintOfGrids, fingerprintsOf } from './fingerprints.ts';
import {
  NO_PASS,
  newDirectory,
  passDirectory,
  resultsOf,
  storeOffer,
  storePass,
  type WorkPass,
} from './passes.ts';
import {
  damaged,
  type PassTable,
  PLAN_FORMAT,
  PLAN_FORMAT_VERSION,
  type PlanFile,
  planPath,
} from './plan-file.ts';

export interface PlanOrder {
  /** Does not exist, or is empty. */
  readonly work: string;
  /** As for geomill run, with absolute paths. */
  readonly job: Readonly<Record<string, unknown>>;
  readonly overwrite: boolean;
  readonly parts: number;
}

/** Runs a conversion until it offers its first pass, and writes that to the directory. Throws NOT_DIVISIBLE. */
export async function planConversion(
  { work, job, overwrite, parts }: PlanOrder,
  parsed: Parsed,
  context: CommandContext,
): Promise<PlanFile> {
  const conversion = conversionOfJob(job);
  const limits = inputLimits(context);
  const time = new Date(context.sourceDateEpoch === null ? Date.now() : context.sourceDateEpoch * 1000);
  const inputs = fingerprintsOf(filesRead(conversion.inputs, conversion.planned ?? []));
  mkdirSync(dirname(resolve(work)), { recursive: true });
  const temporary = newDirectory(`${resolve(work)}.`);
  try {
    let passes = 1;
    let offered: { readonly table: PassTable; readonly layers: readonly string[] } | null = null;
    const division = divisionOf(work, conversion, parts, [], {
      expect: (count) => {
        passes = count;
      },
      onNext(offer) {
        const directory = passDirectory(temporary, 1);
        mkdirSync(directory);
        offered = { table: storeOffer(directory, offer), layers: offerFacts(offer).layers };
      },
    });
    await untilOffer(
      { ...conversion, divided: { division, limits, timeMs: time.getTime() } },
      parsed,
      context,
    );
    if (offered === null)
      throw failure(cliErrors.NOT_DIVISIBLE, { reason: 'the input has no features that could be divided' });
    const { table, layers } = offered as { readonly table: PassTable; readonly layers: readonly string[] };
    const plan: PlanFile = {
      ...{ format: PLAN_FORMAT, formatVersion: PLAN_FORMAT_VERSION, geomill: packageVersion() },
      ...{
        time: time.toISOString(),
        overwrite,
        job,
        inputs,
        grids: fingerprintOfGrids(context.gridDirectory),
      },
      ...{ limits, layers, requestedParts: parts, passes, firstPass: table },
    };
    writeFileSync(planPath(temporary), `${JSON.stringify(plan, null, 1)}\n`);
    renameSync(temporary, work);
    return plan;
  } catch (error) {
    throw asOutputFailure(error, work);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

export interface PlannedPasses {
  readonly work: string;
  readonly plan: PlanFile;
  /** Those that were planned, in order. */
  readonly passes: readonly WorkPass[];
}

/** Plans the pass after these, and stores it. Throws the errors of the input that the conversion finds in their results. */
export async function planPass(
  { work, plan, passes }: PlannedPasses,
  parsed: Parsed,
  context: CommandContext,
): Promise<void> {
  const conversion = plannedConversion(work, plan);
  const number = passes.length + 1;
  let isStored = false;
  const division = divisionOf(work, conversion, plan.requestedParts, passes, {
    onNext(offer) {
      storePass(work, number, (directory) => storeOffer(directory, offer));
      isStored = true;
    },
  });
  await untilOffer({ ...conversion, divided: { division, ...settingOf(plan) } }, parsed, context);
  if (!isStored) storePass(work, number, () => NO_PASS);
}

/** Writes the output. Parts that were not planned run here. */
export async function joinConversion(
  { work, plan, passes }: PlannedPasses,
  parsed: Parsed,
  context: CommandContext,
): Promise<Converted & { readonly output: string }> {
  const conversion = plannedConversion(work, plan);
  const division = divisionOf(work, conversion, plan.requestedParts, passes, {});
  const converted = await runConversionOf(
    { ...conversion, divided: { division, ...settingOf(plan) } },
    parsed,
    context,
  );
  return { ...converted, output: conversion.output };
}

/** Throws what the checks of the members throw. */
function conversionOfJob(job: PlanFile['job']): Conversion {
  return conversionOf(parseDocument(job), 0);
}

/** Throws PLAN_INVALID: its job was valid when it was planned, and its inputs have not changed. */
function plannedConversion(work: string, { job }: PlanFile): Conversion {
  try {
    return conversionOfJob(job);
  } catch (error) {
    throw damaged(planPath(work), `'job': ${asGeomillError(error).message}`);
  }
}

function settingOf({
  time,
  limits,
}: PlanFile): Pick<NonNullable<Conversion['divided']>, 'timeMs' | 'limits'> {
  return { timeMs: Date.parse(time), limits };
}

/** Ends a conversion whose next pass was stored. */
class Offered extends Error {}

interface PassEvents {
  onNext?(offer: Offer): void;
  expect?(passes: number): void;
}

function divisionOf(
  work: string,
  { inputs: [input] }: Conversion,
  partCount: number,
  passes: readonly WorkPass[],
  { onNext, expect }: PassEvents,
): Division {
  return plannedDivision({
    ...{ partBytes: 1, partCount, inputPath: realpathSync(input), passes: passes.map(resultsOf) },
    ...(expect === undefined ? {} : { expect }),
    ...(onNext === undefined
      ? {}
      : {
          onNext(offer) {
            try {
              onNext(offer);
            } catch (error) {
              // Otherwise it would be taken for the failure of the output.
              throw asOutputFailure(error, work);
            }
            throw new Offered();
          },
        }),
    decline(reason) {
      throw failure(cliErrors.NOT_DIVISIBLE, { reason });
    },
  });
}

/** Runs a conversion until its next pass is stored, or to its end, with an output that is not kept. */
async function untilOffer(conversion: Conversion, parsed: Parsed, context: CommandContext): Promise<void> {
  const temporary = new TemporaryDirectory();
  // Layers without a name get that of the output.
  const output = join(temporary.directory('planned'), basename(conversion.output));
  const { overwrite: _, ...values } = parsed.values;
  try {
    await runConversionOf({ ...conversion, output }, { ...parsed, values }, context);
  } catch (error) {
    if (!isOffered(error)) throw error;
  } finally {
    temporary.remove();
  }
}

/** The pipeline wraps what it does not know. */
function isOffered(error: unknown): boolean {
  return (
    error instanceof Offered ||
    (error instanceof Error && error.cause !== undefined && isOffered(error.cause))
  );
}

/** Throws USAGE for a directory that has content. */
export function requireFreeWork(work: string, isEmpty: (directory: string) => boolean): void {
  const stats = statOf(work);
  if (stats === null || (stats.isDirectory && isEmpty(work))) return;
  const detail = stats.isDirectory
    ? `'${work}' is not empty; name a new directory with --work, or remove this one`
    : `'${work}' is a file; name a new directory with --work`;
  throw failure(generalErrors.USAGE, { detail });
}
