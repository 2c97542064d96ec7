/**
 * `node s3-process.ts DIRECTORY ADDRESS PORT`: an S3 server as a process of its own, whose objects are files in the directory. The
 * messages `full` and `free` say whether there is room for what requests would store.
 */
import { S3TestServer } from '../support/s3-server.ts';

const [directory, address, port] = process.argv.slice(2);
const server = await S3TestServer.start(directory, address, Number(port));
if (server === null) throw new Error('@20minutes/s3rver is not installed');
let isFull = false;
server.faultFor = ({ method, url = '' }) => {
  server.requests.length = 0;
  // A completion is a POST: the parts are there already.
  return isFull && method === 'PUT' && !url.includes('delete')
    ? { status: 507, code: 'InsufficientCapacity' }
    : null;
};
process.on('message', (message) => {
  isFull = message === 'full';
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
