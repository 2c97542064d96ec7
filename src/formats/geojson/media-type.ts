/** Apart from the format's record, so that the writer does not import what loads it. */
export const MEDIA_TYPE = 'application/geo+json';
