/** A job document means what the same words mean to `geomill convert`, also where it states no CRS. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { run as convert } from '../../apps/cli/src/convert.ts';
import { run as runDocument } from '../../apps/cli/src/run.ts';
import { readConfig } from '../../apps/service/src/settings/config.ts';
import { outputFormats } from '../../packages/formats/src/registry.ts';
import { type ConvertOptions, convertFile, makeWorkspace } from '../support/convert.ts';

const SAMPLES = join(import.meta.dirname, '..', '..', 'samples');
const context = readConfig({});

/** Inputs whose CRS the file states, that the format fixes, and that is assumed because the values are degrees. */
const INPUTS: readonly (readonly [name: string, content: string | null])[] = [
  ['harbour.gpkg', null],
  ['harbour.geojson', null],
  ['degrees.csv', 'name,lon,lat\nA,9.5,53.5\nB,9.6,53.6\n'],
];

interface Report {
  readonly output: { readonly crs: string };
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
}

/** What a command prints to standard output. */
async function printed(t: TestContext, work: () => Promise<number>): Promise<unknown> {
  let text = '';
  const through = process.stdout.write.bind(process.stdout);
  const write = t.mock.method(process.stdout, 'write', (chunk: string | Uint8Array) => {
    // The runner of the tests writes bytes.
    if (typeof chunk !== 'string') return through(chunk);
    text += chunk;
    return true;
  });
  try {
    assert.equal(await work(), 0);
  } finally {
    write.mock.restore();
  }
  return JSON.parse(text);
}

for (const { id, outputExtension } of outputFormats)
  test(`run and convert write ${id} in the same CRS, with the same findings`, async (t) => {
    using workspace = makeWorkspace();
    for (const [i, [name, content]] of INPUTS.entries()) {
      const input = content === null ? join(SAMPLES, name) : join(workspace.path, name);
      if (content !== null) writeFileSync(input, content);
      const here = join(workspace.path, `${i}-convert${outputExtension}`);
      const there = join(workspace.path, `${i}-run${outputExtension}`);
      const converted = (await printed(t, () =>
        convert([input, here, '--to', id, '--json'], context),
      )) as Report;
      const document = join(workspace.path, 'job.json');
      const outputs = [{ path: there, format: id }];
      writeFileSync(document, JSON.stringify({ inputs: [{ path: input }], outputs }));
      const ran = (await printed(t, () => runDocument([document, '--json'], context))) as {
        readonly outputs: readonly [{ readonly report: Report }];
      };
      const { report } = ran.outputs[0];
      assert.equal(report.output.crs, converted.output.crs, `${name} > ${id}`);
      const codes = ({ warnings }: Report): string[] => warnings.map(({ code }) => code);
      assert.deepEqual(codes(report), codes(converted), `${name} > ${id}`);
    }
  });

test('a request that names no CRS says that EPSG:4326 is the default, where that moves the data', async () => {
  using workspace = makeWorkspace();
  const gpkg = join(SAMPLES, 'harbour.gpkg');
  const cases: readonly (readonly [options: Partial<ConvertOptions>, isTold: boolean])[] = [
    [{ from: 'gpkg', to: 'csv' }, true],
    [{ from: 'gpkg', to: 'shp' }, true],
    [{ from: 'gpkg', to: 'geojson' }, false],
    [{ from: 'gpkg', to: 'kml' }, false],
    [{ from: 'gpkg', to: 'csv', toCrs: 'EPSG:4326' }, false],
    [{ from: 'gpkg', to: 'csv', toCrs: 'source' }, false],
  ];
  for (const [i, [options, isTold]] of cases.entries()) {
    const directory = join(workspace.path, `${i}`);
    const { report } = await convertFile(gpkg, directory, { toCrs: null, ...options } as ConvertOptions);
    const found = report.warnings.filter(({ code }) => code === 'CRS_OUTPUT_DEFAULT');
    assert.equal(found.length, isTold ? 1 : 0, JSON.stringify(options));
    if (isTold) assert.match(found[0].message, /^written in EPSG:4326 because the request names no CRS/);
  }
  const geojson = join(SAMPLES, 'harbour.geojson');
  const same = await convertFile(geojson, join(workspace.path, 'same'), {
    from: 'geojson',
    to: 'csv',
    toCrs: null,
  });
  assert.deepEqual(
    same.report.warnings.map(({ code }) => code).filter((code) => code.startsWith('CRS_')),
    [],
  );
});
