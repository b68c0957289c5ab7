import type { DivisionRepository } from '../../../../packages/domain/src/ports/index.ts';
import { Difference } from '../difference.ts';
import { predictDivisionUpdate } from '../model/divisions.ts';
import { requireDivision } from '../views.ts';
import { call, type Simulation, write } from './call.ts';

/** Wraps the division repository: calls take turns and are compared with the model. */
export const simulateDivisions = (simulation: Simulation): DivisionRepository => {
  const { world, model } = simulation;
  const { divisions } = world;

  const find = (id: string) => async () => {
    const found = await divisions.find(id);
    requireDivision(model, found, model.divisions.get(id));
    return found;
  };

  return {
    find: (id) => call(simulation, 'divisions.find', find(id), find(id)),
    list: (query) => divisions.list(query),
    create: (author, division) => divisions.create(author, division),
    update: (author, id, change) =>
      write(
        simulation,
        'divisions.update',
        ({ command, actor, requestId }) => {
          if (command.kind !== 'updateDivision' || command.target !== id || actor?.id !== author.userId) {
            throw new Difference(`divisions.update of ${id} for the command ${JSON.stringify(command)}`);
          }
          return predictDivisionUpdate(model, { actorId: author.userId ?? '', requestId }, command);
        },
        (decide) => divisions.update(author, id, (locked) => decide(change(locked))),
        (updated, expected) => requireDivision(model, updated, expected),
      ),
    // Only the operator deletes divisions, and no history does.
    delete: (author, id, decide) => divisions.delete(author, id, decide),
  };
};
