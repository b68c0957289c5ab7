import { type Caller, GROUPS, type Group, isUuid, makeActor, OPERATOR } from '../../model/user.ts';
import type { Attributes, Properties, WithAttributes } from '../../policy/attributes.ts';
import type { Clause } from '../../policy/conditions.ts';
import type { FieldRights } from '../../policy/fields.ts';
import { type AnyRule, rules } from '../../policy/rules.ts';
import type { Policy, TargetType, WrittenValue } from '../../policy/targets.ts';
import { aGuest, aLeader, aUser, type PersonBuilder } from '../builders/builders.ts';

/** A value in the world, and its code. */
export interface Choice {
  readonly code: string;
  /** Returns the value for a caller; none if the caller has none that a target may have. Null is a choice of its own. */
  readonly of: (caller: Properties) => readonly unknown[];
}

/** A property of callers or an attribute of targets, and its values in the world. */
export interface Dimension {
  readonly name: string;
  readonly choices: readonly Choice[];
  /** Whether the values represent all others, so that functions may read it. */
  readonly isComplete: boolean;
}

/** The kind of a value to be written to a field: undefined, which stands for any value, null or an id. */
const WRITTEN_VALUE = 'anything or null';

/** For each kind of attribute, which values it has, and two that no policy names. The ids of people are in the world anyway. */
const KINDS: Readonly<
  Record<string, { readonly has: (value: unknown) => boolean; readonly others: readonly unknown[] }>
> = {
  uuid: { has: isUuid, others: [] },
  text: { has: (value) => typeof value === 'string', others: ['', 'another text'] },
  integer: { has: Number.isSafeInteger, others: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER] },
  boolean: { has: (value) => typeof value === 'boolean', others: [false, true] },
  anything: { has: isUuid, others: [] },
};

