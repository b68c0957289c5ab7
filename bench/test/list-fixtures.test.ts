import { expect } from 'chai';
import { userListParameters } from '../../packages/adapters-http/src/lists/list-parameters.ts';
import { keyOf, shapeOf } from '../../packages/adapters-postgres/src/lists/shape.ts';
import { userList } from '../../packages/adapters-postgres/src/users/user-rows.ts';
import { MEASURED_ID } from '../../test-support/lists/members.ts';
import { conditionKinds } from '../../test-support/lists/page-kinds.ts';
import { chosenQueries } from '../lists/chosen-kinds.ts';
import { otherShapes } from '../lists/other-shapes.ts';

describe('The measured pages', () => {
  const queries = conditionKinds(MEASURED_ID).map(({ query }) => query);

  it('include those of each report', () => {
    expect(['ordering=date_joined', ...queries]).to.include.members(chosenQueries);
  });

  it('have other shapes than those that are read in between', () => {
    const shapeOfQuery = (query: string): string =>
      keyOf(shapeOf(userList, { divisionId: MEASURED_ID, query: userListParameters.read(query, '') }));
    const shapes = new Set(otherShapes.map(shapeOfQuery));
    expect(shapes.size).to.equal(otherShapes.length).and.equal(300);
    expect(queries.filter((query) => shapes.has(shapeOfQuery(query)))).to.deep.equal([]);
  });
});
