/** Changes to another engine: what the earlier one has of the files is removed there. */
import { batch } from '@preact/signals';
import { keepEngine } from '../engines/current.ts';
import type { EngineId } from '../engines/engine.ts';
import { lookAgain, sources } from './sources.ts';

/** Inspections stay: all engines say the same. Jobs that run go on where they were started. */
export function switchEngine(id: EngineId): void {
  const known = [...sources.peek().values()];
  batch(() => {
    for (const { upload } of known) upload?.discard();
    keepEngine(id);
  });
  for (const { path, inspection } of known) if (inspection.state !== 'ready') lookAgain(path);
}
