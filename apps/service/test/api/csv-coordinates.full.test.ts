/** CSV with columns of coordinates over HTTP: options, reports and errors name the fields of the config. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { sharedServer } from '../../../../test/support/server-process.ts';
import { convert, failedError } from '../../../../test/support/spec/client.ts';
import { csvFile } from '../../../../test/support/spec/inputs.ts';
import { featuresOf } from '../../../../test/support/spec/outputs.ts';

const server = await sharedServer();
const csv = (csv_options: object = {}) => ({ format: 'csv', epsg: 4326, csv_options });

test('csv_options name the columns of coordinates', async () => {
  const file = csvFile('id;Ost;Nord;h', '1;8,5;47,25;400', '2;;;');
  const config = {
    input: csv({ x_column: 'Ost', y_column: 3, z_column: 'h' }),
    output: { format: 'geojson' },
  };
  const { text } = await convert(server, config, file);
  assert.deepEqual(
    featuresOf(text).map(({ geometry, properties }) => [geometry?.coordinates, properties]),
    [
      [[8.5, 47.25, 400], { id: 1 }],
      [undefined, { id: 2 }],
    ],
  );
});

test('columns of coordinates are recognised and written', async () => {
  const file = csvFile('id,longitude,latitude', '1,8.5,47.25');
  const { text } = await convert(server, { input: csv(), output: { format: 'csv', geometry: 'xy' } }, file);
  assert.equal(text, 'id,lon,lat\n1,8.5,47.25\n');
});

test('errors name the fields of the config', async () => {
  const output = { format: 'geojson' };
  const several = await failedError(server, { input: csv(), output }, csvFile('x,y,lon,lat', '1,2,3,4'));
  assert.match(several, /'x' \(x\), 'y' \(y\); 'lon' \(x\), 'lat' \(y\).*'csv_options\.x_column'/);
  const lines = { input: csv(), output: { format: 'csv', geometry: 'xy' } };
  const refused = await failedError(server, lines, csvFile('n,geom_wkt', '1,"LINESTRING (1 2,3 4)"'));
  assert.match(refused, /1 LineString.*'output\.geometry'.*centroid/);
});
