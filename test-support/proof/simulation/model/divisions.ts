import type { CommandOf } from '../commands.ts';
import { refusalOnDivision } from './rights.ts';
import { divisionState, type Model, type ModelDivision, meets } from './state.ts';
import { type By, changesAsText, type Predicted } from './users.ts';

/** Predicts the result of an update of a division at this moment. */
export const predictDivisionUpdate = (
  model: Model,
  { actorId, requestId }: By,
  { target, fields, revisions }: CommandOf<'updateDivision'>,
): Predicted<ModelDivision> => {
  const before = model.divisions.get(target);
  if (!before) return { refusal: 'not_found' };
  const denied = refusalOnDivision(model.users.get(actorId), target);
  if (denied) return { refusal: denied };
  if (!meets(model, target, revisions, divisionState(before))) return { refusal: 'precondition_failed' };
  const after = { ...before, ...fields };
  const others = [...model.divisions.values()].filter(({ id }) => id !== target);
  if (others.some(({ name }) => name.toLowerCase() === after.name.toLowerCase())) return { refusal: 'name_taken' };
  return {
    apply: () => {
      const changed = (['name', 'logo'] as const).filter((field) => before[field] !== after[field]);
      if (changed.length === 0) return before;
      const changes = changesAsText(changed.map((field) => [field, after[field]]));
      model.audit.push({ action: 'updateDivision', authorId: actorId, targetId: target, requestId, changes });
      const nameVersion = before.nameVersion + (before.name === after.name ? 0 : 1);
      const division = { ...after, version: before.version + 1, nameVersion };
      model.divisions.set(target, division);
      return division;
    },
  };
};
