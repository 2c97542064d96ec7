/** What cookies and form tokens are signed with: made once, kept in the database, which its user alone can read. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { AccountsDatabase } from '../accounts/database.ts';

const NAME = 'account-area';
const LENGTH_BYTES = 32;

/** The same for all processes of the service. Hexadecimal. */
export function areaSecret({ durable }: AccountsDatabase): string {
  durable
    .prepare('INSERT OR IGNORE INTO service_secrets (name, value) VALUES (?, ?)')
    .run(NAME, randomBytes(LENGTH_BYTES));
  const row = durable
    .prepare('SELECT value FROM service_secrets WHERE name = ?')
    .get<{ value: Uint8Array }>(NAME);
  return Buffer.from(row!.value).toString('hex');
}

/** Proof that a form comes from a page that we sent to the same browser: `binding` is what only that browser has. */
export function formToken(secret: string, binding: string): string {
  // Another use of the same secret must not yield the same signature: hence the word in front.
  return createHmac('sha256', secret).update(`form\n${binding}`).digest('base64url');
}

export function isFormToken(secret: string, binding: string, given: string): boolean {
  const [wanted, got] = [Buffer.from(formToken(secret, binding)), Buffer.from(given)];
  return wanted.length === got.length && timingSafeEqual(wanted, got);
}
