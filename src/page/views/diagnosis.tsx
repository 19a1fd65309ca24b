// The section of the running diagnosis: what ails the engine of each route, in words, and what to do about it; beside
// it what the engine publishes of itself, and its decode step against what the hardware allows.
import { type Diagnosis, type Finding, type Strength, strengthOf } from '../../judge/diagnosis/finding.ts';
import type { EngineState } from '../../judge/engine-state.ts';
import type { FloorState } from '../../judge/floor/live.ts';
import { numberWords, word } from '../format.ts';
import { EngineTable, FloorTable } from './diagnosis-tables.tsx';

export interface DiagnosisProps {
  readonly diagnoses: readonly Diagnosis[];
  readonly engines: readonly EngineState[];
  readonly floors: readonly FloorState[];
}

const STRENGTH_TONE: Readonly<Record<Strength, string>> = { strong: 'bad', likely: 'warn', hint: '' };

export function DiagnosisView({ diagnoses, engines, floors }: DiagnosisProps) {
  return (
    <div class="diagnosis">
      {diagnoses.length === 0 ? (
        <p class="empty">Nothing to say yet: a diagnosis rests on the streams of the last ten minutes.</p>
      ) : (
        diagnoses.map((each) => <RouteDiagnosis key={each.route} diagnosis={each} isAlone={diagnoses.length === 1} />)
      )}
      {engines.length === 0 ? undefined : <EngineTable engines={engines} />}
      {floors.length === 0 ? undefined : <FloorTable floors={floors} />}
    </div>
  );
}

interface RouteDiagnosisProps {
  readonly diagnosis: Diagnosis;
  /** With one route only, its name says nothing. */
  readonly isAlone: boolean;
}

function RouteDiagnosis({ diagnosis, isAlone }: RouteDiagnosisProps) {
  const { route, says, findings, playbook } = diagnosis;
  return (
    <article data-route={route}>
      {isAlone ? undefined : <h3>{route}</h3>}
      {says.length === 0 ? undefined : <p class="lead">{says.join(' ')}</p>}
      {findings.length === 0 ? (
        <p class="well">No cause of slowness stands out.</p>
      ) : (
        <ol class="findings">
          {findings.map((finding) => (
            <FindingItem key={finding.cause} finding={finding} />
          ))}
        </ol>
      )}
      {playbook.length === 0 ? undefined : (
        <details open>
          <summary>What to look at and to change, in this order</summary>
          <ol class="playbook">
            {playbook.map(({ step, why }) => (
              <li key={step}>
                {step} <span class="why">{why}</span>
              </li>
            ))}
          </ol>
        </details>
      )}
    </article>
  );
}

function FindingItem({ finding }: { readonly finding: Finding }) {
  const { cause, weight, says, numbers } = finding;
  const strength = strengthOf(weight);
  const shown = Object.entries(numbers).map(([name, value]) => numberWords(name, value));
  return (
    <li class={`finding finding-${strength}`}>
      <b>{word(cause)}</b> <span class={`tag ${STRENGTH_TONE[strength]}`}>{strength}</span> {says}
      {shown.length === 0 ? undefined : <small class="numbers">{shown.join(' · ')}</small>}
    </li>
  );
}
