import { errorTable } from '@geomill/core/messages/catalogue-entries.ts';

export const gpxErrors = errorTable({});
