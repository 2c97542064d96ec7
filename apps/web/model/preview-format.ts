/** The format that the map draws, so that the service is asked for previews in it. */
export const DRAWN_FORMAT = 'geojson';
/** The format that the map draws as tiles. */
export const TILES_FORMAT = 'pmtiles';
