/**
 * The entry of a runner process. Started by runner-process.ts under Node's permission model, with the number of its worker
 * threads as the argument.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outputFormats } from '@geomill/formats/registry.ts';
import { UNLIMITED } from '@geomill/io/limits.ts';
import { runRequest } from '@geomill/library/run.ts';
import { KeptThreads } from '@geomill/pipeline/threads.ts';
import { dropThreadPermission } from '@geomill/platform/threads.ts';
import { serveTasks } from './runner-loop.ts';

/** Two features and a reprojection: loads the most used codecs and PROJ, and compiles them. */
const WARM_UP_INPUT = JSON.stringify({
  type: 'FeatureCollection',
  features: [
    {
      type: 'Feature',
      properties: { name: 'warm', size: 1.5 },
      geometry: { type: 'Point', coordinates: [7.1, 50.7] },
    },
    {
      type: 'Feature',
      properties: { name: 'up', size: 2 },
      geometry: { type: 'Point', coordinates: [7.2, 50.8] },
    },
  ],
});

async function warm(directory: string): Promise<void> {
  const scratchDirectory = join(directory, 'warm');
  mkdirSync(scratchDirectory, { recursive: true });
  try {
    const inputPath = join(directory, 'warm.geojson');
    writeFileSync(inputPath, WARM_UP_INPUT);
    for (const { id: format } of outputFormats.filter(({ isWarmedUp }) => isWarmedUp)) {
      await runRequest(
        {
          operation: 'transform',
          input: {
            format: 'geojson',
            files: [{ crs: null, crsPath: 'input.epsg' }],
            layers: null,
            options: {},
          },
          transformations: [],
          output: { format, crs: 'EPSG:3857', toFile: true, options: {} },
        },
        {
          inputs: [{ path: inputPath, name: 'warm.geojson' }],
          outputPath: join(directory, `warm.${format}`),
          scratchDirectory,
          gridDirectory: null,
          threads: 1,
          limits: UNLIMITED,
        },
        { signal: new AbortController().signal, onProgress: () => {}, threads },
      );
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

// Before the first job: a process that may start threads can start one outside of the permission model.
const threads = new KeptThreads(Number(process.argv[2]));
dropThreadPermission();

serveTasks(
  (request, paths, control) => runRequest(request, paths, { ...control, threads }),
  warm,
  async (order, onProgress) => {
    // Most runners never see a part.
    const { runPart } = await import('@geomill/pipeline/division/run-part.ts');
    await runPart(order, threads, onProgress);
  },
);
