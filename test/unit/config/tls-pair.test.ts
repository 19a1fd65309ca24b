// Goal: what cannot serve as certificate and key is known before anybody connects, and told without the key.
// Method: pairs of the wire tests, mixed, cut and turned round.
import { expect, test } from 'vitest';
import { pairFault } from '../../../src/config/tls-pair.ts';
import { pem } from '../../support/certificates.ts';

const cert = pem('engine.crt.pem');
const key = pem('engine.key.pem');

test('a pair is a pair, with or without its authority behind it', () => {
  expect(pairFault(cert, key)).toBeUndefined();
  expect(pairFault(cert + pem('authority.crt.pem'), key)).toBeUndefined();
});

test.each([
  ['nothing', '', '', /no PEM certificate/],
  ['a key for a certificate', key, key, /no PEM certificate/],
  ['a certificate for a key', cert, cert, /no unencrypted PEM private key/],
  ['half a key', cert, key.slice(0, key.length / 2), /no unencrypted PEM private key/],
  ["somebody else's key", cert, pem('stranger.key.pem'), /does not belong/],
  ['a broken chain', `${cert}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`, key, /OpenSSL/],
])('%s is none', (_what, certPem, keyPem, why) => {
  const fault = pairFault(certPem, keyPem);
  expect(fault).toMatch(why);
  expect(fault).not.toContain(key.split('\n')[1]);
});
