/** "Copy as" of the workspace: each text is run as it is, and gives the bytes that the command line gives. */
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { unzipSync } from 'fflate';
import { outputFormatById } from '../../../packages/formats/src/format-by-id.ts';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { ENTRANCE } from '../../../test/support/program.ts';
import { startTestService } from '../../../test/support/service.ts';
import { type CopyKind, copyAs } from '../copy/commands.ts';
import type { WorkspaceDocument } from '../model/document.ts';
import { outputExtension } from '../model/split-output.ts';

const root = join(import.meta.dirname, '../../..');
const sample = join(root, 'samples', 'harbour.geojson');
const service = await startTestService({ runner: null });
after(() => service[Symbol.asyncDispose]());

const run = promisify(execFile);
const hasRequests = spawnSync('/usr/bin/python3', ['-c', 'import requests']).status === 0;
const hasCurl = spawnSync('curl', ['--version']).status === 0;

/** A name that has to be quoted in a shell, in curl's own syntax, in JSON and in source code. */
const HOSTILE = `it's "a"; $(b), é.geojson`;

function documentOf(changes: Partial<WorkspaceDocument>): WorkspaceDocument {
  const input = { path: HOSTILE, format: 'geojson', crs: null, layers: null, options: {} };
  return {
    operation: 'transform',
    inputs: [input],
    steps: [
      // curl would take the rest as an attribute of the part.
      { key: 3, type: 'filter', params: { where: "name <> 'a;type=text/html;b'" }, enabled: true },
      { key: 1, type: 'buffer', params: { distance: 10, units: 'meters' }, enabled: true },
      { key: 2, type: 'centroid', params: {}, enabled: false },
    ],
    output: { format: 'csv', crs: 'EPSG:25832', name: 'copy', options: { decimals: 2 } },
    ...changes,
  };
}

const MASK = { path: `it's "b".gpkg`, format: 'gpkg', crs: null, layers: null, options: {} };
const WKT_MASK = {
  path: 'area.csv',
  format: 'csv',
  crs: 'EPSG:4326',
  layers: null,
  options: { delimiter: ';', geometry_column: 'shape' },
};
const FILES: Readonly<Record<string, string | Buffer>> = {
  [MASK.path]: readFileSync(join(root, 'samples', 'harbour.gpkg')),
  [WKT_MASK.path]: 'shape;n\nPOLYGON((8.5 53.5, 8.5745 53.5, 8.5745 53.6, 8.5 53.6, 8.5 53.5));1\n',
};

const DOCUMENTS: Readonly<Record<string, WorkspaceDocument>> = {
  'a conversion': documentOf({}),
  'an output that is divided': documentOf({
    output: { format: 'csv', crs: 'EPSG:25832', name: 'copy', options: { split_by: 'kind' } },
  }),
  'an append': documentOf({
    operation: 'append',
    // Without quotation marks: requests sends them as %22, and the name becomes that of the layer.
    inputs: [HOSTILE.replaceAll('"', ''), 'more.geojson'].map((path) => ({
      path,
      format: 'geojson',
      crs: null,
      layers: null,
      options: {},
    })),
    output: { format: 'geojson', crs: 'source', name: 'copy', options: {} },
  }),
  // Data and masks in different systems; one file is read with options and a CRS that it does not state.
  'a clip and an erase by other sources': documentOf({
    inputs: [
      { path: HOSTILE, format: 'geojson', crs: null, layers: null, options: {} },
      { ...MASK, isForSteps: true },
      { ...WKT_MASK, isForSteps: true },
    ],
    steps: [
      {
        key: 1,
        type: 'clip',
        params: { mask_layer: 'harbour', mask_filter: "kind = 'basin'" },
        enabled: true,
        file: { part: 'mask', path: MASK.path },
      },
      { key: 2, type: 'erase', params: {}, enabled: true, file: { part: 'mask', path: WKT_MASK.path } },
      { key: 3, type: 'erase', params: {}, enabled: false, file: { part: 'mask', path: 'missing.zip' } },
    ],
  }),
  // The mask of the first file is the second, which is converted too.
  'two files, of which one is also the mask': documentOf({
    inputs: [
      { path: HOSTILE.replaceAll('"', ''), format: 'geojson', crs: null, layers: null, options: {} },
      MASK,
    ],
    steps: [
      {
        key: 1,
        type: 'clip',
        params: { mask_layer: 'harbour', mask_filter: "kind = 'basin'" },
        enabled: true,
        file: { part: 'mask', path: MASK.path },
      },
    ],
    output: { format: 'geojson', crs: 'source', name: null, options: {} },
  }),
};

