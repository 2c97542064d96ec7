/** What the first step of a conversion may keep, as far as an index or the values in the files show it: parts of layers, or single features. */
import type { NearBoxes } from '@geomill/core/columns/near-boxes.ts';
import type { SourceLayer } from '@geomill/formats/reader.ts';
import type { StreamingTransformation } from '@geomill/operations/transformation.ts';
import type { CandidatesByLayer, ExcerptPlan } from './excerpt.ts';
import type { OpenedInput } from './opened-input.ts';
import type { Planned } from './plan-with-crs.ts';
import { stepSetting, UNBOUNDED } from './step-setting.ts';
import type { Session, SessionStage, SessionStep } from './task.ts';
import { transformersFor } from './transformers.ts';

/** Bytes of a partition of selected features: to start threads for the few of most boxes would take longer than to read them. */
const SELECTED_BYTES = 4 << 20;

/** `planned`: of these inputs. Throws what the first step throws. */
export async function findCandidates(
  planned: Planned,
  inputs: readonly OpenedInput[],
  { rules }: ExcerptPlan,
): Promise<CandidatesByLayer> {
  const found = new Map<SourceLayer, Uint8Array>();
  for (const { layer, code, link, stage } of firstSteps(planned, inputs)) {
    const near = await boxesOf(code, link, stage, planned.session);
    const isNear = near === null ? null : (rules.partitionsNear?.(layer, near) ?? null);
    if (isNear?.includes(0)) found.set(layer, isNear);
  }
  return found;
}

export interface SelectedLayers {
  /** Layers with only the features that the first step may keep, by the layers that were opened for the selection. */
  readonly selected: ReadonlyMap<SourceLayer, SourceLayer>;
  /** All layers in use are selected; the file does not show for others which features these are. */
  readonly isComplete: boolean;
}

/** `planned`: of these inputs. Throws what the first step throws. */
export async function selectFeatures(
  planned: Planned,
  inputs: readonly OpenedInput[],
  { rules }: ExcerptPlan,
): Promise<SelectedLayers> {
  const selected = new Map<SourceLayer, SourceLayer>();
  for (const { layer, code, link, stage } of firstSteps(planned, inputs)) {
    const near = await boxesOf(code, link, stage, planned.session);
    const values = code.wantedValues?.(link.parameters) ?? [];
    const found = rules.selectFeatures?.(layer, { near, values }, SELECTED_BYTES) ?? null;
    if (found !== null) selected.set(layer, found);
  }
  const sourceCount = planned.plan.layers.reduce((sum, { sources }) => sum + sources.length, 0);
  return { selected, isComplete: selected.size === sourceCount };
}

/** The inputs with the selected layers in place of those that were opened for the selection. */
export function withSelected(
  inputs: readonly OpenedInput[],
  described: readonly OpenedInput[],
  selected: ReadonlyMap<SourceLayer, SourceLayer>,
): OpenedInput[] {
  return inputs.map((input, file) => ({
    ...input,
    layers: input.layers.map((layer, i) => selected.get(described[file].layers[i]) ?? layer),
  }));
}

interface FirstStep {
  readonly layer: SourceLayer;
  readonly code: StreamingTransformation;
  readonly link: SessionStep;
  readonly stage: SessionStage;
}

/** The first step of each layer in use, if it is the first link. */
function firstSteps({ plan, session }: Planned, inputs: readonly OpenedInput[]): FirstStep[] {
  const sources = plan.layers.flatMap(({ sources: own }) => own);
  return sources.flatMap(({ fileIndex, layerIndex }, i) => {
    const [stage] = session.layers[i].stages;
    const [link] = stage.links;
    // After a reprojection the box is in another CRS than the index.
    if (link?.kind !== 'step') return [];
    const { code } = plan.steps[link.step];
    return code.kind === 'streaming'
      ? [{ layer: inputs[fileIndex].layers[layerIndex], code, link, stage }]
      : [];
  });
}

async function boxesOf(
  code: StreamingTransformation,
  link: SessionStep,
  { layerName }: SessionStage,
  session: Session,
): Promise<NearBoxes | null> {
  if (code.boxes === undefined) return null;
  const transformers = await transformersFor([{ links: [link], collect: null }], session);
  return code.boxes(link.parameters, stepSetting(link, layerName, transformers, UNBOUNDED));
}
