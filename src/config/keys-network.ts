// Keys about the connections on both sides: certificates, host names, limits.
import { HOST_HEADERS } from './config.ts';
import { key } from './key-spec.ts';
import { readChoice, readLimit, readSwitch, readText } from './values.ts';

export const NETWORK_KEYS = {
  'upstream-ca': key({
    placeholder: 'FILE',
    help: 'Certificate authorities (PEM) to trust for https upstreams, such as that of a company.',
    read: readText('the path of a PEM file'),
  }),
  'upstream-insecure': key({
    placeholder: '',
    isSwitch: true,
    fallback: 'false',
    help: 'Does not verify the certificates of https upstreams. For tests only.',
    read: readSwitch,
  }),
  'host-header': key({
    placeholder: HOST_HEADERS.join('|'),
    fallback: 'auto',
    help: "Host sent upstream: the client's own, or the upstream's. auto keeps the client's for http upstreams and takes the upstream's for https ones.",
    read: readChoice(HOST_HEADERS),
  }),
  'timeout-connect': key({
    placeholder: 'SECONDS|off',
    unit: 's',
    fallback: 'off',
    help: 'Limit from asking for a connection to having it.',
    read: readLimit,
  }),
  'timeout-head': key({
    placeholder: 'SECONDS|off',
    unit: 's',
    fallback: 'off',
    help: 'Limit from the last request byte sent to the response head.',
    read: readLimit,
  }),
  'timeout-idle': key({
    placeholder: 'SECONDS|off',
    unit: 's',
    fallback: 'off',
    help: 'Limit on silence of the engine within a response.',
    read: readLimit,
  }),
  'timeout-total': key({
    placeholder: 'SECONDS|off',
    unit: 's',
    fallback: 'off',
    help: 'Limit from the request head to the end of the exchange.',
    read: readLimit,
  }),
  'client-stall': key({
    placeholder: 'SECONDS|off',
    unit: 's',
    fallback: 'off',
    help: 'Limit on a client that takes none of the bytes that wait for it. Its stream is cut and the engine told to stop.',
    read: readLimit,
  }),
  'upload-stall': key({
    placeholder: 'SECONDS|off',
    unit: 's',
    fallback: 'off',
    help: 'Limit on an engine that takes none of the bytes of a request that wait for it.',
    read: readLimit,
  }),
};
