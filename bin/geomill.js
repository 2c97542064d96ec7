#!/usr/bin/env node
// Plain JavaScript on purpose: the compile cache has to be on before the first TypeScript file is loaded, or its types
// are stripped anew at every start, which takes longer than a small conversion.
import { enableCompileCache } from 'node:module';

const { directory } = enableCompileCache();
// Worker threads look only at the variable.
if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= directory;
await import('../src/main.ts');
