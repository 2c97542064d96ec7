/** All KML documents of a KMZ are read, whether or not its main document links to them. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { readBytesLayers } from '../../../test/support/read-layers.ts';
import { storedZip } from '../../../test/support/zip-members.ts';
import { reader } from '../src/kml/read.ts';

const kml = (content: string): string =>
  `<kml xmlns="http://www.opengis.net/kml/2.2"><Document>${content}</Document></kml>`;
const place = (name: string): string =>
  kml(`<Placemark><name>${name}</name><Point><coordinates>1,2</coordinates></Point></Placemark>`);
const linkTo = (...links: readonly string[]): string =>
  kml(links.map((link) => `<NetworkLink><Link><href>${link}</href></Link></NetworkLink>`).join(''));

async function read(members: Readonly<Record<string, string>>) {
  const archive = storedZip(
    Object.entries(members).map(([name, text]) => ({ name, bytes: Buffer.from(text) })),
  );
  const { layers, findings } = await readBytesLayers(reader, archive, { name: 'x.kmz' });
  return {
    names: layers.map(
      ({ source, rows }) => `${source.name}: ${rows.map(({ properties }) => properties.name)}`,
    ),
    links: findings
      .filter(({ code }) => code === 'KML_LINKS_NOT_FOLLOWED')
      .map(({ params }) => String(params.links)),
  };
}

test('reads documents that the main document links to, as layers', async () => {
  const { names, links } = await read({
    'doc.kml': linkTo('files/a.kml', './files/b%20c.kml?x=1', '/files/D.KML#top', 'files/a.kml'),
    'files/a.kml': place('a'),
    'files/b c.kml': place('b'),
    'files/d.kml': place('d'),
  });
  assert.deepEqual(names, ['a: a', 'b c: b', 'd: d']);
  assert.deepEqual(links, []);
});

test('reads a document that another one links to from its folder', async () => {
  const { names, links } = await read({
    'doc.kml': linkTo('deep/list.kml'),
    'deep/list.kml': linkTo('../other/end.kml', 'missing.kml', 'https://example.com/other/end.kml'),
    'other/end.kml': place('end'),
  });
  assert.deepEqual(names, ['end: end']);
  assert.deepEqual(links, ['missing.kml, https://example.com/other/end.kml']);
});

test('reads documents without links, the main one first, and gives layers different names', async () => {
  const { names } = await read({
    'a.kml': place('a'),
    'sub/x.kml': place('s'),
    'doc.kml': place('main'),
  });
  assert.deepEqual(names, ['x: main', 'a: a', 'x_1: s']);
});

test('refuses an archive whose documents have no features and link outside', async () => {
  await assert.rejects(
    read({ 'doc.kml': linkTo('a.kml', 'http://example.com/b.kml'), 'a.kml': linkTo('c.kml') }),
    {
      code: 'KML_ONLY_LINKS',
      message: /only 2 network links to files that are not in it .*: http:\/\/example\.com\/b\.kml, c\.kml/,
    },
  );
});

test('reads an archive of documents without features as a layer without features', async () => {
  const { names } = await read({ 'doc.kml': linkTo('a.kml'), 'a.kml': kml('') });
  assert.deepEqual(names, ['x: ']);
});
