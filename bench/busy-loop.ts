/** Keeps a core busy until the process that started it ends. */
const parent = process.ppid;
while (process.ppid === parent) {
  const end = Date.now() + 100;
  while (Date.now() < end);
}
