// A TTFT as one bar of its parts. What a bar says stands beside it as numbers too, so it is hidden from readers of
// text; a part too thin to be seen keeps a pixel, as nothing that took time should look like nothing.
import { ms } from '../format.ts';
import { inOrder, PART_MEANING, partColor, type PartLength } from './parts.ts';

export interface PartBarProps {
  readonly parts: readonly PartLength[];
  /** Length that the whole width stands for. */
  readonly fullNs: number;
}

export function PartBar({ parts, fullNs }: PartBarProps) {
  return (
    <div class="part-bar" aria-hidden="true">
      {inOrder(parts).map(({ part, partNs }) =>
        partNs <= 0 || fullNs <= 0 ? undefined : (
          <span
            key={part}
            class={`part-piece part-piece-${part}`}
            style={{ width: `${(partNs / fullNs) * 100}%`, background: partColor(part) }}
            title={`${part} ${ms(partNs)}: ${PART_MEANING[part]}`}
          />
        ),
      )}
    </div>
  );
}

export function PartSwatch({ part }: { readonly part: PartLength['part'] }) {
  return <i class="swatch" style={{ background: partColor(part) }} aria-hidden="true" />;
}
