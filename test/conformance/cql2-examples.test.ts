/**
 * The examples that the Open Geospatial Consortium publishes with CQL2 (opengeospatial/ogcapi-features, `cql2/standard/schema/examples`),
 * as text and as JSON. Each has an expression of the same form here, with fields and values of this project's own; the names are those
 * of the official files. Text and JSON are the same tree, and have the results that are stated.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { FeatureBatch } from '../../packages/core/src/columns/feature-batch.ts';
import { Geos } from '../../packages/engines/geos/src/geos.ts';
import { compile, compileCondition } from '../../packages/expressions/src/compile.ts';
import { evaluationOf } from '../../packages/expressions/src/node.ts';
import { parseExpression } from '../../packages/expressions/src/parse.ts';
import { TRUE } from '../../packages/expressions/src/verdict.ts';
import { batchOf, settingOf } from '../support/expression-batches.ts';
import { shapeOf } from '../support/expressions.ts';
import { columnOfWkt } from '../support/wkt-column.ts';

const setting = { ...settingOf(), geos: await Geos.load() };

/** Rows have the numbers 1 to 6. */
const roads: FeatureBatch = {
  ...batchOf({
    uid: ['string', ['0a-1', '0a-2', '0a-3', '0a-4', '0a-5', null]],
    'net:code': ['string', ['K-100', 'K-101', 'L-100', 'K-200', 'k-101', null]],
    'net:grade': ['string', ['1', '2', '3', '2', '1', null]],
    'net:slope': ['float64', [0.1, 0.2, 0.15, 0.3, 0.1, null]],
    'net:lanes': ['int32', [2, 4, 2, 2, 3, null]],
    holder: ['string', ['Anna Meier', 'Meier & Co', 'Otto', 'otto Meier', 'Rosé', null]],
    walls: ['string', ['wood', 'timber wood', 'wood panel', 'stone', 'concrete', null]],
    street: ['string', ['STRASSE', 'Straße', 'ΟΔΟΣ', 'οδος', 'Weg', null]],
    stories: ['int32', [3, 7, 12, 2, 5, null]],
    lift: ['boolean', [true, true, false, null, false, true]],
    fee: ['float64', [120, 80.5, 300, 50, 10, null]],
    grade: ['int32', [5, 10, 15, 20, 25, null]],
    step: ['int32', [1, 2, 3, 4, 5, null]],
    letter: ['string', ['a', 'b', 'd', 'a', 'c', null]],
    done: ['date', ['2001-05-01', '2012-06-05', '2014-12-31', '2015-01-01', '2020-02-29', null]],
    changed: ['datetime', ['2010-02-10T00:00:00Z', '2012-08-10T05:30:00Z', '1851-04-29T00:00:00Z', '2011-01-01T12:00:00+01:00', '2019-07-01T00:00:00Z', null]],
    begin: ['datetime', ['2005-01-10T00:00:00Z', '2000-01-01T00:00:00Z', '1999-01-01T00:00:00Z', '2010-02-10T05:29:20.25Z', '1991-10-07T08:21:06.5Z', null]],
    finish: ['datetime', ['2006-01-01T00:00:00Z', '2010-02-10T05:29:20.25Z', '2000-01-01T00:00:00Z', '2015-01-01T00:00:00Z', '1992-01-01T00:00:00Z', null]],
    marks: ['json', ['["a","b","c"]', '["b","d"]', '["a",true,1,8]', '["2010-02-10",false]', '[]', null]],
  }),
  geometry: columnOfWkt([
    'POINT (11.5 48.1)',
    'POLYGON ((9 47, 12 47, 12 50, 9 50, 9 47))',
    'LINESTRING (8 48, 12 49)',
    'MULTIPOINT (10 48, 20 50)',
    'POLYGON ((20 50, 22 50, 22 52, 20 52, 20 50))',
    null,
  ]),
}; // biome-ignore format: a row for each field

