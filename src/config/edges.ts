// Where a stream is seen a second time: edges, which are further listeners before a gateway, and a peer, which
// is a rubato elsewhere. Reads `[NAME@]HOST:PORT=URL` and the list of the YAML file, and says what contradicts
// what. Pure; knows nothing of files.
import * as v from 'valibot';
import { EDGES_MAX_COUNT } from '../base/hop-limits.ts';
import { HOST_HEADERS, type EdgeConfig, type HostHeader, type PeerConfig } from './config.ts';
import { byReader, type Checked, LABEL, sentences } from './schema.ts';
import {
  hostPortText,
  readChoice,
  readHostPort,
  readLabel,
  readList,
  readUpstream,
  type Read,
  type Reader,
  show,
} from './values.ts';

const EDGE_EXAMPLE = 'such as 127.0.0.1:8081=http://127.0.0.1:4000, or gateway@127.0.0.1:8081=http://127.0.0.1:4000';

/** A list of `[NAME@]HOST:PORT=URL`. */
export const readEdgeListeners: Reader<readonly EdgeConfig[]> = (raw) => {
  const texts = readList(raw);
  if (texts === undefined) {
    return { fault: `expected [NAME@]HOST:PORT=URL, ${EDGE_EXAMPLE}; a list with keys goes under "edges"` };
  }
  const edges: EdgeConfig[] = [];
  for (const text of texts) {
    const read = readEdge(text);
    if ('fault' in read) return read;
    edges.push(read.value);
  }
  return { value: edges };
};

function readEdge(text: string): Read<EdgeConfig> {
  const [, before, place = '', url = ''] = /^(?:([^@=/]*)@)?([^@=]+)=(.+)$/.exec(text) ?? [];
  if (url === '') return { fault: `${show(text)} is not [NAME@]HOST:PORT=URL, ${EDGE_EXAMPLE}` };
  const name: Read<string | undefined> = before === undefined ? { value: undefined } : readName(before);
  const listen = readHostPort(place);
  const upstream = readUpstream(url);
  for (const read of [name, listen, upstream]) if ('fault' in read) return read;
  if ('fault' in name || 'fault' in listen || 'fault' in upstream) throw new Error('a fault was not told');
  return { value: edgeOf({ name: name.value, listen: listen.value, upstream: upstream.value }) };
}

/** `other` is what label values fold into. */
function readName(text: string): Read<string> {
  return text === 'other'
    ? { fault: '"other" is the label of what has none of its own; take another name' }
    : readLabel(text);
}

interface EdgeParts extends Pick<EdgeConfig, 'listen' | 'upstream'> {
  readonly name: string | undefined;
  readonly hostHeader?: HostHeader | undefined;
}

/** Without a name of its own a hop is called by where it is. */
function edgeOf({ name, listen, upstream, hostHeader }: EdgeParts): EdgeConfig {
  return { name: name ?? hostPortText(upstream), listen, upstream, hostHeader };
}

/** `[NAME@]URL` of another rubato's admin port. */
export const readPeer: Reader<PeerConfig> = (raw) => {
  const text = typeof raw === 'string' ? raw.trim() : '';
  const [, before, url = ''] = /^(?:([^@/]*)@)?([a-z]+:\/\/.+)$/i.exec(text) ?? [];
  const example = 'such as http://10.0.0.2:9464, or gateway@http://10.0.0.2:9464';
  if (url === '') return { fault: `${show(raw)} is not [NAME@]URL of another rubato's admin port, ${example}` };
  const name: Read<string | undefined> = before === undefined ? { value: undefined } : readName(before);
  if ('fault' in name) return name;
  const read = readUpstream(url.replace(/\/$/, ''));
  if ('fault' in read) {
    const hasPath = URL.canParse(url) && URL.parse(url)?.pathname !== '/';
    return hasPath ? { fault: `${show(url)} has a path; give only the origin of the admin port, ${example}` } : read;
  }
  return { value: { name: name.value ?? hostPortText(read.value), admin: read.value } };
};

const EDGES = v.pipe(
  v.array(
    v.strictObject({
      name: v.optional(LABEL),
      listen: byReader(readHostPort),
      upstream: byReader(readUpstream),
      host_header: v.optional(byReader(readChoice(HOST_HEADERS))),
    }),
    'expected a list of edges',
  ),
  v.maxLength(EDGES_MAX_COUNT, `expected at most ${EDGES_MAX_COUNT} edges`),
);

/** Fields of an edge, for guesses at what was meant. */
const FIELDS = ['name', 'listen', 'upstream', 'host_header'];

/** The edges of the YAML file's list. */
export function checkEdges(raw: unknown): Checked<readonly EdgeConfig[]> {
  const parsed = v.safeParse(EDGES, raw ?? []);
  if (!parsed.success) return { value: [], faults: sentences('edges', parsed.issues, FIELDS) };
  const value = parsed.output.map(({ host_header: hostHeader, ...rest }) =>
    edgeOf({ ...rest, name: rest.name, hostHeader }),
  );
  return { value, faults: [] };
}

/** What is wrong with all edges together, wherever they were written. */
export function edgeFaults(edges: readonly EdgeConfig[], peer: PeerConfig | undefined): string[] {
  const faults: string[] = [];
  if (edges.length > EDGES_MAX_COUNT) {
    faults.push(`--edge: ${edges.length} edges are more than the ${EDGES_MAX_COUNT} allowed.`);
  }
  const names = [...edges.map(({ name }) => name), ...(peer === undefined ? [] : [peer.name])];
  for (const name of new Set(names.filter((each, index) => names.indexOf(each) !== index))) {
    faults.push(
      `--edge, --peer: the hop "${name}" is there more than once. Give each a name of its own: NAME@HOST:PORT=URL.`,
    );
  }
  for (const { name, listen, upstream } of edges) {
    if (listen.port === 0 || upstream.port !== listen.port || !isSameHost(upstream.host, listen.host)) continue;
    faults.push(`--edge ${name}: it would forward to itself; its URL must be that of the gateway.`);
  }
  return faults;
}

const HERE: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1', '0.0.0.0', '::']);

export function isSameHost(left: string, right: string): boolean {
  return left === right || (HERE.has(left) && HERE.has(right));
}
