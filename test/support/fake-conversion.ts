/** What fake-runner.ts makes of an input. */
import type { ConversionReport } from '../../packages/pipeline/src/report.ts';
import type { JobRequest } from '../../packages/pipeline/src/request.ts';

/** A thousand times longer than it need be, so that half of it is easily made. */
export function outputOf(input: string): string {
  return `${input}|`.repeat(1000);
}

export function fakeReport(request: JobRequest, byteLength: number): ConversionReport {
  return {
    input: { format: request.input.format, name: 'fake', files: [], layers: [] },
    output: {
      format: request.output?.format ?? 'none',
      crs: 'EPSG:4326',
      mediaType: 'text/plain',
      byteLength,
    },
    features: { read: 1, written: 1, dropped: 0, repaired: 0, split: 0 },
    fields: { renamed: [], retyped: [], dropped: [] },
    reprojections: [],
    warnings: [],
    timings: { totalMs: 1 },
  };
}
