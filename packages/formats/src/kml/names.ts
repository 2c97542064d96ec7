/** Names of elements, and which of them are elements of KML. */
import { NameTable } from '@geomill/core/text/xml-names.ts';
import type { XmlScanner } from '@geomill/core/text/xml-scanner.ts';

const NAMES = [
  'kml',
  'Document',
  'Folder',
  'Placemark',
  'GroundOverlay',
  'NetworkLink',
  'NetworkLinkControl',
  'Schema',
  'SimpleField',
  'SimpleArrayField',
  'Style',
  'StyleMap',
  'CascadingStyle',
  'Pair',
  'key',
  'styleUrl',
  'IconStyle',
  'LineStyle',
  'PolyStyle',
  'LabelStyle',
  'BalloonStyle',
  'ListStyle',
  'color',
  'fill',
  'Icon',
  'href',
  'Link',
  'Url',
  'name',
  'description',
  'Snippet',
  'snippet',
  'address',
  'phoneNumber',
  'visibility',
  'open',
  'LookAt',
  'Camera',
  'Region',
  'TimeStamp',
  'TimeSpan',
  'when',
  'begin',
  'end',
  'ExtendedData',
  'Metadata',
  'Data',
  'displayName',
  'value',
  'SchemaData',
  'SimpleData',
  'SimpleArrayData',
  'Point',
  'LineString',
  'LinearRing',
  'Polygon',
  'MultiGeometry',
  'MultiPoint',
  'MultiLineString',
  'MultiPolygon',
  'Track',
  'MultiTrack',
  'Model',
  'Location',
  'longitude',
  'latitude',
  'coord',
  'coordinates',
  'outerBoundaryIs',
  'innerBoundaryIs',
  'altitudeMode',
  'altitude',
  'tessellate',
  'extrude',
  'interpolate',
  'drawOrder',
  'balloonVisibility',
  'LatLonBox',
  'LatLonQuad',
  'north',
  'south',
  'east',
  'west',
  'rotation',
] as const;

export type KmlName = (typeof NAMES)[number];

const table = new NameTable(NAMES);

/** Prefixes that are used for KML and for its extension by Google, whatever the root element has. */
const PREFIXES = ['kml', 'gx'].map((prefix) => new TextEncoder().encode(prefix));

/** Features: the elements that become one. */
export type FeatureName = 'Placemark' | 'GroundOverlay';

export function isFeatureName(name: KmlName | null): name is FeatureName {
  return name === 'Placemark' || name === 'GroundOverlay';
}

/** The name of the last tag if it is one of KML; null: another element, or one of another namespace. */
export function kmlName(scanner: XmlScanner, rootPrefix: Uint8Array): KmlName | null {
  const { repeated } = scanner;
  if (repeated === null) return findName(scanner, rootPrefix);
  if (repeated.name === undefined) repeated.name = findName(scanner, rootPrefix);
  return repeated.name as KmlName | null;
}

function findName(scanner: XmlScanner, rootPrefix: Uint8Array): KmlName | null {
  const { prefixStart, nameStart } = scanner;
  if (prefixStart !== nameStart) {
    const end = nameStart - 1;
    if (
      !scanner.equals(prefixStart, end, rootPrefix) &&
      !PREFIXES.some((one) => scanner.equals(prefixStart, end, one))
    )
      return null;
  }
  return table.find(scanner);
}
