// Asks a program to its end and keeps what it said; and has kubeconform look at manifests, every fault in one list.
import { spawnSync } from 'node:child_process';
import { schemaLocation } from './schemas.ts';
import { goTool } from './tools.ts';

/** None of them takes long; one that hangs is a fault. */
const CAP_MS = 120_000;

export interface Said {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface AskOptions {
  readonly cwd?: string;
  readonly input?: string;
  readonly env?: NodeJS.ProcessEnv;
}

export function ask(command: string, args: readonly string[], { cwd, input, env }: AskOptions = {}): Said {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    timeout: CAP_MS,
    maxBuffer: 64e6,
    ...(cwd !== undefined && { cwd }),
    ...(input !== undefined && { input }),
    ...(env !== undefined && { env: { ...process.env, ...env } }),
  });
  if (error !== undefined) throw error;
  return { code: status, out: stdout, err: stderr };
}

export interface Validation {
  /** Kind and name of each, in the order of the manifests. */
  readonly resources: readonly string[];
  /** One line each: kind and name, and what is wrong with it. */
  readonly faults: readonly string[];
}

/** Looks at manifests, YAML documents one after the other. */
export async function validate(manifests: string): Promise<Validation> {
  const kubeconform = await goTool('kubeconform');
  const location = await schemaLocation();
  const args = ['-strict', '-verbose', '-output', 'json', '-schema-location', location, '-'];
  const { out, err } = ask(kubeconform, args, { input: manifests });
  if (!out.startsWith('{')) throw new Error(`kubeconform said: ${err}`);
  const { resources } = JSON.parse(out) as { resources: { kind: string; name: string; status: string; msg: string }[] };
  return {
    resources: resources.map(({ kind, name }) => `${kind} ${name}`),
    faults: resources
      .filter(({ status }) => status !== 'statusValid')
      .map(({ kind, name, msg }) => `${kind} ${name}: ${msg}`),
  };
}
