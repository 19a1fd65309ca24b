// The one line that sends a first request. Pure.
import type { LiveAbout } from '../../telemetry/live/frame.ts';

const BODY = '{"model": "…", "stream": true, "messages": [{"role": "user", "content": "Hello"}]}';
/** Hosts that mean every address of the machine, and none that one could connect to. */
const WILDCARDS = new Set(['0.0.0.0', '::', '[::]', '']);

/** `pageHost` is the host under which this page was reached: the sidecar is at the same one. */
export function firstRequest(listen: LiveAbout['listen'], pageHost: string): string {
  const host = listen === undefined || WILDCARDS.has(listen.host) ? pageHost : listen.host;
  const isBare = host.includes(':') && !host.startsWith('[');
  const origin = `${listen?.isTls === true ? 'https' : 'http'}://${isBare ? `[${host}]` : host}:${listen?.port ?? 8080}`;
  return `curl -N ${origin}/v1/chat/completions \\\n  -H 'content-type: application/json' \\\n  -d '${BODY}'`;
}
