// The filters above the list of streams, each a list of what there is now. Knows no rows but to ask what they hold.
import { useMemo } from 'preact/hooks';
import { word } from '../format.ts';
import { Choice, Options } from '../shell/choice.tsx';
import { choicesOf, type StreamFilter } from './streams-choice.ts';
import type { StreamRow } from './streams-row.ts';

interface FiltersProps {
  readonly rows: readonly StreamRow[];
  readonly filter: StreamFilter;
  readonly onFilter: (filter: StreamFilter) => void;
}

export function Filters({ rows, filter, onFilter }: FiltersProps) {
  const { models, phases, outcomes, verdicts } = useMemo(() => choicesOf(rows, filter), [rows, filter]);
  return (
    <>
      <Choice label="state" value={filter.word} onChange={(value) => onFilter({ ...filter, word: value })}>
        <option value="">all</option>
        <Group title="in flight" all="open" values={phases} />
        <Group title="ended" all="ended" values={outcomes} />
      </Choice>
      <Choice label="model" value={filter.model} onChange={(value) => onFilter({ ...filter, model: value })}>
        <option value="">all</option>
        <Options values={models} />
      </Choice>
      <Choice label="verdict" value={filter.verdict} onChange={(value) => onFilter({ ...filter, verdict: value })}>
        <option value="">all</option>
        <Options values={verdicts} textOf={(name) => word(name.replace(':', ': '))} />
      </Choice>
    </>
  );
}

interface GroupProps {
  readonly title: string;
  readonly all: string;
  readonly values: readonly string[];
}

function Group({ title, all, values }: GroupProps) {
  return (
    <optgroup label={title}>
      <option value={all}>{title}, any</option>
      <Options values={values} textOf={word} />
    </optgroup>
  );
}
