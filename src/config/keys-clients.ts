// Keys about what clients may do and how they connect: TLS of the listener, and how much there is room for.
import {
  CLIENTS_MAX_COUNT,
  CONNECTIONS_DEFAULT_COUNT,
  RSS_LEAST_BYTES,
  STREAMS_DEFAULT_COUNT,
  UPLOAD_RATE_DEFAULT_BYTES,
} from '../base/client-limits.ts';
import { key } from './key-spec.ts';
import { type Reader, readBytes, readInteger, readSwitch, readText } from './values.ts';

const KIB = 1024;

/** A size, or one of some words that stand for something else. */
function readBytesOr<const Word extends string>(least: number, words: readonly Word[]): Reader<number | Word> {
  return (raw) => {
    // YAML reads a bare `off` as false.
    const text = raw === false ? 'off' : raw;
    const word = words.find((each) => each === text);
    if (word !== undefined) return { value: word };
    const read = readBytes(least)(raw);
    return 'fault' in read ? { fault: `${read.fault}, and not ${words.join(' or ')}` } : read;
  };
}

export const CLIENT_KEYS = {
  'tls-cert': key({
    placeholder: 'FILE',
    help: 'Certificate (PEM, with those that vouch for it) for TLS on --listen. Read again when it changes.',
    read: readText('the path of a PEM file'),
  }),
  'tls-key': key({
    placeholder: 'FILE',
    help: 'Private key (PEM, not encrypted) of that certificate.',
    read: readText('the path of a PEM file'),
  }),
  http2: key({
    placeholder: '',
    isSwitch: true,
    fallback: 'false',
    help: 'Clients may speak HTTP/2 as well, on the same ports: in clear text with prior knowledge (h2c), or over TLS by ALPN.',
    read: readSwitch,
  }),
  'max-streams': key({
    placeholder: 'N',
    fallback: String(STREAMS_DEFAULT_COUNT),
    help: 'Requests open at once; more get 503 with Retry-After at once. Shared out evenly among --relays.',
    read: readInteger(1, CLIENTS_MAX_COUNT),
  }),
  'max-connections': key({
    placeholder: 'N',
    fallback: String(CONNECTIONS_DEFAULT_COUNT),
    help: 'Client connections open at once; requests on more of them get 503 with Retry-After. Shared out evenly among --relays.',
    read: readInteger(1, CLIENTS_MAX_COUNT),
  }),
  'max-rss': key({
    placeholder: 'SIZE|auto|off',
    unit: 'bytes',
    fallback: 'auto',
    help: 'Memory of the process from which new requests get 503 with Retry-After. auto is 85 % of the limit of the container, and off where there is none.',
    read: readBytesOr(RSS_LEAST_BYTES, ['auto', 'off']),
  }),
  'upload-rate-min': key({
    placeholder: 'SIZE|off',
    unit: 'bytes',
    fallback: `${UPLOAD_RATE_DEFAULT_BYTES / KIB}KiB`,
    help: 'Bytes a second, averaged over ten, that a client must send of a body whose length it has stated; a slower one gets 408. Time in which it is kept waiting does not count.',
    read: readBytesOr(1, ['off']),
  }),
};
