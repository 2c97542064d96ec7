/**
 * Whether the time of an answer tells which accounts there are: wrong passwords for users that exist, and for some that
 * don't, in turn. Prints the median of both in ms and their ratio; exit status 1 where they differ by more than a tenth.
 *
 *     node bench/sign-in.ts
 */
import { Browser, startTestArea } from '../test/support/account-area.ts';

const PAIRS = 40;
const TOLERANCE = 0.1;

const times: Readonly<Record<'known' | 'unknown', number[]>> = { known: [], unknown: [] };
await using area = await startTestArea({ believesProxies: true });
const { openDirectory } = await import('../apps/service/src/pages/account/area.ts');
const { users, library } = await openDirectory({
  accounts: area.accounts,
  baseUrl: area.url,
  warn: () => {},
});

/** Each from an address of its own: the limit on guessing would otherwise answer. */
async function attempt(email: string, source: number): Promise<number> {
  const browser = new Browser(area.url);
  await browser.get('/account/sign-in');
  const headers = { 'x-forwarded-for': `192.0.2.${source}` };
  const begun = performance.now();
  const { status } = await browser.post(
    '/account/sign-in',
    { email, password: 'wrong wrong wrong' },
    { headers },
  );
  if (status !== 401) throw new Error(`expected 401, got ${status}`);
  return performance.now() - begun;
}

await attempt('warm@example.org', 255);
for (let i = 0; i < PAIRS; i++) {
  const user = await users.create({ email: `user${i}@example.org`, name: '', isAdmin: false }, 'bench');
  await users.setPassword(user, 'nine purple kites fall', 'bench');
  const first = i % 2 === 0;
  for (const isKnown of [first, !first])
    times[isKnown ? 'known' : 'unknown'].push(
      await attempt(`${isKnown ? 'user' : 'nobody'}${i}@example.org`, i),
    );
}
library.close();

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1];
const [known, unknown] = [median(times.known), median(times.unknown)];
const ratio = known / unknown;
process.stdout.write(
  `known ${known.toFixed(1)} ms, unknown ${unknown.toFixed(1)} ms, ratio ${ratio.toFixed(3)}\n`,
);
process.exitCode = Math.abs(ratio - 1) > TOLERANCE ? 1 : 0;
