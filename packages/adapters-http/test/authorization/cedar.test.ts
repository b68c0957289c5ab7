import { type Action, policy } from '@chapter/domain';
import { beforeTransactions, type LaterState } from '../../../../test-support/proof/later-state.ts';
import { contractModel } from '../../../../test-support/proof/model.ts';
import { expectedOutcome } from '../../../../test-support/proof/outcome.ts';
import { compare } from '../../../../test-support/proof/report.ts';
import { outcomeOfRefusal } from '../../../../test-support/proof/run-use-case.ts';
import { shareOf } from '../../../../test-support/proof/share.ts';
import {
  CALLER,
  expectedRaceOutcome,
  makeRaces,
  type Situation,
  situations,
  tokenSituations,
} from '../../../../test-support/proof/situations.ts';

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
  session_required: 403,
  read_only_token: 403,
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
  let chapter: ServedChapter | undefined;
  let happens: () => Promise<void> = async () => {};
  afterEach(() => chapter?.close());

  /** Sends all items, each chapter serving a part of them, and compares the outcomes. */
  const compareAll = <T extends Situation>(
    compared: string,
    atLeast: number,
    items: readonly T[],
    expected: (item: T) => string,
    send: (chapter: ServedChapter, item: T) => Promise<TestResponse>,
  ): Promise<void> =>
    compare(compared, atLeast, async ({ same }) => {
      for (const [at, item] of items.entries()) {
        if (at % CHAPTER_SIZE === 0) {
          await chapter?.close();
          chapter = await makeServedChapter({}, (ports) => beforeTransactions(ports, () => happens()));
        }
        if (!chapter) throw new Error('the first item opens a chapter');
        const response = await send(chapter, item);
        const outcome = outcomeOf(response);
        const { description } = policy[item.request.action as Action].allows;
        const detail = outcome === 'forbidden' ? `only ${description} may do this` : undefined;
        const { detail: sent } = (response.body ?? {}) as { detail?: string };
        same([outcome, detail && sent], [expected(item), detail], item);
      }
    });

  it('responds to every request of every caller as the policies say, with the reason of a refusal', () => {
    const all = [...situations, ...situations.slice(0, situations.length / 64).flatMap(withoutCaller)];
    return compareAll(
      'responses over HTTP compared with Cedar',
      280,
      shareOf(all, 97),
      ({ stored, request }) => expectedOutcome(contractModel, stored, request),
      sendSituation,
    );
  });

  it('responds to every request with a personal access token as the policies say', () =>
    compareAll(
      'responses over HTTP to personal access tokens compared with Cedar',
      200,
      shareOf(tokenSituations, 211),
      ({ stored, request }) => expectedOutcome(contractModel, stored, request),
      sendSituation,
    ));

  it('applies rights that changed between request and transaction', () =>
    compareAll(
      'responses over HTTP with changes before the transaction',
      125,
      shareOf(
        makeRaces().filter((_, at) => at % 29 === 0),
        61,
      ),
      (race) => expectedRaceOutcome(contractModel, race),
      (served, race) =>
        sendSituation(served, race, (become: (later: LaterState) => Promise<void>) => {
          happens = () => become(race.later);
        }).finally(() => {
          happens = async () => {};
        }),
    ));
});
