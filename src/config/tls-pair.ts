// Whether a certificate and a key are a pair that a listener can serve with. Pure: texts in, a sentence out
// that holds nothing of the key.
import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import { createSecureContext } from 'node:tls';

/** What is wrong with the pair; undefined when nothing is. */
export function pairFault(certPem: string, keyPem: string): string | undefined {
  let cert: X509Certificate;
  let key: KeyObject;
  try {
    cert = new X509Certificate(certPem);
  } catch {
    return 'the certificate file holds no PEM certificate ("-----BEGIN CERTIFICATE-----")';
  }
  try {
    key = createPrivateKey(keyPem);
  } catch {
    return 'the key file holds no unencrypted PEM private key ("-----BEGIN PRIVATE KEY-----")';
  }
  if (!cert.checkPrivateKey(key)) return 'the key does not belong to the certificate';
  try {
    createSecureContext({ cert: certPem, key: keyPem, minVersion: 'TLSv1.2' });
    return undefined;
  } catch {
    // Such as a broken certificate further down in the chain, or a key too short for OpenSSL's taste.
    return 'OpenSSL does not take the certificate and the key for TLS';
  }
}