/** Returns the code of a primitive value or of an array. */
export const literalCode = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(literalCode).join(', ')}]`;
  if (typeof value !== 'string') return String(value);
  return `'${JSON.stringify(value).slice(1, -1).replaceAll("'", "\\'")}'`;
};

const literal = (value: unknown): Choice => ({ code: literalCode(value), of: () => [value] });

const dimension = (name: string, choices: readonly Choice[], isComplete = true): Dimension => ({
  name,
  choices: [...new Map(choices.map((choice) => [choice.code, choice])).values()],
  isComplete,
});

const yesOrNo = (name: string, ...codes: readonly [no: string, yes: string]): Dimension => {
  const choices = codes.map((code, at) => ({ code, of: () => [at === 1] }));
  return dimension(name, choices);
};

/** What callers are. The codes of these values describe them without the name. */
export const RIGHTS: readonly Dimension[] = [
  yesOrNo('isOperator', 'a user', 'the operator'),
  ...GROUPS.map((group) => yesOrNo(group, `not in ${group}`, `in ${group}`)),
  yesOrNo('isStaff', 'without isStaff', 'with isStaff'),
  yesOrNo('isSuperuser', 'without isSuperuser', 'with isSuperuser'),
  yesOrNo('isHomeless', 'with a division', 'without a division'),
];

/** The properties of actors that decisions may depend on without more values. */
export const VARIED: readonly string[] = ['id', 'divisionId', 'groups', 'isActive', 'isStaff', 'isSuperuser'];

/**
 * Values that functions of rules distinguish otherwise than by equality of ids: `{ 'target.pages': [99, 100] }` for `pages < 100`,
 * `{ 'caller.username': ['ada', 'bob'] }` for a rule about Ada.
 */
export type MoreValues = Readonly<Record<string, readonly unknown[]>>;

/** The attributes of a target that rules may read, with their kinds, and what is known of their values. */
export interface Distinctions {
  readonly attributes: readonly (readonly [name: string, kind: string])[];
  readonly clauses: readonly Clause[];
  /** Whether a function may read the attributes. Conditions distinguish only the values that they name from all others. */
  readonly hasFunction?: boolean;
  readonly more?: MoreValues;
}

const equalitiesWith = ({ clauses }: Distinctions, name: string) =>
  clauses.flatMap(({ equalities }) => equalities.filter(({ attribute }) => attribute === name));

const kindOf = (kind: string) => KINDS[kind.split(' ')[0] ?? ''] ?? { has: () => false, others: [] };

const constantsOf = (distinctions: Distinctions, name: string, kind: string): readonly unknown[] => {
  const constants = equalitiesWith(distinctions, name).flatMap(({ property, operand }) =>
    property === null ? [operand] : [],
  );
  return [...kindOf(kind).others, ...constants.filter(kindOf(kind).has), ...(kind.endsWith('null') ? [null] : [])];
};

const isId = (kind: string): boolean => kind.startsWith('uuid') || kind === WRITTEN_VALUE;
/** An id that is an own property of callers. */
const OWN_ID = 'ffffffff-ffff-4fff-8fff-ffffffffffff';

/** Returns the rights of callers, and those of their own properties that conditions name or that have more values. */
export const dimensionsOfCallers = (distinctions: Distinctions): readonly Dimension[] => {
  const more = Object.entries(distinctions.more ?? {}).map(([name, values]) => [name.split('.'), values] as const);
  const own = new Map(more.flatMap(([[of, name = ''], values]) => (of === 'caller' ? [[name, values]] : [])));
  for (const [name, kind] of distinctions.attributes) {
    for (const { property } of equalitiesWith(distinctions, name)) {
      if (property === null || VARIED.includes(property)) continue;
      const values = [...(isId(kind) ? [OWN_ID] : []), ...constantsOf(distinctions, name, kind), null];
      own.set(property, [...(own.get(property) ?? []), ...values]);
    }
  }
  return [...RIGHTS, ...Array.from(own, ([name, values]) => dimension(name, values.map(literal)))];
};

/**
 * Returns the attributes of targets. A function may compare any two ids: an id has the values of the caller's ids, one of another
 * person, and those of the attributes before it, so that ids equal each other or differ in every combination.
 */
export const dimensionsOfTargets = (distinctions: Distinctions): readonly Dimension[] => {
  const { attributes, hasFunction = false, more = {} } = distinctions;
  const ids = attributes.flatMap(([name, kind]) => (isId(kind) ? name : []));
  const otherIds = ids.map((name, at): Choice => {
    const property = name === 'divisionId' ? name : 'id';
    const nth = property === 'id' ? ids.slice(0, at).filter((before) => before !== 'divisionId').length : 0;
    const value = aUser()[property];
    return { code: `other${nth || ''}.${property}`, of: () => [value] };
  });
  return attributes.map(([name, kind]) => {
    const compared = equalitiesWith(distinctions, name);
    const properties = compared.flatMap(({ property }) => property ?? []);
    const at = ids.indexOf(name);
    const choices = [
      ...(kind === WRITTEN_VALUE ? [literal(undefined)] : []),
      ...otherIds.slice(hasFunction ? 0 : at, at + 1).toReversed(),
      ...[...properties, ...(isId(kind) && hasFunction ? ['id', 'divisionId'] : [])].map(
        (property): Choice => ({
          code: `caller.${property}`,
          of: (caller) => [caller[property]].filter(kindOf(kind).has),
        }),
      ),
      ...[...constantsOf(distinctions, name, kind), ...(more[`target.${name}`] ?? [])].map(literal),
    ];
    return dimension(name, choices, isId(kind) || kind.startsWith('boolean'));
  });
};

/** Returns the code of an object from the codes of its properties. */
export const objectCode = (codes: readonly (readonly [name: string, code: string])[]): string =>
  codes.length === 0 ? '{}' : `{ ${codes.map(([name, code]) => `${name}: ${code}`).join(', ')} }`;

/** A caller, and the builder calls that make them. */
export interface BuiltCaller {
  readonly caller: Caller;
  readonly code: string;
}

const BUILDERS: Readonly<Record<Group, () => PersonBuilder>> = { Leader: aLeader, Guest: aGuest, User: aUser };

/** Builds the caller with these rights and own properties. */
export const buildCaller = (values: Properties): BuiltCaller => {
  const { isHomeless, isStaff, isSuperuser, ...rest } = values;
  if (rest['isOperator'] === true) return { caller: OPERATOR, code: 'OPERATOR' };
  const groups = GROUPS.filter((group) => values[group] === true);
  const builder = groups.length === 1 ? (groups[0] as Group) : 'User';
  const changes = Object.entries({
    ...(groups.length !== 1 && { groups }),
    ...(isHomeless === true && { divisionId: null }),
    ...(isStaff === true && { isStaff }),
    ...(isSuperuser === true && { isSuperuser }),
  });
  const own = Object.entries(rest).filter(([name]) => RIGHTS.every((right) => right.name !== name));
  const person = BUILDERS[builder]().with(Object.fromEntries(changes));
  const codesOf = (entries: typeof own) => entries.map(([name, value]) => [name, literalCode(value)] as const);
  const code = `a${builder}()${changes.length > 0 ? `.with(${objectCode(codesOf(changes))})` : ''}`;
  return {
    caller: makeActor({ ...person, ...Object.fromEntries(own) }),
    code: own.length === 0 ? code : `makeActor({ ...${code}, ...${objectCode(codesOf(own))} })`,
  };
};

/**
 * Returns the rights of fields as rows `write NAME`, for questions about them. The attribute `value` of their targets is the value to
 * be written; undefined stands for any value. A row says who may write the field if they may change the target at all.
 */
export const fieldRows = <A extends Attributes>(
  target: TargetType<A>,
  rights: FieldRights<WithAttributes<A> & WrittenValue, never>,
  ofOperator: readonly string[] = [],
): Policy =>
  Object.fromEntries(
    Object.entries<AnyRule>(rights).map(([field, allows]) => {
      const attributes = { ...target.attributes, value: WRITTEN_VALUE } as unknown as Attributes;
      const readTarget = Object.assign((on: object) => on, { attributes, faultIn: () => '' });
      return [
        `write ${field}`,
        { allows, canSee: rules.authenticated, readTarget, allowsOperator: ofOperator.includes(field) },
      ];
    }),
  );
