/** OGC 12-128r19, annex "Media types". */
export const MEDIA_TYPE = 'application/geopackage+sqlite';
