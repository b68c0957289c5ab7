import { divisionFields, userFields } from '@chapter/domain/ports';
import { aUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { DivisionEntity, UserEntity } from '../../src/schema/entities/user-entity.ts';
import { divisionMapping, listColumn, userMapping, writtenColumns, writtenValues } from '../../src/schema/mapping.ts';
import { userColumns, WRITTEN_USER_COLUMNS } from '../../src/users/user-rows.ts';

describe('The mapping of fields to columns', () => {
  for (const [name, mapping, fields, entity] of [
    ['users', userMapping, userFields, UserEntity],
    ['divisions', divisionMapping, divisionFields, DivisionEntity],
  ] as const) {
    it(`of ${name} has the fields of the domain in the same order`, () => {
      expect(Object.keys(mapping)).to.deep.equal(Object.keys(fields));
    });

    it(`of ${name} names only columns of the entity`, () => {
      const described = Object.keys(entity.meta.properties).map((property) =>
        property === 'division' ? 'division_id' : property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      );
      const stored = Object.values(mapping);
      const named = stored.flatMap(({ column, key }) => [column, key]);
      expect(described).to.include.members(named.filter((column) => column !== null));
    });
  }

  it('writes a text with its folded key, and null as two nulls', () => {
    const user = { ...aUser(), firstName: 'Élise', email: null };
    expect(writtenValues(userMapping, ['firstName', 'email', 'isActive'], user)).to.deep.equal({
      first_name: 'Élise',
      first_name_key: 'élise',
      email: null,
      email_key: null,
      is_active: user.isActive,
    });
    expect(writtenColumns(userMapping, ['firstName', 'birthdate'])).to.deep.equal([
      'first_name',
      'first_name_key',
      'birthdate',
    ]);
  });

  it('writes the columns of every field that an update may change', () => {
    expect(Object.keys(userColumns(aUser()))).to.deep.equal(WRITTEN_USER_COLUMNS);
    const { username, firstName, groups, isStaff } = userMapping;
    expect(WRITTEN_USER_COLUMNS).to.include.members([username.key, firstName.column, groups.column, isStaff.column]);
    expect(WRITTEN_USER_COLUMNS).to.not.include.members(['id', 'division_id', 'date_joined']);
  });

  it('returns the list column of each field', () => {
    expect(Object.values(divisionMapping).map(listColumn)).to.deep.equal(['id', 'name_key', 'logo_key', 'fanpage_key']);
  });
});
