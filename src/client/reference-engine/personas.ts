// The table of personas: every engine the reference engine can speak as, by name. A new one is one more
// file and one more line.
import type { Persona } from './persona.ts';
import { kserve, reference, vllm, vllmOld, vllmRust } from './personas/vllm.ts';

const ALL = [reference, vllm, vllmOld, vllmRust, kserve] as const;

export const PERSONAS: ReadonlyMap<string, Persona> = new Map(ALL.map((persona) => [persona.name, persona]));
