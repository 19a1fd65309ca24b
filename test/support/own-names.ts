// Loaded into the sidecar by `--import` in tests: its resolvers ask the server of the test, as a resolv.conf of
// its own would have them do, and the system's look-up knows nothing but counts how often it was asked.
import dns from 'node:dns';
import { writeSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const STDERR = 2;
const server = process.env['TEST_DNS_SERVER'] ?? '';

class OwnResolver extends dns.promises.Resolver {
  constructor(...options: ConstructorParameters<typeof dns.promises.Resolver>) {
    super(...options);
    this.setServers([server]);
  }
}
dns.promises.Resolver = OwnResolver;
dns.promises.lookup = ((name: string) => {
  writeSync(STDERR, `${JSON.stringify({ msg: 'the system was asked', name })}\n`);
  return Promise.reject(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' }));
}) as typeof dns.promises.lookup;
// The main thread asks whether the upstream can be reached, and is not what is tested here: it gets only
// names that end in .test wrong, for listening needs a look-up as well.
const lookup = dns.lookup.bind(dns) as (...rest: unknown[]) => void;
dns.lookup = ((name: string, options: unknown, callback: (fault: Error) => void) => {
  if (!name.endsWith('.test')) return lookup(name, options, callback);
  process.nextTick(callback, Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' }));
}) as unknown as typeof dns.lookup;
syncBuiltinESMExports();
