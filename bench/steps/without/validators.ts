import { createRequire } from 'node:module';
import { addressOf, packageIn } from '../replaced.ts';

const importer = 'packages/adapters-http/src/requests/check-body.ts';

/** Bodies that are checked by going through the schema each time. */
export const replaces = packageIn(importer, 'typebox/compile');

const { Check, Errors } = createRequire(addressOf(importer))('typebox/value') as Readonly<
  Record<'Check' | 'Errors', (schema: unknown, value: unknown) => unknown>
>;

/** In the place of the package's function of that name. */
export const Compile = (schema: unknown) => ({
  Check: (value: unknown) => Check(schema, value),
  Errors: (value: unknown) => Errors(schema, value),
});
