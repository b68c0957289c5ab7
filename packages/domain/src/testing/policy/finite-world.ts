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

/** The kind of a value to be written to a field: undefined for any value, null, an id in any case or another text. */
const WRITTEN_VALUE = 'anything or null';

interface Kind {
  /** Whether it has a value. */
  readonly has: (value: unknown) => boolean;
  /** Values of targets that no policy names. The ids of people are in the world anyway. */
  readonly others: readonly unknown[];
  /** Returns the value of the nth own property of callers, which neither targets nor the properties before it have. */
  readonly own?: (nth: number) => unknown;
}

const KINDS: Readonly<Record<string, Kind>> = {
  uuid: { has: isUuid, others: [], own: (nth) => `ffffffff-ffff-4fff-8fff-${String(nth).padStart(12, 'f')}` },
  text: {
    has: (value) => typeof value === 'string',
    others: ['', 'another text'],
    own: (nth) => `text of a caller ${nth}`,
  },
  integer: {
    has: Number.isSafeInteger,
    others: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    own: (nth) => Number.MIN_SAFE_INTEGER + 1 + nth,
  },
  boolean: { has: (value) => typeof value === 'boolean', others: [false, true] },
  anything: { has: isUuid, others: ['no id'] },
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
 * Values that functions of rules distinguish otherwise than by equality of ids: `{ 'target.pages': [99, 100] }` for
 * `pages < 100`, `{ 'caller.username': ['ada', 'bob'] }` for a rule about Ada.
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

const equalitiesWith = ({ clauses }: Pick<Distinctions, 'clauses'>, ...names: readonly string[]) =>
  clauses.flatMap(({ equalities }) => equalities.filter(({ attribute }) => names.includes(attribute)));

const kindOf = (kind: string): Kind => KINDS[kind.split(' ')[0] ?? ''] ?? { has: () => false, others: [] };

const isId = (kind: string): boolean => kind.startsWith('uuid') || kind === WRITTEN_VALUE;

/** An id that no policy names, apart from those that are equal to another one. */
const OTHER_ID: Choice = { code: 'an id of its own', of: () => [undefined] };

const inUpperCase = ({ code, of }: Choice): Choice => ({
  code: `${code}.toUpperCase()`,
  of: (caller) => of(caller).map((id) => (id as string).toUpperCase()),
});

/**
 * Returns the rights of callers, and those of their own properties that conditions name or that have more values. If conditions name
 * own properties or constants, these, the id and the division of a caller equal each other, or differ, in every combination.
 */
export const dimensionsOfCallers = (distinctions: Distinctions): readonly Dimension[] => {
  const { attributes, clauses, hasFunction = false, more = {} } = distinctions;
  const equalities = clauses.flatMap((clause) => clause.equalities);
  const constants = equalities.flatMap(({ property, operand }) => (property === null ? [operand] : []));
  const named = [...new Set(equalities.flatMap(({ property }) => property ?? []))];
  const values = new Map<string, readonly unknown[]>();
  const add = (name: string, added: readonly unknown[]) => values.set(name, [...(values.get(name) ?? []), ...added]);
  for (const [nth, name] of named.filter((property) => !VARIED.includes(property)).entries()) {
    for (const [attribute, kind] of attributes) {
      if (!equalitiesWith(distinctions, attribute).some(({ property }) => property === name)) continue;
      const { has, others, own } = kindOf(kind);
      const unnamed = own ? Array.from({ length: nth + 1 }, (_, at) => own(at)) : others;
      add(name, [...unnamed, ...constants.filter(has), null]);
    }
  }
  const ids = [...values.values(), constants].flat().filter(isUuid);
  for (const name of ['id', 'divisionId']) if (ids.length > 0 && (hasFunction || named.includes(name))) add(name, ids);
  for (const [name, added] of Object.entries(more)) if (name.startsWith('caller.')) add(name.slice(7), added);
  return [
    ...RIGHTS,
    ...Array.from(values, ([name, found]) =>
      dimension(name, [...(VARIED.includes(name) ? [OTHER_ID] : []), ...found.map(literal)]),
    ),
  ];
};

/**
 * Returns the attributes of targets. A function may compare any two ids. So an id has the values of the caller's ids,
 * one of another person, and those of the attributes before it and of conditions on others: ids equal each other or
 * differ in every combination. A written id is in upper case too.
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
    const isComparedByFunction = isId(kind) && hasFunction;
    const compared = equalitiesWith(distinctions, ...(isComparedByFunction ? ids : [name]));
    const properties = compared.flatMap(({ property }) => property ?? []);
    const constants = compared.flatMap(({ property, operand }) => (property === null ? [operand] : []));
    const at = ids.indexOf(name);
    const { has, others } = kindOf(kind);
    const idChoices = [
      ...otherIds.slice(hasFunction ? 0 : at, at + 1).toReversed(),
      ...[...properties, ...(isComparedByFunction ? ['id', 'divisionId'] : [])].map(
        (property): Choice => ({ code: `caller.${property}`, of: (caller) => [caller[property]].filter(has) }),
      ),
    ];
    const isWritten = kind === WRITTEN_VALUE;
    const choices = [
      ...(isWritten ? [literal(undefined)] : []),
      ...idChoices,
      ...(isWritten ? idChoices.map(inUpperCase) : []),
      ...[...others, ...constants.filter(has), ...(kind.endsWith('null') ? [null] : [])].map(literal),
      ...(more[`target.${name}`] ?? []).map(literal),
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
  const own = Object.entries(rest).filter(
    ([name, value]) =>
      value !== undefined &&
      !(isHomeless === true && name === 'divisionId') &&
      RIGHTS.every((right) => right.name !== name),
  );
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
