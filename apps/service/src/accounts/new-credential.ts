/** Checks the fields of a new key or client. All functions throw CREDENTIAL_FIELD. */
import { failure } from '@geomill/core/messages/errors.ts';
import { field } from '@geomill/core/messages/message.ts';
import { accountErrors } from './errors.ts';
import { isScope, LOCAL_OWNER, SCOPES, type Scope } from './principal.ts';

const MAX_NAME_LENGTH = 100;
const MAX_OWNER_LENGTH = 200;
/** The last instant of the year 9999: every date that can be written with four digits. */
const LATEST_EXPIRY = Date.UTC(10_000, 0, 1) - 1;

export function checkName(name: string): string {
  return checkText('name', name, MAX_NAME_LENGTH);
}

export function checkOwner(owner: string): string {
  const text = checkText('owner', owner, MAX_OWNER_LENGTH);
  // It is used in tokens, logs and tables, where white space would separate it.
  if (/\s/.test(text)) throw refuse('owner', 'must not contain white space');
  if (text === LOCAL_OWNER)
    throw refuse(
      'owner',
      `must not be '${LOCAL_OWNER}', the account of requests without credentials; choose another name`,
    );
  return text;
}

export function checkScopes(scopes: readonly string[]): readonly Scope[] {
  if (scopes.length === 0) throw refuse('scopes', `must name at least one of ${SCOPES.join(', ')}`);
  const unknown = scopes.find((scope) => !isScope(scope));
  if (unknown !== undefined) throw refuse('scopes', `must be of ${SCOPES.join(', ')}, not '${unknown}'`);
  return scopes as readonly Scope[];
}

/** Milliseconds since 1970 or null, both ways. */
export function checkExpiry(expiresAt: number | null, now: number): number | null {
  if (expiresAt === null) return null;
  if (!Number.isSafeInteger(expiresAt) || expiresAt > LATEST_EXPIRY)
    throw refuse('expiry', 'must be a time before the year 10000');
  if (expiresAt <= now) throw refuse('expiry', 'must be in the future');
  return expiresAt;
}

function checkText(path: string, given: string, maxLength: number): string {
  const text = given.trim().normalize('NFC');
  if (text === '') throw refuse(path, 'must not be empty');
  if (text.length > maxLength) throw refuse(path, `must not be longer than ${maxLength} characters`);
  // Control and format characters can make a line of a log or a page say something else.
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(text))
    throw refuse(path, 'must not contain control characters');
  return text;
}

function refuse(path: string, reason: string): Error {
  return failure(accountErrors.CREDENTIAL_FIELD, { path: field(path), reason });
}
