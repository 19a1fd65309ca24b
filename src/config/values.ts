// Reads one value of one key from whatever its source gave: text from a flag or the environment, any
// scalar or list from YAML. Each reader gives the value or a sentence that says what is expected. Pure.
import { withoutSecrets } from '../base/unsecret.ts';
import type { HostPort, UpstreamAddress } from './config.ts';

export type Read<Value> = { readonly value: Value } | { readonly fault: string };
export type Reader<Value> = (raw: unknown) => Read<Value>;

/** Longest value shown back in a fault; a pasted file should not fill the screen. */
const SHOWN_MAX_CHARS = 80;
const PORT_MAX = 65_535;
/** `setTimeout` takes at most 2^31 − 1 ms; longer ones would fire at once. */
const SECONDS_MAX = 2_147_483;

export function show(raw: unknown): string {
  const text = withoutSecrets(typeof raw === 'string' ? raw : (JSON.stringify(raw) ?? String(raw)));
  return `"${text.length > SHOWN_MAX_CHARS ? `${text.slice(0, SHOWN_MAX_CHARS)}…` : text}"`;
}

function scalarText(raw: unknown): string | undefined {
  if (typeof raw === 'string') return raw.trim();
  return typeof raw === 'number' || typeof raw === 'boolean' ? String(raw) : undefined;
}

export function readText(what: string): Reader<string> {
  return (raw) => {
    const text = scalarText(raw);
    return text === undefined || text === '' ? { fault: `expected ${what}` } : { value: text };
  };
}

/** A short word that is fit for a label value. */
export const readLabel: Reader<string> = (raw) => {
  const text = scalarText(raw) ?? '';
  if (/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/.test(text)) return { value: text };
  return { fault: `${show(raw)} is not a name of letters, digits, ".", "_" and "-", at most 64 long` };
};

export function readChoice<Choice extends string>(choices: readonly Choice[]): Reader<Choice> {
  return (raw) => {
    // YAML 1.1 habits die hard: some tools write `off` as false, and this must not surprise anybody.
    const text = raw === false ? 'off' : raw === true ? 'on' : raw;
    const choice = choices.find((each) => each === text);
    return choice === undefined ? { fault: `${show(raw)} is not one of ${choices.join(', ')}` } : { value: choice };
  };
}

export const readSwitch: Reader<boolean> = (raw) => {
  const text = scalarText(raw);
  if (text === 'true' || text === '1') return { value: true };
  if (text === 'false' || text === '0') return { value: false };
  return { fault: `${show(raw)} is neither true nor false` };
};

export function readInteger(least: number, most: number): Reader<number> {
  return (raw) => {
    const text = scalarText(raw) ?? '';
    const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return { value };
    return { fault: `${show(raw)} is not a whole number from ${least} to ${most}` };
  };
}

/** Seconds, with fraction, to whole ms. */
export function readSeconds(least: number): Reader<number> {
  return (raw) => {
    const text = scalarText(raw) ?? '';
    const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
    if (seconds >= least && seconds <= SECONDS_MAX) return { value: Math.round(seconds * 1_000) };
    return { fault: `${show(raw)} is not a number of seconds from ${least} to ${SECONDS_MAX}, such as 25 or 0.5` };
  };
}

/** A limit in seconds, or `off`. */
export const readLimit: Reader<number | undefined> = (raw) => {
  if (raw === 'off' || raw === false) return { value: undefined };
  const read = readSeconds(0.001)(raw);
  return 'fault' in read ? { fault: `${show(raw)} is neither a number of seconds above 0 nor off` } : read;
};

