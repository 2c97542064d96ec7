/** A stage prepared in the thread that runs it: links with code and transformers, and the handler of calls. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import { type Bounds, positionBounds } from '@geomill/core/geometry/bounds.ts';
import { Findings } from '@geomill/core/messages/findings.ts';
import type { AnswerCall, ApplyStep, Transformation } from '@geomill/operations/transformation.ts';
import type { Transformer } from '@geomill/proj/proj.ts';
import { transformationById } from './chain.ts';
import { checkGrowth, positionCount } from './growth.ts';
import { locateFindings } from './locate-findings.ts';
import { needsUnwrapping, onUnwrapped } from './longitudes.ts';
import { reprojectBatch } from './positions.ts';
import { SphereStep } from './sphere-step.ts';
import { type Growth, stepSetting, UNBOUNDED } from './step-setting.ts';
import type { ReprojectionCounts, SessionStage, SessionStep, StepOutcome } from './task.ts';
import type { Transformers } from './transformers.ts';

export interface PreparedStage {
  /** Applies the links to the batch. `bounds`: of its positions, if known. `rowsBefore`: see Task. */
  apply(batch: FeatureBatch, bounds: Bounds | undefined, rowsBefore: number | null): StageOutcome;
  /** Runs calls of the step that ends the stage, which collects or adds features; null: no such step. */
  readonly answer: (() => Promise<AnswerCall>) | null;
}

export interface StageOutcome {
  readonly batch: FeatureBatch;
  readonly steps: readonly StepOutcome[];
  readonly reprojections: readonly ReprojectionCounts[];
}

type PreparedLink =
  | {
      readonly kind: 'reproject';
      readonly number: number;
      readonly transformer: Transformer;
      readonly sphere: SphereStep | null;
    }
  | { readonly kind: 'step'; readonly link: SessionStep; readonly apply: ApplyStep };

const NOTHING: readonly never[] = [];

/** `transformers`: those of this stage. */
export async function prepareStage(
  { links, collect, layerName }: SessionStage,
  transformers: Transformers,
  registry: readonly Transformation[],
  { outputFactor, locatesFindings }: { readonly outputFactor: number; readonly locatesFindings: boolean },
): Promise<PreparedStage> {
  const prepared: PreparedLink[] = [];
  const growth = { positionsIn: 0, factor: outputFactor };
  for (const link of links) {
    if (link.kind === 'reproject') {
      const transformer = transformers.of(link.recipe);
      const sphere = link.sphere === null ? null : new SphereStep(link.sphere, transformer, transformers);
      prepared.push({ kind: 'reproject', number: link.number, transformer, sphere });
      continue;
    }
    const record = transformationById(link.type, registry);
    const code = await record.load();
    if (code.kind !== 'streaming') throw new Error(`'${link.type}' cannot run on single batches`);
    const own = await code.prepare(link.parameters, stepSetting(link, layerName, transformers, growth));
    const apply = needsUnwrapping(record, link.crs) ? onUnwrapped(own, record) : own;
    prepared.push({ kind: 'step', link, apply });
  }
  const last = links.at(-1);
  const answers = collect ?? (last?.kind === 'step' ? last : null);
  let answering: Promise<AnswerCall> | null = null;
  return {
    apply: (batch, bounds, rowsBefore) =>
      applyLinks(prepared, batch, bounds, rowsBefore, growth, locatesFindings),
    answer:
      answers === null
        ? null
        : () => {
            answering ??= prepareAnswer(answers, layerName, transformers, registry);
            return answering;
          },
  };
}

function applyLinks(
  links: readonly PreparedLink[],
  input: FeatureBatch,
  bounds: Bounds | undefined,
  rowsBefore: number | null,
  growth: Growth,
  locates: boolean,
): StageOutcome {
  if (links.length === 0) return { batch: input, steps: NOTHING, reprojections: NOTHING };
  const steps: StepOutcome[] = [];
  const reprojections: ReprojectionCounts[] = [];
  let batch = input;
  let known = bounds;
  const positionsIn = positionCount(input);
  growth.positionsIn = positionsIn;
  for (const link of links) {
    if (link.kind === 'reproject') {
      const { number, transformer, sphere } = link;
      const own = known ?? positionBounds(batch.geometry);
      const completion = sphere?.begin(batch.geometry, own) ?? null;
      const counts = reprojectBatch(batch, transformer, own);
      const findings = new Findings();
      if (completion !== null) batch = { ...batch, geometry: completion(batch.geometry, findings) };
      reprojections.push({
        number,
        ...counts,
        findings: locates ? locateFindings(findings.found(), [batch]) : findings.noted(),
      });
    } else {
      const findings = new Findings();
      const rowsIn = batch.rowCount;
      const startedAt = performance.now();
      const before = batch;
      let forAddition: unknown;
      // Only the first step of a stage uses the numbers.
      batch = link.apply(batch, findings, rowsBefore, (data) => {
        forAddition = data;
      });
      const positionsOut = positionCount(batch);
      checkGrowth(link.link, positionsIn, positionsOut, growth.factor);
      steps.push({
        step: link.link.step,
        rowsIn,
        rowsOut: batch.rowCount,
        positionsIn,
        positionsOut,
        seconds: (performance.now() - startedAt) / 1000,
        findings: locates ? locateFindings(findings.found(), [before]) : findings.noted(),
        ...(forAddition === undefined ? {} : { forAddition }),
      });
    }
    known = undefined;
  }
  return { batch, steps, reprojections };
}

async function prepareAnswer(
  step: SessionStep,
  layerName: string,
  transformers: Transformers,
  registry: readonly Transformation[],
): Promise<AnswerCall> {
  const code = await transformationById(step.type, registry).load();
  const half = code.kind === 'streaming' ? code.addition : code;
  if (half === undefined || !('prepare' in half)) throw new Error(`'${step.type}' takes no calls`);
  return half.prepare(step.parameters, stepSetting(step, layerName, transformers, UNBOUNDED));
}
