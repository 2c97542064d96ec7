/** Certificates for hosts of tests. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

export interface Certificate {
  /** PEM. */
  readonly key: string;
  readonly cert: string;
  readonly certPath: string;
}

/**
 * A certificate that signs itself, made by openssl in `directory`; null, and the test is skipped, where there is no openssl.
 * `name`: as in subjectAltName, "DNS:files.example".
 */
export function makeCertificate(context: TestContext, directory: string, name: string): Certificate | null {
  const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=host of a test', '-addext', `subjectAltName=${name}`];
  const made = spawnSync('openssl', ['req', '-x509', ...kind, '-keyout', key, '-out', cert, ...names]);
  if (made.status === 0 && existsSync(cert))
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8'), certPath: cert };
  context.skip('openssl is not there to make a certificate');
  return null;
}
