import { type DomainErrorCode, makeUseCases, type UseCases } from '@chapter/domain';
import { rateLimited } from '@chapter/domain/ports';
import { expect } from 'chai';
import { acting, refusal, useChapter } from './setup.ts';

describe('Conflicts that a caller causes', () => {
  const chapter = useChapter();
  beforeEach(() => chapter.admit('ada', [], { email: 'ada@example.org' }));
  const update = ({ updateUser }: UseCases, { id }: { readonly id: string }, fields: Record<string, unknown>) =>
    updateUser(acting(chapter.lead), id, () => ({ fields }));

  const conflicts: Readonly<Record<string, readonly [DomainErrorCode, attempt: (useCases: UseCases) => unknown]>> = {
    createUser: [
      'username_taken',
      ({ createUser }) =>
        createUser(acting(chapter.lead), () => ({ fields: { username: 'ada', password: 'a new secret' } })),
    ],
    updateUser: ['email_taken', (useCases) => update(useCases, chapter.user, { email: 'ada@example.org' })],
    updateDivision: [
      'name_taken',
      ({ updateDivision }) =>
        updateDivision(acting(chapter.lead), chapter.north.id, () => ({ fields: { name: chapter.south.name } })),
    ],
  };

  for (const [useCase, [code, attempt]] of Object.entries(conflicts)) {
    it(`are counted for the caller in ${useCase}, until they exceed the limit`, async () => {
      const counted: string[] = [];
      const count = async (id: string) => {
        counted.push(id);
        if (counted.length > 1) throw rateLimited(1);
      };
      const useCases = makeUseCases({ ...chapter.world, conflictLimits: { count } });
      await refusal(code, () => attempt(useCases));
      await refusal('rate_limited', () => attempt(useCases));
      expect(counted).to.deep.equal([chapter.lead.id, chapter.lead.id]);
    });
  }

  it('are the only refusals of a write that count', async () => {
    const count = () => expect.fail('a refusal was counted');
    const useCases = makeUseCases({ ...chapter.world, conflictLimits: { count } });
    await refusal('last_leader', () => update(useCases, chapter.lead, { groups: [] }));
  });
});
