/** Steps that lack something, by what the service says of them. */
import type { TransformationRecord } from '@geomill/client/client.ts';
import { catalogue } from '../service.ts';
import type { StepChoice, WorkspaceDocument } from './document.ts';
import { type MissingNeed, missingNeed, needSentence } from './step-needs.ts';

export interface Obstacle {
  /** A sentence with what to do. */
  readonly text: string;
  /** Key of the step that it is about. */
  readonly step: number;
}

/** The first step that lacks something; null: none does. */
export function incompleteStep({ steps }: WorkspaceDocument): Obstacle | null {
  for (const [index, step] of steps.entries()) {
    const missing = needOf(step);
    const title = recordOf(step)?.title ?? step.type;
    if (missing !== null) return { text: `${needSentence(missing, index, title)}.`, step: step.key };
  }
  return null;
}

/** What one step lacks; steps that are switched off lack nothing. */
export function needOf(step: StepChoice): MissingNeed | null {
  const record = recordOf(step);
  return record === undefined || !step.enabled ? null : missingNeed(step, record);
}

function recordOf({ type }: StepChoice): TransformationRecord | undefined {
  const loaded = catalogue.value;
  return loaded.state === 'ready' ? loaded.value.transformations.find(({ id }) => id === type) : undefined;
}
