import { expect } from 'chai';
import { reportCount } from '../../../../scripts/proof-counts.ts';
import { beforeTransactions, type LaterState } from '../../../../test-support/authorization/cedar/later-state.ts';
import { cedarPolicies, makeCedarModel } from '../../../../test-support/authorization/cedar/model.ts';
import { expectedOutcome } from '../../../../test-support/authorization/cedar/outcome.ts';
import { outcomeOfRefusal } from '../../../../test-support/authorization/cedar/run-use-case.ts';
import {
  CALLER,
  expectedRaceOutcome,
  makeRaces,
  type Race,
  type Situation,
  situations,
} from '../../../../test-support/authorization/cedar/situations.ts';
import { OTHER } from '../../../../test-support/authorization/states.ts';
import { shareOf } from '../../../../test-support/share.ts';
import { makeServedChapter, type ServedChapter } from '../support/chapter.ts';
import type { TestResponse } from '../support/send.ts';
import { sendSituation } from './settled.ts';

/** The number of situations per chapter. It is limited, because the in-memory adapters search all rows. */
const CHAPTER_SIZE = 200;

const STATUS: Readonly<Record<string, number>> = {
  unauthenticated: 401,
  forbidden: 403,
  field_forbidden: 403,
  not_found: 404,
  validation_failed: 422,
  last_leader: 409,
};

const outcomeOf = ({ status, body, text }: TestResponse): string => {
  if (status < 300) return 'allowed';
  const { code, errors = [] } = body as { code: string; errors?: { field: string; code: string }[] };
  const outcome = outcomeOfRefusal(code, errors);
  return STATUS[outcome.split(':')[0] ?? ''] === status ? outcome : text;
};

/** Returns the same requests without a token, and by a deleted caller. */
const withoutCaller = ({ stored, request }: Situation): readonly Situation[] => {
  const { [CALLER]: _, ...users } = stored.users;
  const withoutCaller = { ...stored, users };
  return [
    { stored: withoutCaller, request: { ...request, caller: null } },
    { stored: withoutCaller, request },
  ];
};

describe('The API, compared with the contract in Cedar,', function () {
  this.timeout(1_800_000);
  const model = makeCedarModel(cedarPolicies.contract);
  let chapter: ServedChapter | undefined;
  let happens: () => Promise<void> = async () => {};
  afterEach(() => chapter?.close());

  /** Compares all items. Each chapter serves a part of them. */
  const compareAll = async <T extends Situation>(
    items: readonly T[],
    expected: (item: T) => string,
    send: (chapter: ServedChapter, item: T) => Promise<TestResponse>,
  ): Promise<void> => {
    const differences: object[] = [];
    for (const [at, item] of items.entries()) {
      if (at % CHAPTER_SIZE === 0) {
        await chapter?.close();
        chapter = await makeServedChapter({}, (ports) => beforeTransactions(ports, () => happens()));
      }
      if (!chapter) throw new Error('the first item opens a chapter');
      const outcome = outcomeOf(await send(chapter, item));
      if (outcome !== expected(item)) differences.push({ ...item, expected: expected(item), outcome });
    }
    expect(differences.slice(0, 5), `${differences.length} differences`).to.deep.equal([]);
  };

  it('responds to every request of every caller as the policies say', async () => {
    const all = [...situations, ...situations.slice(0, situations.length / 64).flatMap(withoutCaller)];
    const compared = shareOf(all, 97);
    await compareAll(compared, ({ stored, request }) => expectedOutcome(model, stored, request), sendSituation);
    reportCount(compared.length, 'responses over HTTP compared with Cedar');
  });

  const compareRaces = (races: readonly Race[]): Promise<void> =>
    compareAll(
      races,
      (race) => expectedRaceOutcome(model, race),
      (chapter, race) =>
        sendSituation(chapter, race, (become: (later: LaterState) => Promise<void>) => {
          happens = () => become(race.later);
        }).finally(() => {
          happens = async () => {};
        }),
    );

  it('applies rights that changed between request and transaction', async () => {
    const races = shareOf(
      makeRaces().filter((_, at) => at % 29 === 0),
      61,
    );
    await compareRaces(races);
    reportCount(races.length, 'responses over HTTP with changes before the transaction compared with Cedar');
  });

  it('rejects a creation by a Leader who is moved to another division during the request', async () => {
    const creations = makeRaces().filter(({ request, stored, later }) => {
      const [before, after] = [stored.users[CALLER], later.state.users[CALLER]];
      return request.action === 'createUser' && before?.groups.includes('Leader') && after?.divisionId === OTHER;
    });
    await compareRaces(creations.filter((_, at) => at % 101 === 0));
  });
});
