import { expect } from 'chai';
import { expectCheapNormalization, normalizedDuring, swappedMarks } from '../../../../test-support/normalizations.ts';
import { useServedChapter } from '../support/chapter.ts';
import { faultsOf } from '../support/send.ts';

const MARKS = encodeURIComponent(swappedMarks(1500));

describe('Text in a request', () => {
  const chapter = useServedChapter();

  const textsOf = async (query: string, path = '/api/users/') => {
    const faults: string[] = [];
    const texts = await normalizedDuring(async () => {
      faults.push(...faultsOf(await chapter.get(`${path}?${query}`, chapter.leader)));
    });
    return { texts, faults };
  };

  for (const [query, faults] of [
    [`first_name=${MARKS}`, ['first_name invalid_format']],
    [`first_name__in=x,${MARKS}`, ['first_name__in invalid_format']],
    [`search=${MARKS}`, ['search too_long']],
    [`first_name=${'x'.repeat(16_385)}`, ['first_name too_long']],
  ] as const) {
    it(`is not normalized if it is too long or has too many marks: \`${query.slice(0, 30)}\``, async () => {
      const found = await textsOf(query);
      expect(found.faults).to.deep.equal(faults);
      for (const text of found.texts) expectCheapNormalization(text, 1024);
    });
  }

  for (const name of [
    'cursor',
    'page_size',
    'count',
    'ordering',
    'id',
    'birthdate',
    'is_active',
    'groups',
    'x',
    MARKS,
  ]) {
    it(`is not normalized in the parameter \`${name.slice(0, 20)}\``, async () => {
      const { texts, faults } = await textsOf(`${name}=${MARKS}`);
      expect(texts).to.deep.equal([]);
      expect(faults).to.have.lengthOf(1);
    });
  }

  it('is not normalized in a parameter of a path that takes none', async () => {
    expect(await textsOf(`a=${MARKS}`, '/api/auth/keys/')).to.deep.equal({
      texts: [],
      faults: ['a unknown_parameter'],
    });
  });
});
