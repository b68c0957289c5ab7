/**
 * The groups (roles) in the order in which every answer lists them, which is also their rank when a list is ordered
 * by `groups`. Specification, sections 2 and 5.
 */
export const GROUPS = Object.freeze(['Leader', 'Guest', 'User'] as const);

/** A named group of users. Rights of several groups add up. Specification, section 5. */
export type Group = (typeof GROUPS)[number];

/** What each group may do, in a sentence that an API client can show. Specification, section 5. */
export const GROUP_DESCRIPTIONS: Readonly<Record<Group, string>> = {
  Leader: 'Creates, reads, updates and deletes the users of the own division; reads and updates the division.',
  Guest: 'Reads the own division and its users.',
  User: 'Reads and updates the own user.',
};

/** Tells whether a value is the name of a group, exactly as written in {@link GROUPS}. */
export const isGroup = (value: unknown): value is Group => (GROUPS as readonly unknown[]).includes(value);

/**
 * A copy of an array of groups, in the order of {@link GROUPS}. Null for anything else: no array, or an array with a
 * duplicate or an element that is no group.
 */
export const readGroups = (value: unknown): readonly Group[] | null => {
  if (!Array.isArray(value) || value.length > GROUPS.length) return null;
  const names = Array.from({ length: value.length }, (_, at): unknown => value[at]);
  const groups = inGroupOrder(names);
  return groups.length === names.length ? groups : null;
};

/** Those that are groups, each once and in the order of {@link GROUPS}. */
export const inGroupOrder = (groups: readonly unknown[]): readonly Group[] =>
  GROUPS.filter((group) => groups.includes(group));
