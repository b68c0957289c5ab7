/** A step towards speed, and how the service runs without it. */
export interface Step {
  /** Its place in `docs/performance.md`. */
  readonly number: number;
  readonly words: string;
  /** More arguments for Node, with which the service runs as if the step had not been made. */
  readonly without: readonly string[];
  /** Names of the kinds of requests that it was made for. */
  readonly kinds: readonly string[];
}

const replacing = (name: string): readonly string[] => [`--import=${import.meta.resolve('./preload.ts')}?${name}`];

const READ = 'read a user';
const LIST = 'list, default order';
const SEARCH = 'search';
const CHANGE = 'change a user';

/** The steps that can be taken back. */
export const steps: readonly Step[] = [
  { number: 1, words: 'statements by name', without: replacing('names'), kinds: [READ, LIST, SEARCH, CHANGE] },
  { number: 2, words: "rows instead of the ORM's entities", without: replacing('rows'), kinds: [READ, LIST] },
  { number: 3, words: 'verified tokens are remembered', without: replacing('tokens'), kinds: [READ, LIST] },
  { number: 4, words: 'look-ups share a statement', without: replacing('batches'), kinds: [READ, LIST] },
  {
    number: 9,
    words: 'room for what is short-lived',
    // Node's own.
    without: ['--min-semi-space-size=1', '--max-semi-space-size=16'],
    kinds: [LIST, SEARCH],
  },
  { number: 10, words: 'validators made once', without: replacing('validators'), kinds: [CHANGE] },
  {
    number: 13,
    words: 'brief statements share connections',
    without: replacing('shared-connections'),
    kinds: [LIST, SEARCH],
  },
  {
    number: 14,
    words: 'an index that covers the page',
    without: replacing('index-of-pages'),
    kinds: [LIST, 'deep page'],
  },
];
