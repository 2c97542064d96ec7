/** The examples of docs/library.md and of README run, each with the samples, and print what they say. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const ROOT = join(import.meta.dirname, '../../..');
const LIBRARY = pathToFileURL(join(ROOT, 'packages', 'library', 'src', 'library.ts')).href;

/** What an example prints, by the comments behind its calls of console.log. */
function promised(code: string): string {
  return [...code.matchAll(/console\.log\(.*; \/\/ (.*)$/gm)].map(([, text]) => `${text}\n`).join('');
}

for (const page of ['docs/library.md', 'README.md']) {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const examples = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].filter(([, code]) =>
    code.includes("from 'geomill'"),
  );
  assert.ok(examples.length > 0, page);
  for (const [i, [, code]] of examples.entries())
    test(`${page}, example ${i + 1}, prints what it says`, () => {
      // Where types are stripped and lock files are ignored.
      mkdirSync(join(ROOT, 'test', '.examples'), { recursive: true });
      const work = mkdtempSync(join(ROOT, 'test', '.examples', 'library-'));
      try {
        cpSync(join(ROOT, 'samples'), join(work, 'samples'), { recursive: true });
        writeFileSync(join(work, 'example.ts'), code.replaceAll("from 'geomill'", `from '${LIBRARY}'`));
        const printed = execFileSync(process.execPath, ['example.ts'], { cwd: work, encoding: 'utf8' });
        assert.notEqual(promised(code), '', 'the example says what it prints');
        assert.equal(printed, promised(code));
      } finally {
        rmSync(work, { recursive: true });
      }
    });
}
