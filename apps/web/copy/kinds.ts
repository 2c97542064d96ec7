/** What a job can be copied as. */
export const COPY_KINDS = ['curl', 'cli', 'typescript', 'python', 'json'] as const;
export type CopyKind = (typeof COPY_KINDS)[number];

export const COPY_TITLES: Readonly<Record<CopyKind, string>> = {
  curl: 'curl',
  cli: 'Command line',
  typescript: 'TypeScript',
  python: 'Python',
  json: 'Job document',
};

/** Those that send a job to a service. */
export const FOR_SERVICES: ReadonlySet<CopyKind> = new Set(['curl', 'typescript', 'python']);
