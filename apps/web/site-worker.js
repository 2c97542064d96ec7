/**
 * Service worker of the static site. It keeps all files of one version, and answers from them alone: the page works without a network, and never has
 * files of two versions. Another version takes over when no tab has this one open. The build writes SITE before this text.
 */
/* global SITE */

const { scope } = registration;
/** Other sites of the same origin have caches, too. */
const PREFIX = `geomill ${scope} `;
const CACHE = PREFIX + SITE.version;

addEventListener('install', (event) => event.waitUntil(keepFiles()));

addEventListener('activate', (event) => event.waitUntil(removeOthers().then(() => clients.claim())));

addEventListener('fetch', (event) => {
  const { request } = event;
  const { href, hash } = new URL(request.url);
  const name = href.slice(scope.length, href.length - hash.length).replace(/\?.*$/, '');
  if (request.method !== 'GET' || !href.startsWith(scope)) return;
  const kept = name === 'index.html' ? '' : name;
  if (kept in SITE.files) event.respondWith(answer(kept, request));
});

/** A file of another version is an error, and this version is tried again at the next visit. */
async function keepFiles() {
  const cache = await caches.open(CACHE);
  const requests = Object.entries(SITE.files).map(
    ([name, integrity]) =>
      new Request(new URL(name, scope), { integrity, cache: name === '' ? 'no-cache' : 'default' }),
  );
  await cache.addAll(requests);
}

async function removeOthers() {
  const names = await caches.keys();
  await Promise.all(
    names.filter((name) => name.startsWith(PREFIX) && name !== CACHE).map((name) => caches.delete(name)),
  );
}

async function answer(name, request) {
  const cache = await caches.open(CACHE);
  // Browsers may remove it when the disk is full.
  return (await cache.match(new URL(name, scope))) ?? fetch(request);
}
