// The two files in which a system says how names are found: its hosts, and where and how to ask for
// others. Pure: text in, facts out.
import { isIP } from 'node:net';

export interface ResolverRules {
  /** Domains in which a short name is looked for. */
  readonly search: readonly string[];
  /** A name with so many dots is taken as it stands first. */
  readonly ndots: number;
}

/** What resolv.conf(5) allows. */
const NDOTS_MAX = 15;
const SEARCH_MAX_COUNT = 6;

export function resolverRules(text: string): ResolverRules {
  let search: string[] = [];
  let ndots = 1;
  for (const line of text.split('\n')) {
    const [keyword, ...words] = line.trim().split(/\s+/);
    // The last one of both counts.
    if (keyword === 'search' || keyword === 'domain') search = words.filter((word) => word !== '.');
    if (keyword !== 'options') continue;
    for (const word of words) {
      const digits = /^ndots:(\d+)$/.exec(word)?.[1];
      if (digits !== undefined) ndots = Math.min(Number(digits), NDOTS_MAX);
    }
  }
  return { search: search.slice(0, SEARCH_MAX_COUNT), ndots };
}

/** The full names that a name may stand for, in the order in which they are tried. */
export function fullNames(name: string, { search, ndots }: ResolverRules): string[] {
  if (name.endsWith('.')) return [name.slice(0, -1)];
  const inDomains = search.map((domain) => `${name}.${domain.replace(/\.$/, '')}`);
  const dotCount = name.split('.').length - 1;
  return dotCount >= ndots ? [name, ...inDomains] : [...inDomains, name];
}

/** What a hosts file says of a name, in its order. */
export function hostsAddresses(text: string, name: string): string[] {
  const wanted = name.toLowerCase().replace(/\.$/, '');
  const addresses: string[] = [];
  for (const line of text.split('\n')) {
    const [address = '', ...names] = (line.split('#', 1)[0] as string).trim().split(/\s+/);
    if (isIP(address) !== 0 && names.some((each) => each.toLowerCase() === wanted)) addresses.push(address);
  }
  return addresses;
}
