/** docs/security.md says how each promise is tested: what it names is there. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';

const ROOT = join(import.meta.dirname, '..');
const page = readFileSync(join(ROOT, 'docs', 'security.md'), 'utf8');

test('every test that docs/security.md names is there, by its title where it names one', () => {
  const named = [...page.matchAll(/`([\w/]+\/[\w/.-]+\.test\.ts)`(?::\s+"([^"]+)")?/g)];
  assert.ok(named.length > 20);
  for (const [, path, title] of named) {
    assert.ok(existsSync(join(ROOT, path)), path);
    if (title === undefined) continue;
    const text = title.replace(/\s+/g, ' ');
    assert.ok(readFileSync(join(ROOT, path), 'utf8').includes(`test('${text}'`), `${path}: ${text}`);
  }
});

test('every promise of docs/security.md names its test', () => {
  const promises = page.slice(page.indexOf('## Authentication'), page.indexOf('## What is not guaranteed'));
  const items = promises.split(/^- /m).slice(1);
  assert.ok(items.length > 15);
  for (const item of items) assert.match(item, /\.test\.ts`/, item.slice(0, 60));
});
