/** Jobs of a campaign that are divided among workers: inputs of some megabytes, and steps that last long enough for others to take parts. */
import { PostgresDatabase } from '../../apps/service/src/postgres/database.ts';
import type { CampaignJob, InputFile } from '../faults/jobs.ts';
import type { Cluster } from './cluster.ts';
import type { SingleMachine } from './single-machine.ts';

const FEATURES = 2500;
const CRS = 'EPSG:4326';
const INPUTS = ['geojson', 'csv', 'gpkg', 'shp'];
const OUTPUTS = ['geojson', 'csv'];
const FILL = 'x'.repeat(240);

/** Inputs of a campaign are smaller, except those here. */
export const DIVISION = { SPLIT_BYTES: String(512 * 1024), SPLIT_PART: String(128 * 1024) };

function points(): InputFile {
  const features = Array.from({ length: FEATURES }, (_, i) => {
    const coordinates = [8 + (i % 100) / 100, 48 + Math.floor(i / 100) / 100];
    const properties = { n: i, name: `Straße ${i}`, text: FILL, more: FILL };
    return { type: 'Feature', properties, geometry: { type: 'Point', coordinates } };
  });
  return {
    name: 'points.geojson',
    bytes: Buffer.from(JSON.stringify({ type: 'FeatureCollection', features })),
  };
}

/** So many pairs of inputs that can be divided and outputs that can be. */
export async function dividedJobs(single: SingleMachine, count: number): Promise<readonly CampaignJob[]> {
  const pairs = someOf(
    INPUTS.flatMap((from) => OUTPUTS.map((to) => ({ from, to }))),
    count,
  );
  const files = new Map<string, InputFile>();
  const base = points();
  for (const from of new Set(pairs.map((pair) => pair.from))) {
    const config = { output_format: from, output_crs: CRS };
    const made = { name: from, path: '/v1/transform/geojson', config, files: [['file', base]] } as const;
    const bytes = await single.output(made);
    files.set(from, { name: `points.${from === 'shp' ? 'zip' : from}`, bytes });
  }
  return pairs.map(({ from, to }) => ({
    name: `divided ${from} > ${to}`,
    path: `/v1/transform/${from}`,
    config: {
      ...(from === 'csv' && { input_crs: CRS }),
      transformations: [{ type: 'buffer', params: { distance: 20, units: 'meters', geodesic: true } }],
      output_format: to,
    },
    files: [['file', files.get(from) as InputFile]],
  }));
}

/** That many, evenly spread. */
export function someOf<Item>(all: readonly Item[], count: number): readonly Item[] {
  const step = Math.max(1, all.length / count);
  return Array.from({ length: Math.min(count, all.length) }, (_, i) => all[Math.floor(i * step)]);
}

/** Has the database note the parts that end: their rows go with their job, and the numbers of processes with the processes. */
export async function notePartsOf(cluster: Cluster): Promise<void> {
  const options = { url: cluster.databaseUrl, schema: cluster.schema, maxConnections: 1 };
  const database = await PostgresDatabase.open(options);
  for (const statement of [
    'CREATE TABLE noted_parts (job text, number integer, state text)',
    `CREATE FUNCTION note_part() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN INSERT INTO noted_parts VALUES (new.job, new.number, new.state); RETURN NULL; END $$`,
    `CREATE TRIGGER note_part AFTER UPDATE OF state ON parts FOR EACH ROW
       WHEN (old.state = 'RUNNING' AND new.state <> 'RUNNING') EXECUTE FUNCTION note_part()`,
  ])
    await database.run(statement);
  await database.close();
}
