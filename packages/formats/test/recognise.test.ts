/** One table of signatures names files of other formats, whatever format was stated. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { readZipMembers } from '../../../test/support/zip-members.ts';
import { FOREIGN_FORMATS } from '../src/foreign-formats.ts';
import { binaryLookOf, lookOf, lookOfMembers, unsupportedByName } from '../src/recognise.ts';
import { formatByFileName, formats } from '../src/registry.ts';

const SAMPLES = join(import.meta.dirname, '../../../samples');

for (const { id, sample, signatures } of formats)
  test(`the sample of ${id} is recognised by the signatures of ${id}, where it has any`, async () => {
    const bytes = readFileSync(join(SAMPLES, sample));
    const members = bytes.toString('latin1', 0, 2) === 'PK' ? await readZipMembers(bytes) : null;
    const found = members === null ? lookOf(bytes) : lookOfMembers(members.map(({ name }) => name));
    const own = signatures.map((signature) => signature.found);
    assert.ok(own.length === 0 ? found === 'another kind of text' : own.includes(String(found)), `${found}`);
    assert.equal(formatByFileName(formats, sample)?.id, id);
  });

const STARTS: readonly (readonly [start: string, found: string])[] = [
  ['<?xml version="1.0"?>\n<kml xmlns="http://www.opengis.net/kml/2.2">', 'KML'],
  ['\xef\xbb\xbf<gpx version="1.1">', 'GPX'],
  ['<wfs:FeatureCollection xmlns:gml="http://www.opengis.net/gml">', 'GML'],
  ['!table\n!version 300', 'a MapInfo table'],
  ['Version   450\nCharset "WindowsLatin1"', 'a MIF file of MapInfo'],
  ['AC1032\0\0', 'a DWG'],
  ['AC1.50\0\0', 'a DWG'],
  ['AutoCAD DXB 1.0', 'DXB'],
  ['\xd0\xcf\x11\xe0\xa1\xb1', 'XLS'],
  ['fgb\x03fgb\x00', 'a FlatGeobuf file'],
  ['PAR1\x15\x04', 'Parquet'],
  ['PMTiles\x03', 'PMTiles'],
  ['{"objects":{},"type":"Topology"}', 'TopoJSON'],
  ['{"geometryType":"esriGeometryPoint"}', 'Esri JSON'],
  ['{"features":[{"attributes":{"id":1},"geometry":{"x":1,"y":2}}]}', 'Esri JSON'],
  ['II*\0', 'TIFF'],
  ['\xff\xd8\xff\xe0', 'JPEG'],
  ['\x89PNG\r\n', 'PNG'],
  ['PK\x05\x06', 'an empty zip archive'],
  ['\x1f\x8b\x08', 'a gzip file'],
  ['\xff\xfea\0', 'text in UTF-16'],
  ['[1, 2]', 'JSON'],
  ['<!DOCTYPE html>', 'XML or HTML'],
  ['\x01\x02\0', 'binary data'],
  ['id,name\n', 'another kind of text'],
];

test('files of other formats are named by their beginning', () => {
  for (const [start, found] of STARTS) {
    const look = lookOf(Buffer.from(start, 'latin1'));
    assert.ok(look.startsWith(found), `${JSON.stringify(start)}: ${look}`);
  }
});

test('text is never named as binary, whatever words it begins with', () => {
  for (const start of ['fgb,name\n', 'PAR1,geom\n', 'PMTiles;a\n', '{"type":"Topology"}', '<kml/>', 'AC1032'])
    assert.equal(binaryLookOf(Buffer.from(start)), null, start);
});

test('zip archives are named by their members', () => {
  assert.equal(lookOfMembers(['doc.kml']), 'a KMZ');
  assert.match(String(lookOfMembers(['xl/workbook.xml', 'xl/styles.xml'])), /^XLSX/);
  assert.match(String(lookOfMembers(['a.gdb/a00000001.gdbtable'])), /geodatabase/);
  assert.equal(lookOfMembers(['readme.txt']), null);
});

test('every extension of an unsupported format is refused with advice, unless a format has it', () => {
  for (const { found, extensions } of FOREIGN_FORMATS)
    for (const extension of extensions)
      for (const side of ['input', 'output'] as const)
        assert.ok(unsupportedByName(`A${extension.toUpperCase()}`, side)?.startsWith(found), extension);
  assert.equal(unsupportedByName('roads.xyz', 'input'), null);
  assert.equal(unsupportedByName('survey.gdb/', 'input'), null);
  assert.match(
    String(unsupportedByName('survey.gdb/', 'output')),
    /can be read but not written; write a \.gpkg/,
  );
  assert.match(String(unsupportedByName('plan.dwg', 'output')), /can be read but not written; write a \.dxf/);
});
