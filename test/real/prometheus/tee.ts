// One receiver of OTLP that hands everything on to several, since a sidecar has one endpoint and a test has many.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Tee {
  readonly url: string;
  stop(): Promise<void>;
}

/** Answers as the worst of them did, so that what one has not got is sent again, to all. */
export async function startTee(urls: readonly string[]): Promise<Tee> {
  const server = createServer((asked, response) => {
    const pieces: Buffer[] = [];
    asked.on('data', (piece: Buffer) => pieces.push(piece));
    asked.on('end', () => {
      const body = Buffer.concat(pieces);
      const { 'content-type': type = '', 'content-encoding': coding } = asked.headers;
      const headers = { 'content-type': type, ...(coding === undefined ? {} : { 'content-encoding': coding }) };
      const handed = urls.map((url) => fetch(`${url}${asked.url ?? ''}`, { method: 'POST', headers, body }));
      void Promise.all(handed)
        .then((answers) => response.writeHead(Math.max(...answers.map(({ status }) => status))).end())
        .catch(() => response.writeHead(503).end());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
