import { isUuid } from '../model/user.ts';

/** For each kind, the type of its values. */
interface ValuesByKind {
  readonly uuid: string;
  readonly text: string;
  readonly boolean: boolean;
  readonly integer: number;
}

/** The attributes of a target that rules may read, with the kind of each. The compiler prints the kinds for an unknown one. */
export type Attributes = Readonly<Record<string, keyof ValuesByKind | `${keyof ValuesByKind} or null`>>;

/** The kind of an attribute's values, perhaps with null. Integers are safe ones; a UUID is in lower case. */
export type AttributeKind = Attributes[string];

type ValueOfKind<Kind extends AttributeKind> = Kind extends `${infer Of extends keyof ValuesByKind} or null`
  ? ValuesByKind[Of] | null
  : ValuesByKind[Kind & keyof ValuesByKind];

/** A target with these attributes. */
export type WithAttributes<A extends Attributes> = { readonly [Name in keyof A]: ValueOfKind<A[Name]> };

/** Whether a text can be stored in PostgreSQL and read again unchanged. */
export const isStorableText = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** A value whose properties have unknown values. */
export type Properties = Readonly<Record<string, unknown>>;

/** Reads a property. Reading the ids, the usual ones, by static names takes a third of the time of a computed name. */
export const propertyOf = (of: object, name: string): unknown => {
  const properties = of as Properties & { readonly id?: unknown; readonly divisionId?: unknown };
  if (name === 'divisionId') return properties.divisionId;
  return name === 'id' ? properties.id : properties[name];
};

type IsOfKind = (value: unknown) => boolean;

const KIND_CHECKS: Readonly<Record<keyof ValuesByKind, { readonly is: IsOfKind; readonly name: string }>> = {
  uuid: { is: isUuid, name: 'a UUID in lower case' },
  text: {
    is: (value) => typeof value === 'string' && isStorableText(value),
    name: 'text of valid Unicode without NUL',
  },
  boolean: { is: (value) => typeof value === 'boolean', name: 'true or false' },
  integer: { is: Number.isSafeInteger, name: 'a safe integer' },
};

interface AttributeCheck {
  readonly attribute: string;
  readonly is: IsOfKind;
  readonly isNullable: boolean;
  /** What is wrong with a value that is not of the kind. */
  readonly fault: string;
}

const checkOf = (attribute: string, kind: AttributeKind): AttributeCheck => {
  const [name, nullable] = kind.split(' ') as [keyof ValuesByKind, string?];
  const isNullable = nullable !== undefined;
  const fault = `${attribute} must be ${KIND_CHECKS[name].name}${isNullable ? ' or null' : ''}`;
  return { attribute, is: KIND_CHECKS[name].is, isNullable, fault };
};

const accepts = ({ is, isNullable }: AttributeCheck, value: unknown): boolean =>
  value === null ? isNullable : is(value);

const canRead = (check: AttributeCheck, from: object): boolean => {
  try {
    return accepts(check, propertyOf(from, check.attribute));
  } catch {
    return false;
  }
};

/** Reads a value of any type as a target. */
export interface ReadTarget<Target> {
  /** Copies the needed attributes, reading each once. Null for a value that is not a target; throws if a getter throws. */
  (value: Target): object | null;
  readonly attributes: Attributes;
  /** Says what is wrong with a value that is not a target. Never throws. */
  readonly faultIn: (value: unknown) => string;
}

/**
 * Makes a function that reads targets with these attributes. Attributes that are not needed may be absent. Targets
 * without any attributes are the service itself, which always exists.
 */
export const readerOf = <Target>(
  attributes: Attributes,
  isNeeded: (attribute: string) => boolean,
): ReadTarget<Target> => {
  const isService = Object.keys(attributes).length === 0;
  const checks = Object.entries(attributes).flatMap(([name, kind]) => (isNeeded(name) ? checkOf(name, kind) : []));
  const read = (value: unknown): object | null => {
    const copy: Record<string, unknown> & { id?: unknown; divisionId?: unknown } = {};
    if (isService) return copy;
    if (typeof value !== 'object' || value === null) return null;
    for (const check of checks) {
      const { attribute } = check;
      const found = propertyOf(value, attribute);
      if (!accepts(check, found)) return null;
      if (attribute === 'divisionId') copy.divisionId = found;
      else if (attribute === 'id') copy.id = found;
      else copy[attribute] = found;
    }
    return copy;
  };
  const faultIn = (value: unknown): string => {
    if (typeof value !== 'object' || value === null) return 'it must be an object';
    return checks.find((check) => !canRead(check, value))?.fault ?? '';
  };
  return Object.freeze(
    Object.assign(read, { attributes: Object.freeze({ ...attributes }), faultIn: Object.freeze(faultIn) }),
  );
};
