// Keys about the model and the accelerators behind the upstream: what the floor of a decode step rests on.
import { TENSOR_PARALLEL_MAX_COUNT } from '../base/floor-limits.ts';
import { NUMBER_FORMATS } from '../record/floor-facts.ts';
import { key } from './key-spec.ts';
import { readChoice, readInteger, readLabel } from './values.ts';

const FORMATS = NUMBER_FORMATS.join('|');

export const FLOOR_KEYS = {
  'engine-model': key({
    placeholder: 'NAME',
    help: 'The model that the engine serves, as "rubato floor --list" names it or as the YAML key floor describes it. With engine-hardware the measured decode step is set beside its floor.',
    read: readLabel,
  }),
  'engine-hardware': key({
    placeholder: 'NAME',
    help: 'The accelerator that the engine runs on, named likewise.',
    read: readLabel,
  }),
  'engine-tp': key({
    placeholder: 'N',
    help: 'Accelerators over which the engine splits each layer (tensor parallelism); 1 unless it is said.',
    read: readInteger(1, TENSOR_PARALLEL_MAX_COUNT),
  }),
  'engine-weights-dtype': key({
    placeholder: FORMATS,
    help: 'Format of the weights, where it is not as the model was published.',
    read: readChoice(NUMBER_FORMATS),
  }),
  'engine-kv-dtype': key({
    placeholder: FORMATS,
    help: 'Format of the KV cache; bf16 unless it is said.',
    read: readChoice(NUMBER_FORMATS),
  }),
};
