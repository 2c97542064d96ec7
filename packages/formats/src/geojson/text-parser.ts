/** What reads the features of a file, one after another: those of a layer, or only what they have. */
import type { FeatureBatch } from '@geomill/core/columns/feature-batch.ts';
import type { Field } from '@geomill/core/columns/schema.ts';
import type { CollectionContext } from './json-fg/outline.ts';

export interface TextParser {
  readonly rowCount: number;
  /** Types of geometry that only JSON-FG has are read. */
  readonly readsExtendedTypes: boolean;
  /** Discards a feature whose end was not in the window. */
  rollback(): void;
  /** Reads the Feature object at `at`, inside of `depth` open arrays and objects; returns the offset after it. */
  feature(at: number, depth: number): number;
  /** Reads a geometry outside of a feature. */
  bareGeometry(at: number): number;
  /** The features up to `endCollection` are in a collection that is not the root. Default: it does not matter. */
  beginCollection?(context: CollectionContext): void;
  endCollection?(): void;
}

/** One that makes a batch of them. */
export interface BatchParser extends TextParser {
  /** The rows so far, with their own fields or with the given ones. */
  finish(fields: readonly Field[] | null): FeatureBatch;
}
