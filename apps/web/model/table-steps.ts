/** Steps that the column menu of the table writes. Pure. */
import { addStep, changeStep, type WorkspaceDocument } from './document.ts';

export function dropField(document: WorkspaceDocument, name: string): WorkspaceDocument {
  const last = document.steps.at(-1);
  // A select step that only drops takes another field; any other may have renamed or kept this one.
  if (last?.type === 'select' && last.enabled && Object.keys(last.params).join() === 'drop') {
    const dropped = last.params.drop as readonly string[];
    return changeStep(document, last.key, { params: { drop: [...new Set([...dropped, name])] } });
  }
  return addStep(document, 'select', { drop: [name] });
}

export function renameField(document: WorkspaceDocument, name: string, to: string): WorkspaceDocument {
  return addStep(document, 'select', { rename: { [name]: to } });
}

export function dissolveBy(document: WorkspaceDocument, name: string): WorkspaceDocument {
  return addStep(document, 'dissolve', { by: [name] });
}

/** Keeps the features with this value. */
export function filterBy(document: WorkspaceDocument, name: string, value: unknown): WorkspaceDocument {
  return addStep(document, 'filter', { where: condition(name, value) });
}

/** Whether a condition can compare the value: lists and objects cannot be. */
export function canFilterBy(value: unknown): boolean {
  return value === null || value === undefined || typeof value !== 'object';
}

function condition(name: string, value: unknown): string {
  const field = `"${name.replaceAll('"', '""')}"`;
  if (value === null || value === undefined) return `${field} is null`;
  return `${field} = ${typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)}`;
}
