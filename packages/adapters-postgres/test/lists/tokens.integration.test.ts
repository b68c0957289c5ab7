import { expect } from 'chai';
import * as fc from 'fast-check';
import { runs } from '../../../../test-support/properties.ts';
import { gramsOf } from '../../src/lists/tokens.ts';
import { useWorld } from '../support/use-world.ts';
import { text } from './random-members.ts';

describe('The index of tokens', () => {
  const world = useWorld();
  const gramsInDatabase = async (stored: string): Promise<readonly string[]> => {
    const { rows } = await world().sql.query<{ grams: string[] }>('select search_grams($1) as grams', [stored]);
    return rows[0]?.grams ?? [];
  };

  it('has every gram of every part of a text', () =>
    fc.assert(
      fc.asyncProperty(text, text, text, async (before, part, behind) => {
        expect(await gramsInDatabase(before + part + behind)).to.include.members([...gramsOf(part)]);
      }),
      runs(200),
    ));

  it('has the characters and the pairs of neighbours, whatever the database takes for a letter', async () => {
    const grams = ['%', '字', '😀', '\\', 'é', '%字', '字😀', '😀\\', '\\é'];
    expect(new Set(await gramsInDatabase('%字😀\\é'))).to.deep.equal(new Set(grams));
    expect(gramsOf('字')).to.deep.equal(['字']);
    expect(gramsOf('字😀\\')).to.deep.equal(['字😀', '😀\\']);
  });
});
