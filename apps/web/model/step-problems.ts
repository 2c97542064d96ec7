/** Which control a sentence of the service is about. Pure. */
import type { WorkspaceDocument } from './document.ts';
import { labelOf } from './schema-form.ts';

export interface StepProblem {
  /** Key of the step. */
  readonly step: number;
  /** Null: the step as a whole. */
  readonly parameter: string | null;
  /** The sentence without the path. */
  readonly text: string;
}

const PATH = /'?\btransformations\[(\d+)\](?:\.params)?(?:\.([A-Za-z]\w*))?((?:\.\w+|\[\d+\])*)'?\s*/;

/**
 * The message with the step as the user sees it in place of its path: "Step 2 (Buffer), Distance: Must be number". A parameter that is
 * missing becomes an instruction: 'Enter "Distance" for step 2 (Buffer).'
 */
export function withStepName(document: WorkspaceDocument, message: string): string {
  const problem = stepProblem(document, message);
  if (problem === null) return message;
  const at = document.steps.findIndex(({ key }) => key === problem.step);
  const step = `tep ${at + 1} (${labelOf(document.steps[at].type)})`;
  if (problem.parameter === null) return `S${step}: ${problem.text}`;
  const label = labelOf(problem.parameter);
  return isMissing(problem) ? `Enter "${label}" for s${step}.` : `S${step}, ${label}: ${problem.text}`;
}

/** Whether the problem is only that a parameter has no value yet. */
export function isMissing({ parameter, text }: StepProblem): boolean {
  return parameter !== null && /^Is required\b/.test(text);
}

/** A message that names a parameter of a step by its path; null: it names none. Steps that are switched off do not count. */
export function stepProblem({ steps }: WorkspaceDocument, message: string): StepProblem | null {
  const match = PATH.exec(message);
  if (match === null) return null;
  const [path, index, parameter, inner] = match;
  const step = steps.filter(({ enabled }) => enabled)[Number(index)];
  if (step === undefined) return null;
  // "layer 'roads' at transformations[1].params has no field" and "'transformations[0].params.units' is required".
  const before = message.slice(0, match.index).replace(/\s+at\s+$/, ' ');
  const text = `${before}${inner === '' ? '' : `${inner.replace(/^\./, '')} `}${message.slice(match.index + path.length)}`;
  return { step: step.key, parameter: parameter ?? null, text: text.charAt(0).toUpperCase() + text.slice(1) };
}
