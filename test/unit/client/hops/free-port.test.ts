// Goal: a program that is told its port gets it, whatever else asks for any port meanwhile.
import { createServer, type AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { freePort } from '../../../../src/client/hops/free-port.ts';

async function listening(port: number): Promise<AddressInfo & { close(): Promise<void> }> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const close = (): Promise<void> => new Promise((resolve) => server.close(() => resolve()));
  return { ...(server.address() as AddressInfo), close };
}

describe('a free port', () => {
  test('can be listened on', async () => {
    const port = await freePort();
    const server = await listening(port);
    expect(server.port).toBe(port);
    await server.close();
  });

  test('is none that a program gets which asks for any', async () => {
    const ports = await Promise.all(Array.from({ length: 20 }, () => freePort()));
    const others = await Promise.all(ports.map(() => listening(0)));
    const lowest = Math.min(...others.map(({ port }) => port));
    await Promise.all(others.map((other) => other.close()));
    for (const port of ports) expect(port).toBeLessThan(lowest);
  });
});
