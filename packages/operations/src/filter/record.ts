/** filter: keeps the features for which a condition is true, and whose bounds intersect a box. */
import { parseEpsg } from '@geomill/core/crs/crs.ts';
import { failure } from '@geomill/core/messages/errors.ts';
import { generalErrors } from '@geomill/core/messages/general-errors.ts';
import { field, type Phrase, phrase } from '@geomill/core/messages/message.ts';
import { compileCondition } from '@geomill/expressions/compile.ts';
import { MAX_EXPRESSION_LENGTH, MAX_EXPRESSION_TOKENS } from '@geomill/expressions/expression.ts';
import { parseExpression } from '@geomill/expressions/parse.ts';
import { MAX_EPSG_LENGTH } from '../parts/name-lists.ts';
import type { RequestTotals, StepParameters, Transformation } from '../transformation.ts';

const BOX = /^\s*-?[\d.]+(?:e[+-]?\d+)?(?:\s*,\s*-?[\d.]+(?:e[+-]?\d+)?){3}\s*$/i;

export const filter: Transformation = {
  id: 'filter',
  title: 'Filter',
  group: 'select',
  summary: 'Keep features by a condition or a box.',
  needsOneOf: ['where', 'bbox'],
  description: `Keeps the features for which the condition \`where\` is true, and whose bounds intersect the box \`bbox\`. At least one of the two is required.

\`where\` as text: \`pop > 10 and (name like 'A%' or kind in ('school', 'shed')) and not "end date" is null\`. Comparisons are
\`= != < <= > >=\`, \`in (...)\`, \`between ... and ...\`, \`like\`, \`ilike\` (in any letter case) and \`is null\`, each also with \`not\`. In patterns, \`%\` is any text, \`_\` is one
character, and \`\\\` escapes the next character. Conditions are combined with \`and\`, \`or\`, \`not\` and parentheses. Texts are in single quotes; names
of fields that are not plain words are in double quotes.

Both sides of a comparison can be expressions with arithmetic and functions: \`area_ha() > 2 * plan or upper(name) like 'A%'\`. The language is
that of CQL2, as text or JSON; [expressions.md](expressions.md) describes it.

\`where\` as JSON: \`{"and": [{"field": "pop", "op": ">", "value": 10}, {"not": {"field": "name", "op": "is_null"}}]}\`, with the operators
\`= != < <= > >= in not_in between not_between like not_like ilike not_ilike is_null is_not_null\`.

Numbers are compared as numbers (64-bit integers exactly; a text that is a number counts as one), texts by code points, and dates
and times as instants (UTC if they have no time zone), written as in ISO 8601: \`'2020-01-31'\`, \`'2020-01-31T12:00:00Z'\`, or the
beginning of a date: \`'2020'\`. As in SQL, a comparison with null is neither true nor false, so the
feature is dropped, also by \`!=\`. In a field with values of different kinds, values of different kinds are not equal, and neither is less or greater.

In degrees, features are met whichever way their longitudes are written: a box of 170 to -170, or 170 to 190, keeps what is at -175 or 185, and a feature
across 180 degrees is not met by boxes elsewhere.

If the first step has a \`bbox\`, and the input is at least 64 MB, only what is near the box is read where an index shows which these are:
the spatial index of a GeoPackage layer, if it has an entry for every feature and triggers that keep it up to date, and the bounds at
the beginning of each record of a shapefile (in a zip, only without compression). The report then counts the features that were read, and says so
(\`READ_NEAR_BOX\`). Errors in the rest of the file are not found. If anything near the box cannot be read, the whole file is read.

The same holds for a first step with \`where\` and a GeoPackage layer of at least 64 MB, if the condition, or a part of it joined with \`and\`, is that a field of text or numbers
equals a value or is \`in\` a list: only such features are read (\`READ_WITH_VALUES\`), unless more than a quarter of the features has them.
A value elsewhere that contradicts the declared type of another field then does not change that type. Of GeoParquet, whole row groups
are left out: those whose boxes are not near \`bbox\`, and those whose statistics show that no value of a field of numbers, texts, dates or times
equals that of the condition, or for numbers, dates and times is in its range (\`<\`, \`<=\`, \`>\`, \`>=\`, \`between\`).`,
  parameters: {
    type: 'object',
    properties: {
      where: {
        title: 'Condition',
        type: ['string', 'object'],
        description: `Condition on the fields, as text (\`pop > 10 and name like 'A%'\`) or as JSON. At most ${MAX_EXPRESSION_LENGTH} characters; all conditions of a request together at most ${MAX_EXPRESSION_TOKENS} words, values and signs.`,
        examples: ["pop > 10 and name like 'A%'"],
      },
      bbox: {
        title: 'Box',
        type: 'array',
        items: { type: 'number' },
        minItems: 4,
        maxItems: 4,
        description:
          'West, south, east, north in `bbox_crs`. In a geographic CRS, west may be greater than east, or east greater than 180; the box then crosses the antimeridian.',
      },
      bbox_crs: {
        title: 'CRS of the box',
        type: ['string', 'integer'],
        maxLength: MAX_EPSG_LENGTH,
        default: 'EPSG:4326',
        description: 'CRS of the box as an EPSG code: EPSG:4326 or the current CRS of the data.',
      },
    },
    additionalProperties: false,
  },
  guarantees: [
    'Kept features and their order do not change.',
    'A name that is not a field is an error that lists the fields. Comparing a field with a value of another kind is an error too.',
    'A box in another CRS is replaced by its bounds in the CRS of the data.',
    'With a box, features without positions are dropped.',
  ],
  longitudes: 'own',
  usesGeometries: ({ bbox }) => (bbox === undefined ? 'if any' : 'needed'),
  commandLine: {
    flag: 'filter',
    placeholder: 'WHERE',
    description: 'features to keep: "pop > 10 and name like \'A%\'", or a box: west,south,east,north',
    parameters: (value) => (BOX.test(value) ? { bbox: value.split(',').map(Number) } : { where: value }),
    modifiers: [
      {
        flag: 'bbox-crs',
        placeholder: 'CRS',
        description: 'CRS of the box, an EPSG code; default EPSG:4326',
        parameters: (value, before) => ({ ...before, bbox_crs: value }),
      },
    ],
  },
  check,
  load: async () => (await import('./code.ts')).code,
};

function check({ where, bbox, bbox_crs: crs }: StepParameters, path: string, totals: RequestTotals): void {
  const refuse = (at: string, reason: string | Phrase) =>
    failure(generalErrors.TRANSFORMATION_INVALID, { path: field(at), reason });
  if (where === undefined && bbox === undefined)
    throw refuse(path, 'has no condition; add where, bbox or both');
  if (where !== undefined) {
    const own = `${path}.where`;
    const expression = parseExpression(where, own, totals);
    compileCondition(expression, { fields: [], isOpen: true, path: own, setting: null, totals });
  }
  if (bbox === undefined) return;
  const code = parseEpsg(crs ?? 4326, `${path}.bbox_crs`);
  const [west, south, east, north] = bbox as number[];
  if (south > north) throw refuse(`${path}.bbox`, `has its south ${south} north of its north ${north}`);
  if (code !== 'EPSG:4326') return;
  if (Math.abs(south) > 90 || Math.abs(north) > 90 || Math.abs(west) > 360 || Math.abs(east) > 360)
    throw refuse(
      `${path}.bbox`,
      phrase`must be west, south, east, north in degrees; state the CRS of another box with '${field(`${path}.bbox_crs`)}'`,
    );
}
