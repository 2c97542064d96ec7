/**
 * What one request leaves for the page after it: a message, or a secret that is shown this once. In a cookie, encrypted,
 * bound to the session and short-lived. Refused: kept in memory, where another process of the service would not find it,
 * or in the database, where no secret may be.
 */

export interface Flash {
  /** A sentence. */
  readonly notice?: string;
  /** Of a new credential. */
  readonly secret?: string;
  /** Of a new link: the whole address. */
  readonly link?: string;
}

export async function sealFlash(key: string, binding: string, flash: Flash): Promise<string> {
  const { symmetricEncrypt } = await import('better-auth/crypto');
  return symmetricEncrypt({ key, data: JSON.stringify({ ...flash, binding }) });
}

/** What cannot be opened, or was for somebody else, is nothing. */
export async function openFlash(key: string, binding: string, sealed: string): Promise<Flash> {
  try {
    const { symmetricDecrypt } = await import('better-auth/crypto');
    const opened = JSON.parse(await symmetricDecrypt({ key, data: sealed })) as Flash & { binding: string };
    return opened.binding === binding ? opened : {};
  } catch {
    return {};
  }
}
