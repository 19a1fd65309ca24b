// Goal: the kernel's tables are read right and a client's socket is found in them.
// Method: lines as Linux prints them, and one real connection where there is /proc.
import { existsSync, readFileSync } from 'node:fs';
import net from 'node:net';
import { describe, expect, it } from 'vitest';
import { parseSockets, socketKey } from '../../../src/observe/client-sockets.ts';

const TITLES = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';

describe('parseSockets', () => {
  it('takes ports, remote address, state and unacknowledged bytes of each line', () => {
    const line = '   1: 0100007F:1F90 0200007F:D431 01 0000A1B2:00000003 01:00000014 00000000     0        0 4711 1';
    expect([...parseSockets(`${TITLES}\n${line}\n`)]).toEqual([
      ['1F90-0200007F:D431', { state: 1, unackedBytes: 0xa1b2 }],
    ]);
  });

  it('takes nothing from titles, blank lines and halves of lines', () => {
    expect([...parseSockets(`${TITLES}\n\n   1: 0100007F:1F90 0200`)]).toEqual([]);
    expect([...parseSockets('')]).toEqual([]);
  });
});

describe('socketKey', () => {
  it.each([
    ['127.0.0.2', '0200007F'],
    ['10.1.2.255', 'FF02010A'],
    ['::1', '00000000000000000000000001000000'],
    ['::ffff:127.0.0.2', '0000000000000000FFFF00000200007F'],
    ['2001:db8::8a2e:370:7334', 'B80D0120000000002E8A000034737003'],
    ['fe80::1%eth0', '000080FE000000000000000001000000'],
  ])('%s is named as the tables name it', (clientAddress, hex) => {
    const key = socketKey({ localPort: 0x1f90, clientAddress, clientPort: 0xd431 });
    expect(key).toBe(`1F90-${hex}:D431`);
  });

  it.skipIf(!existsSync('/proc/net/tcp'))('finds a real connection', async () => {
    const server = net.createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as net.AddressInfo;
    const client = net.connect(port, '127.0.0.1');
    const [socket] = await new Promise<[net.Socket]>((resolve) =>
      server.once('connection', (accepted) => resolve([accepted])),
    );
    const key = socketKey({
      localPort: port,
      clientAddress: socket.remoteAddress ?? '',
      clientPort: socket.remotePort ?? 0,
    });
    expect(new Map(parseSockets(readFileSync('/proc/net/tcp', 'latin1'))).get(key)).toEqual({
      state: 1,
      unackedBytes: 0,
    });
    client.destroy();
    socket.destroy();
    server.close();
  });
});
