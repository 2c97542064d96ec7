// Loaded with --import before every test file: without the cache, each of the 200 processes strips and compiles the same sources.
import { enableCompileCache } from 'node:module';

const { directory } = enableCompileCache();
// Worker threads and commands that a test starts read only the variable.
if (directory !== undefined) process.env.NODE_COMPILE_CACHE ??= directory;
