// A rehearsal before the relay listens: a few exchanges with an engine of its own on loopback, through
// a relay of its own, whose tape nobody reads. Node compiles what it runs first, and without this the
// first request of a fresh relay was forwarded 10 ms late and its head 2 to 3 ms late.
import net, { type AddressInfo } from 'node:net';
import { createTape } from '../tape/layout.ts';
import { BOUNDLESS } from './admission-limits.ts';
import { Relay } from './relay.ts';
import { createRelayServer } from './server.ts';
import { NO_LIMITS } from './settings.ts';

/** Small: what does not fit is left out, and nobody misses it. */
const TAPE_BYTES = 64 * 1024;
const EXCHANGE_COUNT = 24;
const CHUNK_COUNT = 8;
/** Whatever goes wrong here must not keep the relay from starting. */
const WITHIN_MS = 1_000;

const REQUEST =
  'POST /v1/chat/completions HTTP/1.1\r\nhost: rehearsal\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}';
const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
const CHUNK = '9\r\ndata: x\n\n\r\n';
const END = '0\r\n\r\n';

/** Resolves when the rehearsal is over, well or badly. */
export async function warmUp(): Promise<void> {
  const engine = net.createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('data', () => play(socket, CHUNK_COUNT));
  });
  const closers: (() => unknown)[] = [() => engine.close()];
  try {
    const relay = new Relay({
      routes: [{ id: 0, name: 'rehearsal', prefix: undefined, host: undefined, upstream: await addressOf(engine) }],
      edges: [],
      tracing: undefined,
      timeLimits: NO_LIMITS,
      admission: BOUNDLESS,
      turns: undefined,
      tls: undefined,
      http2: false,
      tape: createTape(TAPE_BYTES).shared,
    });
    closers.push(() => relay.close());
    const {
      servers: [server],
    } = await createRelayServer(relay);
    if (server === undefined) return;
    closers.push(() => server.close());
    const { port } = await addressOf(server);
    const deadline = AbortSignal.timeout(WITHIN_MS);
    for (let i = 0; i < EXCHANGE_COUNT && !deadline.aborted; i += 1) await rehearse(port, deadline);
  } catch {
    // A machine without loopback, or out of ports: the first clients warm the relay up instead.
  } finally {
    for (const close of closers.toReversed()) close();
  }
}

/** One event a turn, as an engine does. */
function play(socket: net.Socket, leftCount: number): void {
  if (leftCount === CHUNK_COUNT) socket.write(HEAD);
  socket.write(leftCount === 0 ? END : CHUNK);
  if (leftCount > 0) setImmediate(play, socket, leftCount - 1);
}

async function addressOf(server: net.Server) {
  if (!server.listening) {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
  }
  const { port } = server.address() as AddressInfo;
  return { secure: false, hostname: '127.0.0.1', port, hostField: undefined, ca: undefined, insecure: false };
}

function rehearse(port: number, deadline: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const client = net.connect({ port, host: '127.0.0.1', noDelay: true, signal: deadline } as net.NetConnectOpts);
    let tail = '';
    client.on('data', (bytes) => {
      tail = (tail + bytes.toString('latin1')).slice(-END.length);
      if (tail === END) client.destroy();
    });
    client.on('error', () => client.destroy());
    client.on('close', () => resolve());
    client.write(REQUEST);
  });
}
