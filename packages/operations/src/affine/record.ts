/** affine: scales, rotates and shifts in the plane of the coordinates. */
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field } from '@geomill/core/messages/message.ts';
import type { StepParameters, Transformation } from '../transformation.ts';

interface AffineParameters {
  readonly scale: number | readonly [number, number];
  readonly rotate: number;
  readonly shift: readonly [number, number];
  readonly origin: readonly [number, number];
}

const RADIANS_PER_DEGREE = Math.PI / 180;
const pair = { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 } as const;
/** On the command line: names of the parameters, and how many numbers they take. */
const COUNTS: Readonly<Record<string, readonly number[]>> = {
  scale: [1, 2],
  rotate: [1],
  shift: [2],
  origin: [2],
};

export const affine: Transformation = {
  id: 'affine',
  title: 'Scale, rotate and shift',
  group: 'coordinates',
  summary: 'Multiply, turn and move all coordinates.',
  mainParameters: ['scale', 'rotate', 'shift'],
  description: `Scales, then rotates about \`origin\`, then shifts every position, in the plane of the coordinates and in units of their CRS: for drawings
in millimetres, with a local origin or turned to a grid of their own. Z, M, attributes, ids and the order of features do not change. The CRS stays
what it is; state the right one for the result with \`--from-crs\` or \`input.crs\`.`,
  parameters: {
    type: 'object',
    properties: {
      scale: {
        oneOf: [{ type: 'number' }, pair],
        default: 1,
        description: 'Factor for x and y, or one for each: [x, y]. Not 0.',
        examples: [0.001],
      },
      rotate: { type: 'number', default: 0, description: 'Degrees, counterclockwise (from x to y).' },
      shift: {
        ...pair,
        default: [0, 0],
        description: 'What is added to x and to y at the end, in units of the CRS.',
      },
      origin: {
        ...pair,
        default: [0, 0],
        description: 'The position that scaling and rotation do not move, in units of the CRS.',
      },
    },
    additionalProperties: false,
  },
  guarantees: ['The same position always gets the same place, so common borders stay common.'],
  longitudes: 'as written',
  usesGeometries: 'needed',
  commandLine: {
    flag: 'affine',
    placeholder: 'CHANGES',
    description:
      'scale, rotate and shift, in units of the CRS: "scale=0.001; rotate=30; shift=500000,5900000; origin=0,0"',
    parameters: affineOf,
  },
  check,
  load: async () => (await import('../parts/move-positions.ts')).movingStep('positions', movementOf),
};

function affineOf(value: string): StepParameters {
  const parameters: Record<string, number | number[]> = {};
  for (const part of value.split(';')) {
    const [name, list = ''] = part.split('=').map((one) => one.trim());
    const numbers = list.split(',').map((one) => (one.trim() === '' ? Number.NaN : Number(one)));
    if (
      !(Object.hasOwn(COUNTS, name) && COUNTS[name].includes(numbers.length)) ||
      numbers.some(Number.isNaN)
    ) {
      const detail = `--affine does not know '${part.trim()}'; write scale=F or scale=FX,FY, rotate=DEGREES, shift=DX,DY, origin=X,Y, with ';' between them`;
      throw failure(generalErrors.USAGE, { detail });
    }
    parameters[name] = numbers.length === 1 ? numbers[0] : numbers;
  }
  return parameters;
}

function check({ scale }: StepParameters, path: string): void {
  if ([scale].flat().includes(0))
    throw failure(generalErrors.TRANSFORMATION_INVALID, {
      path: field(`${path}.scale`),
      reason: 'must not be 0: everything would be in one place',
    });
}

function movementOf(parameters: StepParameters): (coordinates: Float64Array, at: number) => void {
  const { scale, rotate, shift, origin } = parameters as unknown as AffineParameters;
  const [scaleX, scaleY] = typeof scale === 'number' ? [scale, scale] : scale;
  // Quarter turns are exact.
  const turns = rotate / 90;
  const [sine, cosine] = Number.isInteger(turns)
    ? [[0, 1, 0, -1][((turns % 4) + 4) % 4], [1, 0, -1, 0][((turns % 4) + 4) % 4]]
    : [Math.sin(rotate * RADIANS_PER_DEGREE), Math.cos(rotate * RADIANS_PER_DEGREE)];
  const [originX, originY] = origin;
  const [endX, endY] = [originX + shift[0], originY + shift[1]];
  return (coordinates, at) => {
    const x = (coordinates[at] - originX) * scaleX;
    const y = (coordinates[at + 1] - originY) * scaleY;
    coordinates[at] = x * cosine - y * sine + endX;
    coordinates[at + 1] = x * sine + y * cosine + endY;
  };
}
