import { errorTable } from '../../catalogue-entries.ts';

export const gpxErrors = errorTable({});
