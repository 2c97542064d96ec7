/** Files and sources of other programs are refused with what to do, from one table, wherever they are named. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { chooseInputFormat, chooseOutputFormat } from '../../../apps/cli/src/arguments.ts';
import { formatOfFile } from '../../../apps/service/src/pages/convert/form-fields.ts';
import { GeomillError } from '../../core/src/messages/errors.ts';
import { FOREIGN_FORMATS } from '../src/foreign-formats.ts';
import { formatHint } from '../src/format-by-id.ts';
import { lookOf, lookOfMembers, unsupportedByName } from '../src/recognise.ts';
import { formatByFileName, formats, inputFormats } from '../src/registry.ts';

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof GeomillError) return error.message;
    throw error;
  }
  return 'nothing was refused';
}

/** Names, and a word of the advice for reading and for writing. */
const NAMES: readonly (readonly [name: string, input: RegExp, output: RegExp])[] = [
  ['region.osm', /OpenStreetMap.*ogr2ogr/, /\.geojson/],
  ['region.osm.pbf', /OpenStreetMap.*ogr2ogr/, /\.geojson/],
  ['REGION.PBF', /OpenStreetMap.*ogr2ogr/, /\.geojson/],
  ['plan.pdf', /PDF.*data/, /print/],
  ['data.rar', /RAR.*unpack/, /\.zip/],
  ['data.7z', /7-Zip.*unpack/, /\.zip/],
  ['data.tar.gz', /tar archive.*unpack/, /\.zip/],
  ['data.csv.bz2', /bzip2.*unpack/, /gz/],
  ['scan.las', /point cloud.*CSV/, /\.csv/],
  ['scan.laz', /point cloud.*CSV/, /\.csv/],
  ['parcels.mdb', /Access.*CSV/, /\.xlsx/],
  ['parcels.accdb', /Access.*CSV/, /\.xlsx/],
  ['tiles.mbtiles', /MBTiles.*from which/, /\.pmtiles/],
  ['table.arrow', /Arrow.*GeoParquet/, /\.parquet/],
  ['table.feather', /Arrow.*GeoParquet/, /\.parquet/],
  ['map.qgz', /project.*layers/, /project/],
  ['cover.e00', /ArcInfo.*ogr2ogr/, /ogr2ogr/],
  ['PG:dbname=city', /database server.*ogr2ogr/, /import/],
  ['postgresql://u@host/city', /database server.*ogr2ogr/, /import/],
  ['MySQL:city', /database server/, /import/],
  ['WFS:https://example.org/wfs', /web service.*GeoJSON/, /publish/],
  ['/vsizip/data.zip', /path of GDAL.*itself/, /path of a file/],
];

test('every foreign name has advice on the command line, on the page and for HTTP', () => {
  for (const [name, input, output] of NAMES) {
    assert.match(unsupportedByName(name, 'input') ?? '', input, name);
    assert.match(unsupportedByName(name, 'output') ?? '', output, name);
    assert.match(
      messageOf(() => chooseInputFormat(undefined, name)),
      input,
      name,
    );
    // A path of GDAL has the extension of a format; it fails because there is no such directory.
    const choose = (): unknown => chooseOutputFormat(undefined, name);
    if (!name.startsWith('/vsi')) assert.match(messageOf(choose), output, name);
    if (!name.includes('/'))
      assert.match(
        messageOf(() => formatOfFile(name)),
        input,
        name,
      );
  }
  for (const format of ['osm', 'pbf', 'pdf', 'las', 'mdb', 'mbtiles', 'arrow'])
    assert.match(formatHint(format, inputFormats, 'input'), /is not supported; .{10}/, format);
});

test('files that are named after a supported format are told by their beginning', () => {
  const starts: readonly (readonly [start: string, found: RegExp])[] = [
    ['<?xml version="1.0"?>\n<osm version="0.6">', /^OpenStreetMap XML/],
    ['\0\0\0\x0e\n\tOSMHeader', /^OpenStreetMap PBF/],
    ['%PDF-1.7', /^a PDF/],
    ['Rar!\x1a\x07\0', /^a RAR archive/],
    ['LASF\0\0', /^a LAS/],
    ['\0\x01\0\0Standard Jet DB\0', /^an Access/],
    ['ARROW1\0\0', /^Arrow/],
    [`${'a'.repeat(257)}ustar`, /^a tar archive/],
    ['BZh91AY', /^a file compressed/],
    ['EXP  0 /DATA/COVER.E00', /^an ArcInfo export/],
  ];
  for (const [start, found] of starts) assert.match(lookOf(Buffer.from(start, 'latin1')), found);
  for (const text of ['LASF,name\n', 'ARROW1,geom\n', 'PG:,a\n', 'exp,b\n'])
    assert.equal(lookOf(Buffer.from(text)), 'another kind of text', text);
});

test('a zip of files of another format is told by their names', () => {
  const archives: readonly (readonly [members: readonly string[], found: RegExp])[] = [
    [['a.tab', 'a.dat', 'a.map', 'a.id'], /^a zip archive with a MapInfo table$/],
    [['roads/A.TAB', 'roads/A.DAT'], /MapInfo table/],
    [['x/a.mif', 'x/a.mid'], /MIF file of MapInfo/],
    [['a.gml', 'a.xsd'], /GML/],
    [['plan.dwg'], /archive of drawings.*unpack it/],
    [['region.osm'], /OpenStreetMap/],
    [['city.gdb/a00000001.gdbtable'], /file geodatabase/],
  ];
  for (const [members, found] of archives) assert.match(lookOfMembers(members) ?? '', found);
});

test('the table has advice for both directions, and no name of a supported format', () => {
  for (const { found, advice, outputAdvice, extensions, prefixes = [] } of FOREIGN_FORMATS) {
    assert.ok(advice.length > 10 && outputAdvice.length > 5, found);
    assert.ok(extensions.length + prefixes.length > 0, found);
    for (const prefix of prefixes) assert.equal(prefix, prefix.toLowerCase());
    // A zip is known by what is in it.
    for (const { id, loadReader } of formats)
      for (const extension of extensions.filter((one) => !one.endsWith('.zip')))
        if (loadReader !== null && formatByFileName(formats, `x${extension}`)?.id === id)
          assert.fail(`${extension} is ${id}`);
  }
});
