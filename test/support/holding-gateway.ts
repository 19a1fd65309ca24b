// A gateway that passes requests on to one engine and holds the answer in a way of its choice: what real ones do,
// small enough to be sure of. Not fast, and not for anything but tests.
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGzip } from 'node:zlib';

export type Holding =
  | { readonly way: 'pass' }
  | { readonly way: 'size'; readonly bytes: number }
  | { readonly way: 'timer'; readonly everyMs: number }
  | { readonly way: 'gzip' }
  | { readonly way: 'until_end' };

export interface HoldingGateway {
  readonly url: string;
  stop(): Promise<void>;
}

/** `fields` are added to each answer's head, as a product's own. */
export async function startHoldingGateway(
  engineUrl: string,
  holding: Holding,
  fields: Readonly<Record<string, string>> = {},
): Promise<HoldingGateway> {
  const server = createServer((incoming, outgoing) => {
    const target = new URL(incoming.url ?? '/', engineUrl);
    const asked = httpRequest(
      target,
      { method: incoming.method, headers: incoming.headers, agent: false },
      (answer) => {
        const { 'transfer-encoding': _, connection: __, ...kept } = answer.headers;
        const isStream = kept['content-type']?.startsWith('text/event-stream') === true;
        const now: Holding = isStream ? holding : { way: 'pass' };
        const coding = now.way === 'gzip' ? { 'content-encoding': 'gzip' } : {};
        if (now.way !== 'until_end') {
          outgoing.writeHead(answer.statusCode ?? 502, { ...kept, ...fields, ...coding });
          outgoing.flushHeaders();
          hold(answer, outgoing, now);
        } else
          void collect(answer).then((body) =>
            outgoing
              .writeHead(answer.statusCode ?? 502, { ...kept, ...fields, 'content-length': body.length })
              .end(body),
          );
      },
    );
    incoming.pipe(asked);
    outgoing.on('close', () => asked.destroy());
    asked.on('error', () => outgoing.destroy());
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function hold(
  answer: IncomingMessage,
  outgoing: ServerResponse,
  holding: Exclude<Holding, { way: 'until_end' }>,
): void {
  if (holding.way === 'pass') return void answer.pipe(outgoing);
  if (holding.way === 'gzip') return void answer.pipe(createGzip()).pipe(outgoing);
  let held: Buffer = Buffer.alloc(0);
  const release = (bytes: number): void => {
    if (bytes === 0) return;
    outgoing.write(held.subarray(0, bytes));
    held = held.subarray(bytes);
  };
  const timer = holding.way === 'timer' ? setInterval(() => release(held.length), holding.everyMs) : undefined;
  answer.on('data', (piece: Buffer) => {
    held = Buffer.concat([held, piece]);
    if (holding.way === 'size') while (held.length >= holding.bytes) release(holding.bytes);
  });
  answer.on('end', () => outgoing.end(held));
  answer.on('close', () => clearInterval(timer));
}

async function collect(answer: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of answer) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
