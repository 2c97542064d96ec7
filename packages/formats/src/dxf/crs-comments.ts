/** Beginnings of the comments that state the CRS of a drawing: what the writer writes, the reader understands. */
export const CRS_COMMENT = 'geomill: the coordinates are in ';
export const WKT_COMMENT = 'WKT2: ';