const BYTE_UNITS: Readonly<Record<string, number>> = { '': 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

export function readBytes(least: number): Reader<number> {
  return (raw) => {
    const match = /^(\d{1,15}) ?(KiB|MiB|GiB|)$/.exec(scalarText(raw) ?? '');
    const value = match === null ? Number.NaN : Number(match[1]) * (BYTE_UNITS[match[2] ?? ''] ?? Number.NaN);
    if (value >= least && Number.isSafeInteger(value)) return { value };
    return { fault: `${show(raw)} is not a size of at least ${least} bytes, such as 1048576 or 256MiB` };
  };
}

/** Texts from a YAML list, from a flag given several times, or separated by commas. */
export function readList(raw: unknown): readonly string[] | undefined {
  const items: unknown[] = Array.isArray(raw) ? raw : [raw];
  const texts = items.map((item) => scalarText(item));
  if (texts.some((text) => text === undefined)) return undefined;
  return texts
    .flatMap((text) => (text ?? '').split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '');
}

export function readNames(what: string, mostCount: number): Reader<readonly string[]> {
  return (raw) => {
    const names = readList(raw);
    if (names === undefined) return { fault: `expected a list of ${what}` };
    if (names.length > mostCount) return { fault: `${names.length} ${what} are more than the ${mostCount} allowed` };
    return { value: [...new Set(names)] };
  };
}

/** Edges of buckets: whole numbers above 0, each larger than the one before. */
export function readEdges(mostCount: number): Reader<readonly number[]> {
  return (raw) => {
    const edges = (readList(raw) ?? []).map((text) => (/^\d{1,12}$/.test(text) ? Number(text) : Number.NaN));
    const rising = edges.every((edge, index) => edge > (edges[index - 1] ?? 0));
    if (rising && edges.length > 0 && edges.length <= mostCount) return { value: edges };
    return { fault: `${show(raw)} is not a rising list of 1 to ${mostCount} token counts, such as 256,1024,4096` };
  };
}

/** A field name as RFC 9110 §5.6.2 allows it, in lower case. */
export const readHeaderName: Reader<string> = (raw) => {
  const name = scalarText(raw)?.toLowerCase() ?? '';
  if (/^[!#$%&'*+\-.^_`|~0-9a-z]{1,128}$/.test(name)) return { value: name };
  return { fault: `${show(raw)} cannot be the name of a header` };
};

/** `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`. */
export const readHostPort: Reader<HostPort> = (raw) => {
  const text = scalarText(raw) ?? '';
  const match = /^(?:\[([0-9a-fA-F:.%a-z]+)\]|([A-Za-z0-9._-]+)):(\d{1,10})$/.exec(text);
  if (match === null) {
    return {
      fault: `${show(raw)} is not HOST:PORT, such as 127.0.0.1:8080, [::1]:8080, or 0.0.0.0:8080 for all interfaces`,
    };
  }
  const port = Number(match[3]);
  if (port > PORT_MAX)
    return { fault: `port ${port} is out of range: it must be from 1 to ${PORT_MAX}, or 0 for any free one` };
  return { value: { host: match[1] ?? match[2] ?? '', port } };
};

/** The same as {@link readHostPort} reads it. */
export function hostPortText({ host, port }: HostPort): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** A whole http or https URL, path and query included. Credentials in it would end up in logs. */
export const readUrl: Reader<string> = (raw) => {
  const text = scalarText(raw) ?? '';
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    return { fault: `${show(raw)} is not an http:// or https:// URL, such as http://127.0.0.1:8000` };
  }
  const url = new URL(text);
  if (url.username !== '' || url.password !== '')
    return { fault: 'the URL holds a user name or password; leave it out' };
  if (url.port === '0') return { fault: `${show(raw)} has port 0, which nothing can listen on` };
  url.hash = '';
  return { value: url.href };
};

/** Where an engine's metrics are: found by itself, nowhere, or at a URL. */
export const readMetricsPlace: Reader<string> = (raw) => {
  if (raw === 'auto' || raw === 'off') return { value: raw };
  if (raw === false) return { value: 'off' };
  const read = readUrl(raw);
  // What is wrong with a URL is said by its own reader, which shows no password.
  if (!('fault' in read) || (typeof raw === 'string' && /^https?:/i.test(raw) && URL.canParse(raw))) return read;
  return { fault: `${show(raw)} is neither auto, off, nor an http:// or https:// URL` };
};

/** An http or https origin. Anything more would have to be dropped silently, so it is refused. */
export const readUpstream: Reader<UpstreamAddress> = (raw) => {
  const text = scalarText(raw) ?? '';
  const example = 'such as http://127.0.0.1:8000';
  if (!/^https?:\/\//i.test(text)) {
    return { fault: `${show(raw)} is not an http:// or https:// URL, ${example}` };
  }
  if (!URL.canParse(text)) return { fault: `${show(raw)} is a malformed URL; expected one ${example}` };
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') {
    return { fault: 'the URL holds a user name or password; leave it out, clients send their own authorisation' };
  }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    return {
      fault: `${show(raw)} has a path or query; give only ${url.origin}, because the path of a request passes unchanged`,
    };
  }
  const https = url.protocol === 'https:';
  const port = url.port === '' ? (https ? 443 : 80) : Number(url.port);
  if (port === 0) return { fault: `${show(raw)} has port 0, which nothing can listen on` };
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return { value: { protocol: https ? 'https:' : 'http:', host, port, origin: url.origin } };
};
