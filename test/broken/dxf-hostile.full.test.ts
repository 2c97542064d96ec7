/**
 * Small drawings that request endless work: each ends within seconds, with a code of the user's or with the features
 * that could be read.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { GeomillError } from '../../packages/core/src/messages/errors.ts';
import { convertFile, makeWorkspace } from '../support/convert.ts';
import { DEFAULT_INPUT_LIMITS } from '../support/limits.ts';

/** Processor time, so that other work of the machine does not count. */
const CASE_LIMIT_US = 10_000_000;

const tags = (...pairs: readonly (readonly [code: number, value: string | number])[]): string =>
  pairs.map(([code, value]) => `${code}\n${value}\n`).join('');
const section = (name: string, content: string): string => `0\nSECTION\n2\n${name}\n${content}0\nENDSEC\n`;
const drawing = (entities: string, blocks = ''): string =>
  `${section('BLOCKS', blocks)}${section('ENTITIES', entities)}0\nEOF\n`;
const block = (name: string, content: string): string =>
  `0\nBLOCK\n8\n0\n2\n${name}\n70\n0\n10\n0\n20\n0\n${content}0\nENDBLK\n8\n0\n`;
const insert = (name: string, more = ''): string => `0\nINSERT\n8\n0\n2\n${name}\n10\n0\n20\n0\n${more}`;
const POINT = '0\nPOINT\n8\n0\n10\n1\n20\n2\n';
/** An entity that must still be read next to the hostile one. */
const GOOD = '0\nLINE\n8\ngood\n10\n1\n20\n2\n11\n3\n21\n4\n';

const numbered = (count: number, make: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => make(i)).join('');

interface Case {
  readonly text: string | Uint8Array;
  readonly readOptions?: Record<string, unknown>;
  /** The error, or the findings reported with `features`. */
  readonly code?: string;
  readonly findings?: readonly string[];
  readonly features?: number;
  readonly maxFeatures?: number;
}

const hatchHead = tags([0, 'HATCH'], [8, 0], [10, 0], [20, 0], [30, 0], [2, 'SOLID'], [70, 1], [71, 0]);

const polygonPath = (positions: string, count: number): string =>
  `92\n2\n72\n0\n73\n1\n93\n${count}\n${positions}97\n0\n`;
const square = (x: number, y: number, side: number): string =>
  polygonPath(
    `10\n${x}\n20\n${y}\n10\n${x + side}\n20\n${y}\n10\n${x + side}\n20\n${y + side}\n10\n${x}\n20\n${y + side}\n`,
    4,
  );

