/** The jobs of the kill campaign: every pair of formats, steps, append and merge, each in several variants that differ. */
import { createHash } from 'node:crypto';
import { isOutputFormat } from '../../packages/formats/src/format.ts';
import { inputFormats, outputFormats } from '../../packages/formats/src/registry.ts';
import { readZipMembers } from '../support/zip-members.ts';

export interface CampaignJob {
  readonly name: string;
  readonly path: string;
  readonly config: object;
  readonly files: readonly (readonly [part: string, file: InputFile])[];
}

export interface InputFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

const FEATURES = 300;
/** Inputs that differ in their values: an output that went to the wrong job is noticed. */
export const VARIANTS = 3;
const CRS = 'EPSG:25832';

/** Points, lines and polygons with a text, a number and a date. */
export function baseInput(variant: number): InputFile {
  const features = Array.from({ length: FEATURES }, (_, index) => {
    const [x, y] = [8 + index / 1000 + variant / 10, 53 + index / 2000];
    return {
      type: 'Feature',
      properties: {
        name: `v${variant} Straße ${index}`,
        size: index * 1.25 + variant,
        built: '2024-02-29',
        index,
      },
      geometry: geometryAt(index % 3, x, y),
    };
  });
  return {
    name: 'base.geojson',
    bytes: Buffer.from(JSON.stringify({ type: 'FeatureCollection', features })),
  };
}

function geometryAt(kind: number, x: number, y: number): object {
  const [far, up] = [x + 0.0005, y + 0.0004];
  if (kind === 0) return { type: 'Point', coordinates: [x, y] };
  if (kind === 1)
    return {
      type: 'LineString',
      coordinates: [
        [x, y],
        [far, y],
        [far, up],
      ],
    };
  return {
    type: 'Polygon',
    coordinates: [
      [
        [x, y],
        [far, y],
        [far, up],
        [x, y],
      ],
    ],
  };
}

/** The formats of inputs, which are converted from one. */
export const campaignInputs = inputFormats.filter(isOutputFormat);

/** `inputs`: by format id, one of each variant. */
export function campaignJobs(inputs: ReadonlyMap<string, readonly InputFile[]>): readonly CampaignJob[] {
  const jobs: CampaignJob[] = [];
  for (const from of campaignInputs) {
    const stated = from.inputCrs === 'request';
    const files = inputs.get(from.id) as readonly InputFile[];
    for (let variant = 0; variant < VARIANTS; variant++) {
      const [file, next] = [files[variant], files[(variant + 1) % VARIANTS]];
      const name = `${from.id} ${variant}`;
      for (const to of outputFormats)
        jobs.push({
          name: `${name} > ${to.id}`,
          path: `/v1/transform/${from.id}`,
          config: { ...(stated && { input_crs: CRS }), output_format: to.id, output_crs: 'EPSG:3857' },
          files: [['file', file]],
        });
      const to = outputFormats[variant % outputFormats.length].id;
      const output = { output_format: to, output_crs: CRS };
      jobs.push({
        name: `${name} > buffer, dissolve > ${to}`,
        path: `/v1/transform/${from.id}`,
        config: {
          ...(stated && { input_crs: CRS }),
          ...output,
          transformations: [{ type: 'buffer', params: { distance: 20, units: 'meters' } }, { type: 'union' }],
        },
        files: [['file', file]],
      });
      jobs.push({
        name: `${name} append > ${to}`,
        path: `/v1/transform/${from.id}/append`,
        config: { ...(stated && { input_crs: CRS, append_crs_mapping: CRS }), ...output },
        files: [
          ['file', file],
          ['files', next],
        ],
      });
      jobs.push({
        name: `${name} merge > ${to}`,
        path: `/v1/transform/${from.id}/merge`,
        config: { ...(stated && { input_crs_mapping: CRS }), ...output },
        files: [
          ['files', file],
          ['files', next],
        ],
      });
    }
  }
  return jobs;
}

export const INPUT_CONFIG = (format: string): object => ({ output_format: format, output_crs: CRS });

/** The request for a job. */
export function formOf({ config, files }: CampaignJob): FormData {
  const form = new FormData();
  form.append('config', JSON.stringify(config));
  for (const [part, { name, bytes }] of files) form.append(part, new Blob([Uint8Array.from(bytes)]), name);
  return form;
}

/** Of an output, the same for each run of a job: times of day apart, which zips and GeoPackages hold. */
export async function fingerprint(output: Buffer): Promise<string> {
  const hash = createHash('sha256');
  if (output.length > 4 && output.readUInt32LE(0) === 0x04034b50)
    for (const { name, bytes } of await readZipMembers(output)) hash.update(name).update(bytes);
  else hash.update(output.toString('latin1').replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, ''));
  return hash.digest('hex');
}
