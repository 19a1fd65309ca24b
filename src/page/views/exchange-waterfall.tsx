// The waterfall of one exchange: a bar from mark to mark, and beneath it the TTFT in its parts on the same scale. Most
// of a long answer is tokens, so it begins with the time up to the first one.
import { useState } from 'preact/hooks';
import type { Split } from '../../measure/figures.ts';
import { PartBar, PartSwatch } from '../charts/part-bar.tsx';
import { NETWORK_MEANING, PART_MEANING, partsOf } from '../charts/parts.ts';
import { ms, percent } from '../format.ts';
import type { ExchangePicture } from './exchange-picture.ts';
import { marksOf, type Step, stepsOf } from './exchange-steps.ts';

export interface ExchangeWaterfallProps {
  readonly picture: ExchangePicture;
}

/** From this share of the whole on, the time to the first token can be seen in it as well. */
const SEEN_RATIO = 0.2;
/** Room behind the first token, so that what follows can be seen to go on. */
const BEYOND_RATIO = 1.08;

export function ExchangeWaterfall({ picture }: ExchangeWaterfallProps) {
  const { endAtNs, ttftNs, firstTokenAtNs, split } = picture;
  const firstNs = ttftNs ?? firstTokenAtNs;
  const canZoom = firstNs !== undefined && firstNs < SEEN_RATIO * endAtNs;
  const [isWhole, setWhole] = useState(false);
  const fullNs = canZoom && !isWhole ? firstNs * BEYOND_RATIO : Math.max(endAtNs, 1);
  return (
    <section class="waterfall">
      <h3>
        Where its time went
        {canZoom ? (
          <button type="button" aria-pressed={isWhole} onClick={() => setWhole(!isWhole)}>
            {isWhole ? 'up to the first token' : 'the whole exchange'}
          </button>
        ) : undefined}
      </h3>
      <div class="steps" role="list">
        {stepsOf(picture).map((step) => (
          <StepRow key={step.name} step={step} fullNs={fullNs} />
        ))}
        {split === undefined ? undefined : <SplitRow split={split} ttftNs={ttftNs ?? 0} fullNs={fullNs} />}
      </div>
      {split === undefined ? undefined : <SplitTable split={split} ttftNs={ttftNs ?? 0} />}
      <details>
        <summary>Marks</summary>
        <dl class="marks">
          {marksOf(picture).map(({ name, atNs }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{ms(atNs)}</dd>
            </div>
          ))}
        </dl>
      </details>
    </section>
  );
}

function StepRow({ step, fullNs }: { readonly step: Step; readonly fullNs: number }) {
  const { name, meaning, fromNs, toNs, color } = step;
  const isBeyond = fromNs >= fullNs;
  const left = Math.min(fromNs / fullNs, 1);
  const width = Math.min(toNs / fullNs, 1) - left;
  return (
    <div class="step" role="listitem" title={meaning}>
      <span class="step-name">{name}</span>
      <span class="step-track" aria-hidden="true">
        {isBeyond ? (
          <span class="step-beyond">at {ms(fromNs)} →</span>
        ) : (
          <i
            class={toNs > fullNs ? 'step-cut' : ''}
            style={{ left: `${left * 100}%`, width: `${width * 100}%`, background: `var(${color})` }}
          />
        )}
      </span>
      <span class="n">{ms(toNs - fromNs)}</span>
    </div>
  );
}

interface SplitProps {
  readonly split: Split;
  readonly ttftNs: number;
}

function SplitRow({ split, ttftNs, fullNs }: SplitProps & { readonly fullNs: number }) {
  return (
    <div class="step step-split" role="listitem" title="request head received → first token accepted by the kernel">
      <span class="step-name">TTFT in parts</span>
      <span class="step-track">
        <PartBar parts={partsOf(split)} fullNs={fullNs} />
      </span>
      <span class="n strong">{ms(ttftNs)}</span>
    </div>
  );
}

const BASIS_WORDS: Readonly<Record<Split['basis'], string>> = {
  exact: 'Queue and prefill are exact: the engine said so for this request.',
  model: "Queue and prefill are estimated by rubato's calibrated model; a modelled queue means waiting and contention.",
  none: 'Nothing told queue and prefill apart, so the engine’s window stands as one.',
};

function SplitTable({ split, ttftNs }: SplitProps) {
  const inside: readonly (readonly [string, number | undefined])[] = [
    [`upload (${NETWORK_MEANING.upload})`, split.network.uploadNs],
    [`connect (${NETWORK_MEANING.connect})`, split.network.connectNs],
    [`wire (${NETWORK_MEANING.wire})`, split.network.wireNs],
    [`client (${NETWORK_MEANING.client})`, split.network.clientNs],
  ];
  return (
    <>
      <ul class="legend">
        {partsOf(split).map(({ part, partNs }) => (
          <li key={part} title={PART_MEANING[part]}>
            <PartSwatch part={part} />
            {part} <b>{ms(partNs)}</b> <small>{percent(ttftNs > 0 ? partNs / ttftNs : undefined)}</small>
          </li>
        ))}
      </ul>
      <p class="note">
        {BASIS_WORDS[split.basis]}
        {split.rounded ? ' A remainder just below 0 was taken as rounding.' : ''}
        {split.contradicted ? ' What the engine said did not fit into our clock and was left out.' : ''}
      </p>
      <details>
        <summary>Network and rubato in their own parts</summary>
        <dl class="marks">
          {inside.map(([name, lengthNs]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{ms(lengthNs)}</dd>
            </div>
          ))}
          <div>
            <dt>rubato: forward</dt>
            <dd>{ms(split.rubato.forwardNs)}</dd>
          </div>
          <div>
            <dt>rubato: hold</dt>
            <dd>{ms(split.rubato.holdNs)}</dd>
          </div>
          <div>
            <dt>rubato: wait in the admission queue</dt>
            <dd>{ms(split.rubato.waitNs)}</dd>
          </div>
        </dl>
      </details>
    </>
  );
}