const p = (name: string) => ({ property: name });
const op = (name: string, ...args: readonly unknown[]) => ({ op: name, args });
const interval = (start: unknown, end: unknown) => ({ interval: [start, end] });
const both = interval(p('begin'), p('finish'));
const date = (text: string) => ({ date: text });
const time = (text: string) => ({ timestamp: text });
const geometry = p('geometry');
const like = (name: string, pattern: string) => op('like', p(name), pattern);
const casei = (value: unknown) => op('casei', value);
const accenti = (value: unknown) => op('accenti', value);
const line = (...coordinates: readonly (readonly number[])[]) => ({ type: 'LineString', coordinates });
const polygon = (...coordinates: readonly (readonly (readonly number[])[])[]) => ({
  type: 'Polygon',
  coordinates,
});

/** Names of official examples, with or without a file in the other form; the text, the rows for which it is true, and the JSON. */
type Example = readonly [names: string, text: string, rows: readonly number[], json: unknown];

const TRIANGLE = [[9, 48], [11, 50], [14, 47], [9, 48]]; // biome-ignore format: one line
const EXAMPLES: readonly Example[] = [
  ['clause6_02a example01', "net:code = 'K-101'", [2], op('=', p('net:code'), 'K-101')],
  ['clause6_02b', 'round(fee) < 100', [2, 4, 5], op('<', op('round', p('fee')), 100)],
  ['clause6_02c', 'fee-80.5 > 0', [1, 3], op('>', op('-', p('fee'), 80.5), 0)],
  ['clause6_02d', "done >= date('2014-12-31')", [3, 4, 5], op('>=', p('done'), date('2014-12-31'))],
  ['clause6_03', 'geometry IS NOT NULL', [1, 2, 3, 4, 5], op('not', op('isNull', geometry))],
  ['clause7_01 example02 example12', "net:code LIKE 'K%'", [1, 2, 4], like('net:code', 'K%')],
  ['clause7_02', 'fee BETWEEN 50.0 and 120.0', [1, 2, 4], op('between', p('fee'), 50, 120)],
  ['clause7_03a example03', "net:grade IN ('1','3','3X')", [1, 3, 5], op('in', p('net:grade'), ['1', '3', '3X'])],
  ['clause7_03b', 'net:lanes NOT IN (1,2,3)', [2], op('not', op('in', p('net:lanes'), [1, 2, 3]))],
  ['clause7_04 example26', "CASEI(street) IN (CASEI('Οδος'),CASEI('Straße'))", [1, 2, 3, 4], op('in', casei(p('street')), [casei('Οδος'), casei('Straße')])],
  ['clause7_05 example27 example70', "ACCENTI(holder) = ACCENTI('Rösé')", [5], op('=', accenti(p('holder')), accenti('Rösé'))],
  ['clause7_07', 'S_INTERSECTS(geometry,POINT(11.5 48.1))', [1, 2], op('s_intersects', geometry, { type: 'Point', coordinates: [11.5, 48.1] })],
  ['clause7_10', 'S_CROSSES(geometry,POLYGON((9 48, 11 50,\n   14 47, 9 48)))', [3, 4], op('s_crosses', geometry, polygon(TRIANGLE))],
  ['clause7_12', "T_INTERSECTS(changed, INTERVAL('2010-01-01T00:00:00Z', '2011-01-01T11:00:00Z'))", [1, 4], op('t_intersects', p('changed'), interval('2010-01-01T00:00:00Z', '2011-01-01T11:00:00Z'))],
  ['clause7_13 example22', "T_DURING(INTERVAL(begin, finish), INTERVAL('1999-12-31T00:00:00Z', '2010-07-24T16:50:35Z'))", [1, 2], op('t_during', both, interval('1999-12-31T00:00:00Z', '2010-07-24T16:50:35Z'))],
  ['clause7_15', "A_CONTAINS(marks, ('b','a'))", [1], op('a_contains', p('marks'), ['b', 'a'])],
  ['clause7_16', 'S_CROSSES(LINESTRING(8 48, 12 49), POLYGON((9 48, 11 50, 14 47, 9 48)))', [1, 2, 3, 4, 5, 6], op('s_crosses', line([8, 48], [12, 49]), polygon(TRIANGLE))],
  ['clause7_17', "T_DURING(INTERVAL('2001-02-03T20:17:40Z', '2001-02-04T17:54:00Z'), INTERVAL('2001-01-01T00:00:00Z', '2002-01-01T00:00:00Z'))", [1, 2, 3, 4, 5, 6], op('t_during', interval('2001-02-03T20:17:40Z', '2001-02-04T17:54:00Z'), interval('2001-01-01T00:00:00Z', '2002-01-01T00:00:00Z'))],
  ['clause7_19', 'grade > (fee-40)', [4, 5], op('>', p('grade'), op('-', p('fee'), 40))],
  ['example04', 'net:slope < 0.16 AND net:lanes=2 AND stories=12', [3], op('and', op('<', p('net:slope'), 0.16), op('=', p('net:lanes'), 2), op('=', p('stories'), 12))],
  ['example05a', 'net:slope=0.1 OR net:slope=0.2', [1, 2, 5], op('or', op('=', p('net:slope'), 0.1), op('=', p('net:slope'), 0.2))],
  ['example05b', 'net:slope IN (0.1,0.2)', [1, 2, 5], op('in', p('net:slope'), [0.1, 0.2])],
  ['example06 example06a', '    net:slope BETWEEN 0.1 AND 0.2\nAND net:lanes=2\nAND stories=3', [1], op('and', op('between', p('net:slope'), 0.1, 0.2), op('=', p('net:lanes'), 2), op('=', p('stories'), 3))],
  ['example06b', '    net:slope >= 0.1\nAND net:slope <= 0.2\nAND net:lanes=2\nAND stories=3', [1], op('and', op('>=', p('net:slope'), 0.1), op('<=', p('net:slope'), 0.2), op('=', p('net:lanes'), 2), op('=', p('stories'), 3))],
  ['example07', "net:code LIKE 'K%'\n   AND S_INTERSECTS(geometry,POLYGON((9 48, 11 50, 14 47,\n 9 48)))", [1, 2, 4], op('and', like('net:code', 'K%'), op('s_intersects', geometry, polygon(TRIANGLE)))],
  ['example08', "walls='wood'\nAND letter='a'\nAND holder='Anna Meier'\nAND s_intersects(geometry,POLYGON((9.5 48, 11 50, 14 47, 9.5 48)))", [1], op('and', op('=', p('walls'), 'wood'), op('=', p('letter'), 'a'), op('=', p('holder'), 'Anna Meier'), op('s_intersects', geometry, polygon([[9.5, 48], [11, 50], [14, 47], [9.5, 48]])))],
  ['example09', 'stories>5', [2, 3], op('>', p('stories'), 5)],
  ['example10', 'fee <= 80.5', [2, 4, 5], op('<=', p('fee'), 80.5)],
  ['example11', "holder LIKE '%Meier%'", [1, 2, 4], like('holder', '%Meier%')],
  ['example13', "holder NOT LIKE '%Meier%'", [3, 5], op('not', like('holder', '%Meier%'))],
  ['example14', 'lift = true', [1, 2, 6], op('=', p('lift'), true)],
  ['example15', 'stories>5 AND lift=true', [2], op('and', op('>', p('stories'), 5), op('=', p('lift'), true))],
  ['example16', "lift=true AND (stories>5 \n   OR  walls LIKE 'wood%'\n   OR  walls LIKE '%wood')", [1, 2], op('and', op('=', p('lift'), true), op('or', op('>', p('stories'), 5), like('walls', 'wood%'), like('walls', '%wood')))],
  ['example17', "(stories>5 AND walls='wood panel') OR lift=true", [1, 2, 3, 6], op('or', op('and', op('>', p('stories'), 5), op('=', p('walls'), 'wood panel')), op('=', p('lift'), true))],
  ['example18', 'NOT (stories<5) OR lift=true', [1, 2, 3, 5, 6], op('or', op('not', op('<', p('stories'), 5)), op('=', p('lift'), true))],
  ['example19', "(holder LIKE 'otto%' OR holder LIKE 'Otto%') AND stories<4", [4], op('and', op('or', like('holder', 'otto%'), like('holder', 'Otto%')), op('<', p('stories'), 4))],
  ['example20', "T_BEFORE(done, DATE('2015-01-01'))", [1, 2, 3], op('t_before', p('done'), date('2015-01-01'))],
  ['example21 example53', "T_AFTER(\"done\", DATE('2012-06-05'))", [3, 4, 5], op('t_after', p('done'), date('2012-06-05'))],
  ['example23', 'S_WITHIN(geometry,BBOX(9,47,12,50))', [1, 2], op('s_within', geometry, { bbox: [9, 47, 12, 50] })],
  ['example24', 'S_INTERSECTS(geometry,POLYGON((19.0 49.0,21.0 49.0,21.0 51.0,19.0 49.0)))', [4, 5], op('s_intersects', geometry, polygon([[19, 49], [21, 49], [21, 51], [19, 49]]))],
  ['example25', 'stories>5 AND S_WITHIN(geometry,BBOX(9,47,12,50))', [2], op('and', op('>', p('stories'), 5), op('s_within', geometry, { bbox: [9, 47, 12, 50] }))],
  ['example28', "CASEI(net:code) LIKE CASEI('%k-1%')", [1, 2, 5], op('like', casei(p('net:code')), casei('%k-1%'))],
  ['example29', "\"uid\" = '0a-3'", [3], op('=', p('uid'), '0a-3')],
  ['example30', "\"uid\" <> '0a-3'", [1, 2, 4, 5], op('<>', p('uid'), '0a-3')],
  ['example31', '"grade" < 10', [1], op('<', p('grade'), 10)],
  ['example32', '"grade" > 10', [3, 4, 5], op('>', p('grade'), 10)],
  ['example33', '"grade" <= 10', [1, 2], op('<=', p('grade'), 10)],
  ['example34', '"grade" >= 10', [2, 3, 4, 5], op('>=', p('grade'), 10)],
  ['example35', "\"walls\" LIKE 'wood%'", [1, 3], like('walls', 'wood%')],
  ['example36', "NOT \"walls\" LIKE 'wood%'", [2, 4, 5], op('not', like('walls', 'wood%'))],
  ['example36-alt01', "\"walls\" NOT LIKE 'wood%'", [2, 4, 5], op('not', like('walls', 'wood%'))],
  ['example37', '"grade" BETWEEN 10 AND 20', [2, 3, 4], op('between', p('grade'), 10, 20)],
  ['example38', 'NOT "grade" BETWEEN 10 AND 20', [1, 5], op('not', op('between', p('grade'), 10, 20))],
  ['example38-alt01', '"grade" NOT BETWEEN 10 AND 20', [1, 5], op('not', op('between', p('grade'), 10, 20))],
  ['example39', '"step" IN (1.0, 2.0, 3.0)', [1, 2, 3], op('in', p('step'), [1, 2, 3])],
  ['example40', "NOT \"letter\" IN ('a', 'b', 'x')", [3, 5], op('not', op('in', p('letter'), ['a', 'b', 'x']))],
  ['example40-alt01', "\"letter\" NOT IN ('a', 'b', 'x')", [3, 5], op('not', op('in', p('letter'), ['a', 'b', 'x']))],
  ['example41', '"lift" IS NULL', [4], op('isNull', p('lift'))],
  ['example42', 'NOT "lift" IS NULL', [1, 2, 3, 5, 6], op('not', op('isNull', p('lift')))],
  ['example42-alt01', '"lift" IS NOT NULL', [1, 2, 3, 5, 6], op('not', op('isNull', p('lift')))],
  ['example43', "(NOT \"walls\" LIKE 'wood%' AND \"grade\" > 10)", [4, 5], op('and', op('not', like('walls', 'wood%')), op('>', p('grade'), 10))],
  ['example43-alt01', "\"walls\" NOT LIKE 'wood%' AND \"grade\" > 10", [4, 5], op('and', op('not', like('walls', 'wood%')), op('>', p('grade'), 10))],
  ['example44', '("grade" IS NULL OR "grade" BETWEEN 10 AND 20)', [2, 3, 4, 6], op('or', op('isNull', p('grade')), op('between', p('grade'), 10, 20))],
  ['example44-alt01', '"grade" IS NULL OR "grade" BETWEEN 10 AND 20', [2, 3, 4, 6], op('or', op('isNull', p('grade')), op('between', p('grade'), 10, 20))],
  ['example45', 'S_INTERSECTS("geometry", BBOX(-128.5, -1.1, -99999.0, 9.5, 90.0, 100000.0))', [2, 3], op('s_intersects', geometry, { bbox: [-128.5, -1.1, -99999, 9.5, 90, 100000] })],
  ['example46', 'S_EQUALS(POLYGON ((12 50, 9 50, 9 47, 12 47, 12 50)), "geometry")', [2], op('s_equals', polygon([[12, 50], [9, 50], [9, 47], [12, 47], [12, 50]]), geometry)],
  ['example46-alt01', 'S_EQUALS(\n    POLYGON (\n        (12 50, 9 50, 9 47, 12 47, 12 50)\n    ),\n    "geometry"\n)', [2], op('s_equals', polygon([[12, 50], [9, 50], [9, 47], [12, 47], [12, 50]]), geometry)],
  ['example47', 'S_DISJOINT("geometry", MULTIPOLYGON (((9 48, 11 50, 14 47, 9 48))))', [5], op('s_disjoint', geometry, { type: 'MultiPolygon', coordinates: [[TRIANGLE]] })],
  ['example48', 'S_TOUCHES("geometry", MULTILINESTRING ((22 49, 22 53),(12 47.5, 12.5 47)))', [2, 5], op('s_touches', geometry, { type: 'MultiLineString', coordinates: [[[22, 49], [22, 53]], [[12, 47.5], [12.5, 47]]] })],
  ['example49', 'S_WITHIN(POLYGON Z ((10 48 1, 11 48 -2.5, 11 49 1, 10 48 1), (10.5 48.2 0, 10.7 48.2 0, 10.7 48.3 9, 10.5 48.2 0)), "geometry")', [2], op('s_within', polygon([[10, 48, 1], [11, 48, -2.5], [11, 49, 1], [10, 48, 1]], [[10.5, 48.2, 0], [10.7, 48.2, 0], [10.7, 48.3, 9], [10.5, 48.2, 0]]), geometry)],
  ['example49-alt01', 'S_WITHIN(POLYGON ((10 48 1, 11 48 -2.5, 11 49 1, 10 48 1), (10.5 48.2 0, 10.7 48.2 0, 10.7 48.3 9, 10.5 48.2 0)), "geometry")', [2], op('s_within', polygon([[10, 48, 1], [11, 48, -2.5], [11, 49, 1], [10, 48, 1]], [[10.5, 48.2, 0], [10.7, 48.2, 0], [10.7, 48.3, 9], [10.5, 48.2, 0]]), geometry)],
  ['example50', 'S_OVERLAPS("geometry", BBOX(-179.9, 48.5, 21.0, 50.9))', [2, 5], op('s_overlaps', geometry, { bbox: [-179.9, 48.5, 21, 50.9] })],
  ['example51', 'S_CROSSES("geometry", LINESTRING (10 46, 10 49, -179.5 80.5, 10.5 -90.0))', [2, 3, 4, 5], op('s_crosses', geometry, line([10, 46], [10, 49], [-179.5, 80.5], [10.5, -90]))],
  ['example52', 'S_CONTAINS("geometry", POINT (20.508362 50.754181))', [5], op('s_contains', geometry, { type: 'Point', coordinates: [20.508362, 50.754181] })],
  ['example54', "T_BEFORE(\"changed\", TIMESTAMP('2012-08-10T05:30:00.000000Z'))", [1, 3, 4], op('t_before', p('changed'), time('2012-08-10T05:30:00.000000Z'))],
  ['example54-alt01', "T_BEFORE(changed, TIMESTAMP('2012-08-10T05:30:00Z'))", [1, 3, 4], op('t_before', p('changed'), time('2012-08-10T05:30:00Z'))],
  ['example55', "T_CONTAINS(INTERVAL('2000-01-01T00:00:00.000000Z', '2006-01-10T01:01:01.393216Z'), INTERVAL(begin, finish))", [1], op('t_contains', interval('2000-01-01T00:00:00.000000Z', '2006-01-10T01:01:01.393216Z'), both)],
  ['example55-alt01', "T_CONTAINS(INTERVAL('2000-01-01T00:00:00Z', '2006-01-10T01:01:01.393216Z'), INTERVAL(begin, finish))", [1], op('t_contains', interval('2000-01-01T00:00:00Z', '2006-01-10T01:01:01.393216Z'), both)],
  ['example56', "T_DISJOINT(INTERVAL('..', '2012-08-10T05:29:59.5Z'), \"changed\")", [2, 5], op('t_disjoint', interval('..', '2012-08-10T05:29:59.5Z'), p('changed'))],
  ['example57', "T_DURING(INTERVAL(begin, finish), INTERVAL('1998-12-31', '2010-02-10'))", [1, 3], op('t_during', both, interval('1998-12-31', '2010-02-10'))],
  ['example58', "T_EQUALS(\"done\", DATE('2020-02-29'))", [5], op('t_equals', p('done'), date('2020-02-29'))],
  ['example59', "T_FINISHEDBY(INTERVAL(begin, finish), INTERVAL('2000-10-07T08:21:06.393262Z', '2010-02-10T05:29:20.25Z'))", [2], op('t_finishedBy', both, interval('2000-10-07T08:21:06.393262Z', '2010-02-10T05:29:20.25Z'))],
  ['example60', "T_FINISHES(INTERVAL(begin, finish), INTERVAL('1991-10-07', '2010-02-10T05:29:20.25Z'))", [2], op('t_finishes', both, interval('1991-10-07', '2010-02-10T05:29:20.25Z'))],
  ['example61', "T_INTERSECTS(INTERVAL(begin, finish), INTERVAL('2000-01-01T00:00:00Z', '2005-01-09T05:29:20.073225Z'))", [2, 3], op('t_intersects', both, interval('2000-01-01T00:00:00Z', '2005-01-09T05:29:20.073225Z'))],
  ['example62', "T_MEETS(INTERVAL('1990-01-10', '1999-01-01'), INTERVAL(begin, finish))", [3], op('t_meets', interval('1990-01-10', '1999-01-01'), both)],
  ['example63', "T_METBY(INTERVAL('2010-02-10T05:29:20.25Z', '2010-10-07'), INTERVAL(begin, finish))", [2], op('t_metBy', interval('2010-02-10T05:29:20.25Z', '2010-10-07'), both)],
  ['example64', "T_OVERLAPPEDBY(INTERVAL('1999-06-07T08:21:06.393262Z', '2005-02-10T05:29:20.073225Z'), INTERVAL(begin, finish))", [3], op('t_overlappedBy', interval('1999-06-07T08:21:06.393262Z', '2005-02-10T05:29:20.073225Z'), both)],
  ['example65', "T_OVERLAPS(INTERVAL(begin, finish), INTERVAL('1991-12-07T08:21:06.393262Z', '1999-10-09T08:08:08.393473Z'))", [5], op('t_overlaps', both, interval('1991-12-07T08:21:06.393262Z', '1999-10-09T08:08:08.393473Z'))],
  ['example66', "T_STARTEDBY(INTERVAL('1991-10-07T08:21:06.5Z', '2010-02-10T05:29:20.073225Z'), INTERVAL(begin, finish))", [5], op('t_startedBy', interval('1991-10-07T08:21:06.5Z', '2010-02-10T05:29:20.073225Z'), both)],
  ['example67', "T_STARTS(INTERVAL(begin, finish), INTERVAL('1991-10-07T08:21:06.5Z', '..'))", [5], op('t_starts', both, interval('1991-10-07T08:21:06.5Z', '..'))],
  ['example68', 'Is_Empty("geometry") = FALSE', [1, 2, 3, 4, 5], op('=', op('Is_Empty', geometry), false)],
  ['example69', "FALSE <> If(\"lift\", starts_with(holder, 'M'), FALSE)", [2], op('<>', false, op('If', p('lift'), op('starts_with', p('holder'), 'M'), false))],
  ['example71', "CASEI(\"holder\") = CASEI('anna MEIER')", [1], op('=', casei(p('holder')), casei('anna MEIER'))],
  ['example72', '"grade" > ("step" + 15)', [4, 5], op('>', p('grade'), op('+', p('step'), 15))],
  ['example73', '"step" < ("grade" - 10)', [3, 4, 5], op('<', p('step'), op('-', p('grade'), 10))],
  ['example74', '"grade" <> (2.5 * "net:lanes")', [3, 4, 5], op('<>', p('grade'), op('*', 2.5, p('net:lanes')))],
  ['example75', '"net:lanes" = (2 / "step")', [1], op('=', p('net:lanes'), op('/', 2, p('step')))],
  ['example76', '"grade" <= (2 ^ "step")', [5], op('<=', p('grade'), op('^', 2, p('step')))],
  ['example77', '0 = ("step" % 2)', [2, 4], op('=', 0, op('%', p('step'), 2))],
  ['example78', '1 = ("step" div 2)', [2, 3], op('=', 1, op('div', p('step'), 2))],
  ['example79', "A_CONTAINEDBY(\"marks\", ('a', 'b', 'c'))", [1, 5], op('a_containedBy', p('marks'), ['a', 'b', 'c'])],
  ['example80', "A_CONTAINS(\"marks\", ('a', 'b', 'c'))", [1], op('a_contains', p('marks'), ['a', 'b', 'c'])],
  ['example81', "A_EQUALS(('a', TRUE, 1.0, 8), \"marks\")", [3], op('a_equals', ['a', true, 1, 8], p('marks'))],
  ['example82', "A_OVERLAPS(\"marks\", (TIMESTAMP('2012-08-10T05:30:00.000000Z'), DATE('2010-02-10'), FALSE))", [4], op('a_overlaps', p('marks'), [time('2012-08-10T05:30:00.000000Z'), date('2010-02-10'), false])],
  ['example83', 'S_EQUALS(MULTIPOINT ((20 50), (10 48), (20 50)), "geometry")', [4], op('s_equals', { type: 'MultiPoint', coordinates: [[20, 50], [10, 48], [20, 50]] }, geometry)],
  ['example84', 'S_EQUALS(GEOMETRYCOLLECTION (POINT (10 48.5), MULTILINESTRING ((8 48, 10 48.5)), LINESTRING (10 48.5, 12 49)), "geometry")', [3], op('s_equals', { type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [10, 48.5] }, { type: 'MultiLineString', coordinates: [[[8, 48], [10, 48.5]]] }, line([10, 48.5], [12, 49])] }, geometry)],
  ['example85', '"grade" = ((((-1 * "step") * 2.0) + ("fee" / 12.0)) - ("net:lanes" ^ 2.0))', [3], op('=', p('grade'), op('-', op('+', op('*', op('*', -1, p('step')), 2), op('/', p('fee'), 12)), op('^', p('net:lanes'), 2)))],
  ['example86', "\"letter\" LIKE CASEI('A%')", [1, 4], op('like', p('letter'), casei('A%'))],
]; // biome-ignore format: a line for each example

