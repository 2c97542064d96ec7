/** Encodings for texts of unknown encoding: the right one is a candidate, and what can be told apart comes first. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import iconv from 'iconv-lite';
import { encodingCandidates } from '../src/bytes/encoding-candidates.ts';
import { encodingByName } from '../src/bytes/text-encoding.ts';

/** `best`: it is the first; else single-byte alphabets read each other's texts as letters. */
const TEXTS: readonly (readonly [encoding: string, texts: readonly string[], best: boolean])[] = [
  ['windows-1252', ['Größe', 'Straße', 'Besançon'], true],
  ['UTF-8', ['Größe', 'Łódź', 'Москва', '東京都'], true],
  ['CP850', ['Größe', 'Straße'], true],
  ['windows-1250', ['Łódź', 'Śląsk'], true],
  ['windows-1251', ['Москва', 'Санкт-Петербург'], false],
  ['CP866', ['Москва', 'Улица Ленина'], true],
  ['windows-1253', ['Αθήνα', 'Θεσσαλονίκη'], true],
  ['windows-1254', ['İstanbul', 'Şişli'], false],
  ['windows-1255', ['תל אביב'], false],
  ['windows-1256', ['القاهرة'], true],
  ['windows-1257', ['Āgenskalns', 'Rīga'], false],
  ['Shift_JIS', ['東京都', '横浜市'], true],
  ['GB18030', ['北京市', '上海'], true],
  ['EUC-KR', ['서울특별시'], false],
];

for (const [encoding, texts, isBest] of TEXTS)
  test(`${encoding} is a candidate for its texts`, () => {
    const samples = texts.map((text) => new Uint8Array(iconv.encode(text, encoding)));
    const found = encodingCandidates(samples, 'windows-1252');
    const own = found.find((candidate) => candidate.encoding === encoding);
    assert.deepEqual(own?.samples, texts);
    if (isBest) assert.equal(found[0], own);
    assert.ok(found.length <= 8);
    assert.ok(found.some((candidate) => candidate.encoding === 'windows-1252'));
    for (const candidate of found) assert.equal(encodingByName(candidate.encoding), candidate.encoding);
  });

test('without texts beyond ASCII, and for UTF-16, there is nothing to choose', () => {
  assert.deepEqual(encodingCandidates([], 'UTF-8'), []);
  assert.deepEqual(encodingCandidates([new Uint8Array([0xe9])], 'UTF-16LE'), []);
});

test('the encoding in use stays a candidate, even if the texts are not valid in it', () => {
  const found = encodingCandidates([new Uint8Array([0x47, 0xf6, 0x62])], 'UTF-8');
  assert.ok(found.some(({ encoding, samples }) => encoding === 'UTF-8' && samples[0] === 'G\ufffdb'));
  assert.equal(found[0].encoding, 'windows-1252');
});
