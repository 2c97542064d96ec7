/** Hints about options that geomill does not have. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { commands } from '../src/commands.ts';
import { optionHint } from '../src/option-hints.ts';

const flagsOf = async (command: string): Promise<string[]> =>
  Object.keys((await commands[command].load()).flags());

const hints: readonly (readonly [command: string, typed: string, hint: string])[] = [
  ['convert', '-t_srs', '; -t_srs of ogr2ogr is --to-crs CRS'],
  ['convert', '--t_srs', '; use --to-crs CRS'],
  ['convert', '-f', '; -f of ogr2ogr is --to FORMAT'],
  ['convert', '-nln', '; -nln of ogr2ogr is --layer-name NAME'],
  ['convert', '--where', '; use --filter CONDITION'],
  ['convert', '--crs', '; use --to-crs CRS for the output, or --from-crs CRS for the input'],
  ['info', '--crs', '; use --from-crs CRS'],
  ['convert', '-o', '; write the output after the input, without an option: geomill convert IN OUT'],
  ['merge', '--output', '; use --out OUT'],
  ['convert', '-append', '; to append in place: geomill append TARGET FILE --out TARGET --overwrite'],
  ['append', '--in-place', '; use --out TARGET --overwrite'],
  ['append', '-update', '; -update of ogr2ogr is --out TARGET --overwrite'],
  ['convert', '--layer-field', '; use --out-layer-field VALUE'],
  ['convert', '--delimiter', '; use --in-delimiter VALUE or --out-delimiter VALUE'],
  [
    'convert',
    '-sql',
    '; SQL is not supported; combine --filter, --calculate, --cast, --select, --rename, --join, --dissolve, --sort and --limit',
  ],
  ['convert', '-dim', '; -dim of ogr2ogr is --dimensions ORDINATES'],
  ['convert', '-mapFieldType', '; -mapFieldType of ogr2ogr is --cast FIELD=TYPE'],
  ['convert', '--drop-z', '; use --dimensions XY'],
  ['convert', '--sort-by', '; use --sort ORDER'],
  ['convert', '--to_crs', ' (did you mean --to-crs?)'],
  ['convert', '--fliter', ' (did you mean --filter?)'],
  ['convert', '--frobnicate', ''],
  ['convert', '--constructor', ''],
  ['keys', '--where', ''],
];

for (const [command, typed, hint] of hints)
  test(`${command} ${typed}: '${hint}'`, async () => {
    assert.equal(optionHint(typed, await flagsOf(command)), hint);
  });
