/**
 * The text of API keys and client secrets:
 *
 *     gm_8Kd03hTz_Q2w...(27)...x7Yc0a2B1
 *     |  |        |             |
 *     |  |        |             6: CRC-32 of all before it
 *     |  |        27: 160 random bits
 *     |  8: public id, used for lookup and display
 *     kind: `gm` for an API key, `gms` for a client secret
 *
 * The prefix and the fixed form let secret scanners find leaked keys. The checksum distinguishes a typing error from an
 * unknown key without a database lookup, and keys from similar texts. It is no protection: anyone can compute it.
 */
import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

export type SecretPrefix = 'gm' | 'gms';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 8;
/** log2(62) * 27 = 160.8 bits. */
const SECRET_LENGTH = 27;
/** 62^6 > 2^32. */
const CHECKSUM_LENGTH = 6;

const SHAPES: Readonly<Record<SecretPrefix, RegExp>> = { gm: shapeOf('gm'), gms: shapeOf('gms') };

function shapeOf(prefix: SecretPrefix): RegExp {
  return new RegExp(`^${prefix}_[0-9A-Za-z]{${ID_LENGTH}}_[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}$`);
}

/** A new secret with the public part `id`. */
export function makeSecret(prefix: SecretPrefix, id: string): string {
  const body = `${prefix}_${id}_${randomBase62(SECRET_LENGTH)}`;
  return body + checksumOf(body);
}

export function makeId(): string {
  return randomBase62(ID_LENGTH);
}

/** The public id in a secret of this kind; null: wrong form or checksum. */
export function idOfSecret(prefix: SecretPrefix, text: string): string | null {
  // `$` also matches before a final line feed, so the length is checked separately.
  const length = prefix.length + ID_LENGTH + SECRET_LENGTH + CHECKSUM_LENGTH + 2;
  if (text.length !== length || !SHAPES[prefix].test(text)) return null;
  const checksum = text.slice(-CHECKSUM_LENGTH);
  // Not in constant time: the checksum is not secret.
  if (checksumOf(text.slice(0, -CHECKSUM_LENGTH)) !== checksum) return null;
  return text.slice(prefix.length + 1, prefix.length + 1 + ID_LENGTH);
}

/** The id of a key or client, from the id itself or from the whole of a key or client secret; null: neither. */
export function publicIdIn(text: string): string | null {
  const found = /^(gmc?|gms)_([0-9A-Za-z]{8})(?:_[0-9A-Za-z]*)?$/.exec(text);
  return found === null ? null : `${found[1] === 'gm' ? 'gm' : 'gmc'}_${found[2]}`;
}

/** CRC-32 detects every error within 32 consecutive bits, so every wrong character and every swap of two adjacent ones. */
function checksumOf(body: string): string {
  let rest = crc32(body);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = ALPHABET[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 = 4 * 62: bytes above would make the first digits likelier than the others.
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62];
    }
  }
  return text;
}

/** The text with the secret parts of all keys, client secrets and signed tokens replaced. */
export function withoutSecrets(text: string): string {
  return text
    .replace(/\b(gms?_[0-9A-Za-z]{8}_)[0-9A-Za-z]+/g, '$1[secret]')
    .replace(/\beyJ[\w-]*\.[\w-]+(?:\.[\w-]*)?/g, '[token]');
}
