// What Node's own HTTP client makes of the bytes of a response: a server that writes exactly these bytes to
// whoever asks, and a request to it.
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';

/** An answer as far as it was read. */
export interface Reading {
  readonly status: number;
  readonly reason: string;
  readonly fields: readonly string[];
  readonly body: string;
  readonly trailers: readonly string[];
  /** The answer ended as its framing promised. */
  readonly complete: boolean;
  readonly informational: readonly number[];
}

export interface NodeClient {
  /** Undefined when no answer was made of the bytes. */
  read(bytes: Buffer, method: string): Promise<Reading | undefined>;
  close(): void;
}

export async function startNodeClient(): Promise<NodeClient> {
  let answer = Buffer.alloc(0);
  const server = net.createServer((socket) => {
    // The client hangs up on what it refuses; that is no fault of the test.
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(answer));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    read(bytes, method) {
      answer = Buffer.from(bytes);
      return ask(port, method);
    },
    close: () => void server.close(),
  };
}

function ask(port: number, method: string): Promise<Reading | undefined> {
  return new Promise((resolve) => {
    const informational: number[] = [];
    const request = http.request({ host: '127.0.0.1', port, method, agent: false, maxHeaderSize: 64 * 1024 });
    request.on('information', ({ statusCode }) => informational.push(statusCode));
    request.on('response', (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      // A fault in the body shows in `complete`.
      response.on('error', () => undefined);
      response.on('close', () => {
        resolve({
          status: response.statusCode ?? 0,
          reason: response.statusMessage ?? '',
          fields: response.rawHeaders,
          body: Buffer.concat(pieces).toString('latin1'),
          trailers: response.rawTrailers,
          complete: response.complete,
          informational,
        });
      });
    });
    request.on('upgrade', (_, socket) => {
      socket.destroy();
      resolve(undefined);
    });
    request.on('error', () => resolve(undefined));
    request.end();
  });
}
