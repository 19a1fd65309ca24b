// Reads the YAML file: text → top-level keys with the line each stands on, and writes YAML for others to read. Knows
// nothing of what the keys mean. Faults are complete sentences with the line.
import { isMap, isScalar, LineCounter, parseDocument, stringify } from 'yaml';

export interface YamlEntry {
  readonly raw: unknown;
  readonly line: number;
}

export interface YamlFile {
  readonly entries: ReadonlyMap<string, YamlEntry>;
  readonly faults: readonly string[];
}

export function readYaml(text: string, path: string): YamlFile {
  const lines = new LineCounter();
  // Strict and with the plain 1.2 schema: `no` and `off` stay words. Aliases are capped by the library.
  const document = parseDocument(text, { lineCounter: lines, strict: true, uniqueKeys: true, prettyErrors: false });
  const faults = document.errors.map(({ message, pos }) => {
    const { line, col } = lines.linePos(pos[0]);
    return `${path}, line ${line}, column ${col}: this is not valid YAML: ${message.split('\n')[0]}.`;
  });
  if (faults.length > 0) return { entries: new Map(), faults };
  const { contents } = document;
  const isEmpty = contents === null || (isScalar(contents) && contents.value === null);
  if (isEmpty) return { entries: new Map(), faults: [] };
  if (!isMap(contents)) {
    return {
      entries: new Map(),
      faults: [`${path}: the file must hold keys and values, such as "upstream: http://127.0.0.1:8000".`],
    };
  }
  let values: Record<string, unknown>;
  try {
    // Plain values are made once for the whole document, so that aliases resolve across keys.
    values = document.toJS() as Record<string, unknown>;
  } catch (error) {
    // An alias of what nobody named, or so many that they would fill the memory.
    return { entries: new Map(), faults: [`${path}: this is not valid YAML: ${(error as Error).message}.`] };
  }
  const entries = new Map<string, YamlEntry>();
  for (const { key } of contents.items) {
    if (!isScalar(key)) continue;
    const name = String(key.value);
    entries.set(name, { raw: values[name], line: lines.linePos(key.range?.[0] ?? 0).line });
  }
  return { entries, faults: [] };
}

/** Long texts stay on their line, and equal parts are written out: not everybody's parser knows aliases. */
export function writeYaml(value: object): string {
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
}
