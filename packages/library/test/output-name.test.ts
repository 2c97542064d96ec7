/** Names of files that clients send and are offered. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { describeOutput, plainFileName } from '../src/output-name.ts';

const FORMAT = { mediaType: 'application/zip', outputExtension: '.zip', inputExtensions: ['.geojson'] };
/** Turns the direction of what follows: `roads[RLO]nosjoeg.exe` is shown as `roadsexe.geojson`. */
const RIGHT_TO_LEFT_OVERRIDE = '\u202e';

test('characters that turn the direction of text or are not seen are left out of names', () => {
  const name = `ro\u200bads${RIGHT_TO_LEFT_OVERRIDE}exe.geojson\u2066`;
  assert.equal(plainFileName(name, 'none'), 'roadsexe.geojson');
  const { fileName, pathName } = describeOutput(`a${RIGHT_TO_LEFT_OVERRIDE}b.geojson`, FORMAT);
  assert.equal(fileName, 'a_b.zip');
  assert.equal(pathName, fileName);
});

test('letters of all scripts stay', () => {
  for (const name of ['Straße.geojson', '道路.geojson', 'שלום.geojson', 'नक्शा.geojson', 'e\u0301.geojson'])
    assert.equal(plainFileName(name, 'none'), name.normalize('NFC'));
});

test('half of a surrogate pair is no part of a name', () => {
  assert.ok(plainFileName('a\ud83d.geojson', 'none').isWellFormed());
});
