// Entry of the thread that copies the write-ahead log of a database into it, see jobs/checkpoints.ts.
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

const database = new DatabaseSync(workerData.path);
const checkpoint = database.prepare('PRAGMA wal_checkpoint(PASSIVE)');

parentPort.on('message', (isLast) => {
  if (isLast) {
    database.close();
    parentPort.close();
    return;
  }
  // What it cannot copy now stays in the log. An error, such as that of a full disk, ends the thread.
  try {
    checkpoint.get();
  } finally {
    parentPort.postMessage(null);
  }
});
