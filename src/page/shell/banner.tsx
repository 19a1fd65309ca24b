// What the page says of itself above its sections: that the connection is away or that the sidecar was restarted.
import { clock } from '../format.ts';
import type { Live } from '../feed/use-live.ts';
import { linkSays } from './link-words.ts';
import { useClock } from './use-clock.ts';

export function Banner({ snapshot, retry }: Live) {
  const { link, model, restartedAtEpochMs } = snapshot;
  const nowEpochMs = useClock(1_000, link.retryAtEpochMs !== undefined);
  const { sentence, tone, canRetry } = linkSays(link, model !== undefined, nowEpochMs);
  return (
    <>
      {sentence !== undefined && (
        <div class={`banner ${tone}`} data-banner={link.word}>
          <p>{sentence}</p>
          {canRetry === true && (
            <button type="button" onClick={retry}>
              Try now
            </button>
          )}
        </div>
      )}
      {link.word === 'live' && restartedAtEpochMs !== undefined && (
        <div class="banner calm" data-banner="restarted">
          <p>
            The sidecar was restarted: another process answers since {clock(restartedAtEpochMs)}. What was known before
            is gone with the old one.
          </p>
        </div>
      )}
    </>
  );
}
