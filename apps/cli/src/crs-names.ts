/** Names of coordinate reference systems where a code is expected: "WGS84", "UTM 32N". */
import { GeomillError } from '@geomill/core/messages/errors.ts';
import { textOf } from '@geomill/core/messages/message.ts';
import { FLAG_FORM } from './wording.ts';

const MAX_SUGGESTED = 3;
/** Words for "no CRS" are also the beginning of place names. */
const NO_NAME = /^(?:none|null|nil|no|unknown|undefined)$/i;
/** What a name consists of; definitions have brackets, and codes have been looked up already. */
const NAME = /^[\p{L}\d][\p{L}\d\s/().,+-]*$/u;

/** A CRS_UNKNOWN error with suggestions if its text is the name of known systems; any other error as it is. */
export async function withNamedSystems(error: GeomillError): Promise<GeomillError> {
  if (error.code !== 'CRS_UNKNOWN') return error;
  const name = textOf(error.params.definition, FLAG_FORM).trim();
  if (NO_NAME.test(name) || !NAME.test(name)) return error;
  const { CrsSearch } = await import('@geomill/crs-search/crs-search.ts');
  const hits = new CrsSearch().search(name, MAX_SUGGESTED);
  const suggestions = hits.map((hit) => `${hit.code} ${hit.name}`).join('\n');
  return new GeomillError(error.entry, { ...error.params, suggestions }, error.location, error.cause);
}
