// AIPerf, NVIDIA's benchmark client, from PyPI, with a tokenizer of single bytes that is made here, for it asks for
// one and usually takes it from the internet. Installs it, runs it, and reads the records of its requests.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installed, type Recipe } from '../engine/cache.ts';
import { atTheEnd } from '../../support/children.ts';
import { killGroup, MissingError, needCommand, runCommand } from '../engine/command.ts';

const VERSION = '0.13.0';
const PACKAGES = new URL('aiperf-packages.txt', import.meta.url).pathname;
const RUN_CAP_MS = 4 * 60_000;
const LAST_WORDS_CHARS = 600;

const RECIPE: Recipe = { name: `aiperf-${VERSION}`, capMs: 8 * 60_000, diskBytes: 4e9, make: install };

/** Every byte is a token. */
const TOKENIZER = `
import sys
from tokenizers import Tokenizer, models, pre_tokenizers, decoders
from transformers import PreTrainedTokenizerFast
vocab = {"<unk>": 0, "<s>": 1, "</s>": 2}
for byte in pre_tokenizers.ByteLevel.alphabet():
    vocab.setdefault(byte, len(vocab))
made = Tokenizer(models.BPE(vocab=vocab, merges=[], unk_token="<unk>"))
made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
made.decoder = decoders.ByteLevel()
PreTrainedTokenizerFast(tokenizer_object=made, unk_token="<unk>", bos_token="<s>", eos_token="</s>").save_pretrained(sys.argv[1])
`;

/** Its own model of a line, which refuses what is none. */
const READER = `
import sys
from aiperf.common.models.record_models import MetricRecordInfo
for line in open(sys.argv[1]):
    MetricRecordInfo.model_validate_json(line)
`;

async function install(folder: string, deadlineAtMs: number): Promise<void> {
  if (process.platform !== 'linux')
    throw new MissingError(`AIPerf is tried on Linux only, and this is ${process.platform}`);
  const python = await needCommand('python3');
  const run = (command: string, ...args: string[]): Promise<void> =>
    runCommand(command, args, { cwd: folder, deadlineAtMs });
  await run(python, '-m', 'venv', 'client');
  const binary = ['--only-binary', ':all:', '--no-deps', '--quiet', '--no-input'];
  await run('client/bin/python', '-m', 'pip', 'install', ...binary, '-r', PACKAGES);
  await run('client/bin/python', '-c', TOKENIZER, 'tokenizer');
}

/** Of one request, in ms. */
export interface AiperfRequest {
  readonly ttftMs: number;
  readonly interTokenMs: number;
  readonly gapsMs: readonly number[];
}

export class Aiperf {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async get(): Promise<Aiperf> {
    return new Aiperf(await installed(RECIPE));
  }

  /** A closed loop of streaming chats. */
  async run(
    url: string,
    { count, concurrency }: { readonly count: number; readonly concurrency: number },
  ): Promise<AiperfRequest[]> {
    const place = mkdtempSync(join(tmpdir(), 'rubato-aiperf-'));
    try {
      const prompts = Array.from({ length: count }, (_, index) =>
        JSON.stringify({ text: `${index} Count to thirty.` }),
      );
      writeFileSync(join(place, 'prompts.jsonl'), `${prompts.join('\n')}\n`);
      const what = ['--url', url, '-m', 'reference-small', '--endpoint-type', 'chat', '--streaming'];
      const prompt = ['--input-file', join(place, 'prompts.jsonl'), '--custom-dataset-type', 'single_turn'];
      const load = ['--concurrency', String(concurrency), '--request-count', String(count)];
      const tokens = ['--tokenizer', './tokenizer', '--use-server-token-count', '--extra-inputs', 'max_tokens:30'];
      const out = ['--artifact-dir', place, '--export-level', 'records', '--ui', 'none'];
      await this.#python(['-m', 'aiperf', 'profile', ...what, ...prompt, ...load, ...tokens, ...out]);
      return readFileSync(join(place, 'profile_export.jsonl'), 'utf8').trim().split('\n').map(requestOf);
    } finally {
      rmSync(place, { recursive: true });
    }
  }

  /** Throws where a line is none of its records. */
  async read(path: string): Promise<void> {
    await this.#python(['-c', READER, path]);
  }

  /** At the usual priority, unlike what installs: a client that yields to others is late, and says the engine was. */
  async #python(args: readonly string[]): Promise<void> {
    const program = join(this.#folder, 'client/bin/python');
    const child = spawn(program, args, { cwd: this.#folder, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const kill = (): void => killGroup(child.pid);
    const release = atTheEnd(kill);
    const cap = setTimeout(kill, RUN_CAP_MS);
    let words = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (words = (words + text).slice(-LAST_WORDS_CHARS)));
    const code = await new Promise((resolve) => void child.once('close', resolve));
    clearTimeout(cap);
    release();
    if (code !== 0) throw new Error(`AIPerf ended with ${String(code)}: ${words}`);
  }
}

function requestOf(line: string): AiperfRequest {
  const { metrics } = JSON.parse(line) as { metrics: Record<string, { value: number | number[] }> };
  return {
    ttftMs: metrics['time_to_first_token']?.value as number,
    interTokenMs: metrics['inter_token_latency']?.value as number,
    gapsMs: metrics['inter_chunk_latency']?.value as number[],
  };
}
