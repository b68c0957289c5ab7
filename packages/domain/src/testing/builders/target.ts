import type { Attributes, WithAttributes } from '../../policy/attributes.ts';
import type { TargetType } from '../../policy/targets.ts';
import { makeSequentialIds } from '../fakes/ids.ts';

// This prefix differs from those of people and worlds.
const ids = makeSequentialIds('019c00000000');

/** Returns a well-formed target with the given values, else with unique ids, null where it may be, false, 0 and ''. */
export const aTarget = <A extends Attributes>(
  { attributes }: TargetType<A>,
  values: Partial<WithAttributes<A>> = {},
): WithAttributes<A> => {
  const defaults: Readonly<Record<string, unknown>> = { text: '', boolean: false, integer: 0 };
  const built = Object.entries<string>(attributes).map(([name, kind]) => [
    name,
    kind === 'uuid' ? ids.next() : (defaults[kind] ?? null),
  ]);
  return Object.freeze({ ...Object.fromEntries(built), ...values }) as WithAttributes<A>;
};
