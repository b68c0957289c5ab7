import { defineEntity, type InferEntity, p } from '@mikro-orm/core';

/** The table of divisions. */
export const DivisionEntity = defineEntity({
  name: 'DivisionEntity',
  tableName: 'division',
  uniques: [{ name: 'division_name_key_unique', properties: ['nameKey'] }],
  indexes: [
    {
      name: 'division_search',
      expression: 'create index "division_search" on "division" using gin ("name_key" gin_trgm_ops)',
    },
    {
      name: 'division_tokens',
      expression: 'create index "division_tokens" on "division" using gin ("search_grams"("name_key"))',
    },
  ],
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    nameKey: p.text().collation('C'),
    logo: p.text().nullable(),
    logoKey: p.text().collation('C').nullable(),
    fanpage: p.text().nullable(),
    fanpageKey: p.text().collation('C').nullable(),
    /** Counts every change; the revision of the division. */
    version: p.integer().version(),
    /** Counts the changes of the name, which the revisions of its users take part in. */
    nameVersion: p.integer().default(1),
  },
});

/** A row of {@link DivisionEntity}. */
export type DivisionEntity = InferEntity<typeof DivisionEntity>;
