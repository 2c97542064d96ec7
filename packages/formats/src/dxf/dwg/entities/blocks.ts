/** Entities that are drawn by a block: block references, tables and dimensions. */
import {
  type Dimension,
  DimensionAligned,
  DimensionAngular2Line,
  DimensionAngular3Pt,
  DimensionArc,
  DimensionDiameter,
  DimensionLinear,
  DimensionOrdinate,
  DimensionRadius,
  Insert,
  TableEntity,
} from '@node-projects/acad-ts';
import type { TagOutput, Vector } from '../tag-output.ts';
import { blockNameOf } from './entity-head.ts';
import { entityWriter, writeNormal } from './entity-writer.ts';

function writeInsert(output: TagOutput, insert: Insert): void {
  output.text(100, insert.isMultiple ? 'AcDbMInsertBlock' : 'AcDbBlockReference');
  output.text(2, blockNameOf(insert));
  output.vector(10, insert.insertPoint);
  output.number(41, insert.xScale);
  output.number(42, insert.yScale);
  output.number(43, insert.zScale);
  output.degrees(50, insert.rotation);
  if (insert.isMultiple) {
    output.number(70, insert.columnCount);
    output.number(71, insert.rowCount);
    output.number(44, insert.columnSpacing);
    output.number(45, insert.rowSpacing);
  }
  writeNormal(output, insert.normal);
}

function writeTable(output: TagOutput, table: TableEntity): void {
  output.text(100, 'AcDbBlockReference');
  output.text(2, blockNameOf(table));
  output.vector(10, table.insertPoint);
  output.text(100, 'AcDbTable');
  output.vector(11, { x: Math.cos(table.rotation), y: Math.sin(table.rotation), z: 0 });
}

/** The measured points are drawn if the dimension has no block. */
interface Measured {
  readonly subclass: string;
  readonly points: readonly (readonly [code: number, point: Vector])[];
}

/** The measurement is not that of the drawing, which the parser does not keep, but it is made of the same points. */
function writeDimension(output: TagOutput, dimension: Dimension, { subclass, points }: Measured): void {
  output.text(100, 'AcDbDimension');
  output.text(2, dimension.block?.name ?? '');
  output.vector(10, dimension.definitionPoint);
  output.vector(11, dimension.textMiddlePoint);
  output.number(70, dimension.flags);
  output.text(1, dimension.text);
  const { measurement } = dimension;
  if (Number.isFinite(measurement)) output.number(42, measurement);
  output.text(100, subclass);
  for (const [code, point] of points) output.vector(code, point);
}

const between = ({
  firstPoint,
  secondPoint,
}: {
  firstPoint: Vector;
  secondPoint: Vector;
}): Measured['points'] => [
  [13, firstPoint],
  [14, secondPoint],
];

const measured = <Kind extends Dimension>(
  type: abstract new (...given: never[]) => Kind,
  subclass: string,
  points: (dimension: Kind) => Measured['points'],
) =>
  entityWriter(type, (output, dimension) =>
    writeDimension(output, dimension, { subclass, points: points(dimension) }),
  );

export const blockEntities = [
  entityWriter(Insert, writeInsert),
  entityWriter(TableEntity, writeTable),
  measured(DimensionAligned, 'AcDbAlignedDimension', between),
  entityWriter(DimensionLinear, (output, dimension) => {
    writeDimension(output, dimension, { subclass: 'AcDbAlignedDimension', points: between(dimension) });
    output.degrees(50, dimension.rotation);
    output.text(100, 'AcDbRotatedDimension');
  }),
  measured(DimensionRadius, 'AcDbRadialDimension', ({ angleVertex }) => [[15, angleVertex]]),
  measured(DimensionDiameter, 'AcDbDiametricDimension', ({ angleVertex }) => [[15, angleVertex]]),
  measured(DimensionAngular2Line, 'AcDb2LineAngularDimension', (dimension) => [
    ...between(dimension),
    [15, dimension.angleVertex],
  ]),
  measured(DimensionAngular3Pt, 'AcDb3PointAngularDimension', (dimension) => [
    ...between(dimension),
    [15, dimension.angleVertex],
  ]),
  measured(DimensionArc, 'AcDbArcDimension', (dimension) => [...between(dimension), [15, dimension.center]]),
  measured(DimensionOrdinate, 'AcDbOrdinateDimension', ({ featureLocation, leaderEndpoint }) => [
    [13, featureLocation],
    [14, leaderEndpoint],
  ]),
] as const;
