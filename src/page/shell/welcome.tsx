// What stands there before the first request: the one line that sends one.
import type { LiveAbout } from '../../telemetry/live/frame.ts';

const BODY = `{"model": "…", "stream": true, "messages": [{"role": "user", "content": "Hello"}]}`;

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
        : what it takes from here is one other address in the client. By hand it is this line, with the host and port
        that rubato listens on and a model that the engine has:
      </p>
      <pre>
        {`curl -N http://${location.hostname}:8080/v1/chat/completions \\\n  -H 'content-type: application/json' \\\n  -d '${BODY}'`}
      </pre>
      <p class="note">This page needs no reload: the first stream appears as it begins.</p>
    </section>
  );
}
