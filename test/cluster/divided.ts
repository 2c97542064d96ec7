/** Jobs of a campaign that are divided among workers: inputs of some megabytes, and steps that last long enough for others to take parts. */
import { PostgresDatabase } from '../../src/engines/postgres/database.ts';
import type { CampaignJob, InputFile } from '../faults/jobs.ts';
import type { Cluster } from './cluster.ts';
import type { SingleMachine } from './single-machine.ts';

const FEATURES = 4000;
const CRS = 'EPSG:4326';
const INPUTS = ['geojson', 'csv', 'gpkg', 'shp'];
const OUTPUTS = ['geojson', 'csv'];
const FILL = 'x'.repeat(240);

/** Inputs of a campaign are smaller, except those here. */
export const DIVISION = { SPLIT_BYTES: String(1024 ** 2), SPLIT_PART: String(256 * 1024) };

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

/** Every input that can be divided to every output that can be. */
export async function dividedJobs(single: SingleMachine): Promise<readonly CampaignJob[]> {
  const jobs: CampaignJob[] = [];
  const base = points();
  for (const from of INPUTS) {
    const path = `/v1/transform/${from}`;
    const config = { output_format: from, output_crs: CRS };
    const made = { name: from, path: '/v1/transform/geojson', config, files: [['file', base]] } as const;
    const file = { name: `points.${from === 'shp' ? 'zip' : from}`, bytes: await single.output(made) };
    for (const to of OUTPUTS)
      jobs.push({
        name: `divided ${from} > ${to}`,
        path,
        config: {
          ...(from === 'csv' && { input_crs: CRS }),
          transformations: [{ type: 'buffer', params: { distance: 20, units: 'meters', geodesic: true } }],
          output_format: to,
        },
        files: [['file', file]],
      });
  }
  return jobs;
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
