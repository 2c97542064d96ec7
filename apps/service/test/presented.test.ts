/** Which credential a request shows. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { presentedIn } from '../src/http/auth/presented.ts';

const key = (text: string) => ({ kind: 'key', text });
const token = (text: string) => ({ kind: 'token', text });
const none = { kind: 'none' };

test('keys and tokens are found by their headers, in any letter case', () => {
  const rows: [string[], object][] = [
    [[], none],
    [['Host', 'a', 'Accept', '*/*', 'Prefer', 'wait=1'], none],
    [['apiKey', 'gm_a'], key('gm_a')],
    [['APIKEY', ' gm_a '], key('gm_a')],
    [['Host', 'a', 'apikey', 'x'], key('x')],
    [['apiKey', ''], key('')],
    [['Authorization', 'Bearer a.b.c'], token('a.b.c')],
    [['authorization', 'bEARER   a.b.c '], token('a.b.c')],
    [['AUTHORIZATION', 'Bearer\ta.b.c'], token('a.b.c')],
    [['Authorization', 'Bearer'], token('')],
    [['Authorization', 'Bearer gm_a'], key('gm_a')],
    [['Authorization', 'Bearerx a'], none],
    [['Authorization', 'Basic YTpi'], none],
    [['Authorization', ''], none],
    [['X-Auth', 'x', 'Origin', 'gm_a', 'authorizatiom', 'Bearer a'], none],
    [['Authorization', 'Basic YTpi', 'apiKey', 'gm_a'], key('gm_a')],
  ];
  for (const [headers, expected] of rows) assert.deepEqual(presentedIn(headers), expected, headers.join(' '));
});

test('more than one credential is refused, also the same one twice', () => {
  for (const headers of [
    ['apiKey', 'gm_a', 'Authorization', 'Bearer a.b.c'],
    ['apiKey', 'gm_a', 'apiKey', 'gm_a'],
    ['apiKey', '', 'APIKEY', ''],
    ['Authorization', 'Bearer gm_a', 'apiKey', 'gm_a'],
    ['Authorization', 'Bearer a.b.c', 'Authorization', 'bearer a.b.c'],
  ])
    assert.throws(() => presentedIn(headers), { code: 'CREDENTIALS_AMBIGUOUS' }, headers.join(' '));
});
