/** The fields of the sources, and values that they have. */
import type { FieldChoice } from './condition.ts';
import { convertedInputs } from './document.ts';
import { sources } from './sources.ts';
import { workspace } from './workspace.ts';

const MAX_FIELDS = 1000;
const MAX_LAYERS = 1000;
/** Of a preview; more would be noticed while typing. */
const MAX_FEATURES = 5000;
const MAX_VALUES = 50;

/** Fields of all sources that are converted, each once. */
export function sourceFields(): FieldChoice[] {
  const types = new Map<string, string | null>();
  for (const { path, layers: chosen } of convertedInputs(workspace.current.value)) {
    const inspection = sources.value.get(path)?.inspection;
    if (inspection?.state !== 'ready') continue;
    for (const layer of inspection.value.layers) {
      if (chosen !== null && !chosen.includes(layer.name)) continue;
      for (const { name, type } of layer.fields)
        types.set(name, types.has(name) && types.get(name) !== type ? null : type);
    }
  }
  return [...types].slice(0, MAX_FIELDS).map(([name, type]) => ({ name, type }));
}

/** Names of the layers of all sources that are converted, each once. */
export function sourceLayers(): string[] {
  const names = new Set<string>();
  for (const { path, layers: chosen } of convertedInputs(workspace.current.value)) {
    const inspection = sources.value.get(path)?.inspection;
    if (inspection?.state !== 'ready') continue;
    for (const { name } of inspection.value.layers)
      if (chosen === null || chosen.includes(name)) names.add(name);
  }
  return [...names].slice(0, MAX_LAYERS);
}

/** Some different values of a field in the previews, as text. */
export function valuesOfField(name: string): string[] {
  const values = new Set<string>();
  for (const { path } of convertedInputs(workspace.current.peek())) {
    const preview = sources.peek().get(path)?.preview;
    if (preview?.state !== 'ready') continue;
    for (const { properties } of preview.value.features.features.slice(0, MAX_FEATURES)) {
      const value = (properties as Readonly<Record<string, unknown>> | null)?.[name];
      if (value === null || value === undefined || typeof value === 'object') continue;
      values.add(String(value));
      if (values.size >= MAX_VALUES) return [...values];
    }
  }
  return [...values];
}
