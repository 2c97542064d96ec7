/** The secret that signs cookies and form tokens; created once and stored in the database. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { AccountsDatabase } from '../../accounts/database.ts';

const NAME = 'account-area';
const LENGTH_BYTES = 32;

/** In hexadecimal; the same for all processes of the service. */
export async function areaSecret(database: AccountsDatabase): Promise<string> {
  await database.run(
    'INSERT INTO service_secrets (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING',
    NAME,
    randomBytes(LENGTH_BYTES),
  );
  const [{ value }] = await database.rows<{ value: Uint8Array }>(
    'SELECT value FROM service_secrets WHERE name = ?',
    NAME,
  );
  return Buffer.from(value).toString('hex');
}

/** Proves that a form is from a page sent to the same browser. `binding`: a value that only this browser has. */
export function formToken(secret: string, binding: string): string {
  // The prefix separates this use of the secret from others.
  return createHmac('sha256', secret).update(`form\n${binding}`).digest('base64url');
}

export function isFormToken(secret: string, binding: string, given: string): boolean {
  const [wanted, got] = [Buffer.from(formToken(secret, binding)), Buffer.from(given)];
  return wanted.length === got.length && timingSafeEqual(wanted, got);
}