const cases: Readonly<Record<string, Case>> = {
  '10,000 blocks that hold one another in a circle': {
    text: drawing(
      insert('B0') + GOOD,
      numbered(10_000, (i) => block(`B${i}`, POINT + insert(`B${(i + 1) % 10_000}`))),
    ),
    findings: ['BLOCK_TOO_DEEP'],
    features: 65,
  },
  'a block that holds itself': {
    text: drawing(insert('A') + GOOD, block('A', POINT + insert('A'))),
    findings: ['BLOCK_CIRCULAR'],
    features: 2,
  },
  'thirty blocks that each hold the next one twice': {
    text: drawing(
      insert('B0') + GOOD,
      numbered(30, (i) => block(`B${i}`, insert(`B${i + 1}`) + insert(`B${i + 1}`))) + block('B30', POINT),
    ),
    code: 'LIMIT_EXCEEDED',
  },
  'sixty blocks that each hold the next one ten times, and nothing in the last': {
    text: drawing(
      insert('B0') + GOOD,
      numbered(60, (i) => block(`B${i}`, insert(`B${i + 1}`).repeat(10))) + block('B60', ''),
    ),
    features: 1,
  },
  'twelve blocks that each hold all of them': {
    text: drawing(
      insert('B0') + GOOD,
      numbered(12, (i) =>
        block(
          `B${i}`,
          numbered(12, (k) => insert(`B${k}`)),
        ),
      ),
    ),
    code: 'LIMIT_EXCEEDED',
  },
  'an array of 10^9 INSERTs': {
    text: drawing(insert('A', '70\n32767\n71\n32767\n44\n1\n45\n1\n') + GOOD, block('A', POINT)),
    code: 'LIMIT_EXCEEDED',
  },
  'an array of 10^9 INSERTs of an empty block': {
    text: drawing(insert('A', '70\n32767\n71\n32767\n44\n1\n45\n1\n') + GOOD, block('A', '')),
    code: 'LIMIT_EXCEEDED',
  },
  'an array of 10^9 INSERTs of a missing block': {
    text: drawing(insert('A', '70\n32767\n71\n32767\n44\n1\n45\n1\n') + GOOD),
    findings: ['BLOCK_MISSING'],
    features: 1,
  },
  'ten thousand INSERTs of a block of ten thousand points': {
    text: drawing(insert('A').repeat(10_000), block('A', POINT.repeat(10_000))),
    maxFeatures: 200_000,
    code: 'LIMIT_EXCEEDED',
  },
  'a polyline of 10^9 claimed vertices': {
    text: drawing(`0\nLWPOLYLINE\n8\n0\n90\n1000000000\n70\n0\n10\n0\n20\n0\n10\n1\n20\n1\n${GOOD}`),
  },
  'a hatch of 2 * 10^9 claimed paths': {
    text: drawing(`${hatchHead}91\n2000000000\n92\n3\n${GOOD}`),
    findings: ['ENTITY_SKIPPED'],
    features: 1,
  },
  'a hatch path of 2 * 10^9 claimed vertices': {
    text: drawing(`${hatchHead}91\n1\n92\n3\n72\n0\n73\n1\n93\n2000000000\n10\n0\n20\n0\n${GOOD}`),
    findings: ['ENTITY_SKIPPED'],
    features: 1,
  },
  'a hatch path of 2 * 10^9 claimed edges': {
    text: drawing(`${hatchHead}91\n1\n92\n1\n93\n2000000000\n72\n1\n10\n0\n20\n0\n11\n1\n21\n1\n${GOOD}`),
    findings: ['ENTITY_SKIPPED'],
    features: 1,
  },
  'a hatch edge of 2 * 10^9 claimed knots': {
    text: drawing(
      `${hatchHead}91\n1\n92\n1\n93\n1\n72\n4\n94\n3\n73\n0\n74\n0\n95\n2000000000\n96\n2000000000\n40\n0\n${GOOD}`,
    ),
    findings: ['ENTITY_SKIPPED'],
    features: 1,
  },
  'a hatch of twenty thousand nested rings': {
    text: drawing(
      `${hatchHead}91\n20000\n${numbered(20_000, (i) => {
        const at = i / 1000;
        return `92\n2\n72\n0\n73\n1\n93\n3\n10\n${at}\n20\n${at}\n10\n${100 - 2 * at}\n20\n${at}\n10\n${at}\n20\n${100 - 2 * at}\n97\n0\n`;
      })}75\n0\n76\n1\n98\n0\n${GOOD}`,
    ),
  },
  'a spline of degree 2 * 10^9': {
    text: drawing(
      `0\nSPLINE\n8\n0\n70\n0\n71\n2000000000\n72\n2000000000\n73\n2000000000\n10\n0\n20\n0\n10\n1\n20\n1\n${GOOD}`,
    ),
    findings: ['ENTITY_SKIPPED'],
    features: 1,
  },
  'a spline of degree 5,000': {
    text: drawing(
      `0\nSPLINE\n8\n0\n70\n0\n71\n5000\n${numbered(10_002, (i) => `40\n${i < 5001 ? 0 : 1}\n`)}${numbered(5001, (i) => `10\n${i}\n20\n${i % 7}\n`)}${GOOD}`,
    ),
  },
  'a mesh of 2 * 10^9 claimed vertices and faces': {
    text: drawing(
      `0\nMESH\n8\n0\n71\n2\n72\n0\n91\n0\n92\n2000000000\n10\n0\n20\n0\n30\n0\n93\n2000000000\n90\n2000000000\n${GOOD}`,
    ),
    findings: ['ENTITY_SKIPPED'],
    features: 1,
  },
  'a polygon mesh of 10^9 claimed vertices': {
    text: drawing(
      `0\nPOLYLINE\n8\n0\n66\n1\n70\n16\n71\n32767\n72\n32767\n0\nVERTEX\n8\n0\n10\n0\n20\n0\n30\n0\n70\n64\n0\nSEQEND\n${GOOD}`,
    ),
    findings: ['ENTITY_SKIPPED'],
    features: 1,
  },
  'a polyface of faces that name vertices nobody wrote': {
    text: drawing(
      `0\nPOLYLINE\n8\n0\n66\n1\n70\n64\n71\n32767\n72\n32767\n${numbered(3, (i) => `0\nVERTEX\n8\n0\n10\n${i}\n20\n0\n30\n0\n70\n192\n`)}0\nVERTEX\n8\n0\n10\n0\n20\n0\n30\n0\n70\n128\n71\n1\n72\n-32768\n73\n32767\n0\nSEQEND\n${GOOD}`,
    ),
    findings: ['ENTITY_SKIPPED'],
    features: 1,
  },
  'a multiline of 32,767 claimed lines': {
    text: drawing(
      `0\nMLINE\n8\n0\n2\nSTANDARD\n40\n1\n70\n0\n71\n0\n72\n32767\n73\n32767\n10\n0\n20\n0\n30\n0\n11\n0\n21\n0\n31\n0\n74\n32767\n${GOOD}`,
    ),
  },
  'a circle of radius 10^308 stroked to 10^-300': {
    text: drawing(`0\nCIRCLE\n8\n0\n10\n0\n20\n0\n40\n1e308\n${GOOD}`),
    readOptions: { curve_tolerance: 1e-300 },
  },
  'fifty circles stroked to 10^-300': {
    text: drawing(`0\nCIRCLE\n8\n0\n10\n0\n20\n0\n40\n1e6\n`.repeat(50) + GOOD),
    readOptions: { curve_tolerance: 1e-300 },
  },
  'an INSERT with five hundred attributes of different names': {
    text: drawing(
      `${insert('A', '66\n1\n')}${numbered(500, (i) => `0\nATTRIB\n8\n0\n10\n1\n20\n1\n40\n1\n1\nv\n2\nT${i}\n`)}0\nSEQEND\n${GOOD}`,
      block('A', POINT),
    ),
  },
  'an INSERT with fifty thousand attributes of different names': {
    text: drawing(
      `${insert('A', '66\n1\n')}${numbered(50_000, (i) => `0\nATTRIB\n8\n0\n10\n1\n20\n1\n40\n1\n1\nv\n2\nT${i}\n`)}0\nSEQEND\n${GOOD}`,
      block('A', POINT),
    ),
    code: 'LIMIT_EXCEEDED',
  },
  'a polyline whose SEQEND never comes': {
    text: drawing(
      `0\nPOLYLINE\n8\n0\n66\n1\n70\n0\n${'0\nVERTEX\n8\n0\n10\n1\n20\n2\n'.repeat(50_000)}${GOOD}`,
    ),
  },
  'a line of 20 MB': {
    text: drawing(`0\nTEXT\n8\n0\n10\n0\n20\n0\n40\n1\n1\n${'x'.repeat(20 << 20)}\n${GOOD}`),
  },
  '20 MB without a line end': { text: 'x'.repeat(20 << 20), code: 'INPUT_WRONG_FORMAT' },
  '20 MB of line ends': { text: '\n'.repeat(20 << 20), code: 'INPUT_WRONG_FORMAT' },
  'an MTEXT of nothing but open braces': {
    text: drawing(
      `0\nMTEXT\n8\n0\n10\n0\n20\n0\n40\n1\n${`3\n${'{'.repeat(250)}\n`.repeat(4000)}1\n{\n${GOOD}`,
    ),
  },
  'an MTEXT of two million fonts whose names never end': {
    text: drawing(`0\nMTEXT\n8\n0\n10\n0\n20\n0\n40\n1\n1\n${'{\\f'.repeat(2_000_000)}\n${GOOD}`),
    features: 2,
  },
  'an MTEXT with a fraction of ten million characters above no line': {
    text: drawing(`0\nMTEXT\n8\n0\n10\n0\n20\n0\n40\n1\n1\n\\S${'x'.repeat(10_000_000)}\n${GOOD}`),
  },
  'a hatch of sixty thousand squares one above the other': {
    text: drawing(
      `${hatchHead}91\n60000\n${numbered(60_000, (i) => square(0, 2 * i, 1))}75\n0\n76\n1\n98\n0\n${GOOD}`,
    ),
    features: 2,
  },
  'a hatch of thirty thousand squares in a ring of thirty thousand positions': {
    text: drawing(
      `${hatchHead}91\n30001\n${polygonPath(
        numbered(30_000, (i) => {
          const angle = (i / 30_000) * 2 * Math.PI;
          return `10\n${100 + 400 * Math.cos(angle)}\n20\n${100 + 400 * Math.sin(angle)}\n`;
        }),
        30_000,
      )}${numbered(30_000, (i) => square(i % 200, Math.floor(i / 200), 0.5))}75\n0\n76\n1\n98\n0\n${GOOD}`,
    ),
    features: 2,
  },
  'a hatch of ten thousand jagged rings that cross one another': {
    text: drawing(
      `${hatchHead}91\n10000\n${numbered(10_000, (i) =>
        polygonPath(
          numbered(20, (k) => `10\n${k - i / 1e5}\n20\n${(k % 2) * 100 + i / 1e4}\n`),
          20,
        ),
      )}75\n0\n76\n1\n98\n0\n${GOOD}`,
    ),
  },
  'a multiline of two hundred thousand vertices without lines': {
    text: drawing(`0\nMLINE\n8\n0\n72\n200000\n${'11\n0\n21\n0\n13\n0\n23\n1\n'.repeat(200_000)}${GOOD}`),
    findings: ['ENTITY_SKIPPED'],
    features: 1,
  },
  'fifty thousand sections of tables, blocks and objects': {
    text: `${numbered(50_000, (i) => section(['TABLES', 'BLOCKS', 'OBJECTS'][i % 3], tags([0, 'SPATIAL_FILTER'])))}${drawing(GOOD)}`,
    code: 'LIMIT_EXCEEDED',
  },
  'ten thousand sections of entities': {
    text: `${section('ENTITIES', GOOD).repeat(10_000)}0\nEOF\n`,
    code: 'LIMIT_EXCEEDED',
  },
  'as many layouts as are read': {
    text: drawing(
      GOOD,
      numbered(1000, (i) => block(`*Paper_Space${i}`, GOOD)),
    ),
    readOptions: { layouts: 'all' },
    features: 1001,
  },
  'a thousand INSERTs of blocks that hold one another': {
    text: drawing(
      insert('B0').repeat(1000) + GOOD,
      numbered(9, (i) =>
        block(
          `B${i}`,
          numbered(9, (k) => insert(`B${k}`)),
        ),
      ),
    ),
    code: 'LIMIT_EXCEEDED',
  },
  'an array of two million INSERTs of a point among twenty thousand definitions of attributes': {
    text: drawing(
      insert('A', '70\n2000\n71\n1000\n44\n1\n45\n1\n') + GOOD,
      block('A', POINT + '0\nATTDEF\n8\n0\n10\n0\n20\n0\n40\n1\n1\n\n2\nT\n70\n0\n'.repeat(20_000)),
    ),
    code: 'LIMIT_EXCEEDED',
  },
  'an array of a million INSERTs of a polyline of a thousand vertices': {
    text: drawing(
      insert('A', '70\n1000\n71\n1000\n44\n1\n45\n1\n') + GOOD,
      block('A', `0\nLWPOLYLINE\n8\n0\n90\n1000\n70\n0\n${numbered(1000, (i) => `10\n${i}\n20\n0\n`)}`),
    ),
    code: 'LIMIT_EXCEEDED',
  },
  'thirty thousand INSERTs with an attribute each, in a block whose INSERT has thirty thousand': {
    text: drawing(
      `${insert('A', '66\n1\n')}${numbered(30_000, (i) => `0\nATTRIB\n8\n0\n10\n1\n20\n1\n40\n1\n1\nv\n2\nT${i % 50}\n`)}0\nSEQEND\n${GOOD}`,
      block(
        'A',
        `${insert('E', '66\n1\n')}0\nATTRIB\n8\n0\n10\n1\n20\n1\n40\n1\n1\nv\n2\nT\n0\nSEQEND\n`.repeat(
          30_000,
        ),
      ) + block('E', ''),
    ),
    code: 'LIMIT_EXCEEDED',
  },
  'XDATA that claims to be ours and is not': {
    text: drawing(
      `0\nPOINT\n8\n0\n10\n1\n20\n2\n1001\nGEOMILL\n1000\nfeature:Point\n1000\npoint\n1000\ns2000000000:name\n1000\nx\n1000\ni3:\n1071\nx\n${GOOD}`,
    ),
  },
  'a million parts of ours without a feature': {
    text: drawing(
      `0\nPOINT\n8\n0\n10\n1\n20\n2\n1001\nGEOMILL\n1000\npart\n1000\nhole\n`.repeat(50_000) + GOOD,
    ),
  },
  'a hundred thousand layers': {
    text:
      section(
        'TABLES',
        `0\nTABLE\n2\nLAYER\n70\n1\n${numbered(100_000, (i) => `0\nLAYER\n2\nL${i}\n70\n0\n62\n1\n`)}0\nENDTAB\n`,
      ) + drawing(GOOD),
    features: 1,
  },
  'a binary drawing whose string has no end': {
    text: Buffer.concat([
      Buffer.from('AutoCAD Binary DXF\r\n\x1a\0\0SECTION\0\x02ENTITIES\0\0POINT\0', 'latin1'),
      Buffer.alloc(1 << 20, 0x41),
    ]),
  },
};

