import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { ODD_TIMES, ODD_URIS, schemaErrors, withoutXmllint } from '../../../test/support/xml-schema.ts';
import { xmlText } from '../../core/src/text/xml-text.ts';
import { isXsdTime, isXsdUri } from '../src/xsd-values.ts';

const SCHEMA = `<schema xmlns="http://www.w3.org/2001/XMLSchema">
<element name="all"><complexType><choice maxOccurs="unbounded">
<element name="uri" type="anyURI"/>
<element name="time"><simpleType><union memberTypes="dateTime date gYearMonth gYear"/></simpleType></element>
</choice></complexType></element>
</schema>`;

test('times and URIs are those that xmllint takes', { skip: withoutXmllint }, () => {
  using workspace = makeWorkspace();
  const schema = join(workspace.path, 'values.xsd');
  const path = join(workspace.path, 'values.xml');
  const values = [
    ...ODD_TIMES.map((text) => ['time', text, isXsdTime(text)] as const),
    // Blanks at the ends, which a validator removes, are refused.
    ...ODD_URIS.filter((text) => text.trim() === text).map((text) => ['uri', text, isXsdUri(text)] as const),
  ];
  const lines = values.map(([type, text]) => `<${type}>${xmlText(text)}</${type}>`);
  writeFileSync(schema, SCHEMA);
  writeFileSync(path, `<all>\n${lines.join('\n')}\n</all>`);
  const refused = new Set<number>();
  for (const [, line] of schemaErrors(schema, [path]).matchAll(/values\.xml:(\d+): element/g))
    refused.add(Number(line) - 2);
  for (const [i, [type, text, isTaken]] of values.entries())
    assert.equal(isTaken, !refused.has(i), `${type} ${text}`);
  assert.deepEqual([isXsdTime('123456789-01-01'), isXsdTime('1234567890-01-01')], [true, false]);
  assert.deepEqual([isXsdUri(' x'), isXsdUri('x '), isXsdUri('x\ny')], [false, false, false]);
  assert.ok(isXsdUri('a'.repeat(65_536)) && !isXsdUri('a'.repeat(65_537)));
});
