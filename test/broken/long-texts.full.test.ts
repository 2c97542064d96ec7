/** For any length of names, values and parameters in a file, reports and errors are short. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { problemOf } from '../../apps/service/src/http/error-reply.ts';
import { errorText } from '../../apps/service/src/jobs/job.ts';
import { checkRunnerMessage } from '../../apps/service/src/jobs/runner-message-check.ts';
import { GeomillError } from '../../packages/core/src/messages/errors.ts';
import { jsonBytes } from '../../packages/core/src/messages/short-text.ts';
import { inputFormats, outputFormats } from '../../packages/formats/src/registry.ts';
import { boundedReport, MAX_REPORT_BYTES } from '../../packages/pipeline/src/bounded-report.ts';
import { runInspection } from '../../packages/pipeline/src/inspect-job.ts';
import { convertFile, makeWorkspace, requestFor } from '../support/convert.ts';
import { statedCrs } from '../support/formats.ts';
import { DEFAULT_INPUT_LIMITS } from '../support/limits.ts';
import { longTextsOf, writeLongText } from '../support/long-texts.ts';

const MAX_ERROR_BODY_BYTES = 16 * 1024;
/** Names of this length are read; names of twice the length are rejected, values are not. */
const LENGTHS = [60_000, 140_000];

function assertShortError(thrown: unknown, label: string): GeomillError {
  assert.ok(thrown instanceof GeomillError, `${label}: ${thrown}`);
  assert.equal(thrown.fault, 'user', `${label}: ${thrown.stack}`);
  const plain = JSON.parse(JSON.stringify(thrown.toPlain()));
  const body = problemOf(thrown, errorText('id', plain));
  assert.ok(jsonBytes(body) <= MAX_ERROR_BODY_BYTES, label);
  assert.equal(checkRunnerMessage({ type: 'failed', error: plain, log: null }), null, label);
  return thrown;
}

for (const { id } of inputFormats)
  for (const name of Object.keys(await longTextsOf(id)))
    test(`${id}: a long ${name} makes short reports and errors`, async () => {
      for (const length of LENGTHS) {
        const text = 'longname'.repeat(length / 8);
        for (const { id: to } of outputFormats) {
          using workspace = makeWorkspace();
          const path = await writeLongText(workspace.path, id, name, text);
          const label = `${length} to ${to}`;
          const fromCrs = statedCrs(id);
          try {
            const { report } = await convertFile(path, workspace.path, { from: id, to, fromCrs, threads: 1 });
            const bounded = JSON.parse(JSON.stringify(boundedReport(report)));
            assert.ok(jsonBytes(bounded) <= MAX_REPORT_BYTES, label);
            assert.equal(checkRunnerMessage({ type: 'done', report: bounded }), null, label);
            assert.ok(jsonBytes(bounded) < 20_000, `${label}: one name makes ${jsonBytes(bounded)} bytes`);
          } catch (thrown) {
            if (thrown instanceof assert.AssertionError) throw thrown;
            assertShortError(thrown, label);
          }
        }
      }
    });

test('rejects field and layer names above 65,536 characters with their location', async () => {
  const cases = [
    ['geojson', 'field name', 'FIELD_NAME_TOO_LONG', /field 1 has 140000 characters/],
    ['csv', 'column name', 'FIELD_NAME_TOO_LONG', /field 1 has 140000 characters/],
    ['gpkg', 'name of a column', 'FIELD_NAME_TOO_LONG', /layer 't': the name of field 1 has 140000/],
    ['gpkg', 'name of a table', 'LAYER_NAME_TOO_LONG', /layer 1 has 140000 characters/],
  ] as const;
  for (const [from, name, code, message] of cases) {
    using workspace = makeWorkspace();
    const path = await writeLongText(workspace.path, from, name, 'longname'.repeat(140_000 / 8));
    const options = { from, to: 'geojson', fromCrs: from === 'csv' ? 'EPSG:4326' : null };
    await assert.rejects(convertFile(path, workspace.path, options), { code, message });
    const { input } = requestFor(options);
    const paths = {
      inputs: [{ path, name: 'x' }],
      outputPath: join(workspace.path, 'found.json'),
      scratchDirectory: workspace.path,
      gridDirectory: null,
      threads: 1,
      limits: DEFAULT_INPUT_LIMITS,
    };
    const control = { signal: new AbortController().signal, onProgress: () => {} };
    const inspection = { operation: 'inspect', input, transformations: [], output: null } as const;
    await assert.rejects(runInspection(inspection, paths, control), { code });
  }
});

test('writes a long but allowed name unchanged', async () => {
  using workspace = makeWorkspace();
  const text = 'longname'.repeat(60_000 / 8);
  const path = await writeLongText(workspace.path, 'geojson', 'field name', text);
  const { outputPath, report } = await convertFile(path, workspace.path, { from: 'geojson', to: 'geojson' });
  const { features } = JSON.parse(readFileSync(outputPath, 'utf8')) as { features: { properties: object }[] };
  assert.equal(Object.keys(features[0].properties)[0], text);
  const [layer] = (boundedReport(report) as typeof report).input.layers;
  assert.match(layer.fields[0].name, /^longname.*… \(60,000 characters\)$/);
});
