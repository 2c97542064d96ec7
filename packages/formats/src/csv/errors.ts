import { errorTable } from '@geomill/core/messages/catalogue-entries.ts';
import { tableErrors } from '../tables/errors.ts';
import { withPrefix } from '../tables/words.ts';
import { csvWords } from './words.ts';

export const csvErrors = errorTable(withPrefix('CSV_', tableErrors(csvWords)));
