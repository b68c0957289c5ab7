import type { divisionFields } from '@chapter/domain';
import type { Mapping } from './mapping.ts';

/**
 * Where each field of a division is stored. Written columns, the columns of lists, the staging of a bulk load and the
 * export derive from it; `divisions/division-rows.ts`, which reads rows, is compared with it by the compiler.
 */
export const divisionMapping = {
  id: { column: 'id', key: null, isUnique: true },
  name: { column: 'name', key: 'name_key', isUnique: true },
  logo: { column: 'logo', key: 'logo_key', isUnique: false },
  fanpage: { column: 'fanpage', key: 'fanpage_key', isUnique: false },
} as const satisfies Mapping<typeof divisionFields>;
