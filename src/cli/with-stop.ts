// Ctrl-C for work that ends by itself once it is told: the first signal tells it, and a second one finds no handler of
// ours and ends the process at once.
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

export async function withStop(work: (stop: AbortSignal) => Promise<number>): Promise<number> {
  const stop = new AbortController();
  const leave = (): void => {
    for (const signal of SIGNALS) process.removeListener(signal, onSignal);
  };
  const onSignal = (): void => {
    leave();
    stop.abort();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  try {
    return await work(stop.signal);
  } finally {
    leave();
  }
}
