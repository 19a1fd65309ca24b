// A grading: the reference engine with its scripts, the gateway before it, and a client that asks for every case
// both ways. How the gateway comes to be there is the caller's.
import { startReferenceEngine, type ReferenceEngine } from '../reference-engine/start.ts';
import { sendRequest } from '../stream-client.ts';
import { GRADE_CASES, GRADE_MODEL, START_CASE, type GradeCase } from './cases.ts';
import { cardOf, type CaseCard } from './compare.ts';
import { drive, type GradeEngine, type Run, type Way } from './drive.ts';
import { figuresOf, type RunFigures } from './figures.ts';
import { findingsOf, type Finding } from './findings.ts';
import { startCardOf, type StartCard } from './start.ts';

const START_RUN_COUNT = 5;
/** Longest wait for one answer of the trial request. */
const TRIAL_WAIT_MS = 10_000;

export interface Grading {
  /** Name of the recipe, or the URL, and the version where it is known. */
  readonly gateway: string;
  readonly version?: string;
  readonly start: StartCard;
  readonly cases: readonly CaseCard[];
  readonly findings: readonly Finding[];
}

export async function startGradeEngine(listen: { readonly host: string; readonly port: number }): Promise<GradeEngine> {
  let playing: string | undefined;
  const cases = [START_CASE, ...GRADE_CASES];
  const engine: ReferenceEngine = await startReferenceEngine({
    ...listen,
    models: [GRADE_MODEL],
    scripts: Object.fromEntries(cases.map(({ name, script }) => [name, script])),
    scriptNow: () => playing,
  });
  return {
    engine,
    play: (name) => {
      playing = name;
    },
  };
}

/** A request through the gateway reaches the engine, and its answer comes back. */
export async function isThrough({ engine, play }: GradeEngine, way: Way): Promise<boolean> {
  play(START_CASE.name);
  const before = engine.stats().arrivedCount;
  const answer = await sendRequest({
    url: new URL(way.path, way.url).href,
    headers: way.headers,
    body: JSON.stringify({
      model: way.model ?? GRADE_MODEL,
      stream: true,
      messages: [{ role: 'user', content: 'Hi.' }],
    }),
    signal: AbortSignal.timeout(TRIAL_WAIT_MS),
  });
  return answer.status === 200 && answer.end === 'complete' && engine.stats().arrivedCount > before;
}

export async function grade(
  engine: GradeEngine,
  way: Way,
  about: { readonly gateway: string; readonly version?: string; readonly onStep: (step: string) => void },
): Promise<Grading> {
  const straight: Way = { url: engine.engine.url, path: '/v1/chat/completions', headers: {} };
  const both = async (gradeCase: GradeCase): Promise<readonly [Run, Run]> => [
    await drive(engine, straight, gradeCase),
    await drive(engine, way, gradeCase),
  ];
  about.onStep(START_CASE.title);
  const starts: (readonly [RunFigures, RunFigures])[] = [];
  for (let index = 0; index < START_RUN_COUNT; index += 1) {
    const [direct, through] = await both(START_CASE);
    starts.push([figuresOf(direct), figuresOf(through)]);
  }
  const cases: CaseCard[] = [];
  for (const gradeCase of GRADE_CASES) {
    about.onStep(gradeCase.title);
    cases.push(cardOf(gradeCase, ...(await both(gradeCase))));
  }
  const start = startCardOf(
    starts.map(([direct]) => direct),
    starts.map(([, through]) => through),
  );
  const { gateway, version } = about;
  return { gateway, ...(version === undefined ? {} : { version }), start, cases, findings: findingsOf(start, cases) };
}
