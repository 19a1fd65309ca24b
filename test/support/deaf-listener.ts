// A port whose connections are never taken: the backlog of its listener is full. A child process listens and
// then blocks, for Node takes whatever comes as long as its loop turns.
import { spawn, type ChildProcess } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { sleep } from './signal.ts';

const CODE = `
const server = require('node:net').createServer();
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  require('node:fs').writeSync(1, server.address().port + '\\n');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});`;
/** More than any kernel grants beyond the backlog that was asked for. */
const FILL_MAX_COUNT = 16;
const TAKEN_WITHIN_MS = 200;

export class DeafListener {
  readonly port: number;
  readonly #process: ChildProcess;
  readonly #fill: Socket[];

  private constructor(port: number, child: ChildProcess, fill: Socket[]) {
    this.port = port;
    this.#process = child;
    this.#fill = fill;
  }

  static async start(): Promise<DeafListener> {
    const child = spawn(process.execPath, ['-e', CODE], { stdio: ['ignore', 'pipe', 'inherit'] });
    const port = await new Promise<number>((resolve) => child.stdout?.once('data', (text) => resolve(Number(text))));
    const fill: Socket[] = [];
    for (let count = 0; count < FILL_MAX_COUNT; count += 1) {
      const socket = connect({ port, host: '127.0.0.1' });
      socket.on('error', () => undefined);
      fill.push(socket);
      await sleep(TAKEN_WITHIN_MS);
      if (socket.connecting) return new DeafListener(port, child, fill);
    }
    child.kill('SIGKILL');
    throw new Error(`a backlog of 1 took ${FILL_MAX_COUNT} connections`);
  }

  stop(): void {
    for (const socket of this.#fill) socket.destroy();
    this.#process.kill('SIGKILL');
  }
}
