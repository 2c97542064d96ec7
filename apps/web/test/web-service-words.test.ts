import assert from 'node:assert/strict';
import test from 'node:test';
import { durationText, tilesHost } from '../ui/service-words.ts';

test('durations are exact and in the largest fitting unit', () => {
  const rows: readonly [number, string][] = [
    [1, '1 second'],
    [90, '90 seconds'],
    [60, '1 minute'],
    [5400, '90 minutes'],
    [3600, '1 hour'],
    [86_400, '24 hours'],
    [86_401, '86,401 seconds'],
    [172_800, '2 days'],
    [7 * 86_400, '7 days'],
  ];
  for (const [seconds, text] of rows) assert.equal(durationText(seconds), text);
});

test('the host of tiles has its port', () => {
  assert.equal(tilesHost('https://tiles.example.org:8443/{z}/{x}/{y}.png'), 'tiles.example.org:8443');
});
