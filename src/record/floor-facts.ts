// What a model and an accelerator are to the floor of a decode step: sizes and rates, as their makers
// publish them. Plain data, shared by who configures and who computes. Knows no formula.

/** Bytes of one number. MXFP4 holds 32 numbers of 4 bits under one scale of 8 bits. */
export const FORMAT_BYTES = {
  bf16: 2,
  fp16: 2,
  fp32: 4,
  fp8: 1,
  int8: 1,
  int4: 0.5,
  mxfp4: 4.25 / 8,
} as const;
export type NumberFormat = keyof typeof FORMAT_BYTES;
export const NUMBER_FORMATS = Object.keys(FORMAT_BYTES) as readonly NumberFormat[];

/** Of a mixture of experts: most parameters are in experts, of which a token needs only a few. */
export interface ExpertFacts {
  /** Experts of one layer, and how many of them the router chooses for a token. */
  readonly count: number;
  readonly chosenCount: number;
  /** Parameters of all experts of all layers together. */
  readonly parameterCount: number;
  /** Where it differs from the rest of the model. */
  readonly format?: NumberFormat;
}

export interface ModelFacts {
  readonly name: string;
  readonly parameterCount: number;
  readonly layerCount: number;
  readonly hiddenSize: number;
  /** Query heads. */
  readonly headCount: number;
  readonly kvHeadCount: number;
  readonly headSize: number;
  /** As it is published. */
  readonly format: NumberFormat;
  readonly experts?: ExpertFacts;
  /** Layers that look back no further than this many tokens. */
  readonly sliding?: { readonly layerCount: number; readonly tokenCount: number };
  /** Numbers kept for a token in one layer where attention is latent (MLA): no heads, and every rank keeps all. */
  readonly latentSize?: number;
  /** Where the figures stand. */
  readonly source: string;
}

/** One accelerator. Rates are peaks without sparsity, which serving of language models does not use. */
export interface HardwareFacts {
  readonly name: string;
  readonly memoryBytes: number;
  readonly bytesPerSecond: number;
  /** With 16-bit numbers. */
  readonly flopPerSecond: number;
  /** With FP8 numbers, where it computes with them. */
  readonly fp8FlopPerSecond?: number;
  /** To its neighbours, in one direction. Without it no layer can be split over several. */
  readonly linkBytesPerSecond?: number;
  readonly source: string;
}

/** What stands behind a route, as far as its floor goes. */
export interface FloorPlace {
  readonly model: ModelFacts;
  readonly hardware: HardwareFacts;
  /** Accelerators over which each layer is split. */
  readonly tensorParallelCount: number;
  /** Undefined: as the model is published. */
  readonly weightsFormat: NumberFormat | undefined;
  readonly kvFormat: NumberFormat;
}