const RUNNERS: Readonly<Record<CopyKind, (text: string, directory: string) => Promise<unknown>>> = {
  curl: (text, cwd) => run('/bin/sh', ['-e', '-c', text], { cwd }),
  cli: (text, cwd) => {
    const command = text.replace(/^geomill /gm, `'${process.execPath}' '${ENTRANCE}' `);
    return run('/bin/sh', ['-e', '-c', command], { cwd });
  },
  // Several jobs are documents one after another.
  json: async (text, cwd) => {
    for (const job of text.split(/\n(?=\{)/)) {
      writeFileSync(join(cwd, 'job.json'), job);
      await run(process.execPath, [ENTRANCE, 'run', 'job.json'], { cwd });
    }
  },
  typescript: (text, cwd) => {
    // The package is not installed in the workspace, so its modules are imported from the sources.
    const modules = { client: 'client.ts', 'client/node': 'node/files.ts' };
    let code = text;
    for (const [name, file] of Object.entries(modules))
      code = code.replaceAll(`'geomill/${name}'`, `'${join(root, 'packages', 'client', 'src', file)}'`);
    writeFileSync(join(cwd, 'job.ts'), code);
    return run(process.execPath, ['job.ts'], { cwd });
  },
  python: (text, cwd) => run('/usr/bin/python3', ['-c', text], { cwd }),
};

/** Archives have the time of their writing beside their files. */
function contentOf(path: string): unknown {
  const bytes = readFileSync(path);
  return path.endsWith('.zip') ? unzipSync(bytes) : bytes;
}

/** Names and contents of the files that the command line makes of a document in a directory, which it leaves as it was. */
async function outputsOf(text: string, directory: string): Promise<ReadonlyMap<string, unknown>> {
  const inputs = readdirSync(directory);
  await RUNNERS.json(text, directory);
  const names = readdirSync(directory).filter((name) => ![...inputs, 'job.json'].includes(name));
  const outputs = new Map(names.map((name) => [name, contentOf(join(directory, name))]));
  for (const name of names) rmSync(join(directory, name));
  return outputs;
}

for (const [title, document] of Object.entries(DOCUMENTS)) {
  let expected: ReadonlyMap<string, unknown> | null = null;
  const {
    parts,
    outputExtension: extensionOfFormat,
    fixedOutputCrs,
  } = outputFormatById(document.output.format, 'output.format');
  const extension = outputExtension(document.output, {
    split_into: parts,
    output_extension: extensionOfFormat,
  });
  const fixed = fixedOutputCrs;
  const crsRule = {
    fixed_output_crs: fixed === undefined ? null : { crs: fixed.crs, unless: fixed.unless ?? null },
  };
  const context = { serviceUrl: service.url, outputExtension: extension, crsRule };
  for (const kind of Object.keys(RUNNERS) as CopyKind[])
    test(`${title} as ${kind} gives the bytes of the command line`, async (t) => {
      if (kind === 'python' && !hasRequests) return t.skip('python3-requests is not installed');
      if (kind === 'curl' && !hasCurl) return t.skip('curl is not installed');
      using workspace = makeWorkspace();
      for (const { path } of document.inputs)
        writeFileSync(join(workspace.path, path), FILES[path] ?? readFileSync(sample));
      expected ??= await outputsOf(copyAs('json', document, context), workspace.path);
      assert.ok(expected.size > 0);
      await RUNNERS[kind](copyAs(kind, document, context), workspace.path);
      for (const [name, content] of expected)
        assert.deepEqual(contentOf(join(workspace.path, name)), content, name);
    });
}
