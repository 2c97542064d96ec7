/** What a JSON-FG document says before its features, and each feature of itself. Plain data: threads get it. */
import { isNorthBeforeEast } from '@geomill/core/crs/axis-order.ts';
import type { Findings } from '@geomill/core/messages/findings.ts';
import { formatFindings } from '../../findings.ts';
import type { OutputLayer } from '../../writer.ts';
import { coordRefSys } from './crs-reference.ts';

/** Conformance classes: what the members of a document may be. Arcs and solids are not written. */
const CLASSES = ['core', 'types-schemas', 'measures'].map(
  (name) => `"http://www.opengis.net/spec/json-fg-1/1.0/conf/${name}"`,
);
const CONFORMS_TO = `"conformsTo":[${CLASSES.join(',')}]`;
/** A CRS that has no name and no definition: readers must not take the positions for degrees. */
const UNKNOWN_CRS = '"http://www.opengis.net/def/nil/OGC/0/unknown"';

export interface JsonFgWriting {
  /** Members of the collection before its features. */
  readonly collectionMembers: string;
  /** Members of each feature after its type; each ends with a comma. */
  readonly featureMembers: string;
  /** Geometries are longitude and latitude of WGS 84, and so are in `geometry`. */
  readonly isWgs84: boolean;
  /** North comes before east in the CRS, so y is written first. */
  readonly isSwapped: boolean;
}

interface DocumentForm {
  readonly isWgs84: boolean;
  /** Each feature is a document. */
  readonly isSequence: boolean;
  /** All features of the document are of this layer. */
  readonly isAlone: boolean;
}

export function jsonFgWriting(
  { name, crs }: Pick<OutputLayer, 'name' | 'crs'>,
  { isWgs84, isSequence, isAlone }: DocumentForm,
  findings: Findings,
): JsonFgWriting {
  const type = `"featureType":${JSON.stringify(name)}`;
  const reference = isWgs84 ? null : coordRefSys(crs);
  if (!isWgs84 && reference === null)
    findings.note(formatFindings.CRS_NOT_WRITTEN, { crs: crs.name, reason: 'JSON-FG has no form for it' });
  const system = isWgs84 ? [] : [`"coordRefSys":${reference ?? UNKNOWN_CRS}`];
  const ofCollection = [CONFORMS_TO, ...(isAlone ? [type] : []), ...system];
  const ofFeature = isSequence ? [CONFORMS_TO, type, ...system] : isAlone ? [] : [type];
  return {
    collectionMembers: ofCollection.join(','),
    featureMembers: ofFeature.map((member) => `${member},`).join(''),
    isWgs84,
    isSwapped: !isWgs84 && isNorthBeforeEast(crs),
  };
}
