// Raw clients of a test file, closed when the test is over. Hooks of that kind run the last one first, so it is
// called below an `afterEach` that should find them closed.
import { afterEach } from 'vitest';
import { RawClient } from './raw-client.ts';

/** Opens a client that is connected to this port. */
export function useClients(): typeof RawClient.open {
  const clients: RawClient[] = [];
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
  });
  return async (port, options) => {
    const client = await RawClient.open(port, options);
    clients.push(client);
    return client;
  };
}
