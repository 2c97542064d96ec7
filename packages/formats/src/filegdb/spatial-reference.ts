/** The CRS of a feature class: codes in its description, or the WKT in its table. */
import type { CrsText } from '@geomill/core/crs/crs.ts';
import type { ElementJson } from '@geomill/core/text/xml-elements.ts';
import { elementAt, textAt } from './definition.ts';

export interface LayerCrs {
  readonly crs: CrsText | null;
  readonly missingReason: string;
  /** In full. */
  readonly definitions: readonly CrsText[];
}

/** EPSG has no larger code; Esri has no smaller one of its own. */
const GREATEST_EPSG = 32_767;
/** Codes of Web Mercator before EPSG had one. */
const WEB_MERCATOR: ReadonlySet<number> = new Set([102_100, 102_113]);
const WEB_MERCATOR_EPSG = 'EPSG:3857';

/** `dataset`: the description of the feature dataset that the class is in, whose CRS all its classes have; null: it is in none. */
export function crsOf(own: ElementJson | null, dataset: ElementJson | null, tableWkt: string): LayerCrs {
  const references = [dataset, own].flatMap((content) =>
    content === null ? [] : [elementAt(content, 'SpatialReference')],
  );
  const definitions = [...references.map((found) => (found === null ? '' : textAt(found, 'WKT'))), tableWkt]
    .map((text) => text.trim())
    .filter(isWkt);
  for (const reference of references) {
    const code = reference === null ? null : codeOf(reference);
    if (code !== null) return { crs: code, missingReason: '', definitions: [...new Set(definitions)] };
  }
  const [crs] = definitions;
  if (crs !== undefined) return { crs, missingReason: '', definitions: [] };
  return { crs: null, missingReason: 'the geodatabase states that it is unknown', definitions: [] };
}

/** A CRS that is not known is stored as a GUID. */
function isWkt(text: string): boolean {
  return /^[A-Z_0-9]+\s*\[/i.test(text) && !/^LOCAL_CS/i.test(text);
}

function codeOf(reference: ElementJson): CrsText | null {
  const horizontal = numberAt(reference, 'LatestWKID') ?? numberAt(reference, 'WKID');
  if (horizontal === null) return null;
  if (WEB_MERCATOR.has(horizontal)) return WEB_MERCATOR_EPSG;
  return authorityCode(horizontal);
}

function authorityCode(code: number): string {
  return code <= GREATEST_EPSG ? `EPSG:${code}` : `ESRI:${code}`;
}

function numberAt(content: ElementJson, name: string): number | null {
  const text = textAt(content, name);
  return /^\d{1,9}$/.test(text) && Number(text) > 0 ? Number(text) : null;
}
