import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { LocalStore } from '../../src/storage/local-store.ts';
import type { FileStore } from '../../src/storage/store.ts';
import { makeWorkspace } from '../support/convert.ts';
import { STORE_TESTS } from '../support/store-contract.ts';

interface Kind {
  readonly name: string;
  /** Two stores on the same files; `directory` is empty. */
  readonly open: (directory: string) => Promise<readonly [FileStore, FileStore]>;
}

const KINDS: readonly Kind[] = [
  {
    name: 'data directory',
    open: async (directory) => {
      const store = new LocalStore(directory);
      return [store, store];
    },
  },
];

for (const { name, open } of KINDS)
  for (const { name: fact, shared, run } of STORE_TESTS)
    test(`${name}: ${fact}`, async (context) => {
      using workspace = makeWorkspace();
      const [files, directory] = ['files', 'local'].map((part) => join(workspace.path, part));
      mkdirSync(files);
      mkdirSync(directory);
      const [store, other] = await open(files);
      if (shared && !store.isShared) return context.skip('a store of one process');
      await run({ store, other, directory });
    });
