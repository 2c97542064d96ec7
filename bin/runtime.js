// The Node.js that runs geomill where the one of the user is too old. CommonJS in the syntax of Node 12.
const fs = require('fs');
const path = require('path');

const OLDEST_MAJOR = 24;

/** The program of an npm package that contains Node, in the node_modules directories around this file. */
function installedRuntime() {
  const isWindows = process.platform === 'win32';
  const system = `${isWindows ? 'win' : process.platform}-${process.arch}`;
  for (const name of ['node', `node-${system}`, `node-bin-${system}`]) {
    try {
      const manifest = require.resolve(`${name}/package.json`);
      const file = path.join(path.dirname(manifest), 'bin', isWindows ? 'node.exe' : 'node');
      if (majorOf(require(manifest).version) >= OLDEST_MAJOR && fs.existsSync(file)) return file;
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  return null;
}

function majorOf(version) {
  return Number(version.replace('v', '').split('.')[0]);
}

module.exports = { installedRuntime, majorOf, OLDEST_MAJOR };
