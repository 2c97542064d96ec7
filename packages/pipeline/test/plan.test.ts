import assert from 'node:assert/strict';
import test from 'node:test';
import { WGS84_DESCRIPTION } from '../../core/src/crs/wgs84.ts';
import { failure, GeomillError } from '../../core/src/messages/errors.ts';
import { Findings } from '../../core/src/messages/findings.ts';
import { generalErrors } from '../../core/src/messages/general-errors.ts';
import { field } from '../../core/src/messages/message.ts';
import { projErrors } from '../../engines/proj/src/errors.ts';
import { inputFormatById, outputFormatById } from '../../formats/src/format-by-id.ts';
import type { SourceLayer } from '../../formats/src/reader.ts';
import type { ConversionPlan } from '../src/conversion-plan.ts';
import type { CrsAuthority } from '../src/crs-authority.ts';
import { planConversion } from '../src/plan.ts';
import type { ConversionRequest } from '../src/request.ts';

/** Knows EPSG:4326, EPSG:28350 and a WKT that means the latter. */
const AUTHORITY: CrsAuthority = {
  describe(definition, path) {
    if (definition === 'EPSG:4326') return WGS84_DESCRIPTION;
    if (definition === 'EPSG:28350' || definition === 'PROJCS["MGA50"]') {
      return {
        ...WGS84_DESCRIPTION,
        definition,
        name: 'MGA zone 50',
        authority: { name: 'EPSG', code: '28350' },
      };
    }
    if (definition === 'EPSG:2277') {
      const unit = { kind: 'projected', unitName: 'US survey foot', unitFactor: 1200 / 3937 } as const;
      return { ...WGS84_DESCRIPTION, ...unit, definition, name: 'Texas Central' };
    }
    if (definition.startsWith('LOCAL_CS["site"'))
      return { ...WGS84_DESCRIPTION, definition, name: 'site', authority: null, kind: 'other' };
    throw failure(generalErrors.CRS_UNKNOWN, { definition, path: field(path), reason: 'crs not found' });
  },
  equivalent: (a, b) => a === b,
};

function layer(name: string, more: Partial<SourceLayer> = {}): SourceLayer {
  return {
    name,
    fields: [{ name: 'layer', type: 'string' }],
    featureCount: null,
    crs: 'EPSG:4326',
    crsMissingReason: 'there is no .prj',
    encoding: null,
    partitions: [],
    state: null,
    ...more,
  };
}

interface PlanInput {
  readonly from: string;
  readonly to: string;
  readonly layers: readonly SourceLayer[];
  readonly inputCrs?: string;
  readonly outputCrs?: string;
  readonly wanted?: readonly string[];
}

interface Planned {
  readonly plan: ConversionPlan;
  readonly codes: string[];
  readonly messages: readonly string[];
}

async function plan(input: PlanInput): Promise<Planned> {
  const from = inputFormatById(input.from, 'input.format');
  const to = outputFormatById(input.to, 'output.format');
  const findings = new Findings();
  const request: ConversionRequest = {
    operation: 'transform',
    input: {
      format: from.id,
      files: [{ crs: input.inputCrs ?? null, crsPath: 'input.epsg' }],
      layers: input.wanted ?? null,
      options: {},
    },
    transformations: [],
    output: { format: to.id, crs: input.outputCrs ?? null, toFile: true, options: {} },
  };
  const made = planConversion(
    request,
    [{ name: 'file', layers: input.layers }],
    { format: from, reader: await from.loadReader() },
    { format: to, writer: await to.loadWriter(), outputName: 'out' },
    AUTHORITY,
    findings,
    [],
  );
  const noted = findings.list();
  return {
    plan: made,
    codes: noted.map(({ code }) => code),
    messages: noted.map(({ message }) => message),
  };
}

function refusal(code: string): (error: unknown) => boolean {
  return (error) => error instanceof GeomillError && error.code === code;
}

test('a source in the output CRS is not reprojected', async () => {
  const { plan: made } = await plan({ from: 'shp', to: 'csv', layers: [layer('a')] });
  assert.equal(made.layers[0].reproject, false);
});

