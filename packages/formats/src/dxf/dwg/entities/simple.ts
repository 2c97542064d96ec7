/** Entities with a few positions: points, lines, circles, faces, images. */
import {
  Arc,
  type CadWipeoutBase,
  Circle,
  Ellipse,
  Face3D,
  Line,
  Point,
  RasterImage,
  Shape,
  Solid,
  Tolerance,
  Wipeout,
} from '@node-projects/acad-ts';
import type { TagOutput } from '../tag-output.ts';
import { entityWriter, writeNormal } from './entity-writer.ts';

function writeCircle(output: TagOutput, circle: Circle | Arc): void {
  output.text(100, 'AcDbCircle');
  output.vector(10, circle.center);
  output.number(40, circle.radius);
  writeNormal(output, circle.normal);
}

function writeArc(output: TagOutput, arc: Arc): void {
  writeCircle(output, arc);
  output.text(100, 'AcDbArc');
  output.degrees(50, arc.startAngle);
  output.degrees(51, arc.endAngle);
}

function writeEllipse(output: TagOutput, ellipse: Ellipse): void {
  output.text(100, 'AcDbEllipse');
  output.vector(10, ellipse.center);
  output.vector(11, ellipse.majorAxisEndPoint);
  writeNormal(output, ellipse.normal);
  output.number(40, ellipse.radiusRatio);
  output.number(41, ellipse.startParameter);
  output.number(42, ellipse.endParameter);
}

function writeCorners(output: TagOutput, face: Face3D | Solid): void {
  output.text(100, face.subclassMarker);
  output.vector(10, face.firstCorner);
  output.vector(11, face.secondCorner);
  output.vector(12, face.thirdCorner);
  output.vector(13, face.fourthCorner);
  if (face instanceof Solid) writeNormal(output, face.normal);
}

function writeImage(output: TagOutput, image: CadWipeoutBase): void {
  output.text(100, image.subclassMarker);
  output.vector(10, image.insertPoint);
  output.vector(11, image.uVector);
  output.vector(12, image.vVector);
  output.plane(13, image.size);
  for (const vertex of image.clipBoundaryVertices) output.plane(14, vertex);
}

export const simpleEntities = [
  entityWriter(Point, (output, point) => {
    output.text(100, 'AcDbPoint');
    output.vector(10, point.location);
  }),
  entityWriter(Line, (output, line) => {
    output.text(100, 'AcDbLine');
    output.vector(10, line.startPoint);
    output.vector(11, line.endPoint);
  }),
  entityWriter(Circle, writeCircle),
  entityWriter(Arc, writeArc),
  entityWriter(Ellipse, writeEllipse),
  entityWriter(Face3D, writeCorners),
  entityWriter(Solid, writeCorners),
  entityWriter(Shape, (output, shape) => {
    // A drawing has the number of the shape; its name is in the file of the shapes.
    output.text(100, 'AcDbShape');
    output.vector(10, shape.insertionPoint);
    output.number(40, shape.size);
    output.degrees(50, shape.rotation);
    writeNormal(output, shape.normal);
  }),
  entityWriter(Tolerance, (output, tolerance) => {
    output.text(100, 'AcDbFcf');
    output.vector(10, tolerance.insertionPoint);
    output.text(1, tolerance.text);
    output.vector(11, tolerance.direction);
  }),
  entityWriter(RasterImage, writeImage),
  entityWriter(Wipeout, writeImage),
] as const;
