// The floors of src/: which folder may import which, and which packages. src/README.md draws the
// same map for people; floors.test.ts holds the code to this table and the map to it.

export interface Floor {
  readonly level: number;
  /** Folders below it that it may import. */
  readonly folders: readonly string[];
  /** Packages it may import; a name that ends in a slash stands for its whole scope. */
  readonly packages: readonly string[];
}

const JUDGED = ['judge', 'measure', 'record', 'base'];

export const FLOORS: Readonly<Record<string, Floor>> = {
  base: { level: 0, folders: [], packages: ['pino'] },
  tape: { level: 1, folders: ['base'], packages: [] },
  record: { level: 1, folders: ['base'], packages: [] },
  relay: { level: 2, folders: ['tape', 'base'], packages: ['fastify', '@fastify/http-proxy', 'undici'] },
  stream: { level: 2, folders: ['record', 'base'], packages: ['eventsource-parser'] },
  evidence: { level: 2, folders: ['record', 'base'], packages: [] },
  measure: { level: 2, folders: ['record', 'base'], packages: [] },
  judge: { level: 3, folders: ['measure', 'record', 'base'], packages: [] },
  observe: { level: 4, folders: [...JUDGED, 'evidence', 'stream', 'tape'], packages: ['@grpc/grpc-js', 'undici'] },
  telemetry: { level: 4, folders: JUDGED, packages: ['@opentelemetry/'] },
  client: {
    level: 5,
    folders: [...JUDGED, 'stream', 'telemetry'],
    packages: ['undici', 'yaml', 'log-update', 'string-width'],
  },
  page: { level: 5, folders: [...JUDGED, 'telemetry'], packages: ['preact', 'uplot', 'vite'] },
  config: { level: 5, folders: ['record', 'base'], packages: ['valibot', 'yaml'] },
  app: {
    level: 6,
    folders: [...JUDGED, 'tape', 'relay', 'stream', 'evidence', 'observe', 'telemetry', 'client', 'config'],
    packages: [],
  },
  cli: {
    level: 7,
    folders: [...JUDGED, 'tape', 'relay', 'stream', 'evidence', 'observe', 'telemetry', 'client', 'config', 'app'],
    packages: ['commander'],
  },
};

/** The floor of a file of src/: its folder, or `main.ts` itself, which stands on top of all. */
export function folderOf(path: string): string {
  const [, folder = '', rest] = path.split('/');
  return rest === undefined ? '' : folder;
}

export function mayUsePackage(floor: Floor, specifier: string): boolean {
  return floor.packages.some((name) =>
    name.endsWith('/') ? specifier.startsWith(name) : specifier === name || specifier.startsWith(`${name}/`),
  );
}
