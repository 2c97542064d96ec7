/** 128 random bits in hexadecimal. Not crypto.randomUUID, which browsers have on encrypted pages alone. */
export function randomHex(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
