/** EsriJSON: the facts that need no codec. */

import { digitOptions } from '../digit-options.ts';
import { domainOptions } from '../domain-options.ts';
import type { Format } from '../format.ts';
import { sidecarOptions } from '../sidecar-options.ts';
import { esrijsonErrors, esrijsonFindings } from './messages.ts';

export const esrijson: Format = {
  id: 'esrijson',
  name: 'EsriJSON',
  title: 'EsriJSON: feature sets and feature collections of ArcGIS',
  summary: 'feature sets and collections of ArcGIS: declared fields, domains, true curves',
  aliases: ['esri-json', 'arcgisjson'],
  extensions: ['.esrijson'],
  sharedExtensions: ['.json'],
  signatures: [
    {
      found: 'Esri JSON',
      pattern:
        /^\s*\{(?!.*?"type"\s*:\s*"(?:Feature|FeatureCollection|Topology)").*?"(?:geometryType|spatialReference|attributes|fieldAliases|objectIdFieldName|layerDefinition|featureSet|curvePaths|curveRings|rings|paths)"\s*:/s,
    },
  ],
  endMark: true,
  sample: 'harbour.esrijson',
  jsonSchema: null,
  isWarmedUp: false,
  mediaType: 'application/vnd.esri+json',
  outputExtension: '.esrijson',
  inputCrs: 'file',
  outputLayers: 'many',
  parts: 'layers',
  holdsIds: false,
  outputFields: 'declared',
  heldFacts: ['alias', 'width', 'notNull', 'default', 'domain'],
  heldDomains: ['coded', 'range'],
  heldDefaults: ['value'],
  mixedValues: 'text',
  errors: esrijsonErrors,
  findings: esrijsonFindings,
  layerService: 'arcgis',
  readOptions: {
    type: 'object',
    properties: {
      coded_values: {
        enum: ['codes', 'names'],
        default: 'codes',
        description:
          'Values of fields with a domain of coded values: the codes, as the file has them, or the names of the domain.',
      },
    },
    additionalProperties: false,
  },
  writeOptions: {
    type: 'object',
    properties: {
      ...domainOptions,
      ...sidecarOptions,
      ...digitOptions,
      object_ids: {
        enum: ['add', 'keep'],
        default: 'add',
        description:
          'add: a layer without a field of object ids (an integer field objectid, oid or fid without nulls) gets the field OBJECTID with the numbers of its features. keep: no field is added.',
      },
    },
    additionalProperties: false,
  },
  loadReader: async () => (await import('./read.ts')).reader,
  loadWriter: async () => (await import('./write.ts')).writer,
};
