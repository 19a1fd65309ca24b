// Puts a table that a script makes into a page that people write.
import { readFileSync, writeFileSync } from 'node:fs';

const END = '<!-- end -->\n';

/** Between the line that names the script (`npm run SCRIPT`) and the next end; a page without one gets none. */
export function writeBetweenMarks(file: string, made: string, script = 'measure:hops'): void {
  const mark = `<!-- made by npm run ${script} -->\n`;
  const text = readFileSync(file, 'utf8');
  const [before = '', rest] = text.split(mark);
  if (rest === undefined) throw new Error(`${file} has no place for ${script}`);
  const after = rest.slice(rest.indexOf(END) + END.length);
  writeFileSync(file, `${before}${mark}\n${made}\n${END}${after}`);
}