/** Examples with a function that only their author has, or a field of a type that no format has: the official form, and what is said. */
const REFUSED: readonly (readonly [names: string, text: string, message: RegExp, json: unknown])[] = [
  ['clause6_01', 'avg(fee)', /'avg' is not a function/, op('avg', p('fee'))],
  ['clause6_02b', 'avg(fee) < 4', /'avg' is not a function/, op('<', op('avg', p('fee')), 4)],
  ['clause7_18', "S_WITHIN(geometry,Buffer(geometry,10,'m'))", /'buffer' is not a function/, op('s_within', geometry, op('Buffer', geometry, 10, 'm'))],
  ['example63', "T_METBY(INTERVAL('2010-02-10T05:29:20.25Z', '2010-10-07'), \"changed\")", /needs intervals/, op('t_metBy', interval('2010-02-10T05:29:20.25Z', '2010-10-07'), p('changed'))],
  ['example68', 'Foo("geometry") = TRUE', /'foo' is not a function/, op('=', op('Foo', geometry), true)],
  ['example69', "FALSE <> Bar(\"geometry\", 100, 'a', 'b', FALSE)", /'bar' is not a function/, op('<>', false, op('Bar', geometry, 100, 'a', 'b', false))],
]; // biome-ignore format: a line for each example

/** All files of text and JSON, without their extensions. */
const OFFICIAL = [
  ...'1 2a 2b 2c 2d 3'.split(' ').map((name) => `clause6_0${name}`),
  ...'01 02 03a 03b 04 05 07 10 12 13 15 16 17 18 19'.split(' ').map((name) => `clause7_${name}`),
  ...Array.from({ length: 86 }, (_, i) => `example${String(i + 1).padStart(2, '0')}`).filter((name) => name !== 'example05'),
  ...'05a 05b 06a 06b'.split(' ').map((name) => `example${name}`),
  ...'36 38 40 42 43 44 46 49 54 55'.split(' ').map((name) => `example${name}-alt01`),
]; // biome-ignore format: a line for each series

