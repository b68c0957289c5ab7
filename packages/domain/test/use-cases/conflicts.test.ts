import { CONFLICT_LIMITS, DomainError } from '@chapter/domain/ports';
import { expect } from 'chai';
import { acting, type Chapter, makeChapter } from './setup.ts';

const LIMIT = CONFLICT_LIMITS.ofUser;

/** Returns the code of the refusal, or undefined on success. */
const codeOf = async (attempt: () => Promise<unknown>): Promise<string | undefined> => {
  try {
    await attempt();
    return undefined;
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
};

const repeat = async (times: number, attempt: () => Promise<unknown>): Promise<readonly (string | undefined)[]> => {
  const codes: (string | undefined)[] = [];
  for (let time = 0; time < times; time++) codes.push(await codeOf(attempt));
  return codes;
};

describe('Conflicts that a caller causes', () => {
  let chapter: Chapter;
  beforeEach(async () => {
    chapter = await makeChapter();
    await chapter.admit('ada', [], { email: 'ada@example.org' });
  });
  const create = (username: string, by = chapter.lead) =>
    chapter.useCases.createUser(acting(by), () => ({ fields: { username, password: 'a new secret' } }));
  const conflicts: Readonly<Record<string, readonly [code: string, attempt: () => Promise<unknown>]>> = {
    createUser: ['username_taken', () => create('ada')],
    updateUser: [
      'email_taken',
      () =>
        chapter.useCases.updateUser(acting(chapter.lead), chapter.user.id, () => ({
          fields: { email: 'ada@example.org' },
        })),
    ],
    updateDivision: [
      'name_taken',
      () =>
        chapter.useCases.updateDivision(acting(chapter.lead), chapter.north.id, () => ({
          fields: { name: chapter.south.name },
        })),
    ],
  };

  for (const [useCase, [code, attempt]] of Object.entries(conflicts)) {
    it(`return rate_limited after a hundred in ${useCase}`, async () => {
      const codes = await repeat(LIMIT + 1, attempt);
      expect(new Set(codes.slice(0, LIMIT))).to.deep.equal(new Set([code]));
      expect(codes[LIMIT]).to.equal('rate_limited');
    });
  }

  it('do not limit successful requests, before or after a hundred', async () => {
    for (let time = 0; time <= LIMIT; time++) await create(`member-${time}`);
    expect((await repeat(LIMIT + 1, () => create('ada'))).at(-1)).to.equal('rate_limited');
    expect((await create('eve')).username).to.equal('eve');
  });

  it('do not limit other callers', async () => {
    await repeat(LIMIT + 1, () => create('ada'));
    const other = await chapter.admit('other-lead', ['Leader']);
    expect(await codeOf(() => create('ada', other))).to.equal('username_taken');
  });

  it('count only conflicts', async () => {
    await repeat(LIMIT + 1, () => create('not a username'));
    expect(await codeOf(() => create('ada'))).to.equal('username_taken');
  });

  it('do not count refusals of the write that are no conflict', async () => {
    const demotion = () =>
      chapter.useCases.updateUser(acting(chapter.lead), chapter.lead.id, () => ({ fields: { groups: [] } }));
    expect(new Set(await repeat(LIMIT + 1, demotion))).to.deep.equal(new Set(['last_leader']));
    expect(await codeOf(() => create('ada'))).to.equal('username_taken');
  });
});
