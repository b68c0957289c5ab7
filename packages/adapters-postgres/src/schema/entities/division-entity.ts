import { defineEntity, p } from '@mikro-orm/core';
import { divisionIndexes, indexesOfEntity } from '../indexes.ts';

/** The table of divisions. */
export const DivisionEntity = defineEntity({
  name: 'DivisionEntity',
  tableName: 'division',
  ...indexesOfEntity('division', divisionIndexes, { name_key: 'nameKey' }),
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    nameKey: p.text().collation('C'),
    logo: p.text().nullable(),
    logoKey: p.text().collation('C').nullable(),
    fanpage: p.text().nullable(),
    fanpageKey: p.text().collation('C').nullable(),
    /** Incremented by each change. The revision of the division. */
    version: p.integer().version(),
    /** Incremented by each change of the name. Part of the revisions of the division's users. */
    nameVersion: p.integer().default(1),
  },
});
