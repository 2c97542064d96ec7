/** Names that the output cannot store as they are, with others that the user chooses. Pure. */
import { addStep, changeStep, type WorkspaceDocument } from './document.ts';

export interface RenamedField {
  readonly from: string;
  /** The name that the writer chooses. */
  readonly to: string;
}

/** Each name once, although several layers may have it. */
export function renamedFields(renamed: readonly RenamedField[]): readonly RenamedField[] {
  return [...new Map(renamed.map((one) => [one.from, one])).values()];
}

/** Names a field of the output: in the last step if that only renames, else in a new one. */
export function nameForOutput(document: WorkspaceDocument, from: string, to: string): WorkspaceDocument {
  const last = document.steps.at(-1);
  const isRename = last?.type === 'select' && last.enabled && Object.keys(last.params).join() === 'rename';
  if (last === undefined || !isRename) return addStep(document, 'select', { rename: { [from]: to } });
  const names = Object.entries(last.params.rename as Readonly<Record<string, string>>);
  // A field that this step has named already keeps its key: keys are the names before the step.
  const isNamed = names.some(([, name]) => name === from);
  const next = isNamed
    ? names.map(([old, name]) => [old, name === from ? to : name])
    : [...names, [from, to]];
  return changeStep(document, last.key, { params: { rename: Object.fromEntries(next) } });
}

/** Bytes of UTF-8, by which formats limit names. */
export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