async function outcome({
  text,
  readOptions,
  maxFeatures,
}: Case): Promise<GeomillError | { written: number; codes: string[] }> {
  using workspace = makeWorkspace();
  const path = join(workspace.path, 'hostile.dxf');
  writeFileSync(path, text);
  try {
    const { report } = await convertFile(path, workspace.path, {
      from: 'dxf',
      to: 'gpkg',
      fromCrs: 'EPSG:3857',
      toCrs: 'EPSG:3857',
      readOptions: readOptions ?? {},
      limits: { ...DEFAULT_INPUT_LIMITS, features: maxFeatures ?? DEFAULT_INPUT_LIMITS.features },
    });
    return { written: report.features.written, codes: report.warnings.map(({ code }) => code) };
  } catch (error) {
    if (error instanceof GeomillError && error.fault === 'user') return error;
    throw error;
  }
}

for (const [what, hostile] of Object.entries(cases)) {
  test(`${what}: ends within seconds with a clear result`, async () => {
    const before = process.cpuUsage();
    const result = await outcome(hostile);
    const { user, system } = process.cpuUsage(before);
    assert.ok(user + system < CASE_LIMIT_US, `took ${Math.round((user + system) / 1000)} ms`);
    const { code, findings, features } = hostile;
    if (code !== undefined) {
      assert.ok(result instanceof GeomillError, `was read: ${JSON.stringify(result)}`);
      assert.equal(result.code, code, result.message);
      return;
    }
    if (findings !== undefined || features !== undefined) {
      assert.ok(!(result instanceof GeomillError), String(result));
      assert.equal(result.written, features);
      assert.deepEqual(
        (findings ?? []).filter((wanted) => !result.codes.includes(wanted)),
        [],
        result.codes.join(', '),
      );
    } else if (!(result instanceof GeomillError)) assert.ok(result.written >= 1, 'the good line is read');
  });
}
