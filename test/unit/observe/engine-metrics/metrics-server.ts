// A server that answers each path as a test wants, and counts what it was asked.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Answer = string | ((response: ServerResponse, request: IncomingMessage) => void);

export interface MetricsServer {
  readonly url: string;
  /** Answers by path; may be changed at any time. */
  readonly answers: Record<string, Answer>;
  /** Paths in the order in which they were asked for. */
  readonly asked: string[];
  close(): Promise<void>;
}

export async function startMetricsServer(answers: Record<string, Answer> = {}): Promise<MetricsServer> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const answer = answers[path];
    if (typeof answer === 'function') answer(response, request);
    else if (answer === undefined) response.writeHead(404).end('{"detail":"Not Found"}');
    else response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answers,
    asked,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
