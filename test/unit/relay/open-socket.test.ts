// Goal: opening a TLS connection to an upstream with an authority of its own costs next to nothing once the first
// is open.
// Method: many sockets to a port where nobody speaks TLS; their opening is timed, with a limit far above what it
// takes and below what building the trust each time took (8 to 17 ms each).
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { Dialer } from '../../../src/relay/open-socket.ts';
import type { UpstreamTarget } from '../../../src/relay/settings.ts';
import { pem } from '../../support/certificates.ts';

test('the trust in authorities is built once an upstream', async () => {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const target: UpstreamTarget = {
    secure: true,
    hostname: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    hostField: undefined,
    ca: pem('authority.crt.pem'),
    insecure: false,
  };
  const dialer = new Dialer();
  dialer.keepOnly(new Set([target]));
  const sockets: Socket[] = [];
  const open = (): void => {
    const socket = dialer.open(target, { buffer: Buffer.alloc(1024), callback: () => true });
    sockets.push(socket.on('error', () => undefined));
  };
  open();
  const fromMs = performance.now();
  for (let i = 0; i < 40; i += 1) open();
  const tookMs = performance.now() - fromMs;
  for (const socket of sockets) socket.destroy();
  server.close();
  expect(tookMs).toBeLessThan(40 * 6);
});
