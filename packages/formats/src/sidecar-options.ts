/** The write option for a sidecar. Without imports, because the catalogue of errors has the formats. */

/** The end of the name of a sidecar. */
export const SIDECAR_EXTENSION = '.geomill.json';

export const sidecarOptions = {
  sidecar: {
    type: 'boolean',
    default: false,
    description:
      'Keep what the format cannot hold (names, types, domains and other facts of fields, values, ids, CRS, name of the layer) in NAME.geomill.json: a member of a zip archive, or a file beside the output. geomill restores it when it reads the file again.',
  },
} as const;
