// A link to one exchange. The live page can open any; a report only those it carries, and shows the others as text.
import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';

/** Whether an exchange can be opened where the page stands. */
export const CanOpen = createContext<(id: string) => boolean>(() => true);

export interface ExchangeLinkProps {
  readonly id: string;
  readonly title?: string;
  readonly children: ComponentChildren;
}

export function ExchangeLink({ id, title, children }: ExchangeLinkProps) {
  const canOpen = useContext(CanOpen);
  if (!canOpen(id)) return <span title={title}>{children}</span>;
  return (
    <a href={`#/stream/${encodeURIComponent(id)}`} title={title}>
      {children}
    </a>
  );
}
