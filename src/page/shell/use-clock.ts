// The time as a hook, for what counts seconds. Runs only while somebody asks.
import { useEffect, useState } from 'preact/hooks';

export function useClock(periodMs: number, isRunning: boolean): number {
  const [nowEpochMs, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isRunning) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => {
      setNow(Date.now());
    }, periodMs);
    return () => {
      clearInterval(timer);
    };
  }, [periodMs, isRunning]);
  return nowEpochMs;
}
