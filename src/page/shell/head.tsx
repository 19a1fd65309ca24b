// The head of the page: whose it is, whether it is ready and connected, the class everything is filtered by, and the
// way to the sections.
import type { ComponentChildren } from 'preact';
import { word } from '../format.ts';
import type { Snapshot } from '../feed/live-feed.ts';
import { ClassChoice, type ClassChoiceProps } from './choice.tsx';
import { linkSays, type Tone } from './link-words.ts';
import { webHref } from './web-href.ts';

export interface HeadProps extends ClassChoiceProps {
  readonly snapshot: Snapshot;
  readonly sections: readonly { readonly id: string; readonly title: string }[];
  /** Stays in sight with the head. */
  readonly children?: ComponentChildren;
}

export function Head({ snapshot, sections, classNames, className, onClass, children }: HeadProps) {
  const { link, model } = snapshot;
  const { word: linkWord, tone } = linkSays(link, model !== undefined, link.sinceEpochMs);
  const ready = model?.state.ready;
  const dashboards = webHref(model?.about.dashboardUrl);
  return (
    <header class="head">
      <div class="head-row">
        <h1>rubato{model !== undefined && <small>{model.about.version}</small>}</h1>
        <div class="head-states">
          <State name="connection" says={linkWord} tone={tone} />
          {ready !== undefined && link.word === 'live' && (
            <State
              name="ready"
              says={ready.ok ? 'ready' : `not ready: ${ready.reasons.map((each) => word(each)).join(', ')}`}
              tone={ready.ok ? 'good' : 'bad'}
            />
          )}
        </div>
        <nav aria-label="Sections">
          <ul>
            {sections.map(({ id, title }) => (
              <li key={id}>
                <a href={`#${id}`}>{title}</a>
              </li>
            ))}
            {dashboards !== undefined && (
              <li>
                <a href={dashboards} target="_blank" rel="noreferrer">
                  Dashboards <span aria-hidden="true">↗</span>
                  <span class="sr-only">in a new tab</span>
                </a>
              </li>
            )}
          </ul>
        </nav>
        {(classNames.length > 1 || className !== undefined) && (
          <ClassChoice classNames={classNames} className={className} onClass={onClass} />
        )}
      </div>
      {children}
    </header>
  );
}

function State({ name, says, tone }: { readonly name: string; readonly says: string; readonly tone: Tone }) {
  return (
    <span class="head-state" data-state={name}>
      <span class={`dot ${tone}`} aria-hidden="true" />
      {says}
    </span>
  );
}
