import type { Move, UserSetting } from '../commands.ts';
import { endSessions, type Model, type ModelUser } from './state.ts';
import { changesAsText, isLastLeader, type Predicted } from './users.ts';

/** Predicts the result of a move at this moment. */
export const predictMove = (
  model: Model,
  { target, divisionId, groups = ['User'], force }: Move,
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

/** Predicts the result of a change of flags or activity by the operator at this moment. */
export const predictSetting = (model: Model, { target, fields }: UserSetting): Predicted<ModelUser> => {
  const before = model.users.get(target);
  if (!before) return { refusal: 'not_found' };
  return {
    apply: () => {
      const after = { ...before, ...fields };
      const hasChanged = (field: keyof UserSetting['fields']): boolean => before[field] !== after[field];
      const changed = (['isActive', 'isStaff', 'isSuperuser'] as const).filter(hasChanged);
      if (!after.isActive) endSessions(model, target);
      if (changed.length === 0) return before;
      const changes = changesAsText(changed.map((field) => [field, after[field]]));
      model.audit.push({ action: 'updateUser', authorId: null, targetId: target, requestId: null, changes });
      if (hasChanged('isStaff') || hasChanged('isSuperuser')) model.links.delete(target);
      const user = { ...after, version: before.version + 1 };
      model.users.set(target, user);
      return user;
    },
  };
};
