/** Findings that several modules raise. */
import { changed, findingTable, info, lost, repaired, split } from './catalogue-entries.ts';

export const generalFindings = findingTable({
  ANTIMERIDIAN_CUT: split(
    'geometries that cross the antimeridian were cut at 180 degrees (RFC 7946 3.1.9)',
    'feature',
  ),
  ANTIMERIDIAN_UNCUT: lost(
    'geometries cross the antimeridian but were not cut: their rings cross one another at 180 degrees, are not closed, or go around the Earth more than once; other programs draw them across the whole map',
    'feature',
  ),
  POLE_CLOSED: changed(
    'areas around a pole were closed along it: their outline follows 180 degrees to the pole',
    'feature',
  ),
  LONGITUDE_MOVED: info('longitudes beyond 180 degrees were moved into range by whole turns', 'feature'),
  Z_DROPPED: lost('Z values were dropped: {format} does not keep them', 'feature'),
  M_DROPPED: lost('M values were dropped: {format} does not keep them', 'feature'),
  RING_CLOSED: repaired('rings whose last position differed from the first were closed', 'feature'),
  COLLECTION_FLATTENED: changed('nested geometry collections were flattened to one level', 'feature'),
  SURFACE_TO_POLYGONS: changed('polyhedral surfaces, TINs and triangles were read as polygons', 'feature'),
  CURVES_STROKED: changed(
    'curves were read as lines of straight segments, each turning by at most 4 degrees',
    'feature',
  ),
  CURVE_GAP_BRIDGED: repaired(
    'members of compound curves that do not touch were joined by straight lines',
    'feature',
  ),
  VERTEX_COUNT_DIFFERS: info(
    'polylines with a wrong vertex count were read with the vertices that they have',
    'feature',
  ),
  EMPTY_MEMBER_DROPPED: changed('empty rings and empty members of multi geometries were dropped', 'feature'),
  GEOMETRY_DEGENERATE: info(
    'geometries with too few positions for their type were kept unchanged',
    'feature',
  ),
  FIELD_WIDENED: changed(
    "field '{field}' is declared as {declared} but has other values; it was read as {type}",
    'value',
  ),
  NAME_DUPLICATE: changed("field name '{from}' occurs more than once; the later field is named '{to}'"),
});
