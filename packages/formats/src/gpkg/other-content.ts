/** Content of a GeoPackage beyond the features of its layers, which a file made of these features does not have. */
import { UntrustedDatabase } from '@geomill/sqlite/untrusted-database.ts';
import type { InputFile } from '../reader.ts';
import { folded } from './names.ts';

/** Tables that the standard, its extensions for layers, GDAL and SQLite make: they describe layers. */
const DESCRIPTIVE =
  /^(?:sqlite_|rtree_|gpkg_(?:contents|spatial_ref_sys|geometry_columns|extensions|ogr_contents|tile_matrix(?:_set)?|data_columns|data_column_constraints|metadata|metadata_reference)$|ogr_empty_table$)/;
/** Triggers that every writer makes for its layers. */
const USUAL_TRIGGERS = /^(?:rtree_|gpkg_|trigger_(?:insert|delete)_feature_count_|fgti_|fgtd_)/;

const UNIQUE_INDEX = /^create\s+unique\s+index\b[^,]*$/i;

/** Names with what they are: "table 'lookup'", "trigger 'log'". `layers`: those whose features are kept. */
export function otherContent({ path, name }: InputFile, layers: readonly string[]): readonly string[] {
  const kept = new Set(layers.map(folded));
  const database = new UntrustedDatabase(path, { source: name, mappedBytes: 0 });
  try {
    const entries = database
      .rows('sqlite_schema', 'SELECT type, name, sql, tbl_name FROM sqlite_schema')
      .filter(([type, entry, sql, table]) => {
        const key = folded(String(entry));
        if (type === 'trigger') return !USUAL_TRIGGERS.test(key);
        // Of one column, it is a fact of a field.
        const isUnique = UNIQUE_INDEX.test(String(sql)) && kept.has(folded(String(table)));
        if (type === 'index') return sql !== null && !isUnique;
        return !kept.has(key) && !DESCRIPTIVE.test(key);
      })
      .map(([type, entry]) => `${String(type)} '${String(entry)}'`);
    const hasMetadata =
      database.rows('sqlite_schema', "SELECT 1 FROM sqlite_schema WHERE lower(name) = 'gpkg_metadata'")
        .length > 0 && database.rows('gpkg_metadata', 'SELECT 1 FROM gpkg_metadata LIMIT 1').length > 0;
    return hasMetadata ? [...entries, 'metadata'] : entries;
  } finally {
    database.close();
  }
}
