import type { CommandOf } from '../commands.ts';
import type { Model, ModelUser } from './state.ts';
import { applyChange, BY_OPERATOR, changesAsText, isLastLeader, type Predicted } from './users.ts';

/** Predicts the result of a move at this moment. */
export const predictMove = (
  model: Model,
  { target, divisionId, groups = ['User'], force }: CommandOf<'moveUser'>,
): Predicted<ModelUser> => {
  const before = model.users.get(target);
  const division = model.divisions.get(divisionId);
  if (!before || !division) return { refusal: 'not_found' };
  if (before.divisionId === divisionId) return { refusal: 'forbidden' };
  const isMember = (other: ModelUser): boolean => other.id !== target && other.divisionId === before.divisionId;
  const leavesOthers = isLastLeader(model, before) && [...model.users.values()].some(isMember);
  if (leavesOthers && !force) return { refusal: 'last_leader' };
  return {
    apply: () => {
      const { id, name } = division;
      const changed = before.groups.join() === groups.join() ? [] : [['groups', groups] as const];
      const changes = changesAsText([...changed, ['division', { id, name }]]);
      const entry = { action: 'moveUser', authorId: null, targetId: target, requestId: null, changes } as const;
      // The trails of both divisions show it.
      model.audit.push(entry, entry);
      model.links.delete(target);
      const user = { ...before, divisionId, groups, version: before.version + 1 };
      model.users.set(target, user);
      return user;
    },
  };
};

/** Predicts the result of a change by the operator at this moment. `hash` returns the hash that is stored for a new password. */
export const predictSetting = (
  model: Model,
  { target, fields, flags, force }: CommandOf<'setUser'>,
  hash: () => string,
): Predicted<ModelUser> => {
  const before = model.users.get(target);
  if (!before) return { refusal: 'not_found' };
  const after = { ...before, ...fields, ...flags };
  const staysLeader = after.isActive && after.groups.includes('Leader');
  if (!force && !staysLeader && isLastLeader(model, before)) return { refusal: 'last_leader' };
  const newHash = fields.password === undefined ? undefined : hash;
  return { apply: () => applyChange(model, BY_OPERATOR, [before, after], newHash) };
};
