// What stands there before the first request: the one line that sends one.
import type { LiveAbout } from '../../telemetry/live/frame.ts';
import { firstRequest } from './welcome-words.ts';

export function Welcome({ about }: { readonly about: LiveAbout }) {
  const [upstream] = about.upstreams;
  return (
    <section class="section welcome" aria-labelledby="welcome-title" data-state="empty">
      <h2 id="welcome-title">No request has passed yet</h2>
      <p>
        rubato listens and has nothing to show. Send a request to it instead of to the engine
        {upstream !== undefined && (
          <>
            {' '}
            at <code>{upstream.origin}</code>
          </>
        )}
        : in a client that is one other address. By hand it is this, with a model that the engine has:
      </p>
      <pre data-first-request>{firstRequest(about.listen, location.hostname)}</pre>
      <p class="note">This page needs no reload: the first stream appears as it begins.</p>
    </section>
  );
}
