/**
 * Law: area, length and validity of features across 180 degrees, around a pole and elsewhere survive any chain of reprojections, steps, and a file,
 * judged by shapely, and by pyproj's geodesics. CHAINS is the number of chains and CHAINS_FROM that of the first:
 * `CHAINS=1000 CHAINS_FROM=5000 node --test test/laws/chains.full.test.ts`. Skipped without pyproj and shapely.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import test from 'node:test';
import { allowedOf, type Chain, type ChainResult, chainOf, runChain } from '../support/chains.ts';

const PYTHON = '/usr/bin/python3';
const JUDGE = join(import.meta.dirname, '../oracle/chains.py');
const hasJudges = spawnSync(PYTHON, ['-c', 'import pyproj, shapely']).status === 0;
const skip = hasJudges ? false : 'pyproj or shapely is not installed';
const count = Number(process.env.CHAINS ?? 16);
const first = Number(process.env.CHAINS_FROM ?? 0);

type Judgement = readonly [isValid: boolean, isWithin: boolean, off: number, areaOff: number];

test(`chains of reprojections and steps keep their features (${count} from ${first})`, { skip }, async () => {
  const ran: (readonly [Chain, ChainResult])[] = [];
  const broken: string[] = [];
  for (let number = first; number < first + count; number++) {
    const chain = chainOf(number);
    try {
      ran.push([chain, await runChain(chain)]);
    } catch (error) {
      broken.push(`${chain.name}: ${(error as Error).message}`);
    }
  }
  const input = ran.map(([chain, { geometries }]) => JSON.stringify({ ...chain, geometries })).join('\n');
  const done = spawnSync(PYTHON, ['-W', 'ignore', JUDGE], { input, encoding: 'utf8', maxBuffer: 2 ** 28 });
  assert.equal(done.status, 0, done.stderr);
  for (const [i, judgement] of (JSON.parse(done.stdout) as Judgement[]).entries()) {
    const [isValid, isWithin, off, areaOff] = judgement;
    const [chain, result] = ran[i];
    const allowed = allowedOf(chain, result);
    if (!isValid || !isWithin || off > allowed || areaOff > allowed)
      broken.push(`${chain.name}: ${JSON.stringify(judgement)}, ${allowed} m allowed`);
  }
  assert.deepEqual(broken, []);
});
