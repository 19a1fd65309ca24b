// Finds the addresses of a name by asking the name servers ourselves, over sockets of the relay's own loop.
// The system's look-up runs on the few threads that files and compression need as well; it is only the
// last resort, for names that no name server knows (mDNS, NIS). Remembers nothing.
import dns from 'node:dns';
import { readFile } from 'node:fs/promises';
import { DNS_TRIES_COUNT, DNS_TRY_MS, NAME_ADDRESSES_MAX_COUNT, NAME_FILE_MAX_BYTES } from '../base/limits.ts';
import { fullNames, hostsAddresses, resolverRules } from './name-files.ts';

const HOSTS = '/etc/hosts';
const RESOLV_CONF = '/etc/resolv.conf';
const LOOPBACK = ['127.0.0.1', '::1'];
/** With IPv4 addresses in hand those of IPv6 are waited for so long (RFC 8305 §3), and no longer. */
const OTHER_FAMILY_MS = 50;
/** A name server that says this has answered; anything else is a fault of the asking. */
const UNKNOWN: ReadonlySet<string> = new Set([dns.NOTFOUND, dns.NODATA]);

export interface NameAnswer {
  /** At least one. */
  readonly addresses: readonly string[];
  /** For how long the answer holds; undefined where nobody said. */
  readonly ttlMs: number | undefined;
  /** The system found it, and no name server. */
  readonly bySystem: boolean;
}

export class NameLookup {
  #resolver: dns.promises.Resolver | undefined;
  #resolvConf: string | undefined;

  /** Rejects with a code such as `ENOTFOUND`. `system`: asks the system where no name server knows the name. */
  async find(name: string, system: boolean): Promise<NameAnswer> {
    const listed = hostsAddresses(await textOf(HOSTS), name);
    if (listed.length > 0) return stated(listed);
    // Never asked for outside (RFC 6761 §6.3).
    if (/^(?:.*\.)?localhost\.?$/i.test(name)) return stated(LOOPBACK);
    try {
      return await this.#ask(name);
    } catch (fault) {
      if (!system) throw fault;
      const found = await dns.promises.lookup(name, { all: true, order: 'verbatim' });
      return stated(
        found.map(({ address }) => address),
        true,
      );
    }
  }

  async #ask(name: string): Promise<NameAnswer> {
    const resolvConf = await textOf(RESOLV_CONF);
    // A resolver reads the file when it is made; a laptop that changes networks gets other servers.
    if (this.#resolver === undefined || resolvConf !== this.#resolvConf) {
      this.#resolver = new dns.promises.Resolver({ timeout: DNS_TRY_MS, tries: DNS_TRIES_COUNT });
      this.#resolvConf = resolvConf;
    }
    let fault: unknown;
    for (const fullName of fullNames(name, resolverRules(resolvConf))) {
      const answer = await askBoth(this.#resolver, fullName);
      if ('addresses' in answer) return answer;
      // That a server could not be asked says more than that another name is unknown.
      if (fault === undefined || !UNKNOWN.has(codeOf(answer.fault))) fault = answer.fault;
    }
    throw fault;
  }
}

function stated(addresses: readonly string[], bySystem = false): NameAnswer {
  return { addresses: addresses.slice(0, NAME_ADDRESSES_MAX_COUNT), ttlMs: undefined, bySystem };
}

async function askBoth(
  resolver: dns.promises.Resolver,
  name: string,
): Promise<NameAnswer | { readonly fault: unknown }> {
  const older = settled(resolver.resolve4(name, { ttl: true }));
  const newer = settled(resolver.resolve6(name, { ttl: true }));
  const first = await older;
  const second = first.records.length === 0 ? await newer : await Promise.race([newer, patience()]);
  const records = [...first.records, ...second.records].slice(0, NAME_ADDRESSES_MAX_COUNT);
  if (records.length > 0) {
    return {
      addresses: records.map(({ address }) => address),
      ttlMs: Math.min(...records.map(({ ttl }) => ttl)) * 1e3,
      bySystem: false,
    };
  }
  return { fault: [second.fault, first.fault].find((each) => !UNKNOWN.has(codeOf(each))) ?? first.fault };
}

interface Settled {
  readonly records: readonly dns.RecordWithTtl[];
  readonly fault?: unknown;
}

async function settled(asked: Promise<dns.RecordWithTtl[]>): Promise<Settled> {
  try {
    return { records: await asked };
  } catch (fault) {
    return { records: [], fault };
  }
}

function patience(): Promise<Settled> {
  return new Promise((resolve) => void setTimeout(() => resolve({ records: [] }), OTHER_FAMILY_MS));
}

function codeOf(fault: unknown): string {
  return String((fault as NodeJS.ErrnoException | undefined)?.code);
}

/** Empty when there is no such file; of a very long one the beginning. */
async function textOf(path: string): Promise<string> {
  try {
    return (await readFile(path, 'latin1')).slice(0, NAME_FILE_MAX_BYTES);
  } catch {
    return '';
  }
}
