/**
 * A message or secret that one request passes to the next page, where it is shown once. Stored in an encrypted, short-lived
 * cookie that is bound to the session. Alternatives rejected: memory, which other processes cannot read, and the database,
 * which must not contain secrets.
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

/** Empty if the text cannot be decrypted or belongs to another session. */
export async function openFlash(key: string, binding: string, sealed: string): Promise<Flash> {
  try {
    const { symmetricDecrypt } = await import('better-auth/crypto');
    const opened = JSON.parse(await symmetricDecrypt({ key, data: sealed })) as Flash & { binding: string };
    return opened.binding === binding ? opened : {};
  } catch {
    return {};
  }
}
