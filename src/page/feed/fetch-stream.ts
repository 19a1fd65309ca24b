// Asks for all that is known of one exchange. Knows the paths of the admin port, and not what is drawn of the answer.
import type { Report } from '../../judge/report.ts';
import type { OpenDetail } from '../../telemetry/live/open-detail.ts';

/** `gone`: nobody keeps it any more. `failed`: it may be there, and could not be had; says why, for people. */
export type StreamAnswer =
  | { readonly kind: 'ended'; readonly report: Report }
  | { readonly kind: 'open'; readonly detail: OpenDetail }
  | { readonly kind: 'gone' }
  | { readonly kind: 'failed'; readonly says: string };

/** Where the same is to be had as it is, for a link. Relative: the page may stand behind a prefix. */
export function streamUrl(id: string): string {
  return `./api/streams/${encodeURIComponent(id)}`;
}

export async function fetchStream(id: string, signal?: AbortSignal): Promise<StreamAnswer> {
  try {
    const options = { headers: { accept: 'application/json' }, ...(signal !== undefined && { signal }) };
    const response = await fetch(streamUrl(id), options);
    if (response.status === 404) return { kind: 'gone' };
    if (!response.ok) return { kind: 'failed', says: `The sidecar answered with status ${response.status}.` };
    return toAnswer((await response.json()) as Report | OpenDetail);
  } catch (error) {
    // An answer that nobody waits for any more is no fault of the sidecar; whoever aborted does not read this.
    if (signal?.aborted === true) return { kind: 'failed', says: 'The question was withdrawn.' };
    const isCutOff = error instanceof SyntaxError;
    return { kind: 'failed', says: isCutOff ? 'The answer is not complete.' : 'The sidecar cannot be reached.' };
  }
}

function toAnswer(body: Report | OpenDetail): StreamAnswer {
  return 'open' in body ? { kind: 'open', detail: body } : { kind: 'ended', report: body };
}
