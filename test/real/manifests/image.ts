// Does what a Dockerfile says, without Docker: each stage is a folder, in which its COPY and RUN are done. What it
// cannot do is the base images; a Node of this machine plays them. Knows the instructions that ours has, and refuses
// others.
import { cpSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { NODE, ROOT } from '../../support/program.ts';
import { needCommand, runCommand } from '../engine/command.ts';

export interface Image {
  /** Where the last stage has what it has. */
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
}

interface Stage {
  readonly root: string;
  workdir: string;
  readonly env: Record<string, string>;
  readonly lists: Record<string, readonly string[]>;
}

/** Builds below `folder`; throws `MissingError` when npm or the registry cannot be had, another error for a fault. */
export async function buildImage(folder: string, deadlineAtMs: number): Promise<Image> {
  await needCommand('npm');
  const tools = join(folder, 'bin');
  mkdirSync(tools, { recursive: true });
  // Only Node: a compiler that this repository has installed must not help out.
  symlinkSync(NODE, join(tools, 'node'));
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const [word, rest] of instructions(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))) {
    if (word === 'FROM') {
      const name = /\bAS (\S+)$/i.exec(rest)?.[1] ?? 'last';
      stage = { root: join(folder, name), workdir: '/', env: {}, lists: {} };
      mkdirSync(stage.root);
      stages.set(name, stage);
      continue;
    }
    if (stage === undefined) throw new Error(`${word} before FROM`);
    if (word === 'RUN') {
      const env = { PATH: `${tools}:${process.env['PATH'] ?? ''}`, npm_config_update_notifier: 'false' };
      const cwd = join(stage.root, stage.workdir);
      await runCommand('sh', ['-ec', rest], { cwd, env, deadlineAtMs }).catch(whatIsOurs);
    } else apply(stage, stages, word, rest);
  }
  if (stage === undefined) throw new Error('no stage');
  const { root, env, lists } = stage;
  const { ENTRYPOINT = [], CMD = [], HEALTHCHECK = [] } = lists;
  return { root, env, entrypoint: ENTRYPOINT, command: CMD, healthcheck: HEALTHCHECK };
}

/** A machine without a registry is no fault of the Dockerfile; everything else that fails is. */
function whatIsOurs(error: unknown): never {
  const words = error instanceof Error ? error.message : String(error);
  if (/time cap|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|E50\d|ENOSPC/.test(words))
    throw error;
  throw new Error(`the Dockerfile cannot be built: ${words}`);
}

function instructions(text: string): (readonly [word: string, rest: string])[] {
  const whole = text.replaceAll(/^#.*\n/gm, '').replaceAll(/\\\n\s*/g, ' ');
  return [...whole.matchAll(/^([A-Z]+) (.+)$/gm)].map(([, word = '', rest = '']) => [word, rest.trim()]);
}

function apply(stage: Stage, stages: ReadonlyMap<string, Stage>, word: string, rest: string): void {
  switch (word) {
    case 'WORKDIR':
      stage.workdir = rest;
      mkdirSync(join(stage.root, rest), { recursive: true });
      break;
    case 'COPY':
      copy(stage, stages, rest.split(/\s+/));
      break;
    case 'ENV':
      for (const [, name = '', value = ''] of rest.matchAll(/(\w+)=(\S+)/g)) stage.env[name] = value;
      break;
    case 'ENTRYPOINT':
    case 'CMD':
    case 'HEALTHCHECK':
      stage.lists[word] = JSON.parse(rest.slice(rest.indexOf('['))) as string[];
      break;
    case 'USER':
    case 'EXPOSE':
      break;
    default:
      throw new Error(`nobody here knows how to do ${word}`);
  }
}

function copy(stage: Stage, stages: ReadonlyMap<string, Stage>, words: readonly string[]): void {
  const [first = ''] = words;
  const from = /^--from=(\S+)$/.exec(first)?.[1];
  const source = from === undefined ? ROOT : (stages.get(from)?.root ?? '');
  const paths = from === undefined ? words : words.slice(1);
  const target = join(stage.root, stage.workdir, paths.at(-1) ?? '.');
  for (const path of paths.slice(0, -1)) {
    const origin = join(source, path);
    // A folder gives what is in it; a file goes below its own name into a folder.
    const isFolder = statSync(origin).isDirectory();
    cpSync(origin, isFolder ? target : join(target, basename(path)), { recursive: true, verbatimSymlinks: true });
  }
}
