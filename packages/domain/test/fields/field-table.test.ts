import {
  CHANGEABLE_DIVISION_FIELDS,
  CHANGEABLE_USER_FIELDS,
  DIVISION_FIELDS,
  DIVISION_READ_ONLY,
  divisionDifferences,
  divisionFields,
  fieldsWith,
  fileColumn,
  isSameDivision,
  isSameUser,
  NEW_DIVISION_DEFAULTS,
  NEW_USER_DEFAULTS,
  newRecordKey,
  USER_FIELDS,
  USER_READ_ONLY,
  userDifferences,
  userFields,
} from '@chapter/domain/ports';
import { aDivision, aUser } from '@chapter/domain/testing';
import { expect } from 'chai';

const changeable = ['username', 'email', 'firstName', 'lastName', 'groups', 'birthdate', 'isActive'];
const flags = ['isStaff', 'isSuperuser'];

describe('The table of user fields', () => {
  it('says which fields are read-only, changeable and audited', () => {
    expect(USER_READ_ONLY).to.deep.equal(['id', ...flags, 'dateJoined']);
    expect(CHANGEABLE_USER_FIELDS).to.deep.equal([...changeable, ...flags]);
    expect(fieldsWith(userFields, 'audited', true)).to.deep.equal([...changeable, ...flags]);
    expect(fieldsWith(userFields, 'listed', false)).to.deep.equal([]);
    expect(fieldsWith(userFields, 'searched', true)).to.deep.equal(['username', 'email', 'firstName', 'lastName']);
  });

  it('gives a new user every optional value', () => {
    expect(NEW_USER_DEFAULTS).to.deep.equal({
      email: null,
      firstName: '',
      lastName: '',
      groups: ['User'],
      birthdate: null,
      isActive: true,
      isStaff: false,
      isSuperuser: false,
    });
  });

  it('says what a field contains', () => {
    expect(userFields.email).to.include({ kind: 'text', nullable: true, maxLength: 254, searched: true });
    expect(userFields.isActive).to.include({ kind: 'boolean', nullable: false, maxLength: 0, searched: false });
    expect(userFields.birthdate).to.include({ kind: 'date', nullable: true, maxLength: 0, searched: false });
  });

  it('covers every field of a user except the revision', () => {
    const { revision: _, divisionId: __, ...fields } = aUser();
    expect(USER_FIELDS.toSorted()).to.deep.equal(Object.keys(fields).toSorted());
  });
});

describe('The table of division fields', () => {
  it('says which fields are read-only, changeable and audited', () => {
    expect(DIVISION_FIELDS).to.deep.equal(['id', 'name', 'logo', 'fanpage']);
    expect(DIVISION_READ_ONLY).to.deep.equal(['id']);
    expect(CHANGEABLE_DIVISION_FIELDS).to.deep.equal(['name', 'logo', 'fanpage']);
    expect(fieldsWith(divisionFields, 'audited', true)).to.deep.equal(['name', 'logo', 'fanpage']);
    expect(NEW_DIVISION_DEFAULTS).to.deep.equal({ logo: null, fanpage: null });
  });
});

describe('Two states of a record', () => {
  const ada = aUser().with({ groups: ['Leader', 'User'] });
  const north = aDivision();

  it('are equal if every field is, regardless of the revision', () => {
    expect(isSameUser(ada, { ...ada, groups: [...ada.groups], revision: 'other' })).to.equal(true);
    expect(isSameDivision(north, { ...north, revision: 'other' })).to.equal(true);
  });

  it('differ by one field of a user, audited or not', () => {
    const names = { email: 'ada@example.org', firstName: 'A', lastName: 'B', birthdate: '1999-12-31' };
    const values = {
      ...aUser(),
      ...names,
      groups: [],
      isActive: false,
      isStaff: true,
      isSuperuser: true,
      dateJoined: '',
    };
    for (const field of USER_FIELDS) {
      expect(isSameUser(ada, { ...ada, [field]: values[field] }), field).to.equal(false);
    }
    expect(userDifferences(ada, { ...ada, dateJoined: '' })).to.deep.equal({});
  });

  it('differ by one field of a division, audited or not', () => {
    const values = { ...aDivision(), logo: 'https://example.org/', fanpage: 'https://example.org/' };
    for (const field of DIVISION_FIELDS) {
      expect(isSameDivision(north, { ...north, [field]: values[field] }), field).to.equal(false);
    }
    expect(divisionDifferences(north, { ...north, id: values.id })).to.deep.equal({});
    expect(divisionDifferences(null, north)).to.deep.equal({ name: { old: null, new: north.name } });
  });
});

describe('newRecordKey', () => {
  it('returns the field, or divisionId for a division', () => {
    expect(newRecordKey('division', userFields.division)).to.equal('divisionId');
    expect(newRecordKey('firstName', userFields.firstName)).to.equal('firstName');
  });
});

describe('fileColumn', () => {
  it('returns the name of the API, or division_id for a division', () => {
    expect(fileColumn('division', userFields.division)).to.equal('division_id');
    expect(fileColumn('firstName', userFields.firstName)).to.equal('first_name');
  });
});
