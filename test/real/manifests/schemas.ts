// JSON Schemas for kubeconform, made from what the projects themselves publish: the OpenAPI of Kubernetes and the
// custom resource definitions of the Prometheus operator, the Gateway API and Envoy Gateway, all from their Go
// modules. Strict: a field that no schema names is a fault.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { installed } from '../engine/cache.ts';
import { goModule } from './tools.ts';

const KUBERNETES = 'v1.37.2';
/** Only those that our manifests hold; kubeconform refuses what it finds no schema for. */
const KINDS = new Set([
  'ConfigMap',
  'Deployment',
  'NetworkPolicy',
  'PersistentVolumeClaim',
  'Pod',
  'PodDisruptionBudget',
  'Secret',
  'Service',
  'ServiceAccount',
]);

/** Modules with custom resource definitions, and where in them. */
const DEFINITIONS = [
  {
    module: 'github.com/prometheus-operator/prometheus-operator',
    version: 'v0.85.0',
    files: ['podmonitors', 'prometheusrules'].map(
      (plural) => `example/prometheus-operator-crd/monitoring.coreos.com_${plural}.yaml`,
    ),
  },
  {
    module: 'sigs.k8s.io/gateway-api',
    version: 'v1.6.3',
    files: ['gatewayclasses', 'gateways', 'httproutes'].map(
      (plural) => `config/crd/standard/gateway.networking.k8s.io_${plural}.yaml`,
    ),
  },
  {
    module: 'github.com/envoyproxy/gateway',
    version: 'v1.9.1',
    files: ['backends', 'backendtrafficpolicies', 'clienttrafficpolicies', 'envoyproxies'].map(
      (plural) => `charts/gateway-helm/charts/crds/crds/generated/gateway.envoyproxy.io_${plural}.yaml`,
    ),
  },
] as const;

/** As far as it is looked into here. */
interface Schema {
  [key: string]: unknown;
  type?: string;
  format?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  $ref?: string;
}
interface KindName {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Where kubeconform finds the schemas: one file a kind. */
export async function schemaLocation(): Promise<string> {
  const versions = [KUBERNETES, ...DEFINITIONS.map(({ version }) => version)].map((each) => each.slice(1));
  const folder = await installed({
    name: `manifest-schemas-2-${versions.join('-')}`,
    capMs: 6 * 60_000,
    diskBytes: 1e9,
    make: async (staging, deadlineAtMs) => {
      const kubernetes = await goModule('k8s.io/kubernetes', KUBERNETES, deadlineAtMs);
      const definitions = readDefinitions(join(kubernetes, 'api/openapi-spec/swagger.json'));
      writeKinds(staging, definitions);
      for (const { module, version, files } of DEFINITIONS) {
        const source = await goModule(module, version, deadlineAtMs);
        for (const file of files) writeCustom(staging, join(source, file), definitions);
      }
    },
  });
  return join(folder, '{{ .ResourceKind }}{{ .KindSuffix }}.json');
}

type Definitions = Readonly<Record<string, Schema>>;

function readDefinitions(path: string): Definitions {
  const { definitions } = JSON.parse(readFileSync(path, 'utf8')) as { readonly definitions: Record<string, Schema> };
  // A quantity may be written as a number as well, which its own definition does not say.
  const quantity = { oneOf: [{ type: 'string' }, { type: 'number' }] };
  return {
    ...Object.fromEntries(Object.entries(definitions).map(([name, schema]) => [name, strict(schema)])),
    'io.k8s.apimachinery.pkg.api.resource.Quantity': quantity,
  };
}

function writeKinds(folder: string, definitions: Definitions): void {
  for (const [name, schema] of Object.entries(definitions)) {
    const names = (schema['x-kubernetes-group-version-kind'] ?? []) as KindName[];
    const [only] = names;
    if (only === undefined || names.length > 1 || !KINDS.has(only.kind)) continue;
    write(folder, only, { $ref: `#/definitions/${name}` }, definitions);
  }
}

function writeCustom(folder: string, path: string, definitions: Definitions): void {
  for (const document of parseAllDocuments(readFileSync(path, 'utf8'))) {
    const { spec } = document.toJS() as {
      readonly spec: {
        readonly group: string;
        readonly names: { readonly kind: string };
        readonly versions: readonly { name: string; schema: { openAPIV3Schema: Schema } }[];
      };
    };
    for (const { name: version, schema } of spec.versions) {
      const root = strict(schema.openAPIV3Schema);
      const metadata = { $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' };
      const whole = { ...root, properties: { ...root.properties, metadata } };
      write(folder, { group: spec.group, version, kind: spec.names.kind }, whole, definitions);
    }
  }
}

/** Under the name that kubeconform makes of kind, group and version. */
function write(folder: string, { group, version, kind }: KindName, root: Schema, definitions: Definitions): void {
  mkdirSync(folder, { recursive: true });
  const suffix = [group.split('.')[0], version].filter((part) => part !== '').join('-');
  const reached: Record<string, Schema> = {};
  reach(root, definitions, reached);
  const file = { $schema: 'http://json-schema.org/draft-07/schema#', ...root, definitions: reached };
  writeFileSync(join(folder, `${kind.toLowerCase()}-${suffix}.json`), JSON.stringify(file));
}

/** Puts all definitions that are referred to, by themselves as well, into `reached`. */
function reach(value: unknown, definitions: Definitions, reached: Record<string, Schema>): void {
  if (value === null || typeof value !== 'object') return;
  for (const [key, inner] of Object.entries(value)) {
    if (key !== '$ref' || typeof inner !== 'string') {
      reach(inner, definitions, reached);
      continue;
    }
    const name = inner.replace('#/definitions/', '');
    const definition = definitions[name];
    if (definition === undefined || name in reached) continue;
    reached[name] = definition;
    reach(definition, definitions, reached);
  }
}

/** No field beyond those that are named, and what Kubernetes alone understands in words of JSON Schema. */
function strict(schema: Schema): Schema {
  if (schema['x-kubernetes-int-or-string'] === true || schema.format === 'int-or-string')
    return { oneOf: [{ type: 'string' }, { type: 'integer' }] };
  const result: Schema = { ...schema };
  // Numbers of so many bits, which a validator of JSON Schema does not know.
  if (typeof schema.format === 'string' && /^(?:int|byte|double|float)/.test(schema.format)) delete result.format;
  if (schema.properties !== undefined) {
    result.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, inner]) => [name, strict(inner)]),
    );
    if (schema['x-kubernetes-preserve-unknown-fields'] !== true) result.additionalProperties ??= false;
  }
  if (typeof schema.additionalProperties === 'object')
    result.additionalProperties = strict(schema.additionalProperties);
  if (schema.items !== undefined) result.items = strict(schema.items);
  return result;
}
