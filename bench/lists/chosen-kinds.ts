import { ELSEWHERE, RARE } from '../../test-support/lists/members.ts';
import type { PageKind } from '../../test-support/lists/page-kinds.ts';

type Kind = Pick<PageKind, 'group' | 'query'>;

const COMPARED: readonly string[] = [
  'ordering=date_joined',
  'is_active=true',
  'is_superuser=true',
  `search=${RARE}`,
  'search=example',
  `search=${ELSEWHERE}`,
  'search=schmidt',
  'search=anna&is_active=true&ordering=-last_name',
  'is_active=false&last_name__icontains=berg',
  'ordering=last_name,first_name',
];

const SUMMARIZED: readonly string[] = [
  'is_superuser=true',
  `search=${RARE}`,
  `search=${ELSEWHERE}`,
  'search=anna+berg',
  'search=%C5%82ukasz',
  'search=anna&is_active=true&ordering=-last_name',
  'is_active=false&last_name__icontains=berg',
  'groups=Leader',
  'ordering=last_name,first_name',
  'count=true&search=anna',
  // These are among the slowest in the largest division, or refused there.
  'first_name__icontains=q&ordering=-email',
  'date_joined__gte=2023-01-01T00:00:00Z&ordering=id',
  'ordering=groups',
  'ordering=-is_active',
  `search=${RARE.slice(-2)}`,
  'search=qq',
  'count=true',
];

/** Returns whether a page is measured in several conditions: with all strategies, and with filters that users choose. */
export const isCompared = ({ group, query }: Kind): boolean => group !== 'page at 90 %' && COMPARED.includes(query);

/** Returns whether a page has a line of its own in the summary: examples of each strategy, and all that may be refused. */
export const isSummarized = ({ query }: Kind): boolean => SUMMARIZED.includes(query);

/** All chosen queries. */
export const chosenQueries: readonly string[] = [...COMPARED, ...SUMMARIZED];
