// Whether a port can be had, by having it for a moment.
import net from 'node:net';
import type { HostPort } from '../../config/config.ts';

/** The system's code when a port cannot be had; undefined when it can. */
export function listenFault({ host, port }: HostPort): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'ERROR'));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
