/**
 * Segments of `curvePaths` and `curveRings` (Esri geometry objects), appended as straight steps:
 *
 *     { "c": [end, interior] }                                                  circular arc
 *     { "a": [end, centre, isMinor, isClockwise, rotation, semiMajor, ratio] }  elliptic arc; of a circle without the last three
 *     { "b": [end, control, control] }                                          cubic Bezier curve
 */
import { ArcStroker } from '@geomill/core/geometry/arc.ts';
import { appendBezier, appendEllipticArc } from '@geomill/core/geometry/curve-segments.ts';
import type { GeometryBuilder } from '@geomill/core/geometry/geometry-column.ts';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from '@geomill/core/text/ascii.ts';
import type { JsonScanner } from '@geomill/core/text/json-scanner.ts';
import type { EsriPositions } from './positions.ts';

/** Numbers of a segment beyond its positions that are read. */
const MAX_NUMBERS = 5;

export class CurveParser {
  readonly #scanner: JsonScanner;
  readonly #builder: GeometryBuilder;
  readonly #positions: EsriPositions;
  readonly #arcs = new ArcStroker();
  readonly #numbers: number[] = [];

  constructor(scanner: JsonScanner, builder: GeometryBuilder, positions: EsriPositions) {
    this.#scanner = scanner;
    this.#builder = builder;
    this.#positions = positions;
  }

  /** Parses an array of positions and segments; returns the offset after it. `hasCurves`: one of them is not straight. */
  hasCurves = false;

  list(at: number): number {
    const scanner = this.#scanner;
    const { bytes } = scanner;
    if (bytes[at] !== OPEN_BRACKET) throw this.#positions.noArray(at, 'positions and curves');
    at = scanner.space(at + 1);
    const first = this.#builder.positionCount;
    while (bytes[at] !== CLOSE_BRACKET) {
      if (bytes[at] !== OPEN_BRACE) at = this.#positions.single(at);
      else if (this.#builder.positionCount === first)
        throw scanner.fault(at, 'a curve needs a position before it, its start', 'structure');
      else at = this.#segment(at);
      at = scanner.space(at);
      if (bytes[at] === CLOSE_BRACKET) break;
      at = scanner.punctuation(at, COMMA);
    }
    return at + 1;
  }

  #segment(start: number): number {
    const scanner = this.#scanner;
    const { bytes } = scanner;
    const keyAt = scanner.space(start + 1);
    if (bytes[keyAt] !== QUOTE) throw scanner.unexpected(keyAt, "'a', 'b' or 'c' in double quotes");
    const keyEnd = scanner.string(keyAt);
    const kind = scanner.text(keyAt + 1, Math.min(keyEnd, keyAt + 41));
    if (kind !== 'a' && kind !== 'b' && kind !== 'c')
      throw scanner.fault(keyAt, `'${kind}' is not a curve; known are 'a', 'b' and 'c'`, 'structure');
    const builder = this.#builder;
    const from = builder.positionCount - 1;
    let at = this.#content(scanner.punctuation(keyEnd + 1, COLON));
    const count = builder.positionCount - 1 - from;
    const wanted = kind === 'b' ? 3 : 2;
    if (count !== wanted)
      throw scanner.fault(start, `this curve has ${count} positions but needs ${wanted}`, 'structure');
    at = scanner.space(at);
    if (bytes[at] !== CLOSE_BRACE) throw scanner.unexpected(at, "'}'");
    const { stride } = builder;
    const given = builder.coordinates.slice(from * stride, builder.coordinateLength);
    builder.coordinateLength = (from + 1) * stride;
    if (kind === 'c') this.#circular(given);
    else if (kind === 'a') this.#elliptic(given, start);
    else if (appendBezier(this.#builder, given)) this.hasCurves = true;
    this.#positions.checkCount();
    return at + 1;
  }

  /** Appends the positions of a segment to the builder, and its numbers to #numbers. */
  #content(at: number): number {
    const scanner = this.#scanner;
    const { bytes } = scanner;
    this.#numbers.length = 0;
    if (bytes[at] !== OPEN_BRACKET) throw this.#positions.noArray(at, 'a curve');
    at = scanner.space(at + 1);
    while (bytes[at] !== CLOSE_BRACKET) {
      if (bytes[at] === OPEN_BRACKET) at = this.#positions.single(at);
      else {
        const value = this.#positions.ordinate(at);
        if (this.#numbers.length < MAX_NUMBERS) this.#numbers.push(value);
        at = this.#positions.end;
      }
      at = scanner.space(at);
      if (bytes[at] === CLOSE_BRACKET) break;
      at = scanner.punctuation(at, COMMA);
    }
    return at + 1;
  }

  /** `given`: start, end, interior. */
  #circular(given: Float64Array): void {
    const { stride } = this.#builder;
    const end = given.slice(stride, 2 * stride);
    given.copyWithin(stride, 2 * stride);
    given.set(end, 2 * stride);
    if (this.#arcs.throughThree(this.#builder, given, 0)) this.hasCurves = true;
  }

  /** `given`: start, end, centre. */
  #elliptic(given: Float64Array, at: number): void {
    const { stride } = this.#builder;
    const [isMinor = 0, isClockwise = 0, rotation = 0, , ratio = 1] = this.#numbers;
    if (!(ratio > 0 && Number.isFinite(rotation)))
      throw this.#scanner.fault(at, 'the ratio of the axes of an arc must be larger than 0', 'structure');
    const isCurved = appendEllipticArc(this.#builder, given, {
      centreX: given[2 * stride],
      centreY: given[2 * stride + 1],
      rotation,
      ratio,
      isMinor: isMinor !== 0,
      isClockwise: isClockwise !== 0,
    });
    if (isCurved) this.hasCurves = true;
  }
}
