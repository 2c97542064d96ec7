/** Password rules following NIST SP 800-63B: long and not obvious, no other requirements. */

export const MIN_PASSWORD_LENGTH = 12;
/** Limits the size of the form; hashing time does not depend on the length. */
export const MAX_PASSWORD_LENGTH = 128;
const MIN_DIFFERENT_CHARACTERS = 5;

/** Why a password is rejected, as the end of a sentence; null: accepted. */
export function passwordFault(password: string, email: string): string | null {
  if (password.length < MIN_PASSWORD_LENGTH) return `must have at least ${MIN_PASSWORD_LENGTH} characters`;
  if (password.length > MAX_PASSWORD_LENGTH) return `must have at most ${MAX_PASSWORD_LENGTH} characters`;
  if (new Set(password).size < MIN_DIFFERENT_CHARACTERS)
    return `must have at least ${MIN_DIFFERENT_CHARACTERS} different characters`;
  const [mailbox] = email.toLowerCase().split('@', 1);
  const rest = password.toLowerCase().replaceAll(email.toLowerCase() || '\0', '');
  // A short name in a long password is harmless; a password that is mostly the name is not.
  const own = mailbox.length >= 3 ? rest.replaceAll(mailbox, '') : rest;
  if (own.length < MIN_PASSWORD_LENGTH / 2) return 'must not be little more than the e-mail address';
  return null;
}
