/** Help topics, the list of formats, examples and completions come from the tables of commands, formats and steps. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { formats } from '../../../packages/formats/src/registry.ts';
import { transformations } from '../../../packages/operations/src/registry.ts';
import { parse } from '../src/arguments.ts';
import { commands } from '../src/commands.ts';
import { run as completions, SHELLS } from '../src/completions.ts';
import { run as formatsCommand } from '../src/formats.ts';
import { run as help, topics } from '../src/help.ts';

const directory = mkdtempSync(join(tmpdir(), 'geomill-test-'));
test.after(() => rmSync(directory, { recursive: true, force: true }));

/** What a command prints to standard output. */
async function printed(
  run: (argv: readonly string[]) => Promise<number>,
  ...argv: string[]
): Promise<string> {
  const { write } = process.stdout;
  let text = '';
  process.stdout.write = (chunk: string | Uint8Array) => {
    text += String(chunk);
    return true;
  };
  try {
    assert.equal(await run(argv), 0);
  } finally {
    process.stdout.write = write;
  }
  return text;
}

test('every command, format and transformation has a help text with all its options', async () => {
  for (const topic of topics()) assert.ok((await printed(help, topic)).length > 100, topic);
  for (const { id, readOptions, writeOptions } of formats) {
    const text = await printed(help, id);
    for (const name of Object.keys(readOptions.properties))
      assert.ok(text.includes(`--in-${name.replaceAll('_', '-')}`), name);
    for (const name of Object.keys(writeOptions.properties))
      assert.ok(text.includes(`--out-${name.replaceAll('_', '-')}`), name);
  }
  for (const { id, parameters } of transformations) {
    const text = await printed(help, id);
    assert.match(text, new RegExp(`\\{"type":"${id}"`));
    for (const name of Object.keys(parameters.properties))
      assert.match(text, new RegExp(`^ {2}${name} `, 'm'), id);
    assert.equal(await printed(help, id.replaceAll('_', '-')), text);
  }
  await assert.rejects(help(['bufer']), /no help on 'bufer'; did you mean 'buffer'\?/);
});

test('formats lists every format, also as JSON', async () => {
  const text = await printed(formatsCommand);
  for (const { id, extensions } of formats)
    assert.match(text, new RegExp(`^${id} .*\\${extensions[0]}`, 'm'));
  const list = JSON.parse(await printed(formatsCommand, '--json'));
  assert.deepEqual(
    list.map(({ id }: { id: string }) => id),
    formats.map(({ id }) => id),
  );
});

test('every command has examples that its own options accept', async () => {
  for (const [name, { load }] of Object.entries(commands)) {
    const { usage } = await load();
    const examples = usage().split('\nExamples:\n')[1]?.split('\n\n', 1)[0].split('\n') ?? [];
    assert.ok(
      examples.some((example) => example.includes(`geomill ${name}`)),
      `${name} has no examples`,
    );
    for (const example of examples) {
      const [, command, rest] = /(?:^|[\s(])geomill ([\w-]+)(.*)$/.exec(example) ?? [];
      const words = [...rest.matchAll(/'([^']*)'|"([^"]*)"|([^\s'">]+)/g)].map(([, a, b, c]) => a ?? b ?? c);
      parse(words, (await commands[command].load()).flags());
    }
  }
});

test('bash completes commands, options, values and files', async () => {
  const script = join(directory, 'geomill.bash');
  writeFileSync(script, await printed(completions, 'bash'));
  writeFileSync(join(directory, 'roads.gpkg'), '');
  const complete = (...words: string[]): string[] => {
    const list = words.map((word) => `'${word}'`).join(' ');
    const code = `source ${script}; COMP_WORDS=(${list}); COMP_CWORD=$((\${#COMP_WORDS[@]}-1)); _geomill; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-c', code], {
      cwd: directory,
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    assert.equal(stderr, '');
    return stdout.split('\n').filter((line) => line !== '');
  };
  assert.deepEqual(complete('geomill', 'con'), ['convert']);
  assert.ok(complete('geomill', '').includes('signing-keys'));
  assert.deepEqual(complete('geomill', 'convert', 'a', 'b', '--to-'), ['--to-crs']);
  assert.ok(complete('geomill', 'convert', '--simplify').includes('--simplify-coverage'));
  assert.deepEqual(complete('geomill', 'convert', 'a', '--to', 'gpk'), ['gpkg']);
  assert.deepEqual(complete('geomill', 'convert', '--out-geojson-crs', ''), ['wgs84', 'requested', 'jsonfg']);
  assert.deepEqual(complete('geomill', 'convert', 'ro'), ['roads.gpkg']);
  assert.deepEqual(complete('geomill', 'help', 'buf'), ['buffer']);
  assert.deepEqual(complete('geomill', 'keys', 'r'), ['revoke']);
  assert.deepEqual(complete('geomill', 'completions', 'z'), ['zsh']);
  assert.deepEqual(complete('geomill', 'info', '--out'), []);
});

for (const shell of ['zsh', 'fish'] as const) {
  const isInstalled = spawnSync(shell, ['--version']).status === 0;
  test(`${shell} reads its completions`, {
    skip: isInstalled ? false : `${shell} is not installed`,
  }, async () => {
    const script = join(directory, `geomill.${shell}`);
    writeFileSync(script, await printed(completions, shell));
    const { status, stderr } = spawnSync(shell, ['-n', script], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  });
}

test('every shell gets every command and option, and quotes are balanced', async () => {
  const { flags } = await commands.convert.load();
  for (const shell of SHELLS) {
    const text = await printed(completions, shell);
    for (const name of Object.keys(commands)) assert.ok(text.includes(name), `${shell}: ${name}`);
    for (const flag of Object.keys(flags()))
      assert.match(text, new RegExp(`(?:--|-l )${flag}\\b`), `${shell}: ${flag}`);
    for (const line of text.split('\n')) assert.equal(line.replace(/[^']/g, '').length % 2, 0, line);
  }
  // The syntax that zsh shares with bash.
  const zsh = await printed(completions, 'zsh');
  assert.equal(spawnSync('bash', ['-n'], { input: zsh, encoding: 'utf8' }).stderr, '');
  await assert.rejects(completions(['tcsh']), /completions takes one of bash, zsh, fish/);
});

test('colour is used only on a terminal and not with NO_COLOR', () => {
  const entrance = join(import.meta.dirname, '../../../bin/geomill.js');
  const stderr = (env: Record<string, string>): string =>
    spawnSync(process.execPath, [entrance, 'convert', 'a'], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, ...env },
    }).stderr;
  const csi = '\u001b[';
  assert.ok(!stderr({}).includes(csi));
  assert.ok(stderr({ FORCE_COLOR: '1' }).startsWith(`${csi}31mgeomill:${csi}39m convert takes`));
  assert.ok(!stderr({ NO_COLOR: '1' }).includes(csi));
});
