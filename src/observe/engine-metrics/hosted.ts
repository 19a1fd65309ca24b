// Which upstreams are somebody else's service: they publish no metrics of an engine, and a question for
// them would only be an odd request in a stranger's log.
import { HOSTED_ENGINES, type EngineName } from '../../record/engines.ts';

const HOSTED: ReadonlySet<EngineName> = new Set(HOSTED_ENGINES);

const HOSTED_DOMAINS = [
  'openai.com',
  'azure.com',
  'anthropic.com',
  'googleapis.com',
  'cohere.com',
  'cohere.ai',
  'amazonaws.com',
  'mistral.ai',
  'deepseek.com',
  'groq.com',
  'cerebras.ai',
  'fireworks.ai',
  'together.ai',
  'together.xyz',
  'openrouter.ai',
  'nvidia.com',
];

export function isHosted(origin: string, engine: EngineName | undefined): boolean {
  if (!origin.startsWith('https:')) return false;
  const { hostname } = new URL(origin);
  return (
    (engine !== undefined && HOSTED.has(engine)) ||
    HOSTED_DOMAINS.some((domain) => hostname === domain || hostname.endsWith(`.${domain}`))
  );
}
