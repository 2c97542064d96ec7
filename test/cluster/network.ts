/**
 * The machines of a campaign. Each is a network namespace with a link to the database, one to the store and one to the clients, so
 * that a machine can be cut off from one of them without any answer, as by a broken cable. Where namespaces cannot be made, the
 * machines are ports of the loopback interface, and links are proxies that stop to pass bytes on.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export const LINKS = ['database', 'store'] as const;
export type Link = (typeof LINKS)[number];

export interface Machine {
  readonly name: string;
  /** Command before each command that runs on it. */
  readonly within: readonly string[];
  /** Where its services are reached. */
  readonly address: string;
  /** Where it reaches the server behind the link. */
  server(link: Link): { readonly address: string; readonly port: number };
  /** Until the result is called. */
  cut(link: Link): () => void;
}

export interface Network extends AsyncDisposable {
  /** Why namespaces are not used; null: they are. */
  readonly fallback: string | null;
  /** The machine of the server behind a link. */
  readonly servers: Readonly<Record<Link, Omit<Machine, 'server' | 'cut'> & { readonly port: number }>>;
  addMachine(name: string): Promise<Machine>;
}

/** Variable of the process that has namespaces of its own, see `insideNamespaces`. */
const INSIDE = 'GEOMILL_TEST_NAMESPACES';
const PORTS: Readonly<Record<Link, number>> = { database: 5432, store: 9000 };
/** Namespaces of its own, and a shell in them. */
const OWN = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc', 'sh', '-c'];
const PREPARE = 'mkdir -p /run/netns && mount -t tmpfs tmpfs /run/netns && ip link set lo up';
const FRONT = 'front';
const NETS = [...LINKS, FRONT] as const;

/**
 * Runs this program again with namespaces of its own for networks, mounts and processes, which end with it and whatever it started:
 * nothing of a campaign that is killed is left behind. Resolves with its status; null: this is that program, or there are no namespaces.
 */
export function insideNamespaces(): number | null {
  if (process.env[INSIDE] !== undefined || whyNoNamespaces() !== null) return null;
  const { status } = spawnSync(
    'unshare',
    [...OWN, `${PREPARE} && exec "$@"`, 'sh', process.execPath, ...process.argv.slice(1)],
    {
      stdio: 'inherit',
      env: { ...process.env, [INSIDE]: '1' },
    },
  );
  return status ?? 1;
}

function whyNoNamespaces(): string | null {
  if (process.platform !== 'linux') return 'only Linux has network namespaces';
  const script = `${PREPARE} && ip netns add a && ip netns exec a true && ip link add name bridge type bridge`;
  const tried = spawnSync('unshare', [...OWN, script], { encoding: 'utf8' });
  if (tried.error !== undefined) return tried.error.message;
  return tried.status === 0 ? null : `network namespaces cannot be made here: ${tried.stderr.trim()}`;
}

export async function makeNetwork(): Promise<Network> {
  return process.env[INSIDE] === undefined ? loopbackNetwork() : namespaceNetwork();
}

/** Each link has a bridge; a machine that is cut off is taken out of it. */
function namespaceNetwork(): Network {
  const ip = (...args: string[]): void => void execFileSync('ip', args);
  for (const [index, net] of NETS.entries()) {
    ip('link', 'add', 'name', net, 'type', 'bridge');
    ip('addr', 'add', `${prefixOf(index)}.1/24`, 'dev', net);
    ip('link', 'set', net, 'up');
  }
  let machines = 1;
  const add = (name: string, nets: readonly string[]): { number: number; within: readonly string[] } => {
    const number = ++machines;
    ip('netns', 'add', name);
    ip('-n', name, 'link', 'set', 'lo', 'up');
    for (const net of nets) {
      ip('link', 'add', portOf(number, net), 'type', 'veth', 'peer', 'name', net, 'netns', name);
      ip('link', 'set', portOf(number, net), 'master', net, 'up');
      ip('-n', name, 'addr', 'add', `${prefixOf(NETS.indexOf(net as Link))}.${number}/24`, 'dev', net);
      ip('-n', name, 'link', 'set', net, 'up');
    }
    return { number, within: ['ip', 'netns', 'exec', name] };
  };
  const serverOf = (link: Link): Network['servers'][Link] => {
    const { number, within } = add(link, [link]);
    return { name: link, within, address: `${prefixOf(LINKS.indexOf(link))}.${number}`, port: PORTS[link] };
  };
  const servers = { database: serverOf('database'), store: serverOf('store') };
  return {
    fallback: null,
    servers,
    async addMachine(name) {
      const { number, within } = add(name, NETS);
      return {
        name,
        within,
        address: `${prefixOf(NETS.indexOf(FRONT))}.${number}`,
        server: (link) => servers[link],
        cut(link) {
          ip('link', 'set', portOf(number, link), 'nomaster');
          return () => ip('link', 'set', portOf(number, link), 'master', link);
        },
      };
    },
    // The namespaces end with this process.
    async [Symbol.asyncDispose]() {},
  };
}

function prefixOf(net: number): string {
  return `10.86.${net}`;
}

/** Names of interfaces have at most 15 characters. */
function portOf(machine: number, net: string): string {
  return `${net}-${machine}`;
}

async function loopbackNetwork(): Promise<Network> {
  const address = '127.0.0.1';
  const serverOf = async (name: Link) => ({ name, within: [], address, port: await freePort(address) });
  const servers = { database: await serverOf('database'), store: await serverOf('store') };
  const links: LoopbackLink[] = [];
  return {
    fallback: whyNoNamespaces(),
    servers,
    async addMachine(name) {
      const own = { database: new LoopbackLink(), store: new LoopbackLink() };
      for (const link of LINKS) await own[link].open(address, servers[link].port);
      links.push(...Object.values(own));
      return {
        name,
        within: [],
        address,
        server: (link) => ({ address, port: own[link].port }),
        cut: (link) => own[link].cut(),
      };
    },
    async [Symbol.asyncDispose]() {
      for (const link of links) link.close();
    },
  };
}

async function freePort(address: string): Promise<number> {
  const server = createServer().listen(0, address);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** A proxy that passes nothing on while it is cut; connections stay open and are continued. */
class LoopbackLink {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #target = { host: '', port: 0 };
  #isCut = false;

  constructor() {
    this.#server = createServer((client) => {
      const server = connect(this.#target);
      for (const [one, other] of [
        [client, server],
        [server, client],
      ]) {
        this.#sockets.add(one);
        one.on('data', (bytes: Buffer) => void other.write(bytes));
        one.on('error', () => other.destroy());
        one.on('close', () => {
          this.#sockets.delete(one);
          other.destroy();
        });
        if (this.#isCut) one.pause();
      }
    });
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async open(host: string, port: number): Promise<void> {
    this.#target = { host, port };
    this.#server.listen(0, host);
    await once(this.#server, 'listening');
  }

  cut(): () => void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.pause();
    return () => {
      this.#isCut = false;
      for (const socket of this.#sockets) socket.resume();
    };
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}
