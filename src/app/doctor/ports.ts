// Can the ports be had that `serve` would listen on?
import type { HostPort } from '../../config/config.ts';
import type { Check, Finding } from './check.ts';
import { listenFault } from './listen-fault.ts';

export const portsCheck: Check = {
  name: 'port',
  async run({ config }) {
    const wanted: readonly (readonly [string, HostPort | undefined])[] = [
      ['--listen', config.listen],
      ...config.edges.map(({ listen }) => ['--edge', listen] as const),
      ['--admin', config.admin],
      ['--otlp-listen', config.otlpListen],
    ];
    return await Promise.all(wanted.flatMap(([flag, place]) => (place === undefined ? [] : [tryPort(flag, place)])));
  },
};

async function tryPort(flag: string, place: HostPort): Promise<Finding> {
  const { host, port } = place;
  const about = `${flag} ${host}:${port}`;
  const code = await listenFault(place);
  if (code === undefined) return { check: 'port', status: 'ok', says: `${about} is free`, values: { flag, port } };
  const cures: Readonly<Record<string, string>> = {
    EADDRINUSE: 'something listens there, perhaps rubato itself: stop it, or choose another port',
    EACCES: 'this user may not listen there: choose a port above 1023',
    EADDRNOTAVAIL: 'this is no address of this machine',
  };
  return {
    check: 'port',
    status: 'warn',
    says: `${about} cannot be had: ${code}`,
    cure: cures[code] ?? 'choose another',
    values: { flag, port },
  };
}
