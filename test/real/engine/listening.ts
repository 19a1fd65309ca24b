// A server that has no question about its health: it is there once its port takes connections.
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import { atTheEnd } from '../../support/children.ts';
import { ROOT } from '../../support/program.ts';
import { poll } from '../../support/signal.ts';

export interface ListeningOptions {
  readonly port: number;
  readonly env?: NodeJS.ProcessEnv;
  readonly waitMs: number;
}

/** Gives how to end it, by force. */
export async function startListening(
  command: string,
  args: readonly string[],
  { port, env = process.env, waitMs }: ListeningOptions,
): Promise<() => Promise<void>> {
  const child = spawn(command, args, { cwd: ROOT, stdio: 'ignore', env });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const release = atTheEnd(() => child.kill('SIGKILL'));
  const end = async (): Promise<void> => {
    release();
    child.kill('SIGKILL');
    await ended;
  };
  try {
    await poll(`${command} to listen`, () => takesConnections(port), waitMs, 50);
  } catch (error) {
    await end();
    throw error;
  }
  return end;
}

function takesConnections(port: number): Promise<true | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(undefined));
    socket.on('connect', () => socket.destroy());
  });
}
