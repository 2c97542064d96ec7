// Loaded with --import before every test file: without the cache, each of the 200 processes strips and compiles the same sources.
import compileCache from '../../bin/compile-cache.js';

compileCache.enableCompileCache();
