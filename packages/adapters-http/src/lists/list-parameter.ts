import type { Checked, Filter, ListQuery } from '@chapter/domain';
import type { TSchema } from 'typebox';

/** The part of a query that one parameter sets. `cursor` sets none, because decoding it needs all other parameters. */
export interface Contribution<Field extends string>
  extends Partial<Pick<ListQuery<Field>, 'size' | 'order' | 'words' | 'counted'>> {
  readonly filter?: Filter<Field>;
}

/** A parameter of a list: how to read its value and how to document it. */
export interface ListParameter<Field extends string> {
  readonly name: string;
  readonly description: string;
  readonly schema: TSchema;
  readonly isCommaSeparated?: boolean;
  /** Whether it concerns pages, so that an export of the whole list does not have it. */
  readonly isOfPages?: boolean;
  readonly read: (value: string) => Checked<Contribution<Field>>;
}
