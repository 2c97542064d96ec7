import { tableMessages } from '../tables/messages.ts';
import { withoutPrefix } from '../tables/words.ts';
import { csvErrors } from './errors.ts';
import { csvFindings } from './findings.ts';
import { csvWords } from './words.ts';

export const csvMessages = tableMessages({
  words: csvWords,
  errors: withoutPrefix('CSV_', csvErrors),
  findings: { ...csvFindings, ...withoutPrefix('CSV_', csvFindings) },
  params: {},
});
