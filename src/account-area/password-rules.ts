/** What a password must be like, in the spirit of NIST SP 800-63B: long, not obvious, nothing else. */

export const MIN_PASSWORD_LENGTH = 12;
/** Hashing takes the same time for any length; reading a megabyte of it does not. */
export const MAX_PASSWORD_LENGTH = 128;
const MIN_DIFFERENT_CHARACTERS = 5;

/** Why a password cannot be taken, as the end of a sentence about it; null: it can. */
export function passwordFault(password: string, email: string): string | null {
  if (password.length < MIN_PASSWORD_LENGTH) return `must have at least ${MIN_PASSWORD_LENGTH} characters`;
  if (password.length > MAX_PASSWORD_LENGTH) return `must have at most ${MAX_PASSWORD_LENGTH} characters`;
  if (new Set(password).size < MIN_DIFFERENT_CHARACTERS)
    return `must have at least ${MIN_DIFFERENT_CHARACTERS} different characters`;
  const [mailbox] = email.toLowerCase().split('@', 1);
  const rest = password.toLowerCase().replaceAll(email.toLowerCase() || '\0', '');
  // A short name inside a long password says little; a password that is little more than the name says all.
  const own = mailbox.length >= 3 ? rest.replaceAll(mailbox, '') : rest;
  if (own.length < MIN_PASSWORD_LENGTH / 2) return 'must not be little more than the e-mail address';
  return null;
}
