import { type ChangePosition, type ChangeQuery, listRules, refuseFaults } from '@chapter/domain/api';
import { Type } from 'typebox';
import { MAX_FAULTS, type WireFault, wireFault } from '../errors/faults.ts';
import { type ListParameter, readCount } from './filter-parameters.ts';
import { pageSizeParameter } from './list-parameters.ts';
import { parseParameters } from './query-string.ts';

/** The parameters of the list of changes, as the OpenAPI document describes them (contract §7). */
const described: readonly Pick<ListParameter, 'name' | 'description' | 'schema'>[] = [
  pageSizeParameter,
  {
    name: 'cursor',
    description: 'Lists older changes, from `next` of another page.',
    schema: Type.String(),
  },
  {
    name: 'after',
    description: 'Lists what follows `after` of another page, oldest first; empty: from the oldest change on.',
    schema: Type.String(),
  },
];

const names = described.map(({ name }) => name);

/** Encodes a position as an opaque cursor: its text as base64url. */
export const encodeChangePosition = (position: ChangePosition): string => Buffer.from(position).toString('base64url');

/** Decodes a cursor. What it does not encode becomes a position that no history has. */
const decodePosition = (cursor: string): ChangePosition => {
  const position = Buffer.from(cursor, 'base64url').toString();
  return encodeChangePosition(position) === cursor ? position : '?';
};

const readChangeQuery = (queryString: string): ChangeQuery => {
  const { faults, parameters } = parseParameters(queryString, names);
  const all: WireFault[] = [...faults];
  const [after, cursor, size] = ['after', 'cursor', 'page_size'].map((name) => parameters.get(name));
  const checked = size === undefined ? { value: listRules.defaultSize } : readCount(size, listRules.maxSize);
  if ('fault' in checked) all.push(wireFault('page_size', checked.fault.code, checked.fault.detail));
  if (after !== undefined && cursor !== undefined) {
    all.push(wireFault('cursor', 'unknown_parameter', 'cannot be combined with `after`'));
  }
  if (cursor === '') all.push(wireFault('cursor', 'invalid_cursor', 'is empty; leave it out for the newest changes'));
  refuseFaults(all.slice(0, MAX_FAULTS));
  return {
    side: after === undefined ? 'before' : 'after',
    position: decodePosition(after ?? cursor ?? ''),
    size: 'value' in checked ? checked.value : listRules.defaultSize,
  };
};

/** The input of the list of changes. */
export const changeInput = {
  parameters: described,
  read: ({ queryString }: { readonly queryString: string }) => readChangeQuery(queryString),
};
