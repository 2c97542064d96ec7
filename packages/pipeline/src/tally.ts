/** Sums the results of the tasks of a layer. */
import { type Field, type MixedType, type OpenType, widenType } from '@geomill/core/columns/schema.ts';
import { type CrsText, epsgCode } from '@geomill/core/crs/crs.ts';
import { failure, type Location } from '@geomill/core/messages/errors.ts';
import { RowTally } from '@geomill/core/messages/finding-rows.ts';
import { type Findings, type FoundFinding, listedRows } from '@geomill/core/messages/findings.ts';
import { field, textOf } from '@geomill/core/messages/message.ts';
import { formatFindings } from '@geomill/formats/findings.ts';
import type { ApproximationCounts } from '@geomill/proj/approximation.ts';
import { combineOperations, type OperationDescription } from '@geomill/proj/operation-description.ts';
import { reprojectionsOf } from './chain.ts';
import type { LayerPlan, ReprojectionLink, SourcePlan } from './conversion-plan.ts';
import { pipelineErrors } from './errors.ts';
import { type LayerLocation, locateAt, type PartitionBase } from './locations.ts';
import { impossiblePosition, type RangeCheck, RangeTally } from './range-tally.ts';
import { reportedFindings } from './report.ts';
import type { ReprojectionCounts, StepOutcome, TaskResult } from './task.ts';

/** Counts and operations of one reprojection of a layer. */
export class ReprojectionTally {
  readonly link: ReprojectionLink;
  rows = 0;
  readonly outside = { either: 0, source: 0, target: 0 };
  readonly approximated = { positions: 0, exactPositions: 0, largestDifferenceMeters: 0 };
  readonly #operations = new Map<string, OperationDescription>();

  constructor(link: ReprojectionLink) {
    this.link = link;
  }

  add({ rows, outside, operations, approximated }: ReprojectionCounts): void {
    this.rows += rows;
    this.outside.either += outside.either;
    this.outside.source += outside.source;
    this.outside.target += outside.target;
    if (approximated !== null) addApproximated(this.approximated, approximated);
    for (const operation of operations) this.#operations.set(JSON.stringify(operation), operation);
  }

  get outsideAreaShare(): number {
    return this.rows === 0 ? 0 : this.outside.either / this.rows;
  }

  /** The operations that were applied; null without positions. */
  get operation(): OperationDescription | null {
    return this.#operations.size === 0 ? null : combineOperations([...this.#operations.values()]);
  }
}

type Writable<Counts> = { -readonly [Key in keyof Counts]: Counts[Key] };

function addApproximated(sum: Writable<ApproximationCounts>, counts: ApproximationCounts): void {
  sum.positions += counts.positions;
  sum.exactPositions += counts.exactPositions;
  sum.largestDifferenceMeters = Math.max(sum.largestDifferenceMeters, counts.largestDifferenceMeters);
}

/** A source: its plan, and names for messages. */
export interface SourceFacts {
  readonly plan: SourcePlan;
  /** Part of all locations: the layer, and the file if there are several. */
  readonly at: LayerLocation;
  /** The source in messages: "layer 'roads'", "layer 'roads' of 'all.gpkg'". */
  readonly label: string;
  /** Whether the request states the CRS of the file. */
  readonly isCrsStated: boolean;
  readonly crsPath: string;
  /** The CRS in a member of the file, if it is another one than that in which the file is read; else null. */
  readonly ignoredCrs: string | null;
}

/** Counts of one source of a layer. */
export class SourceTally {
  readonly facts: SourceFacts;
  readonly #mixed: MixedType;
  readonly #types = new Map<string, OpenType>();
  rowsRead = 0;
  /** Number of input rows of each step of stage 0 so far, and of each reprojection. */
  readonly rowsIn = new Map<number, number>();
  readonly #range: RangeTally;
  #ignoredCrs: string | null;

