// What the rules say of one exchange: its delivery by its own arrivals, by both sides of a hop, its objectives, and the
// doubts that a reader of its figures should have.
import type { DeliveryVerdict, HopVerdict } from '../../judge/delivery/verdict.ts';
import { curesFor } from '../../judge/hop/cures.ts';
import { HOLD_MEANINGS } from '../../judge/meanings.ts';
import type { Report } from '../../judge/report.ts';
import type { Doubt } from '../../record/kinds.ts';
import { Marked } from '../charts/marked.tsx';
import { count, ms, percent, word } from '../format.ts';
import { DOUBT_MEANING } from './exchange-words.ts';
import { ledThere } from './exchange-stalls.tsx';
import { CHANGE_MEANING, WORD_MEANING, WORD_TONE } from './hops-words.ts';

export function ExchangeVerdicts({ report }: { readonly report: Report }) {
  const { delivery, hop, slo, unpaired, record } = report;
  return (
    <section class="verdicts">
      <h3>What the rules say</h3>
      {delivery === undefined && hop === undefined ? (
        <p class="note">There was no stream of text whose delivery could be judged.</p>
      ) : undefined}
      {delivery === undefined ? undefined : (
        <Delivery
          verdict={delivery}
          title="By its arrivals here"
          products={record.response.hopSigns?.products}
          // What both points say has one cure.
          hasCure={delivery.way !== hop?.way}
        />
      )}
      {hop === undefined ? undefined : (
        <Delivery
          verdict={hop}
          title={`By both sides of ${hop.hop}`}
          products={record.response.hopSigns?.products}
          hasCure
        />
      )}
      {hop === undefined ? undefined : <HopLengths verdict={hop} />}
      {unpaired === undefined ? undefined : (
        <p>
          It was seen before the hop {unpaired.hop} and not found behind it: {word(unpaired.reason)}.
        </p>
      )}
      {(record.hop?.changes ?? []).map((change) => (
        <p key={change}>
          The hop made it different: <b>{word(change)}</b>, {CHANGE_MEANING[change]}
        </p>
      ))}
      <Objectives slo={slo} objectives={record.class.objectives} />
      <Doubts doubts={record.doubts} />
    </section>
  );
}

interface DeliveryProps {
  readonly verdict: DeliveryVerdict | HopVerdict;
  readonly title: string;
  readonly products: Parameters<typeof curesFor>[1];
  readonly hasCure: boolean;
}

function Delivery({ verdict, title, products, hasCure }: DeliveryProps) {
  const { word: said, way, confidence, signs, numbers } = verdict;
  return (
    <div class={`verdict verdict-${said}`}>
      <p>
        {title}: <span class={`tag ${WORD_TONE[said]}`}>{way === undefined ? said : `${said}: ${word(way)}`}</span>{' '}
        {way === undefined ? WORD_MEANING[said] : HOLD_MEANINGS[way].means}
        {said === 'unsure' ? undefined : <small> Confidence {percent(confidence)}.</small>}
      </p>
      <p class="note">{ledThere(signs, numbers)}</p>
      {way === undefined || !hasCure
        ? undefined
        : curesFor(way, products).map((cure) => (
            <p key={cure} class="cure">
              <Marked text={cure} />
            </p>
          ))}
    </div>
  );
}

function HopLengths({ verdict }: { readonly verdict: HopVerdict }) {
  const { holdP50Ns, holdP95Ns, holdMaxNs, ttftAddedNs, gapJitterAddedNs } = verdict;
  return (
    <p class="note">
      Held: p50 {ms(holdP50Ns)}, p95 {ms(holdP95Ns)}, most {ms(holdMaxNs)}. Added to the first text {ms(ttftAddedNs)},
      to gaps at most {ms(gapJitterAddedNs)}.
    </p>
  );
}

interface ObjectivesProps {
  readonly slo: Report['slo'];
  readonly objectives: Report['record']['class']['objectives'];
}

const MET_WORDS = { true: 'kept', false: 'missed', unknown: 'cannot be judged' } as const;

function Objectives({ slo, objectives }: ObjectivesProps) {
  if (slo === undefined) return <p class="note">It is no demand for generation, so no objective is about it.</p>;
  if (slo.objectives.length === 0) return <p class="note">Nothing was promised of it.</p>;
  return (
    <ul class="kept-list">
      {slo.objectives.map(({ name, met, valueNs, gaps }) => {
        const limitNs = objectives?.find((each) => each.name === name)?.limitNs;
        return (
          <li key={name} class={`met-${met}`}>
            <b>{word(name)}</b> {MET_WORDS[met]}
            {valueNs === undefined ? '' : `: ${ms(valueNs)}`}
            {limitNs === undefined ? '' : ` of ${ms(limitNs)}`}
            {gaps === undefined ? '' : `, ${count(gaps.beyond)} of ${count(gaps.within + gaps.beyond)} gaps beyond it`}
          </li>
        );
      })}
    </ul>
  );
}

function Doubts({ doubts }: { readonly doubts: readonly Doubt[] }) {
  if (doubts.length === 0) return undefined;
  return (
    <ul class="doubts">
      {doubts.map((doubt) => (
        <li key={doubt}>
          <b>{word(doubt)}:</b> {DOUBT_MEANING[doubt]}
        </li>
      ))}
    </ul>
  );
}
