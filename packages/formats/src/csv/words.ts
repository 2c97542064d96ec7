import type { TableWords } from '../tables/words.ts';

export const csvWords = {
  table: 'the CSV',
  lead: '',
  row: 'CSV line {line}',
  line: 'line',
  holder: 'the file',
  blank:
    '{source} has only blank lines where its header is expected ({bytes} bytes); was the upload or export interrupted?',
  options: 'csv_options',
  header: 'csv_options.header_line',
  expected: 'a CSV file',
} as const satisfies TableWords;
