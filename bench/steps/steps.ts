import { type Kind, kindNamed } from '../kinds.ts';
import type { ServerSettings } from '../measure/server.ts';

/** A step towards speed, and how the service runs without it. */
export interface Step {
  /** Its place in `docs/performance.md`; null for what is none, and shows what the measurement itself yields. */
  readonly number: number | null;
  readonly title: string;
  /** What makes the service run as if the step had not been made. */
  readonly without: Pick<ServerSettings, 'nodeOptions' | 'hasRoom'>;
  /** What it was made for. */
  readonly kinds: readonly Kind[];
}

const replacing = (name: string): Step['without'] => ({
  nodeOptions: [`--import=${import.meta.resolve('./preload.ts')}?${name}`],
});

const READ = kindNamed('read a user');
const LIST = kindNamed('list, default order');
const SEARCH = kindNamed('search');
const DEEP = kindNamed('deep page');
const CHANGE = kindNamed('change a user');

/** The steps that can be taken back. */
export const steps: readonly Step[] = [
  { number: null, title: 'nothing: the service twice', without: {}, kinds: [READ, LIST, SEARCH] },
  { number: 1, title: 'statements by name', without: replacing('names'), kinds: [READ, LIST, SEARCH, CHANGE] },
  { number: 3, title: 'verified tokens remembered', without: replacing('tokens'), kinds: [READ, LIST] },
  { number: 4, title: 'look-ups share a statement', without: replacing('batches'), kinds: [READ, LIST] },
  { number: 9, title: 'room for what is short-lived', without: { hasRoom: false }, kinds: [LIST, SEARCH] },
  { number: 10, title: 'compiled validators', without: replacing('validators'), kinds: [CHANGE] },
  {
    number: 13,
    title: 'brief statements share connections',
    without: replacing('shared-connections'),
    kinds: [LIST, SEARCH],
  },
  { number: 14, title: 'an index that covers the page', without: replacing('index-of-pages'), kinds: [LIST, DEEP] },
];
