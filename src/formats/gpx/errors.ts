import type { ErrorEntries } from '../../catalogue-entries.ts';

export const errors = {} as const satisfies ErrorEntries;
