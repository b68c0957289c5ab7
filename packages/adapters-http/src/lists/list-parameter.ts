import type { Checked, Filter, ListQuery } from '@chapter/domain';
import type { TSchema } from 'typebox';

/** What one parameter adds to a query. A cursor adds nothing by itself: it means something only beside all the others. */
export interface Contribution<Field extends string>
  extends Partial<Pick<ListQuery<Field>, 'size' | 'order' | 'words' | 'counted'>> {
  readonly filter?: Filter<Field>;
}

/** A parameter of a list: how it reads its value, and how the OpenAPI document shows it. */
export interface ListParameter<Field extends string> {
  readonly name: string;
  readonly description: string;
  readonly schema: TSchema;
  /** Whether the value is a comma-separated list. */
  readonly separated?: boolean;
  readonly read: (value: string) => Checked<Contribution<Field>>;
}
