/** What the threads that encode features hand to the writer of the database. */
import type { FieldType } from '@geomill/core/columns/schema.ts';
import type { EncodedRecords } from './encoded-records.ts';
import type { FidCandidates } from './fids.ts';

export interface GpkgChunk extends EncodedRecords {
  readonly rowCount: number;
  /** False: the records have no value for it. */
  readonly hasGeometry: boolean;
  /** The columns of the records after the key, and after the geometry; the texts of `ids`, if there are any, are one more. */
  readonly columns: readonly ChunkColumn[];
  readonly ids: FidCandidates | null;
  /** The records are not what SQLite would store: it makes numbers of some texts. */
  readonly hasNumericTexts: boolean;
}

export interface ChunkColumn {
  readonly type: FieldType;
  /** Every byte of a text column is below 0x80, so that byte offsets are character offsets. */
  readonly isAscii: boolean;
}
