// Goal: the kernel's tables are read right and a client's socket is found in them.
// Method: lines as Linux prints them, and one real connection where there is /proc.
import { existsSync, readFileSync } from 'node:fs';
import net from 'node:net';
import { describe, expect, it } from 'vitest';
import { leavingKey, socketKey, SocketTables, type SocketState } from '../../../src/observe/client-sockets.ts';

function socketTables(text: string): SocketTables {
  const tables = new SocketTables();
  for (const _ of tables.take(text)) throw new Error('it gave way, though nobody asked for that');
  return tables;
}

const TITLES = '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode';

describe('socketTables', () => {
  const lineOf = (local: string, remote: string, state: string): string =>
    `   1: ${local} ${remote} ${state} 0000A1B2:00000003 01:00000014 00000000     0        0 4711 1`;

  it('takes ports, addresses, state and unacknowledged bytes of each line', () => {
    const { sockets, leaving } = socketTables(`${TITLES}\n${lineOf('0100007F:1F90', '0200007F:D431', '01')}\n`);
    expect([...sockets]).toEqual([
      ['1F90-0200007F:D431', { state: 1, unackedBytes: 0xa1b2, localAddress: '0100007F' }],
    ]);
    expect([...leaving]).toEqual([]);
  });

  it('takes nothing from titles, blank lines and halves of lines', () => {
    expect(socketTables(`${TITLES}\n\n   1: 0100007F:1F90 0200`).sockets.size).toBe(0);
    expect(socketTables('').sockets.size).toBe(0);
  });

  it.each(['0100007F', '00000000000000000000000001000000'])(
    'passes over what only waits for its time to be over, next to what lives (%s)',
    (address) => {
      const [over, alive] = ['06', '01'].map((state, nth) => lineOf(`${address}:1F90`, `${address}:D43${nth}`, state));
      const { sockets } = socketTables(`${TITLES}\n${over}\n${alive}\n${over}\n`);
      expect([...sockets.keys()]).toEqual([`1F90-${address}:D431`]);
    },
  );

  it('gives way after so many lines, and has read the same in the end', () => {
    const lines = Array.from({ length: 25 }, (_, nth) => lineOf('0100007F:1F90', `0200007F:${1000 + nth}`, '01'));
    const text = `${TITLES}\n${lines.join('\n')}\n`;
    const tables = new SocketTables();
    const counts = Array.from(tables.take(text, 10), () => tables.sockets.size);
    expect([counts, [...tables.sockets]]).toEqual([[9, 19], [...socketTables(text).sockets]]);
  });

  it.each(['04', '05', '09', '0B'])('finds the line of a client that is closing (state %s)', (state) => {
    const ours = lineOf('0100007F:1F90', '0200007F:D431', '01');
    const theirs = lineOf('0200007F:D431', '0100007F:1F90', state);
    const { sockets, leaving } = socketTables(`${TITLES}\n${ours}\n${TITLES}\n${theirs}\n`);
    const key = socketKey({ localPort: 0x1f90, clientAddress: '127.0.0.2', clientPort: 0xd431 });
    expect(leaving.has(leavingKey(key, sockets.get(key) as SocketState))).toBe(true);
  });

  it.each([
    ['is not closing', '0100007F:1F90', '01'],
    ['talks to another address of ours', '0300007F:1F90', '04'],
    ['talks to another port', '0100007F:1F91', '04'],
  ])('a client that %s is not leaving', (_what, remote, state) => {
    const ours = lineOf('0100007F:1F90', '0200007F:D431', '01');
    const { sockets, leaving } = socketTables(`${ours}\n${lineOf('0200007F:D431', remote, state)}\n`);
    const key = '1F90-0200007F:D431';
    expect(leaving.has(leavingKey(key, sockets.get(key) as SocketState))).toBe(false);
  });

  it('knows an IPv4 client of a socket that listens to both families', () => {
    const mapped = '0000000000000000FFFF0000';
    const ours = lineOf(`${mapped}0100007F:1F90`, `${mapped}0200007F:D431`, '01');
    const { sockets, leaving } = socketTables(`${ours}\n${lineOf('0200007F:D431', '0100007F:1F90', '04')}\n`);
    const key = socketKey({ localPort: 0x1f90, clientAddress: '::ffff:127.0.0.2', clientPort: 0xd431 });
    expect(leaving.has(leavingKey(key, sockets.get(key) as SocketState))).toBe(true);
  });
});

describe('socketKey', () => {
  it.each([
    ['127.0.0.2', '0200007F'],
    ['10.1.2.255', 'FF02010A'],
    ['::1', '00000000000000000000000001000000'],
    ['::ffff:127.0.0.2', '0200007F'],
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
    expect(socketTables(readFileSync('/proc/net/tcp', 'latin1')).sockets.get(key)).toEqual({
      state: 1,
      unackedBytes: 0,
      localAddress: '0100007F',
    });
    client.destroy();
    socket.destroy();
    server.close();
  });
});
