import { divisionFields, userFields } from '@chapter/domain/ports';
import { expect } from 'chai';
import { columnsKeepingEmpty, columnsOf, makeReadCells } from '../../src/bulk/row-rules.ts';

describe('Cells of a bulk file', () => {
  it('have a column for every field of the domain, with the division as its id', () => {
    const columns = columnsOf(userFields);
    expect(columns).to.have.length(Object.keys(userFields).length);
    expect(columns).to.include.members(['first_name', 'division_id', 'is_active', 'date_joined']);
    expect(columnsOf(divisionFields)).to.deep.equal(Object.keys(divisionFields));
  });

  it('are read according to the kind of their field, and omitted if absent', () => {
    const cells = {
      username: "'=ada",
      division_id: ' id ',
      groups: 'User; Leader;',
      birthdate: ' 1990-12-10 ',
      is_active: 'TRUE',
      date_joined: '2026-01-31',
    };
    expect(makeReadCells(userFields)(cells)).to.deep.equal({
      username: '=ada',
      birthdate: '1990-12-10',
      divisionId: ' id ',
      groups: ['User', 'Leader'],
      isActive: 'TRUE',
      dateJoined: '2026-01-31',
    });
  });

  it('are null if they are empty and the field can be null', () => {
    const cells = { email: ' ', birthdate: '', first_name: '', groups: '' };
    expect(makeReadCells(userFields)(cells)).to.deep.equal({
      firstName: '',
      email: null,
      birthdate: null,
      groups: [],
    });
    expect(columnsKeepingEmpty(userFields)).to.have.members([
      'username',
      'email',
      'first_name',
      'last_name',
      'division_id',
      'groups',
      'birthdate',
    ]);
  });

  it('are ordered by the kind of their field, as are the faults of a line', () => {
    const cells = Object.fromEntries(columnsOf(userFields).map((column) => [column, 'x']));
    expect(Object.keys(makeReadCells(userFields)(cells))).to.deep.equal([
      'username',
      'email',
      'firstName',
      'lastName',
      'birthdate',
      'divisionId',
      'groups',
      'isActive',
      'isStaff',
      'isSuperuser',
      'dateJoined',
      'id',
    ]);
  });
});
