import type { divisionFields } from '@chapter/domain';
import type { Mapping } from './mapping.ts';

/**
 * How each field of a division is stored. Written columns, list columns, the staging tables of bulk loads and the export
 * derive from it. The columns that are read do not: `divisions/division-rows.ts` names and converts them, for speed.
 */
export const divisionMapping = {
  id: { column: 'id', key: null, isUnique: true },
  name: { column: 'name', key: 'name_key', isUnique: true },
  logo: { column: 'logo', key: 'logo_key', isUnique: false },
  fanpage: { column: 'fanpage', key: 'fanpage_key', isUnique: false },
} as const satisfies Mapping<typeof divisionFields>;
