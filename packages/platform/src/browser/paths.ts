/** Paths of files, which have slashes here, and of what is in archives. */

export function joinedPath(directory: string, name: string): string {
  return normalized([directory, name].filter((part) => part !== '').join('/'));
}

export function absolutePath(path: string): string {
  const whole = normalized(`/${path}`);
  return whole.length > 1 ? whole.replace(/\/$/, '') : whole;
}

export function fileName(path: string, ending?: string): string {
  const name = path.replace(/\/+$/, '').replace(/^.*\//s, '');
  const isLonger = ending !== undefined && ending !== '' && name.endsWith(ending) && name !== ending;
  return isLonger ? name.slice(0, -ending.length) : name;
}

export function directoryOf(path: string): string {
  if (/^\/+$/.test(path)) return '/';
  const at = path.replace(/\/+$/, '').lastIndexOf('/');
  if (at < 0) return '.';
  return at === 0 ? '/' : path.slice(0, at);
}

export function endingOf(path: string): string {
  const name = fileName(path);
  const at = name.lastIndexOf('.');
  return at <= 0 || name === '..' ? '' : name.slice(at);
}

export function pathOfUrl(url: URL): string {
  return decodeURIComponent(url.pathname);
}

export function nameInArchive(path: string): string {
  return fileName(path);
}

export function pathInArchive(from: string, to: string): string {
  return joinedPath(directoryOf(from), to);
}

function normalized(path: string): string {
  const isAbsolute = path.startsWith('/');
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts[parts.length - 1] !== '..') parts.pop();
    else if (part !== '..' || !isAbsolute) parts.push(part);
  }
  const text = parts.join('/');
  const ending = path.endsWith('/') ? '/' : '';
  if (isAbsolute) return text === '' ? '/' : `/${text}${ending}`;
  return (text === '' ? '.' : text) + ending;
}
