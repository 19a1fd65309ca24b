// `rubato floor`: what the hardware allows. Takes a model, an accelerator and a load, and says how long a decode
// step must take at least, what a chunk of prefill costs it, and whether objectives can be kept. Touches no engine.
import type { Command } from 'commander';
import { EXIT } from './exit-codes.ts';
import { usageFailure } from './failures.ts';
import { addFloorFlags, readCatalogue, readFloorFlags } from './floor-flags.ts';
import { floorJson, floorPage, listPage, planOf } from './floor-page.ts';
import type { Io } from './io.ts';

const HELP = `
A decode step reads all weights and the KV cache of every sequence once, so memory bandwidth is its floor. A chunk of
prefill in the same step computes, and beyond the ridge each of its tokens costs. Every figure names its mode:
  roofline   the longer of reading weights and computing batch and chunk, plus reading KV (the lower bound)
  additive   reading weights and KV plus computing the chunk, nothing overlapping (the cautious estimate)
What engines reach is often 0.8 of the bandwidth (--bandwidth-efficiency) and 0.5 to 0.6 of the FLOP/s (--mfu).
Attention counts in --prompt only; starting kernels, sampling and the host count nowhere.

Examples:
  rubato floor --list                             which models and accelerators are known, and the sources
  rubato floor --model llama-3.1-8b --hardware h100-sxm --batch 64 --context 2048
                                                  the floor of a step
  rubato floor --model llama-3.1-8b --hardware h100-sxm --batch 64 --context 2048 --chunk 512 \\
    --bandwidth-efficiency 0.8 --mfu 0.6 --overlap additive --gap-ms 30
                                                  which chunk of prefill keeps gaps below 30 ms
  rubato floor --model llama-3.1-8b --hardware h100-sxm --prompt 32000 --ttft-ms 300
                                                  whether a TTFT can be promised for that prompt
  rubato floor --model llama-3.1-70b --hardware h100-sxm --tp 4 --weights-dtype fp8 --kv-dtype fp8 --batch 32
                                                  over four accelerators, in FP8
  rubato floor --model llama-3.1-8b --hardware h100-sxm --batch 8 --speculation 4,0.8
                                                  whether drafting 4 tokens pays when 80 % are accepted
  rubato floor --model llama-3.1-8b --hardware h100-sxm --batch 64 --stall-ms 55 --stall-share 0.012
                                                  what 1.2 % of stalled steps do to p99
  rubato floor --model llama-3.1-8b --hardware h100-sxm --batch 64 --context 4096 --measured-ms 24
                                                  how far above its floor a measured step is

Models and accelerators of your own, or other figures for known ones, in the same YAML file as everything else:
  floor:
    models:
      - { name: my-model, parameters: 8.03e9, layers: 32, kv_heads: 8, head_dim: 128, hidden: 4096, heads: 32 }
    hardware:
      - { name: my-gpu, memory_gb: 80, gb_per_second: 3350, tflops: 989, link_gb_per_second: 450 }

"rubato serve --engine-model NAME --engine-hardware NAME" sets the same floor beside the steps it measures.`;

export function floorCommand(command: Command, io: Io): (command: Command) => Promise<number> {
  addFloorFlags(command)
    .description('what the hardware allows: the least a decode step can take, and whether objectives can be kept')
    .allowExcessArguments()
    .addHelpText('after', HELP);
  return (given) => {
    io.out(given.getOptionValue('list') === true ? list(given) : plan(given));
    return Promise.resolve(EXIT.ok.code);
  };
}

function list(given: Command): string {
  const faults: string[] = [];
  const catalogue = readCatalogue(given, faults);
  if (faults.length > 0) throw usageFailure(faults);
  if (given.getOptionValue('json') !== true) return listPage(catalogue);
  return JSON.stringify({ models: [...catalogue.models.values()], hardware: [...catalogue.hardware.values()] });
}

function plan(given: Command): string {
  const flags = readFloorFlags(given);
  if ('faults' in flags) throw usageFailure(flags.faults);
  const found = planOf(flags);
  return given.getOptionValue('json') === true ? JSON.stringify(floorJson(found), undefined, 2) : floorPage(found);
}