  constructor(facts: SourceFacts, mixed: MixedType) {
    this.facts = facts;
    this.#mixed = mixed;
    this.#range = new RangeTally(facts.plan.positionRange);
    this.#ignoredCrs = facts.ignoredCrs;
  }

  /** Adds the first reading of a partition. */
  read(result: TaskResult, base: PartitionBase, findings: Findings): void {
    this.rowsRead += result.rowsRead;
    for (const { name, type } of result.fields) {
      this.#types.set(name, widenType(this.#types.get(name) ?? 'null', type, this.#mixed) as OpenType);
    }
    this.#range.add(result.range, base.rows, this.facts.at, this.facts.plan.crs);
    for (const { code, params, places } of result.readFindings) {
      if (code === 'SRID_STATED')
        this.#checkSrid(Number(params.srid), locateAt(places[0] ?? {}, base, this.facts.at));
      if (code === 'CRS_MEMBER_IGNORED') this.#ignoredCrs = textOf(params.crs);
    }
    const { at, isCrsStated, plan } = this.facts;
    const locate = (location: Location): Location => locateAt(location, base, at);
    for (const { field, declared: type, count, locations, rows } of result.misfits) {
      findings.note(
        formatFindings.VALUE_INVALID,
        { field, type },
        locate(locations[0]),
        count,
        new RowTally(),
      );
      if (rows !== undefined)
        findings.addListed(formatFindings.VALUE_INVALID, { field, type }, [
          listedRows(rows, locate, plan.crs),
        ]);
    }
    findings.merge(reportedFindings(result.readFindings, isCrsStated), locate, { crs: plan.crs });
  }

  /** Throws CRS_CONFLICT if EWKT rows state another CRS than the request: a guess could move the data. */
  #checkSrid(srid: number, at: Location): void {
    const { plan, label, crsPath } = this.facts;
    const expected = epsgCode(plan.crs);
    if (srid === 0 || expected === null || expected === srid) return;
    const found = `SRID ${srid}`;
    throw failure(
      pipelineErrors.CRS_CONFLICT,
      { stated: plan.crs, source: label, found, path: field(crsPath) },
      at,
    );
  }

  get fields(): Field[] {
    return [...this.#types].map(([name, type]) => ({ name, type: type === 'null' ? 'string' : type }));
  }

  /**
   * Reports positions that cannot be in their CRS: an error if the file itself states another CRS, or if `refuses` says so, else a
   * warning. It is done at the end because GeoJSON may state its crs after the features.
   */
  checkRange(findings: Findings, refuses: RangeCheck['refuses']): void {
    const { at, isCrsStated, crsPath, label } = this.facts;
    const first = this.#range.firstImpossible;
    if (first !== null && !isCrsStated && this.#ignoredCrs !== null) {
      const reading = `GeoJSON is read as EPSG:4326, and its crs member '${this.#ignoredCrs}' is ignored`;
      throw impossiblePosition(first, at, reading, crsPath);
    }
    this.#range.note(findings, this.rowsRead, at, { refuses, crsPath, label });
  }
}

/**
 * Counts of one step of a layer: rowsIn = rowsOut + dropped + missing - generated. Features that are missing from the
 * result without a finding are those that a streaming step does not select, or that a collecting step merges.
 */
export class StepTally {
  rowsIn = 0;
  rowsOut = 0;
  /** Features that findings count as dropped. */
  readonly dropped = new Map<string, number>();
  missing = 0;
  generated = 0;
  /** In all threads together. */
  seconds = 0;

  add({
    rowsIn,
    rowsOut,
    findings,
    seconds,
  }: Pick<StepOutcome, 'rowsIn' | 'rowsOut' | 'seconds'> & {
    readonly findings: readonly FoundFinding[];
  }): void {
    this.rowsIn += rowsIn;
    this.rowsOut += rowsOut;
    this.seconds += seconds;
    let change = rowsOut - rowsIn;
    for (const { entry, code, count } of findings) {
      if (entry.effect !== 'dropped') continue;
      this.dropped.set(code, (this.dropped.get(code) ?? 0) + count);
      change += count;
    }
    if (change > 0) this.generated += change;
    else this.missing -= change;
  }
}

