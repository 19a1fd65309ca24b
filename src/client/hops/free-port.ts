// A port for a program that has to be told its own: most servers cannot say which one they got when they choose.
import { createServer } from 'node:net';

/**
 * Below what Linux gives out by itself (`net.ipv4.ip_local_port_range`, 32768 to 60999 unless changed), so that
 * between the look and the program's own `listen` nobody is given this port who asked for any.
 */
const LOWEST_PORT = 10_240;
const HIGHEST_PORT = 32_767;
const TRIES_MAX_COUNT = 100;

/** Free a moment ago, on IPv4's loopback. Rejects when a hundred ports in a row were taken. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < TRIES_MAX_COUNT; tried += 1) {
    const port = LOWEST_PORT + Math.floor(Math.random() * (HIGHEST_PORT - LOWEST_PORT + 1));
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port found between ${LOWEST_PORT} and ${HIGHEST_PORT}`);
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
