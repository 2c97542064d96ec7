/** Validates XML by xmllint: by own excerpts of schemas, and by the schemas themselves where SCHEMA_DIR names a directory that has them. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const EXCERPTS = { kml: 'kml-excerpt.xsd', gpx: 'gpx-excerpt.xsd' };
/** As their publishers name them. ogckml22.xsd imports atom-author-link.xsd and xAL.xsd, which have to be local, too. */
const SCHEMAS = { kml: 'ogckml22.xsd', gpx: 'gpx.xsd' };
const { SCHEMA_DIR } = process.env;

/** Why a test that needs xmllint is skipped; false: it is not. */
export const withoutXmllint =
  spawnSync('xmllint', ['--version']).status === 0 ? false : 'libxml2-utils is not installed';
/** Why a test that needs the schemas is skipped; false: it is not. */
export const withoutSchemas =
  withoutXmllint || (SCHEMA_DIR === undefined ? 'SCHEMA_DIR names no directory with the schemas' : false);

export const excerptOf = (format: keyof typeof EXCERPTS): string =>
  join(import.meta.dirname, '..', 'oracle', EXCERPTS[format]);

export const schemaOf = (format: keyof typeof SCHEMAS): string => join(SCHEMA_DIR ?? '', SCHEMAS[format]);

/** The messages of xmllint; empty: all files are valid. */
export function schemaErrors(schema: string, files: readonly string[]): string {
  const { status, stderr } = spawnSync('xmllint', ['--noout', '--nonet', '--schema', schema, ...files], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  return status === 0 ? '' : stderr;
}

export function assertValid(schema: string, files: readonly string[]): void {
  assert.equal(schemaErrors(schema, files).slice(0, 4000), '');
}

/** Texts of which some are no times of XML Schema. */
export const ODD_TIMES = [
  ...['2020-02-29', '2020-02-30', '2021-02-29', '2000-02-29', '1900-02-29', '2020-04-31', '2020-13-01'],
  ...['2020-00-01', '2020-01-00', '2020', '2020-01', '2020-13', '0000', '0000-01-01', '12020-01-01'],
  ...['012020-01-01', '-0001-01-01', '2020-01-01T24:00:00Z', '2020-01-01T24:00:01Z'],
  ...[
    '2020-01-01T24:00:00.5',
    '2020-01-01T23:59:60Z',
    '2020-01-01T10:60:00Z',
    '2020-01-01T10:10:10.123456789Z',
  ],
  ...[
    '2020-01-01T00:00:00+14:00',
    '2020-01-01T00:00:00+14:30',
    '2020-01-01T00:00:00+25:00',
    '',
    'soon',
    '٢020',
  ],
];

/** Texts of which some are no URIs. */
export const ODD_URIS = [
  ...[
    'http://a b',
    'http://[',
    'http://[::1]/',
    'http://a:x/',
    'http://a:80/b?c=d#e',
    'http://a/[x]',
    'a[b]',
  ],
  ...[
    '%zz',
    '100%',
    '%41',
    'C:\\a\\b',
    ':',
    '1:2',
    'x y:z',
    './x:y',
    '#a#b',
    '#',
    '',
    '//',
    '///',
    'é',
    '<">',
  ],
  ...[
    'http:',
    'mailto:x@y',
    'http://a@b@c/',
    'http://a:',
    'urn:x:y',
    '{}|^`',
    ' x',
    'x ',
    'http://ä.com/ü?ö#ß',
  ],
];

/** Texts with characters that XML cannot represent, or only as references. */
export const ODD_TEXTS = [
  '\ufffe',
  'a\uffffb',
  '\ufffd\u0001',
  ']]>',
  '<![CDATA[',
  '\r\n',
  '\u0085',
  '\u{1ffff}',
];