type Reprojections = ReadonlyMap<number, ReprojectionTally>;

/** Counts of a layer of the output, in addition to those of its sources. */
export class LayerTally {
  readonly plan: LayerPlan;
  /** Features that reached the writer. */
  rowsWritten = 0;
  /** Those of them that the writer dropped. */
  rowsUndrawn = 0;
  /** By the positions of the steps in the request. */
  readonly steps = new Map<number, StepTally>();
  /** Of stage 0, for each route of the layer. */
  readonly #routes: readonly Reprojections[];
  /** Of the stages after stage 0. */
  readonly #later: Reprojections;
  readonly #rowsIn = new Map<number, number>();

  constructor(plan: LayerPlan) {
    this.plan = plan;
    this.#routes = plan.routes.map((links) => talliesOf([{ links }]));
    this.#later = talliesOf(plan.stages.slice(1));
  }

  /** In the order of the chain: first those of all routes. */
  get reprojections(): ReprojectionTally[] {
    return [...this.#routes, this.#later].flatMap((tallies) => [...tallies.values()]);
  }

  /** Adds the first transformation of a batch in its stage; `source` is null after a collecting step. */
  transformed(result: TaskResult, source: SourceTally | null, base: PartitionBase, findings: Findings): void {
    const tallies = source === null ? this.#later : this.#routes[source.facts.plan.route];
    const at = source?.facts.at ?? { layer: this.plan.name };
    const origin = source === null ? null : { crs: source.facts.plan.crs };
    findings.merge(result.mappingFindings, (location) => locateAt(location, base, at), origin);
    const rowsInto = source?.rowsIn ?? this.#rowsIn;
    for (const counts of result.reprojections) {
      const tally = tallies.get(counts.number);
      tally?.add(counts);
      // Reprojections are numbered apart from the steps.
      const key = -1 - counts.number;
      const rows = rowsInto.get(key) ?? 0;
      rowsInto.set(key, rows + counts.rows);
      const before = { records: rows, lines: 0, rows };
      const reached = tally === undefined ? null : { crs: tally.link.to };
      findings.merge(counts.findings, (location) => locateAt(location, before, at), reached);
    }
    for (const outcome of result.steps) {
      const { step, rowsIn, findings: found } = outcome;
      this.step(step).add(outcome);
      const rows = rowsInto.get(step) ?? 0;
      rowsInto.set(step, rows + rowsIn);
      // A step counts its input features, which may be fewer or more than the records of the source.
      const before = { records: rows, lines: 0, rows };
      findings.merge(found, (location) => locateAt(location, before, at), { crs: this.#crsOf(step) });
    }
  }

  /** The CRS of the features that a streaming step gets; it is the same on all routes. */
  #crsOf(step: number): CrsText {
    for (const { links } of this.plan.stages)
      for (const link of links) if (link.kind === 'step' && link.step === step) return link.crs;
    throw new Error('the step is not in the plan');
  }

  step(number: number): StepTally {
    const known = this.steps.get(number);
    if (known !== undefined) return known;
    const tally = new StepTally();
    this.steps.set(number, tally);
    return tally;
  }

  /** Adds the time of a pass whose counts were added before. */
  spent(result: TaskResult): void {
    for (const { step, seconds } of result.steps) this.step(step).seconds += seconds;
  }

  wrote(rowCount: number, findings: readonly FoundFinding[]): void {
    this.rowsWritten += rowCount;
    for (const { entry, count } of findings) if (entry.effect === 'dropped') this.rowsUndrawn += count;
  }
}

function talliesOf(stages: Parameters<typeof reprojectionsOf>[0]): Reprojections {
  return new Map(reprojectionsOf(stages).map((link) => [link.number, new ReprojectionTally(link)]));
}
