/** Files and results that are tiles: the map draws them as they are, and the service does not read them. */
import { computed } from '@preact/signals';
import type { EndedJob } from '../engines/engine.ts';
import { TILES_FORMAT } from './preview-format.ts';
import { runs } from './run.ts';
import { type TileLayer, tileFiles } from './tile-files.ts';

/** In the order in which they are drawn. */
export const tileLayers = computed((): readonly TileLayer[] => {
  const made = runs.value.flatMap(({ key, title, handle, job }): TileLayer[] =>
    // Not before the output is there: the job is known once it has ended.
    handle === null || job === null || !isTiles(job)
      ? []
      : [{ id: `tiles ${key}`, role: 'result', title: `${title}, converted`, content: handle }],
  );
  return [...tileFiles.value, ...made];
});

/** Whether a job has an output that is tiles. */
function isTiles({ output }: EndedJob): boolean {
  return output.format === TILES_FORMAT && output.bytes !== null;
}
