import { completeOrder, type ListQuery, type UserListField } from '@chapter/domain';
import { expect } from 'chai';
import { makeRecorded, textsOf } from './recorded-statements.ts';

describe('Statements of lists and the index they are for', () => {
  const byId = completeOrder<UserListField>([{ field: 'id', descending: false }]);
  const byUsername = completeOrder<UserListField>([{ field: 'username', descending: true }]);
  const birthdates = { field: 'birthdate', operator: 'in', value: ['2000-01-01'] } as const;
  const inUsername = { field: 'username', operator: 'icontains', value: 'a' } as const;
  const active = { field: 'isActive', operator: 'eq', value: true } as const;
  const walks: readonly (readonly [string, Partial<ListQuery<UserListField>>, boolean])[] = [
    ['words in the default order', { words: ['a', 'bcd'] }, true],
    ['words against it', { words: ['a'], order: completeOrder([{ field: 'dateJoined', descending: true }]) }, true],
    ['words in the field of the order', { words: ['a'], searched: ['username'], order: byUsername }, true],
    ['a filter of the field of the order', { filters: [inUsername], order: byUsername }, true],
    [
      'days of the field of the order',
      { filters: [birthdates], order: completeOrder([{ field: 'birthdate', descending: false }]) },
      true,
    ],
    ['words together with a flag', { words: ['a'], filters: [active] }, false],
    ['words in all fields in another order', { words: ['a'], order: byUsername }, false],
    ['words in the order of the ids', { words: ['a'], order: byId }, false],
    [
      'words within the division as an order',
      { words: ['a'], order: completeOrder([{ field: 'division', descending: false }]) },
      false,
    ],
    [
      'words in an order of two fields',
      {
        words: ['a'],
        order: completeOrder([
          { field: 'dateJoined', descending: false },
          { field: 'username', descending: false },
        ]),
      },
      false,
    ],
  ];
  for (const [title, asked, isInIndex] of walks) {
    it(`look for ${title} ${isInIndex ? 'in the index alone' : 'in the rows'}`, async () => {
      const [walk = ''] = textsOf(await makeRecorded()(asked));
      expect(walk).to.include('walked');
      expect(walk.includes('page cross join')).to.equal(isInIndex);
    });
  }

  const flags: ListQuery<UserListField>['filters'] = [active, { field: 'groups', operator: 'eq', value: 'User' }];
  const moments = { field: 'dateJoined', operator: 'in', value: ['2000-01-01T00:00:00.000Z'] } as const;
  const followedBy = (field: UserListField) => ({
    order: completeOrder<UserListField>([
      { field: 'dateJoined', descending: false },
      { field, descending: true },
    ]),
  });
  const listed: readonly (readonly [string, Partial<ListQuery<UserListField>>, boolean])[] = [
    ['the default order', {}, true],
    ['the opposite one', { order: completeOrder([{ field: 'dateJoined', descending: true }]) }, true],
    ['an order that it is the beginning of', followedBy('groups'), true],
    ['an order that it is the beginning of, by a text', followedBy('username'), false],
    ['another order', { order: byUsername }, false],
    ['the default order with flags and groups', { filters: flags }, true],
    ['the default order with days', { filters: [birthdates, moments] }, true],
    ['the default order with moments', { filters: [moments] }, true],
    ['the default order with a text', { filters: [inUsername] }, false],
    ['the default order with a word', { words: ['a'] }, false],
  ];
  for (const [title, asked, isListed] of listed) {
    it(`${isListed ? 'read' : 'do not read'} the index that has a page for ${title}`, async () => {
      const [first = ''] = textsOf(await makeRecorded()(asked));
      expect(first.includes("u.username >= ''")).to.equal(isListed);
      if (isListed) expect(first).to.not.include('page cross join');
    });
  }
});
