// AIPerf, NVIDIA's benchmark client, from PyPI, with a tokenizer of single bytes that is made here, for it asks for
// one and usually takes it from the internet. Installs it, runs it, and reads the records of its requests.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installed, type Recipe } from '../engine/cache.ts';
import { installClient, type PythonClient, runClient } from './python-client.ts';

const VERSION = '0.13.0';
const CLIENT: PythonClient = {
  name: 'AIPerf',
  packages: new URL('aiperf-packages.txt', import.meta.url).pathname,
  capMs: 4 * 60_000,
};

const RECIPE: Recipe = {
  name: `aiperf-${VERSION}`,
  capMs: 8 * 60_000,
  diskBytes: 4e9,
  make: (folder, deadlineAtMs) => installClient(CLIENT, folder, deadlineAtMs, ['-c', TOKENIZER, 'tokenizer']),
};

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
      const profile = ['-m', 'aiperf', 'profile'];
      const what = ['--url', url, '-m', 'reference-small', '--endpoint-type', 'chat', '--streaming'];
      const prompt = ['--input-file', join(place, 'prompts.jsonl'), '--custom-dataset-type', 'single_turn'];
      const load = ['--concurrency', String(concurrency), '--request-count', String(count)];
      const tokens = ['--tokenizer', './tokenizer', '--use-server-token-count', '--extra-inputs', 'max_tokens:30'];
      const out = ['--artifact-dir', place, '--export-level', 'records', '--ui', 'none'];
      await runClient(CLIENT, this.#folder, [...profile, ...what, ...prompt, ...load, ...tokens, ...out]);
      return readFileSync(join(place, 'profile_export.jsonl'), 'utf8').trim().split('\n').map(requestOf);
    } finally {
      rmSync(place, { recursive: true });
    }
  }

  /** Throws where a line is none of its records. */
  async read(path: string): Promise<void> {
    await runClient(CLIENT, this.#folder, ['-c', READER, path]);
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
