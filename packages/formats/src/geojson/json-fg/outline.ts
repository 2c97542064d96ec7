/** What a JSON-FG feature has, without its values: the layer that it belongs to depends on that. */
import { OPEN_BRACE } from '@geomill/core/text/ascii.ts';
import type { JsonScanner } from '@geomill/core/text/json-scanner.ts';
import { noFeatureType, otherFeatureType } from '../feature-faults.ts';
import {
  declaresJsonFg,
  eachMember,
  featureTypeName,
  type GeometryForm,
  geometryForm,
  measuresEnabled,
  ObjectMembers,
} from './members.ts';
import type { FeatureKind, GeometrySource } from './state.ts';

const encoder = new TextEncoder();
const FEATURE = encoder.encode('Feature');

/** What a collection that is not the root says of its features, as JSON texts. */
export interface CollectionContext {
  readonly crs: string | null;
  readonly type: string | null;
  readonly measures: string | null;
  /** It says that it is JSON-FG. */
  readonly isDeclared: boolean;
}

export const NO_CONTEXT: CollectionContext = { crs: null, type: null, measures: null, isDeclared: false };

/** Reads one feature, or geometry, at a time; reuse one instance. */
export class FeatureOutline {
  readonly members: ObjectMembers;
  placeForm: GeometryForm = 'none';
  geometryForm: GeometryForm = 'none';
  /** Set for features in a collection that is not the root. */
  context: CollectionContext = NO_CONTEXT;
  #placeCrs: string | null = null;
  #placeMeasures: string | null = null;
  readonly #scanner: JsonScanner;
  readonly #geometry: ObjectMembers;

  constructor(scanner: JsonScanner) {
    this.#scanner = scanner;
    this.members = new ObjectMembers(scanner);
    this.#geometry = new ObjectMembers(scanner);
  }

  /** Reads the Feature at `at`; returns the offset after it. Throws JsonFault. */
  feature(at: number, depth: number): number {
    const scanner = this.#scanner;
    const end = this.members.scan(at, depth);
    const typeAt = this.members.anyAt('type');
    if (typeAt < 0) throw noFeatureType(scanner, at);
    if (!scanner.isString(typeAt, FEATURE)) throw otherFeatureType(scanner, typeAt, at);
    this.geometryForm = geometryForm(this.#scanner, this.members.at('geometry'), this.#geometry);
    this.#place(this.members.at('place'));
    return end;
  }

  /** Reads the geometry at `at`, which is a document of its own. */
  bareGeometry(at: number): number {
    const end = this.members.scan(at, 0);
    this.geometryForm = 'none';
    this.#place(at);
    return end;
  }

  /** `prefersPlace`: as in JsonFgState. */
  source(prefersPlace: boolean): GeometrySource {
    const hasPlace = this.placeForm === 'plain' || this.placeForm === 'extended';
    // An object of another form is an error when it is read, as in GeoJSON.
    const hasGeometry = this.members.at('geometry') >= 0;
    if (hasPlace && (prefersPlace || !hasGeometry)) return 'place';
    return hasGeometry ? 'geometry' : 'none';
  }

  kind(prefersPlace: boolean): FeatureKind {
    const source = this.source(prefersPlace);
    const crs = this.#placeCrs ?? this.members.text('coordRefSys') ?? this.context.crs;
    const type = featureTypeName(this.members.text('featureType')) ?? featureTypeName(this.context.type);
    return { type, source, crs: source === 'place' ? crs : null };
  }

  /** Whether a member of it states a CRS. */
  get statesCrs(): boolean {
    return this.#placeCrs !== null || this.members.at('coordRefSys') >= 0;
  }

  measures(rootMeasures: boolean): boolean {
    const own = this.#placeMeasures ?? this.members.text('measures') ?? this.context.measures;
    return measuresEnabled(own) ?? rootMeasures;
  }

  #place(at: number): void {
    const geometry = this.#geometry;
    this.placeForm = geometryForm(this.#scanner, at, geometry);
    this.#placeCrs = null;
    this.#placeMeasures = null;
    if (this.placeForm === 'none') return;
    this.#placeCrs = geometry.text('coordRefSys');
    this.#placeMeasures = geometry.text('measures');
    if (this.#placeCrs === null) this.#placeCrs = this.#crsOfBase(geometry.at('base'));
  }

  /** The base of a prism may state the CRS. */
  #crsOfBase(at: number): string | null {
    if (at < 0 || this.#scanner.bytes[at] !== OPEN_BRACE) return null;
    this.#geometry.scan(at, 2);
    return this.#geometry.text('coordRefSys');
  }
}

/** The members of a collection that is not the root: `at` is that of its bracket. */
export function contextOf(scanner: JsonScanner, at: number): CollectionContext {
  const members = new ObjectMembers(scanner);
  members.scan(at, 0);
  return {
    crs: members.text('coordRefSys'),
    type: members.text('featureType'),
    measures: members.text('measures'),
    isDeclared: declaresJsonFg(members.text('conformsTo')),
  };
}

const TIME_KEYS = ['time', 'time_start', 'time_end'] as const;
const TIME_BYTES = TIME_KEYS.map((key) => encoder.encode(key));

/** Adds to `found` those names of fields for the member `time` that are properties, too. */
export function findTimeProperties(scanner: JsonScanner, at: number, found: Set<string>): void {
  if (at < 0 || scanner.bytes[at] !== OPEN_BRACE || found.size === TIME_KEYS.length) return;
  eachMember(scanner, at, 2, (start, end) => {
    const known = TIME_BYTES.findIndex((key) => scanner.equals(start, end, key));
    if (known >= 0) found.add(TIME_KEYS[known]);
  });
}
