// The section of hops: what stands on the way and was seen from both sides, what it does to streams, and what usually
// cures it.
import type { HopSpread, HopState } from '../../judge/hop/state.ts';
import { HOLD_MEANINGS } from '../../judge/meanings.ts';
import { Marked } from '../charts/marked.tsx';
import { counted, count, msNumber, percent, signWords, word } from '../format.ts';
import { CHANGE_MEANING, WORD_MEANING, WORD_TONE } from './hops-words.ts';

export interface HopsProps {
  readonly hops: readonly HopState[];
}

const EXAMPLE = 'rubato serve --upstream http://engine:8000 --edge 0.0.0.0:8081=http://gateway:8080';

export function HopsView({ hops }: HopsProps) {
  if (hops.length === 0) {
    return (
      <div class="empty">
        <p>
          No hop is watched from both sides. With an edge before a gateway that leads back here, each stream is seen
          twice, and what the gateway does to it is known:
        </p>
        <pre>{EXAMPLE}</pre>
      </div>
    );
  }
  return (
    <div class="hops">
      {hops.map((hop) => (
        <Hop key={hop.hop} state={hop} />
      ))}
    </div>
  );
}

function Hop({ state }: { readonly state: HopState }) {
  const { hop, word: verdict, way, confidence, products, signs, signature, cures } = state;
  const led = signWords(signs, signature);
  return (
    <article class={`hop hop-${verdict}`} data-hop={hop}>
      <h3>
        {hop}{' '}
        <span class={`tag ${WORD_TONE[verdict]}`}>{way === undefined ? verdict : `${verdict}: ${word(way)}`}</span>
        <small>{products.length === 0 ? undefined : products.map(word).join(', ')}</small>
      </h3>
      <p>
        {way === undefined ? WORD_MEANING[verdict] : HOLD_MEANINGS[way].means}{' '}
        {verdict === 'unsure' ? undefined : <small>Confidence {percent(confidence)}.</small>}
      </p>
      {led.length === 0 ? undefined : <p class="note">What led there: {led.join(' · ')}.</p>}
      {cures.length === 0 ? undefined : (
        <div class="cure">
          <b>What usually cures it</b>
          <ul>
            {cures.map((cure) => (
              <li key={cure}>
                <Marked text={cure} />
              </li>
            ))}
          </ul>
        </div>
      )}
      <HopTable state={state} />
      <HopCounts state={state} />
    </article>
  );
}

function HopTable({ state }: { readonly state: HopState }) {
  const rows: readonly (readonly [string, HopSpread | undefined])[] = [
    ['largest hold of an exchange', state.holdMax],
    ['median hold of an exchange', state.holdP50],
    ['added to the first text', state.ttftAdded],
    ['added to gaps', state.gapJitterAdded],
    ['client left → ended behind the hop', state.abort],
  ];
  const known = rows.filter(([, spread]) => spread !== undefined);
  if (known.length === 0) return <p class="note">No pair with text yet, so there are no holds to show.</p>;
  return (
    <div class="scroll">
      <table class="figures">
        <thead>
          <tr>
            <th>ms, of the latest {count(state.recentCount)} pairs</th>
            <th class="n">p50</th>
            <th class="n">p95</th>
            <th class="n">max</th>
            <th class="n">pairs</th>
          </tr>
        </thead>
        <tbody>
          {known.map(([name, spread]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="n">{msNumber(spread?.p50Ns)}</td>
              <td class="n">{msNumber(spread?.p95Ns)}</td>
              <td class="n">{msNumber(spread?.maxNs)}</td>
              <td class="n">{count(spread?.count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function HopCounts({ state }: { readonly state: HopState }) {
  const { pairedCount, pairedBy, unpaired, words, changes, clockErrorNs } = state;
  const found = listed(pairedBy);
  const missing = listed(unpaired);
  const verdicts = listed(words);
  const changed = Object.entries(changes);
  return (
    <>
      <p class="note">
        {counted(pairedCount, 'exchange', 'exchanges')} seen on both sides{found === '' ? '' : ` (by ${found})`}
        {missing === '' ? '' : `, not found behind it: ${missing}`}
        {verdicts === '' ? '' : `. Verdicts of single exchanges: ${verdicts}`}
        {clockErrorNs === undefined ? '' : `. The other clock is known to ±${msNumber(clockErrorNs)} ms`}.
      </p>
      {changed.length === 0 ? undefined : (
        <ul class="changes">
          {changed.map(([change, value]) => (
            <li key={change}>
              <b>{word(change)}</b> in {count(value)}: {CHANGE_MEANING[change as keyof typeof CHANGE_MEANING]}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function listed(counts: Readonly<Record<string, number | undefined>>): string {
  return Object.entries(counts)
    .map(([name, value]) => `${word(name)} ${count(value)}`)
    .join(', ');
}
