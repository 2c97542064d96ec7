/**
 * Reads one GeoJSON geometry (RFC 7946) from a text into a GeometryBuilder: for texts that are values of a table. GeoJSON
 * files have a reader of their own, which creates no objects.
 */
import { failure, type GeomillError } from '../messages/errors.ts';
import { generalErrors } from '../messages/general-errors.ts';
import {
  GEOMETRY_TYPE,
  GEOMETRY_TYPE_NAMES,
  type GeometryBuilder,
  PART_KIND,
  PART_MULTI_FIRST,
  PART_MULTI_NEXT,
} from './geometry-column.ts';
import { GEOMETRY_NOTE } from './geometry-notes.ts';
import { closeRing } from './rings.ts';

const MAX_DEPTH = 32;

type Members = Readonly<Record<string, unknown>>;

/** Reads one geometry per call; reuse one instance. */
export class GeoJsonGeometryReader {
  /** EPSG code of the geometry's crs member, as PostGIS writes it; 0 if it has none. */
  srid = 0;
  /** Bits of GEOMETRY_NOTE for the last geometry. */
  notes = 0;
  #builder!: GeometryBuilder;

  /**
   * Appends the parts of the geometry; returns its GEOMETRY_TYPE, for the builder's `endFeature`. Throws WKT_SYNTAX;
   * then call the builder's `rollback()`.
   */
  readParts(text: string, builder: GeometryBuilder): number {
    this.srid = 0;
    this.notes = 0;
    this.#builder = builder;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      throw fault(`this is not valid JSON (${(error as Error).message.slice(0, 80)})`);
    }
    const members = membersOf(value);
    this.srid = sridOf(members);
    return this.#geometry(members, 0);
  }

  #geometry(members: Members, depth: number): number {
    const type = GEOMETRY_TYPE_NAMES.indexOf(members.type as (typeof GEOMETRY_TYPE_NAMES)[number]);
    if (type < 1)
      throw fault(
        members.type === 'Feature'
          ? 'a geometry is expected, found a Feature'
          : "'type' is not a geometry type",
      );
    const isMember = depth > 0;
    if (type === GEOMETRY_TYPE.geometryCollection) {
      if (depth > MAX_DEPTH) throw fault(`collections are nested deeper than ${MAX_DEPTH} levels`);
      if (isMember) this.notes |= GEOMETRY_NOTE.flattened;
      for (const member of arrayOf(members.geometries, "'geometries'"))
        this.#geometry(membersOf(member), depth + 1);
      return type;
    }
    const coordinates = arrayOf(members.coordinates, "'coordinates'");
    const isMulti = type >= GEOMETRY_TYPE.multiPoint;
    const kind = isMulti ? type - 3 : type;
    if (!isMulti) {
      if (!this.#part(coordinates, kind, 0) && isMember) this.#builder.endPart(kind);
      return type;
    }
    let parts = 0;
    for (const part of coordinates) {
      const mark = !isMember ? 0 : parts === 0 ? PART_MULTI_FIRST : PART_MULTI_NEXT;
      if (this.#part(arrayOf(part, 'a member'), kind, mark)) parts++;
      else this.notes |= GEOMETRY_NOTE.emptyMember;
    }
    if (parts === 0 && isMember) this.#builder.endPart(kind | PART_MULTI_FIRST);
    return type;
  }

  /** Returns false if the part is empty, and appends nothing. */
  #part(coordinates: readonly unknown[], kind: number, mark: number): boolean {
    const builder = this.#builder;
    if (coordinates.length === 0) return false;
    if (kind === PART_KIND.point) {
      this.#position(coordinates);
      builder.endRing();
    } else if (kind === PART_KIND.line) {
      for (const position of coordinates) this.#position(arrayOf(position, 'a position'));
      if (coordinates.length === 1) this.notes |= GEOMETRY_NOTE.degenerate;
      builder.endRing();
    } else if (!this.#rings(coordinates)) return false;
    builder.endPart(kind | mark);
    return true;
  }

  #rings(rings: readonly unknown[]): boolean {
    const builder = this.#builder;
    const firstRing = builder.ringCount;
    for (const ring of rings) {
      const positions = arrayOf(ring, 'a ring');
      if (positions.length === 0) {
        this.notes |= GEOMETRY_NOTE.emptyMember;
        continue;
      }
      const first = builder.positionCount;
      for (const position of positions) this.#position(arrayOf(position, 'a position'));
      if (closeRing(builder, first)) this.notes |= GEOMETRY_NOTE.ringClosed;
      if (builder.positionCount - first < 4) this.notes |= GEOMETRY_NOTE.degenerate;
      builder.endRing();
    }
    return builder.ringCount > firstRing;
  }

  #position(position: readonly unknown[]): void {
    const [x, y, z] = position;
    if (position.length < 2 || position.length > 3 || !isNumber(x) || !isNumber(y))
      throw fault('a position is two or three numbers');
    if (position.length === 2) {
      this.#builder.position(x, y);
      return;
    }
    if (!isNumber(z)) throw fault('a position is two or three numbers');
    this.#builder.widen('XYZ');
    this.#builder.position(x, y, z);
  }
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function membersOf(value: unknown): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw fault('a geometry is a JSON object');
  return value as Members;
}

function arrayOf(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw fault(`${what} must be an array`);
  return value;
}

/** {"crs": {"type": "name", "properties": {"name": "EPSG:25832"}}} */
function sridOf({ crs }: Members): number {
  const name = /"name":"(?:EPSG:|urn:ogc:def:crs:EPSG:[\d.]*:)(\d{1,6})"/.exec(
    crs === undefined ? '' : JSON.stringify(crs).slice(0, 400),
  );
  return name === null ? 0 : Number(name[1]);
}

function fault(reason: string): GeomillError {
  return failure(generalErrors.WKT_SYNTAX, { offset: 0, reason });
}
