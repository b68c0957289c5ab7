import { type DomainErrorCode, OPERATOR, type User } from '@chapter/domain';
import { passwordIn } from '@chapter/domain/testing';
import { expect } from 'chai';
import { acting, type Chapter, faultsOf, makeChapter, refusal } from './setup.ts';

/** Changes fields of a stored user, like a concurrent request. */
const set = ({ world }: Chapter, { id }: Pick<User, 'id'>, values: Partial<User>) =>
  world.users.update(OPERATOR, id, ({ user }) => ({ user: { ...user, ...values }, endsSessions: false }));

/** Losses of rights of the caller, a Leader, between the request and its transaction. */
const losses: Readonly<Record<string, (chapter: Chapter) => unknown>> = {
  'is taken out of the group Leader': (chapter) => set(chapter, chapter.lead, { groups: ['Guest'] }),
  'loses all groups': (chapter) => set(chapter, chapter.lead, { groups: [] }),
  'is deactivated': (chapter) => set(chapter, chapter.lead, { isActive: false }),
  'is deleted': ({ world, lead }) => world.users.delete(OPERATOR, lead.id, () => {}),
  'moves to another division': ({ world, lead, south }) => world.move(lead.id, south.id),
};

/** The code of each writing use case after each loss, in the order of the losses. */
const writes: Readonly<
  Record<string, readonly [(chapter: Chapter, meanwhile: () => unknown) => unknown, ...DomainErrorCode[]]>
> = {
  createUser: [
    ({ useCases, lead }, meanwhile) =>
      useCases.createUser(acting(lead), async () => {
        await meanwhile();
        return { fields: { username: 'new', password: 'an uncommon one' } };
      }),
    ...(['forbidden', 'forbidden', 'invalid_token', 'invalid_token', 'not_found'] as const),
  ],
  updateUser: [
    ({ useCases, lead, user }, meanwhile) =>
      useCases.updateUser(acting(lead), user.id, async () => {
        await meanwhile();
        return { fields: { lastName: 'L' } };
      }),
    ...(['forbidden', 'not_found', 'invalid_token', 'invalid_token', 'not_found'] as const),
  ],
  deleteUser: [
    ({ useCases, lead, user }, meanwhile) =>
      useCases.deleteUser(acting(lead), user.id, async () => {
        await meanwhile();
        return {};
      }),
    ...(['forbidden', 'not_found', 'invalid_token', 'invalid_token', 'not_found'] as const),
  ],
  updateDivision: [
    ({ useCases, lead, north }, meanwhile) =>
      useCases.updateDivision(acting(lead), north.id, async () => {
        await meanwhile();
        return { fields: { name: 'West' } };
      }),
    ...(['forbidden', 'forbidden', 'invalid_token', 'invalid_token', 'not_found'] as const),
  ],
};

/** The state that a Leader's request can change, without the Leader. */
const stored = async ({ world, north, user }: Chapter) => ({
  division: await world.divisions.find(north.id),
  user: await world.users.find(user.id),
  created: await world.credentials.findByUsername('new'),
});

for (const [name, [write, ...codes]] of Object.entries(writes)) {
  describe(`The transaction of ${name}`, () => {
    for (const [at, [loss, apply]] of Object.entries(losses).entries()) {
      it(`refuses with ${codes[at]} and writes nothing if the caller ${loss} in the meantime`, async () => {
        const chapter = await makeChapter();
        const before = await stored(chapter);
        await refusal(codes[at] ?? 'forbidden', () => write(chapter, () => apply(chapter)));
        expect(await stored(chapter)).to.deep.equal(before);
      });
    }
  });
}

