import { errorTable, user } from '@geomill/core/messages/catalogue-entries.ts';

export const kmlErrors = errorTable({
  KML_ONLY_LINKS: user(
    400,
    '{source} has no features, only {count|network link|network links} to files that are not in it and are not fetched: {links}; download these and convert them',
  ),
  KMZ_NO_KML: user(400, '{source} is a KMZ without a .kml file; it contains {found}'),
  KMZ_TOO_LARGE: user(400, 'the document of a KMZ has at most 4 GiB; write a .kml, or split the data'),
});
