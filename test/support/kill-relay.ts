// Loaded into the sidecar by `--import` in tests: on SIGUSR2 one of the relay threads that listen ends at
// once, as if a fault nobody foresaw had ended it; with TEST_RELAY_FAULT=throw it meets an exception that
// nobody catches. Signals reach the main thread only, so it asks which relays there are and passes the
// word on to the first that answers.
import { BroadcastChannel, isMainThread, threadId, threadName } from 'node:worker_threads';

interface Word {
  readonly kind: 'who' | 'here' | 'end';
  readonly thread: number;
}

const channel = new BroadcastChannel('kill-relay');
// No thread may stay alive for this.
channel.unref();
const say = (word: Word): void => channel.postMessage(word);
/** One that waits for its turn serves nobody. */
const isServing = (): boolean => process.getActiveResourcesInfo().includes('TCPServerWrap');

if (isMainThread) {
  let isWanted = false;
  process.on('SIGUSR2', () => {
    isWanted = true;
    say({ kind: 'who', thread: 0 });
  });
  channel.addEventListener('message', (event) => {
    const { kind, thread } = (event as MessageEvent).data as Word;
    if (kind !== 'here' || !isWanted) return;
    isWanted = false;
    say({ kind: 'end', thread });
  });
} else if (threadName === 'relay') {
  channel.addEventListener('message', (event) => {
    const { kind, thread } = (event as MessageEvent).data as Word;
    if (kind === 'who' && isServing()) say({ kind: 'here', thread: threadId });
    if (kind !== 'end' || thread !== threadId) return;
    if (process.env['TEST_RELAY_FAULT'] !== 'throw') process.exit(1);
    setImmediate(() => {
      throw new TypeError('nobody foresaw this');
    });
  });
}
