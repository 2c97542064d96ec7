/** Shortcuts and the search of the palette. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { searchCommands } from '../model/command-search.ts';
import { ariaKeys, isPressed, type KeyPress, keyTexts, type Shortcut } from '../model/shortcut.ts';

const press = (key: string, held: Partial<KeyPress> = {}): KeyPress => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...held,
});
const undo: Shortcut = { key: 'z', hasModifier: true };
const redo: Shortcut = { key: 'z', hasModifier: true, hasShift: true };
const help: Shortcut = { key: '?', hasModifier: false };

test('a shortcut is its own keys and no others', () => {
  assert.ok(isPressed(undo, press('z', { ctrlKey: true }), false));
  assert.ok(isPressed(redo, press('Z', { ctrlKey: true, shiftKey: true }), false));
  assert.ok(!isPressed(undo, press('Z', { ctrlKey: true, shiftKey: true }), false));
  assert.ok(!isPressed(undo, press('z', { ctrlKey: true, altKey: true }), false));
  assert.ok(!isPressed(undo, press('z'), false));
  // With Shift on most keyboards, without on some.
  assert.ok(isPressed(help, press('?', { shiftKey: true }), false));
  assert.ok(isPressed(help, press('?'), false));
  assert.ok(!isPressed(help, press('?', { ctrlKey: true }), false));
});

test('on a Mac the modifier is Command, and Ctrl keeps its meaning for text', () => {
  assert.ok(isPressed(undo, press('z', { metaKey: true }), true));
  assert.ok(!isPressed(undo, press('z', { ctrlKey: true }), true));
  assert.ok(!isPressed(undo, press('z', { metaKey: true }), false));
  assert.deepEqual(keyTexts(redo, true), ['⇧', '⌘', 'Z']);
  assert.deepEqual(keyTexts(redo, false), ['Ctrl', 'Shift', 'Z']);
  assert.deepEqual(keyTexts({ key: 'Enter', hasModifier: true }, true), ['⌘', '↩']);
  assert.equal(ariaKeys([redo, undo], true), 'Meta+Shift+Z Meta+Z');
  assert.equal(ariaKeys([{ key: 'Enter', hasModifier: true }, help], false), 'Control+Enter ?');
});

const COMMANDS = [
  { id: 'buffer', title: 'Add step: Buffer', words: 'distance' },
  { id: 'simplify', title: 'Add step: Simplify' },
  { id: 'sample', title: 'Add the sample file' },
  { id: 'gpkg', title: 'Output format: GeoPackage', words: 'gpkg sqlite' },
  { id: 'geojson', title: 'Output format: GeoJSON' },
  { id: 'zoom', title: 'Zoom to Größe.geojson' },
];
const found = (query: string, recent: readonly string[] = []) =>
  searchCommands(COMMANDS, query, recent).map(({ id }) => id);

test('better matches come first: start of the title, starts of words, parts of words, other words, letters in order', () => {
  assert.deepEqual(found('add'), ['buffer', 'simplify', 'sample']);
  assert.deepEqual(found('geo'), ['gpkg', 'geojson', 'zoom']);
  assert.deepEqual(found('step simp'), ['simplify']);
  assert.deepEqual(found('uffer'), ['buffer']);
  assert.deepEqual(found('sqlite'), ['gpkg']);
  assert.deepEqual(found('bffr'), ['buffer']);
  assert.deepEqual(found('grosse'), []);
  assert.deepEqual(found('grö'), ['zoom']);
  assert.deepEqual(found('GRO'), ['zoom']);
  assert.deepEqual(found('gml'), []);
});

test('recent commands come first among equal matches, and never before better ones', () => {
  assert.deepEqual(found('add', ['sample', 'zoom']), ['sample', 'buffer', 'simplify']);
  assert.deepEqual(found('geo', ['zoom', 'geojson']), ['zoom', 'geojson', 'gpkg']);
  assert.deepEqual(found('z', ['gpkg'])[0], 'zoom');
  assert.deepEqual(
    found('', ['zoom']),
    COMMANDS.map(({ id }) => id),
  );
});