test('the output CRS defaults to EPSG:4326', async () => {
  const { plan: made } = await plan({
    from: 'shp',
    to: 'csv',
    layers: [layer('a', { crs: 'PROJCS["MGA50"]' })],
  });
  assert.deepEqual(
    [made.layers[0].sources[0].crs, made.layers[0].targetCrs, made.layers[0].reproject],
    ['EPSG:28350', 'EPSG:4326', true],
  );
});

test('GeoJSON stays in EPSG:4326 whatever is requested, and says so', async () => {
  const { plan: made, codes } = await plan({
    from: 'shp',
    to: 'geojson',
    layers: [layer('a')],
    outputCrs: 'EPSG:28350',
  });
  assert.equal(made.layers[0].targetCrs, 'EPSG:4326');
  assert.deepEqual(codes, ['CRS_OUTPUT_FIXED']);
});

test('every format with a fixed CRS is named where another one is requested, with the option that writes it', async () => {
  const written = async (to: string): Promise<readonly string[]> =>
    (await plan({ from: 'shp', to, layers: [layer('a')], outputCrs: 'EPSG:28350' })).messages;
  const ignored = "is always written in EPSG:4326, so 'output.epsg' EPSG:28350 was ignored";
  const advice = (option: string): string => `; to write that CRS, set 'output.${option}' to 'requested'`;
  assert.deepEqual(await written('geojson'), [`GeoJSON ${ignored}${advice('geojson_crs')}`]);
  assert.deepEqual(await written('topojson'), [`TopoJSON ${ignored}${advice('topojson_crs')}`]);
  assert.deepEqual(await written('kml'), [`KML ${ignored}`]);
  assert.deepEqual(await written('gpx'), [`GPX ${ignored}`]);
});

test('a file without a CRS takes the stated one and says so; without either it is refused', async () => {
  const layers = [layer('a', { crs: null })];
  const { plan: made, codes } = await plan({ from: 'shp', to: 'csv', layers, inputCrs: 'EPSG:28350' });
  assert.equal(made.layers[0].sources[0].crs, 'EPSG:28350');
  assert.deepEqual(codes, ['CRS_FROM_REQUEST', 'CRS_OUTPUT_DEFAULT']);
  await assert.rejects(plan({ from: 'shp', to: 'csv', layers }), refusal('CRS_MISSING'));
});

test('a stated CRS that contradicts the file is refused, one that agrees is not', async () => {
  const layers = [layer('a', { crs: 'PROJCS["MGA50"]' })];
  await assert.rejects(
    plan({ from: 'shp', to: 'csv', layers, inputCrs: 'EPSG:4326' }),
    refusal('CRS_CONFLICT'),
  );
  await plan({ from: 'shp', to: 'csv', layers, inputCrs: 'EPSG:28350' });
});

test('an unusable .prj gives way to a stated CRS', async () => {
  const layers = [layer('a', { crs: 'LOCAL_CS["?"]' })];
  const { codes } = await plan({ from: 'shp', to: 'csv', layers, inputCrs: 'EPSG:28350' });
  assert.deepEqual(codes, ['CRS_FROM_REQUEST', 'CRS_OUTPUT_DEFAULT']);
  await assert.rejects(plan({ from: 'shp', to: 'csv', layers }), refusal('CRS_MISSING'));
});

test('a unit of the file that is not the one of the CRS is told', async () => {
  const codesOf = async (metresPerUnit: number | null, inputCrs: string): Promise<string[]> => {
    const layers = [layer('a', { crs: null, metresPerUnit })];
    return (await plan({ from: 'dxf', to: 'geojson', layers, inputCrs })).codes;
  };
  assert.deepEqual(await codesOf(1, 'EPSG:4326'), ['UNIT_CONTRADICTS_CRS']);
  assert.deepEqual(await codesOf(null, 'EPSG:4326'), []);
  assert.deepEqual(await codesOf(1, 'EPSG:2277'), ['UNIT_CONTRADICTS_CRS']);
  assert.deepEqual(await codesOf(1200 / 3937, 'EPSG:2277'), []);
});

