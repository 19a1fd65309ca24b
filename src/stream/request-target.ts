// What the path of a request says by itself, for the APIs that put the model or the choice of a stream
// there. Matched at the path's end, because a route's prefix or a gateway may stand before it.

export interface TargetFacts {
  readonly model?: string;
  readonly stream?: boolean;
  /** What an absent `stream` in the body means here. */
  readonly streamByDefault?: true;
}

interface TargetForm {
  /** Groups: `model`, and `action` where it decides on streaming. */
  readonly pattern: RegExp;
  readonly streams?: (action: string) => boolean;
  readonly streamByDefault?: true;
}

const FORMS: readonly TargetForm[] = [
  // Gemini and Vertex AI: `/v1beta/models/NAME:streamGenerateContent`, `…/publishers/P/models/NAME:streamRawPredict`.
  {
    pattern:
      /\/(?:models|tunedModels|endpoints)\/(?<model>[^/:]+):(?<action>generateContent|streamGenerateContent|rawPredict|streamRawPredict)$/,
    streams: (action) => action.startsWith('stream'),
  },
  // Amazon Bedrock; the id may be an ARN, percent-encoded.
  {
    pattern: /\/model\/(?<model>[^/]+)\/(?<action>converse|converse-stream|invoke|invoke-with-response-stream)$/,
    streams: (action) => action.endsWith('-stream'),
  },
  // Azure OpenAI: the deployment is what is called, whatever the body says.
  { pattern: /\/openai\/deployments\/(?<model>[^/]+)\/[^/].*$/ },
  // Triton's generate extension.
  {
    pattern: /\/v2\/models\/(?<model>[^/]+)(?:\/versions\/[^/]+)?\/(?<action>generate|generate_stream)$/,
    streams: (action) => action === 'generate_stream',
  },
  // TGI. Its `/generate` never streams, but SGLang has a path of that name where the body decides.
  { pattern: /\/(?<action>generate_stream)$/, streams: () => true },
  // Ollama streams unless told not to.
  { pattern: /\/api\/(?:chat|generate)$/, streamByDefault: true },
];

export function readTarget(path: string): TargetFacts {
  for (const { pattern, streams, streamByDefault } of FORMS) {
    const match = pattern.exec(path);
    if (match === null) continue;
    const { model, action } = match.groups ?? {};
    return {
      ...(model === undefined ? {} : { model: decoded(model) }),
      ...(streams === undefined || action === undefined ? {} : { stream: streams(action) }),
      ...(streamByDefault === undefined ? {} : { streamByDefault }),
    };
  }
  return {};
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // Not percent-encoded after all; then it stands for itself.
    return segment;
  }
}
