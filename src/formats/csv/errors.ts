import { errorTable } from '../../catalogue-entries.ts';

export const csvErrors = errorTable({});
