// The section of the running diagnosis: what ails the engine of each route, in words.
import type { Diagnosis } from '../../judge/diagnosis/finding.ts';
import type { EngineState } from '../../judge/engine-state.ts';
import type { FloorState } from '../../judge/floor/live.ts';

export interface DiagnosisProps {
  readonly diagnoses: readonly Diagnosis[];
  readonly engines: readonly EngineState[];
  readonly floors: readonly FloorState[];
}

export function DiagnosisView({ diagnoses }: DiagnosisProps) {
  return <p>{diagnoses.flatMap(({ says }) => says).join(' ')}</p>;
}
