import { GROUPS, type Group } from '@chapter/domain';

const groupsByText = new Map<string, readonly Group[]>();

/** Returns the groups of an array in its text form, `{Leader,User}`, in which pg gives arrays of an enum. */
export const toGroups = (text: string): readonly Group[] => {
  const known = groupsByText.get(text);
  if (known) return known;
  const groups = GROUPS.filter((group) => text.slice(1, -1).split(',').includes(group));
  groupsByText.set(text, groups);
  return groups;
};
