/** The licences of packages whose code is in what is built. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The licences of packages that are copied into the build; most of them have to go with every copy. */
export function licensesOf(root: string, packages: readonly string[]): string {
  const names = [...new Set(packages.map((name) => name.replaceAll('\\', '/')))].sort();
  return names
    .map((name) => {
      const directory = join(root, 'node_modules', name);
      const { version, license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as {
        readonly version: string;
        readonly license: string;
      };
      const file = readdirSync(directory).find((one) => /^licen[cs]e/i.test(one));
      const text = file === undefined ? '' : readFileSync(join(directory, file), 'utf8').trim();
      return `${name} ${version} (${license})\n\n${text}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}

/** Names of the packages of modules, which are paths or ids of a bundler. */
export function packagesOf(modules: readonly string[]): string[] {
  return modules.flatMap((id) => {
    const [, name] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id.replaceAll('\\', '/')) ?? [];
    return name === undefined ? [] : [name];
  });
}
