/** The outer form of signed tokens: three parts of base64url with dots between (RFC 7515, 7.1). */

const SHAPE = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Whether the text is a token of at most `maxLength` characters in canonical spelling. The last character of a part may
 * have unused bits, which decoders ignore, so that several texts would be the same token.
 */
export function isCompactToken(text: string, maxLength: number): boolean {
  if (text.length > maxLength || !SHAPE.test(text)) return false;
  return text.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);
}
