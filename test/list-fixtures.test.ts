import { expect } from 'chai';
import { userListParameters } from '../packages/adapters-http/src/lists/lists.ts';
import { shapeOf } from '../packages/adapters-postgres/src/lists/shape.ts';
import { userList } from '../packages/adapters-postgres/src/users/user-rows.ts';
import { chosenQueries } from '../test-support/lists/chosen-kinds.ts';
import { memberRowOf } from '../test-support/lists/member-rows.ts';
import {
  divisionsOf,
  ELSEWHERE,
  MEASURED_ID,
  measuredDivisions,
  RARE,
  totalOf,
} from '../test-support/lists/members.ts';
import { otherShapes } from '../test-support/lists/other-shapes.ts';
import { conditionKinds } from '../test-support/lists/page-kinds.ts';

describe('The members of lists in tests and measurements', () => {
  const population = { layout: 'one', members: 2000, smaller: [40, 200] } as const;
  const rows = Array.from({ length: totalOf(population) }, (_, at) => {
    const [id, username, , , , , , lastName, , divisionId] = memberRowOf(population, at);
    return { id, username, lastName: lastName?.toLowerCase(), divisionId };
  });

  it('fill divisions of several sizes, and divisions of a hundred', () => {
    const sizes = Map.groupBy(rows, ({ divisionId }) => divisionId);
    expect(sizes.size).to.equal(divisionsOf(population));
    expect(Array.from(sizes.values(), ({ length }) => length).toSorted((a, b) => a - b)).to.deep.equal([
      40, 100, 100, 200, 2000,
    ]);
    for (const { id, size } of measuredDivisions(population)) expect(sizes.get(id)).to.have.lengthOf(size);
    expect(new Set(rows.map(({ username }) => username)).size).to.equal(rows.length);
  });

  it('are mixed, so that each part of the table has members of each measured division', () => {
    for (const { id, size } of measuredDivisions(population)) {
      const firstHalf = rows.slice(0, rows.length / 2).filter(({ divisionId }) => divisionId === id);
      expect(firstHalf).to.have.lengthOf(size / 2);
    }
  });

  it('have ten rare names in each measured division, and another name in all other divisions', () => {
    const measured = measuredDivisions(population);
    for (const { id } of measured) {
      const names = rows.filter(({ divisionId }) => divisionId === id).map(({ lastName }) => lastName);
      expect(names.filter((name) => name === RARE)).to.have.lengthOf(10);
      expect(names.filter((name) => name === ELSEWHERE)).to.have.lengthOf(10);
    }
    const others = rows.filter(({ divisionId }) => measured.every(({ id }) => id !== divisionId));
    expect(new Set(others.map(({ lastName }) => lastName))).to.deep.equal(new Set([ELSEWHERE]));
  });
});

describe('The measured pages', () => {
  const queries = conditionKinds(MEASURED_ID).map(({ query }) => query);

  it('include those of each report', () => {
    expect(['ordering=date_joined', ...queries]).to.include.members(chosenQueries);
  });

  it('have other shapes than those that are read in between', () => {
    const shapeOfQuery = (query: string): string =>
      JSON.stringify(shapeOf(userList, { ...userListParameters.read(query, ''), position: null }));
    const shapes = new Set(otherShapes.map(shapeOfQuery));
    expect(shapes.size).to.equal(otherShapes.length).and.equal(300);
    expect(queries.filter((query) => shapes.has(shapeOfQuery(query)))).to.deep.equal([]);
  });
});
