/** The engine that this page works with: a tab can do it all, so the service is asked only if the user wants that. */
import { computed, signal } from '@preact/signals';
import { isServiceThere } from '../service.ts';
import type { Engine, EngineId } from './engine.ts';
import { serviceEngine } from './service-engine.ts';

const loadLocal = async (): Promise<Engine> => (await import('./local-engine.ts')).localEngine;

/** Loaded when the first file is there. */
const localEngine: Engine = {
  id: 'local',
  receive: async (...call) => (await loadLocal()).receive(...call),
  forget: async (id) => (await loadLocal()).forget(id),
  stepFile: (part, { id }) => ({ [part]: id }),
  inspect: async (...call) => (await loadLocal()).inspect(...call),
  submit: async (...call) => (await loadLocal()).submit(...call),
  findCrs: async (...call) => (await loadLocal()).findCrs(...call),
  suggestCrs: async (...call) => (await loadLocal()).suggestCrs(...call),
};

/** Files that together have more may need more memory than a tab has. */
export const MAX_LOCAL_BYTES = 500_000_000;

/** Key of localStorage. */
const KEPT = 'geomill-engine';

/** The build of the library needs explicit resource management, which browsers have since 2025. */
const isLocalPossible = 'DisposableStack' in globalThis;

/** What the user has chosen, also at an earlier visit; null: nothing. */
const chosen = signal<EngineId | null>(keptChoice());

const engineId = computed<EngineId>(() => {
  if (!isServiceThere.value) return 'local';
  return isLocalPossible ? (chosen.value ?? 'local') : 'service';
});

export const engine = computed<Engine>(() => (engineId.value === 'local' ? localEngine : serviceEngine));

/** The other engine, if there is one. */
export const otherEngine = computed<EngineId | null>(() => {
  if (!isServiceThere.value || !isLocalPossible) return null;
  return engineId.value === 'local' ? 'service' : 'local';
});

/** Why nothing can be converted; null: it can. */
export const engineProblem = computed<string | null>(() =>
  isServiceThere.value || isLocalPossible
    ? null
    : 'This browser is too old to convert files by itself. Use Chrome or Edge 134, Firefox 141, or newer.',
);

export function keepEngine(id: EngineId): void {
  chosen.value = id;
  try {
    localStorage.setItem(KEPT, id);
  } catch {
    // Switched off: the choice is for this visit.
  }
}

function keptChoice(): EngineId | null {
  try {
    const kept = localStorage.getItem(KEPT);
    return kept === 'local' || kept === 'service' ? kept : null;
  } catch {
    return null;
  }
}
