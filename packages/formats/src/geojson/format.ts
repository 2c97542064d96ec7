/** GeoJSON: the facts that need no codec. */

import { digitOptions } from '../digit-options.ts';
import { domainOptions } from '../domain-options.ts';
import type { Format } from '../format.ts';
import { sidecarOptions } from '../sidecar-options.ts';
import { geojsonErrors, geojsonFindings } from './messages.ts';

export const geojson: Format = {
  id: 'geojson',
  name: 'GeoJSON',
  title: 'GeoJSON (RFC 7946), newline-delimited GeoJSON, GeoJSON text sequences, JSON-FG',
  summary: 'RFC 7946, newline-delimited GeoJSON, RFC 8142 sequences and JSON-FG',
  aliases: ['geojsonl', 'ndjson', 'geojsons', 'geojsonseq', 'jsonfg'],
  extensions: ['.geojson', '.json', '.geojsonl', '.geojsons', '.ndjson', '.jsonl', '.ndgeojson', '.fgjson'],
  signatures: [{ found: 'GeoJSON', pattern: /^\s*\{.*?"type"\s*:\s*"(?:Feature|FeatureCollection)"/s }],
  // A sequence can end after any of its features, and its texts are features. A collection ends with its bracket.
  endMark: /^\s*\{.*?(?:"FeatureCollection"|"features"\s*:\s*\[)/s,
  sample: 'harbour.geojson',
  jsonSchema: 'FeatureCollection',
  isWarmedUp: true,
  mediaType: 'application/geo+json',
  outputExtension: '.geojson',
  outputVariants: [
    {
      title: 'GeoJSON sequence',
      names: ['geojsonl', 'ndjson'],
      extensions: ['.geojsonl', '.ndjson', '.jsonl', '.ndgeojson'],
      mediaType: 'application/x-ndjson',
      option: 'sequence',
      values: ['lines', true],
    },
    {
      title: 'GeoJSON sequence',
      names: ['geojsons', 'geojsonseq'],
      extensions: ['.geojsons'],
      mediaType: 'application/geo+json-seq',
      option: 'sequence',
      values: ['rs'],
    },
    {
      title: 'JSON-FG',
      names: ['jsonfg'],
      extensions: ['.fgjson'],
      // The standard has no media type of its own: the member conformsTo tells the documents apart.
      mediaType: 'application/geo+json',
      option: 'geojson_crs',
      values: ['jsonfg'],
    },
  ],
  inputCrs: 'fixed',
  fixedOutputCrs: { crs: 'EPSG:4326', unless: 'geojson_crs' },
  outputLayers: 'one',
  parts: 'files',
  isReadInParts: true,
  isWrittenInParts: true,
  holdsIds: true,
  outputFields: 'with features',
  mixedValues: 'kept',
  errors: geojsonErrors,
  findings: geojsonFindings,
  readOptions: { type: 'object', properties: {} },
  writeOptions: {
    type: 'object',
    properties: {
      ...domainOptions,
      ...sidecarOptions,
      ...digitOptions,
      bbox: {
        type: 'boolean',
        default: false,
        description: 'Write the bounding box of the collection (RFC 7946 section 5).',
      },
      sequence: {
        type: ['boolean', 'string'],
        enum: [false, true, 'lines', 'rs'],
        default: false,
        description:
          'false: one FeatureCollection. true or lines: one feature per line (newline-delimited GeoJSON). rs: the same with a record separator before each feature (RFC 8142).',
      },
      geojson_crs: {
        enum: ['wgs84', 'requested', 'jsonfg'],
        default: 'wgs84',
        description:
          'wgs84: always EPSG:4326 (RFC 7946). requested: the requested CRS with a crs member (GeoJSON 2008). jsonfg: the requested CRS as JSON-FG (OGC 21-045r1), with the geometry in place.',
      },
    },
  },
  loadReader: async () => (await import('./read.ts')).reader,
  loadWriter: async () => (await import('./write.ts')).writer,
};
