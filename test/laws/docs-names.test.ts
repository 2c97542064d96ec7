/** Names in the pages are those of the interfaces: keys of reports, flags of commands, one row for each metric. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { formatFlags } from '../../apps/cli/src/arguments.ts';
import { commands } from '../../apps/cli/src/commands.ts';

const DOCS = join(import.meta.dirname, '..', '..', 'docs');
const pages = [
  ...readdirSync(DOCS),
  ...readdirSync(join(DOCS, 'formats')).map((name) => join('formats', name)),
].filter((name) => name.endsWith('.md'));
const textOf = (page: string): string => readFileSync(join(DOCS, page), 'utf8');

test('keys of reports have underscores, as in the JSON', () => {
  const keys = /`(?:accuracyMeters|gridsUsed|gridsMissing|outsideAreaOfUse|featuresIn|featuresOut|crsName)`/;
  for (const page of pages) assert.doesNotMatch(textOf(page), keys, page);
});

test('every --in- and --out- flag of the pages is one of the command line', () => {
  const known = new Set([...Object.keys(formatFlags('in')), ...Object.keys(formatFlags('out'))]);
  for (const page of pages)
    for (const [, flag] of textOf(page).matchAll(/--((?:in|out)-[a-z][a-z_-]*)/g))
      if (flag !== 'out-dir') assert.ok(known.has(flag), `${page}: --${flag}`);
});

test('every command has a chapter in the page of the command line', () => {
  const page = textOf('cli.md');
  for (const name of Object.keys(commands))
    assert.match(page, new RegExp(`^## .*geomill ${name}\\b`, 'm'), name);
});

test('a metric has one row', () => {
  const rows = [...textOf('operate.md').matchAll(/^\| `(geomill_\w+)/gm)].map(([, name]) => name);
  assert.ok(rows.length > 10);
  assert.deepEqual(rows, [...new Set(rows)]);
});