const scope = { fields: roads.fields, path: 'x', setting };

function rowsWhere(source: unknown): readonly number[] {
  const verdicts = compileCondition(parseExpression(source, 'x'), scope)(evaluationOf(roads, 'x', () => {}));
  return [...verdicts.entries()].filter(([, verdict]) => verdict === TRUE).map(([row]) => row + 1);
}

/** WKT and GeoJSON of the same geometry differ. */
function treeOf(source: unknown): string {
  return JSON.stringify(shapeOf(parseExpression(source, 'x')), (key, value) => (key === 'geometry' ? '' : value));
} // biome-ignore format: a line

test('every official example has a counterpart', () => {
  const covered = new Set([...EXAMPLES, ...REFUSED].flatMap(([names]) => names.split(' ')));
  assert.deepEqual([...covered].sort(), [...OFFICIAL].sort());
});

for (const [names, text, rows, json] of EXAMPLES)
  test(`${names}: ${text.replaceAll(/\s+/g, ' ')}`, () => {
    assert.deepEqual(rowsWhere(text), rows);
    assert.deepEqual(rowsWhere(json), rows);
    assert.equal(treeOf(json), treeOf(text));
  });

for (const [names, text, message, json] of REFUSED)
  test(`${names} is refused: ${text}`, () => {
    for (const source of [text, json])
      assert.throws(
        () => compile(parseExpression(source, 'x'), scope),
        (error: Error) =>
          'code' in error && error.code === 'TRANSFORMATION_INVALID' && message.test(error.message),
      );
    assert.equal(treeOf(json), treeOf(text));
  });
