/** Looks at all features of a document that may be JSON-FG, before its layers are known. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { OPEN_BRACE } from '@geomill/core/text/ascii.ts';
import type { JsonScanner } from '@geomill/core/text/json-scanner.ts';
import { noFeature } from '../feature-faults.ts';
import type { TextParser } from '../text-parser.ts';
import { declaresJsonFg } from './members.ts';
import { type CollectionContext, FeatureOutline, findTimeProperties, NO_CONTEXT } from './outline.ts';
import { type FeatureKind, featureKey } from './state.ts';

/** Kinds of features cost memory each, and each layer is read on its own. */
const MAX_KINDS = 500;

/** The first and the last partition with features of a kind. */
export interface KindRange {
  readonly kind: FeatureKind;
  first: number;
  last: number;
}

/** Kinds of features by `featureKey`, in the order in which they come. */
export type Kinds = ReadonlyMap<string, KindRange>;

/** What the parts of a document say, one after another. */
export class Survey {
  /** Where `place` is the geometry of features with both, and where `geometry` is. */
  readonly kinds = { place: new Map<string, KindRange>(), geometry: new Map<string, KindRange>() };
  /** Names of the fields of `time` that are properties. */
  readonly timeProperties = new Set<string>();
  /** A member of a feature or of a collection in a sequence says that the document is JSON-FG. */
  isDeclared = false;
  statesCrs = false;
  /** A feature has its geometry only in `place`, or one of a type that GeoJSON does not have. */
  hasExtendedGeometry = false;
  /** Number of the partition that is being read. */
  partition = 0;

  add(outline: FeatureOutline): void {
    this.#count(this.kinds.place, outline.kind(true));
    this.#count(this.kinds.geometry, outline.kind(false));
    if (outline.statesCrs) this.statesCrs = true;
    const isExtended = outline.geometryForm === 'extended' || outline.placeForm === 'extended';
    if (isExtended || outline.source(false) === 'place') this.hasExtendedGeometry = true;
    if (declaresJsonFg(outline.members.text('conformsTo'))) this.isDeclared = true;
  }

  addContext({ crs, isDeclared }: CollectionContext): void {
    if (crs !== null) this.statesCrs = true;
    if (isDeclared) this.isDeclared = true;
  }

  #count(kinds: Map<string, KindRange>, kind: FeatureKind): void {
    const key = featureKey(kind);
    const known = kinds.get(key);
    if (known !== undefined) known.last = this.partition;
    else if (kinds.size < MAX_KINDS) kinds.set(key, { kind, first: this.partition, last: this.partition });
    else
      throw failure(generalErrors.LIMIT_EXCEEDED, {
        what: 'the number of feature types and coordinate reference systems of a JSON-FG document',
        actual: `more than ${MAX_KINDS}`,
        limit: MAX_KINDS,
        setting: 'a fixed limit',
      });
  }
}

/** In place of the parser of features. */
export class SurveyParser implements TextParser {
  readonly readsExtendedTypes = true;
  rowCount = 0;
  readonly #scanner: JsonScanner;
  readonly #survey: Survey;
  readonly #outline: FeatureOutline;

  constructor(scanner: JsonScanner, survey: Survey) {
    this.#scanner = scanner;
    this.#survey = survey;
    this.#outline = new FeatureOutline(scanner);
  }

  rollback(): void {
    // A feature is added only when its end was found.
  }

  beginCollection(context: CollectionContext): void {
    this.#outline.context = context;
    this.#survey.addContext(context);
  }

  endCollection(): void {
    this.#outline.context = NO_CONTEXT;
  }

  feature(at: number, depth: number): number {
    const scanner = this.#scanner;
    if (scanner.bytes[at] !== OPEN_BRACE) throw noFeature(scanner, at);
    const end = this.#outline.feature(at, depth);
    this.#survey.add(this.#outline);
    findTimeProperties(scanner, this.#outline.members.at('properties'), this.#survey.timeProperties);
    this.rowCount++;
    return end;
  }

  bareGeometry(at: number): number {
    const end = this.#outline.bareGeometry(at);
    this.#survey.add(this.#outline);
    this.rowCount++;
    return end;
  }
}
