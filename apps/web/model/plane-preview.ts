/** Previews of data without a position on the Earth: its own coordinates, which the map draws on plain paper. */
import type { FeatureCollection, Inspection } from '@geomill/client/client.ts';
import { engine } from '../engines/current.ts';
import type { EngineFile } from '../engines/engine.ts';
import { type InputChoice, inputConfig } from './document.ts';
import { layerFieldOf, MAX_PREVIEW_FEATURES, type Preview, previewJobs } from './preview-facts.ts';
import { DRAWN_FORMAT } from './preview-format.ts';

/** Longer previews are not drawn: a tab cannot hold them. */
const MAX_BYTES = 24_000_000;

export async function planePreviewOf(
  /** Null: the service fetches it. */
  file: EngineFile | null,
  input: InputChoice,
  { layers }: Inspection,
  signal: AbortSignal,
): Promise<Preview> {
  const total = layers.reduce((sum, { features }) => sum + features, 0);
  const isKnown = input.crs !== null || layers.every(({ crs }) => crs !== null);
  const count = Math.max(1, Math.floor(MAX_PREVIEW_FEATURES / layers.length));
  const config = {
    input: inputConfig(isKnown ? input : { ...input, crs: 'local' }),
    ...(total > MAX_PREVIEW_FEATURES ? { transformations: [{ type: 'sample', params: { count } }] } : {}),
    output: { format: DRAWN_FORMAT, epsg: 'source', geojson_crs: 'requested' },
  };
  const request = { operation: 'transform', format: input.format, config } as const;
  const files = file === null ? [] : [file];
  const handle = await engine.peek().submit({ ...request, files }, { signal, idempotencyKey: null });
  previewJobs.add(handle.id);
  const { report, output } = await handle.wait({ signal });
  if ((output.bytes ?? 0) > MAX_BYTES)
    throw new Error(
      `The preview has ${Math.round((output.bytes ?? 0) / 1e6)} MB; up to ${MAX_BYTES / 1e6} MB are drawn.`,
    );
  const features = await (await handle.download({ signal })).json<FeatureCollection>();
  return {
    features,
    drawn: features.features.length,
    total,
    isSimplified: false,
    layerField: layerFieldOf(report),
    isOnPaper: true,
  };
}
