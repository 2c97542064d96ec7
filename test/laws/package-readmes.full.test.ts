/** Every workspace has a README, and the examples in them run and print what they say. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { workspacesOf } from '../../scripts/workspaces.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** What an example prints, by the comments behind its calls of console.log. */
function promised(code: string): string {
  return [...code.matchAll(/^console\.log\(.*; \/\/ (.*)$/gm)].map(([, text]) => `${text}\n`).join('');
}

for (const { name, directory } of workspacesOf(ROOT)) {
  const path = join(ROOT, directory, 'README.md');
  test(`${directory}/README.md says what ${name} is`, () => {
    assert.ok(existsSync(path));
    assert.ok(readFileSync(path, 'utf8').startsWith(`# ${name}\n`));
  });
  if (!existsSync(path)) continue;
  for (const [i, [, code]] of [...readFileSync(path, 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)].entries())
    test(`${directory}/README.md, example ${i + 1}, prints what it says`, () => {
      // Where workspaces are found, and types are stripped.
      mkdirSync(join(ROOT, 'test', '.examples'), { recursive: true });
      const work = mkdtempSync(join(ROOT, 'test', '.examples', 'example-'));
      try {
        writeFileSync(join(work, 'example.ts'), code);
        const printed = execFileSync(process.execPath, [join(work, 'example.ts')], {
          cwd: ROOT,
          encoding: 'utf8',
        });
        assert.notEqual(promised(code), '', 'the example says what it prints');
        assert.equal(printed, promised(code));
      } finally {
        rmSync(work, { recursive: true });
      }
    });
}