describe('The transaction', () => {
  let chapter: Chapter;
  beforeEach(async () => {
    chapter = await makeChapter();
  });

  for (const name of ['updateUser', 'deleteUser'] as const) {
    it(`of ${name} refuses with not_found if the user moves to another division in the meantime`, async () => {
      const [write] = writes[name] ?? [];
      const { world, user, south } = chapter;
      await refusal('not_found', () => write?.(chapter, () => world.move(user.id, south.id)));
      expect(await world.users.find(user.id)).to.deep.include({
        lastName: '',
        division: { id: south.id, name: 'South' },
      });
    });
  }

  it('of updateUser refuses fields of a Leader if the caller stops being one in the meantime', async () => {
    const { useCases, lead, world } = chapter;
    const update = useCases.updateUser(acting(lead), lead.id, async () => {
      await set(chapter, lead, { groups: ['User'] });
      return { fields: { groups: ['Leader'], isActive: true, lastName: 'L' } };
    });
    expect(faultsOf(await refusal('field_forbidden', () => update))).to.deep.equal([
      'groups field_forbidden',
      'isActive field_forbidden',
    ]);
    expect(await world.users.find(lead.id)).to.deep.include({ groups: ['User'], lastName: '' });
  });

  it('of updateUser refuses the password of a user who becomes an Administrator in the meantime', async () => {
    const { useCases, lead, user, world } = chapter;
    const before = await world.credentials.find(user.id);
    const update = useCases.updateUser(acting(lead), user.id, async () => {
      await set(chapter, user, { isStaff: true });
      return { fields: { password: 'a new secret' } };
    });
    expect(faultsOf(await refusal('field_forbidden', () => update))).to.deep.equal(['password field_forbidden']);
    expect((await world.credentials.find(user.id))?.passwordHash).to.equal(before?.passwordHash);
  });

  for (const [field, name] of [
    ['username', 'a-new-name'],
    ['email', 'new@example.org'],
  ] as const) {
    it(`of updateUser refuses a password that becomes the user’s ${field} in the meantime`, async () => {
      const { useCases, lead, user, world } = chapter;
      const before = await world.credentials.find(user.id);
      const update = useCases.updateUser(acting(lead), user.id, async () => {
        await set(chapter, user, { [field]: name });
        return { fields: { password: name.toUpperCase() }, revisions: [user.revision] };
      });
      expect(faultsOf(await refusal('validation_failed', () => update))).to.deep.equal(['password too_common']);
      expect((await world.credentials.find(user.id))?.passwordHash).to.equal(before?.passwordHash);
    });
  }

  it('of updateUser accepts a password that is the user’s name only in the meantime', async () => {
    const { useCases, lead, user, world } = chapter;
    await useCases.updateUser(acting(lead), user.id, async () => {
      await set(chapter, user, { username: 'a-new-name' });
      return { fields: { password: 'a-new-name', username: 'a-newer-name' } };
    });
    expect(passwordIn((await world.credentials.find(user.id))?.passwordHash ?? '')).to.equal('a-new-name');
  });

  it('of updateUser and deleteUser keeps a Leader who becomes the last one in the meantime', async () => {
    const { useCases, lead, world } = chapter;
    const second = await chapter.admit('second', ['Leader']);
    const leave = async <T>(input: T): Promise<T> => {
      await set(chapter, second, { groups: [] });
      return input;
    };
    await refusal('last_leader', () =>
      useCases.updateUser(acting(lead), lead.id, () => leave({ fields: { groups: [] } })),
    );
    await set(chapter, second, { groups: ['Leader'] });
    await refusal('last_leader', () => useCases.deleteUser(acting(lead), lead.id, () => leave({})));
    expect(await world.users.find(lead.id)).to.deep.include({ groups: ['Leader'] });
  });

  it('of updateUser, deleteUser and updateDivision refuses a target that changes in the meantime', async () => {
    const { useCases, lead, user, north, world } = chapter;
    await refusal('precondition_failed', () =>
      useCases.updateUser(acting(lead), user.id, async () => {
        await set(chapter, user, { firstName: 'A' });
        return { fields: { lastName: 'L' }, revisions: [user.revision] };
      }),
    );
    await refusal('precondition_failed', () =>
      useCases.deleteUser(acting(lead), user.id, () => ({ revisions: [user.revision] })),
    );
    await refusal('precondition_failed', () =>
      useCases.updateDivision(acting(lead), north.id, async () => {
        await world.divisions.update(OPERATOR, north.id, ({ division }) => ({ ...division, logo: 'https://x.org/' }));
        return { fields: { name: 'West' }, revisions: [north.revision] };
      }),
    );
    expect(await world.users.find(user.id)).to.include({ firstName: 'A', lastName: '' });
  });
});
