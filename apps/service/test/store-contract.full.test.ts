import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { makeWorkspace } from '../../../test/support/convert.ts';
import { S3TestServer } from '../../../test/support/s3-server.ts';
import { STORE_TESTS } from '../../../test/support/store-contract.ts';
import { LocalStore } from '../src/storage/local-store.ts';
import { S3Store } from '../src/storage/s3-store.ts';
import { SharedDirectoryStore } from '../src/storage/shared-directory.ts';
import type { FileStore } from '../src/storage/store.ts';

interface Opened {
  /** On the same files. */
  readonly store: FileStore;
  readonly other: FileStore;
  readonly close?: () => Promise<void>;
}

interface Kind {
  readonly name: string;
  /** `directory` is empty. Null: something that it needs is not installed. */
  readonly open: (directory: string) => Promise<Opened | null>;
}

const KINDS: readonly Kind[] = [
  {
    name: 'data directory',
    open: async (directory) => {
      const store = new LocalStore(directory);
      return { store, other: store };
    },
  },
  {
    name: 'shared directory',
    open: async (directory) => ({
      store: new SharedDirectoryStore(directory),
      other: new SharedDirectoryStore(directory),
    }),
  },
  {
    name: 'S3',
    open: async (directory) => {
      const server = await S3TestServer.start(directory);
      if (server === null) return null;
      const [store, other] = [1, 2].map(() => new S3Store(server.settings('mill/files')));
      const close = async (): Promise<void> => {
        for (const one of [store, other]) one.close();
        await server[Symbol.asyncDispose]();
      };
      return { store, other, close };
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
      const opened = await open(files);
      if (opened === null) return context.skip('@20minutes/s3rver is not installed');
      const { store, other, close } = opened;
      context.after(close);
      if (shared && !store.isShared) return context.skip('a store of one process');
      await run({ store, other, directory });
    });
