/** The program as a package installs it: the bundle, made once for each state of the sources. */
import { join } from 'node:path';
import { builtProgram } from '../test/support/built-program.ts';

export const GEOMILL = join(await builtProgram(), 'bin', 'geomill.js');