test('csv needs a stated CRS', async () => {
  const layers = [layer('a', { crs: null, fields: null })];
  await assert.rejects(plan({ from: 'csv', to: 'geojson', layers }), refusal('FIELD_REQUIRED'));
});

test('an unknown output CRS is refused before anything is read', async () => {
  await assert.rejects(
    plan({ from: 'shp', to: 'shp', layers: [layer('a')], outputCrs: 'EPSG:1' }),
    refusal('CRS_UNKNOWN'),
  );
});

test('layers are chosen by name; an unknown name is refused', async () => {
  const layers = [layer('a'), layer('b')];
  const { plan: made } = await plan({ from: 'shp', to: 'shp', layers, wanted: ['b'] });
  assert.deepEqual(
    made.layers.map(({ sources }) => sources[0].layerIndex),
    [1],
  );
  await assert.rejects(plan({ from: 'shp', to: 'shp', layers, wanted: ['c'] }), refusal('LAYER_UNKNOWN'));
});

test('layers joined in one output are told apart by a field with a free name', async () => {
  const layers = [layer('a'), layer('b')];
  assert.equal((await plan({ from: 'shp', to: 'csv', layers })).plan.layerField, 'layer_1');
  assert.equal((await plan({ from: 'shp', to: 'shp', layers })).plan.layerField, null);
});

test('a first pass is made only where the writer needs more than the source declares', async () => {
  const declared = [layer('a')];
  const open = [layer('a', { fields: null })];
  const scanOf = async (from: string, to: string, layers: readonly SourceLayer[]) =>
    (await plan({ from, to, layers, inputCrs: from === 'csv' ? 'EPSG:4326' : undefined })).plan
      .statisticsDepth;
  assert.equal(await scanOf('geojson', 'geojson', open), null);
  assert.equal(await scanOf('geojson', 'csv', open), 'fields');
  assert.equal(await scanOf('geojson', 'shp', open), 'all');
  assert.equal(await scanOf('shp', 'csv', declared), null);
  assert.equal(await scanOf('shp', 'geojson', declared), null);
  assert.equal(await scanOf('csv', 'geojson', open), 'fields');
});

test('a file in a local system takes the CRS that the request states', async () => {
  const { plan: made, codes } = await plan({
    from: 'shp',
    to: 'geojson',
    layers: [layer('a', { crs: 'LOCAL_CS["site",UNIT["metre",1]]' })],
    inputCrs: 'EPSG:28350',
  });
  assert.deepEqual(codes, ['CRS_FROM_REQUEST']);
  assert.deepEqual(
    made.layers.map(({ sources }) => sources[0].crs),
    ['EPSG:28350'],
  );
});

test('that nothing leads on from the CRS of a file is told with the file and where its CRS is stated', async () => {
  const refusing: CrsAuthority = {
    ...AUTHORITY,
    equivalent: (a, b) => {
      if (a === b) return true;
      throw failure(projErrors.CRS_NO_OPERATION, {
        from: a,
        to: b,
        reason: 'none',
        path: field('input.epsg'),
      });
    },
  };
  const files = ['EPSG:4326', 'EPSG:28350'].map((crs, i) => ({ crs, crsPath: `input_crs_mapping[${i}]` }));
  const request: ConversionRequest = {
    operation: 'merge',
    input: { format: 'csv', files, layers: null, options: {} },
    transformations: [],
    output: { format: 'csv', crs: null, toFile: true, options: {} },
  };
  const opened = ['a.csv', 'b.csv'].map((name) => ({ name, layers: [layer(name, { crs: null })] }));
  const input = inputFormatById('csv', 'input.format');
  const output = outputFormatById('csv', 'output.format');
  const reader = await input.loadReader();
  const writer = await output.loadWriter();
  assert.throws(
    () =>
      planConversion(
        request,
        opened,
        { format: input, reader },
        { format: output, writer, outputName: 'merged' },
        refusing,
        new Findings(),
        [],
      ),
    (error) =>
      error instanceof GeomillError &&
      error.location?.file === 'b.csv' &&
      error.message.endsWith("or state the real CRS of the input with 'input_crs_mapping[1]'"),
  );
});
