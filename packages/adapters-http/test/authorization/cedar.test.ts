import { makeRoutes } from '@chapter/adapters-http';
import {
  type Action,
  type Group,
  LIFETIME_SECONDS,
  OPERATOR,
  policy,
  type UseCases,
  userAudit,
} from '@chapter/domain/api';
import { aDivision, aUser, fakeHash, storeDivision, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { PASSWORD } from '../../../../test-support/proof/bodies.ts';
import { applyLaterState, beforeTransactions, type LaterState } from '../../../../test-support/proof/later-state.ts';
import { contractModel } from '../../../../test-support/proof/model.ts';
import { expectedOutcome, type ModelRequest, type Stored } from '../../../../test-support/proof/outcome.ts';
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

let count = 0;

const NEW_TOKEN = { name: 'script', expiresAt: '2026-12-31T00:00:00.000Z', isReadOnly: false };

/** Returns the name of the only session of a user, whose id is also that of their only personal access token. */
const sessionNamed = (user: string): string => user.replace('-8000-', '-9000-');

/** Stores the divisions and users of a state under new ids, with all users active. Returns the ids by name. */
const settleState = async ({ world }: ServedChapter, { divisions, users }: Stored) => {
  count += 1;
  const ids = new Map<string, string>();
  const idOf = (name: string): string => ids.get(name) ?? name;
  for (const name of divisions) {
    const division = aDivision();
    ids.set(name, (await storeDivision(world, division)).id);
  }
  for (const [name, { divisionId, groups, isStaff, isSuperuser }] of Object.entries(users)) {
    const id = idOf(divisionId ?? '');
    const rights = { groups: groups as readonly Group[], isStaff, isSuperuser };
    const user = aUser()
      .of({ id, name: id })
      .with({ id: world.ids.next(), username: `${name}-${count}`, ...rights });
    ids.set(name, (await storeUser(world, user, fakeHash(PASSWORD))).id);
    const lifetimes = { lifetime: LIFETIME_SECONDS.refreshToken, sessionLifetime: LIFETIME_SECONDS.session };
    const session = { id: world.ids.next(), userId: user.id, digest: world.ids.next(), userAgent: null, ...lifetimes };
    await world.sessions.start(session, fakeHash(PASSWORD));
    ids.set(sessionNamed(name), session.id);
    await world.personalTokens.create(
      OPERATOR,
      { ...NEW_TOKEN, id: session.id, userId: user.id, digest: session.id },
      () => userAudit('createAccessToken', user),
    );
  }
  return { idOf, username: `${CALLER}-${count}` };
};

/** Returns the id of a name, in the letter case of the name. */
const divisionOf = (name: string, idOf: (name: string) => string): string => {
  const id = idOf(name.toLowerCase());
  return name === name.toLowerCase() ? id : id.toUpperCase();
};

/** Returns a body with ids in place of names, and with unique usernames. */
const bodyOf = (body: ModelRequest['body'] = {}, idOf: (name: string) => string) => {
  const { division, username, email, ...rest } = body;
  return {
    ...rest,
    ...(typeof division === 'string' && { division: divisionOf(division, idOf) }),
    ...(typeof username === 'string' && { username: `${username}-${count}` }),
    ...(typeof email === 'string' && { email: `${count}-${email}` }),
  };
};

const routes = makeRoutes({} as UseCases);

/** Returns the method, path and body of a request. The id in the path is that of a session, a user or a division. */
const requestOf = ({ action, target, body }: ModelRequest, idOf: (name: string) => string) => {
  const { method, path } = routes.find(({ operationId }) => operationId === action) ?? {};
  if (!method || !path) throw new Error(`no request is known for ${action}`);
  const isOfUser = action === 'endOwnSession' || action === 'endAccessToken';
  const id = idOf(isOfUser ? sessionNamed(target ?? '') : (target ?? ''));
  const sent =
    action === 'createAccessToken' ? { name: NEW_TOKEN.name, expires_at: NEW_TOKEN.expiresAt } : bodyOf(body, idOf);
  return [method, path.replace('{id}', id), method === 'GET' || method === 'DELETE' ? undefined : sent] as const;
};

/**
 * Stores the state of a situation and sends its request over HTTP. An inactive or deleted caller logged in before.
 * `meanwhile` gets a function that changes the users to a later state, and calls it during the request.
 */
const sendSituation = async (
  chapter: ServedChapter,
  { stored, request }: Situation,
  meanwhile: (become: (later: LaterState) => Promise<void>) => void = () => {},
): Promise<TestResponse> => {
  const { world, useCases, send } = chapter;
  const { divisions, users } = stored;
  const caller = { divisionId: divisions[0] ?? '', groups: [], isActive: true, isStaff: false, isSuperuser: false };
  const { idOf, username } = await settleState(chapter, { divisions, users: { [CALLER]: caller, ...users } });
  const become = (later: LaterState) => applyLaterState(world, later, idOf);
  const headers: Record<string, string> = {};
  if (request.caller !== null) {
    const { credential = 'session' } = request;
    const isReadOnly = credential === 'read-only token';
    const { accessToken } = await useCases.logIn({ username, password: PASSWORD, network: username });
    const { digest, token } = world.personalTokenFormat.issue();
    const user = (await world.credentials.findByUsername(username))?.user ?? expect.fail('the caller is stored');
    if (credential !== 'session')
      await world.personalTokens.create(
        OPERATOR,
        { ...NEW_TOKEN, id: world.ids.next(), userId: user.id, digest, isReadOnly },
        () => userAudit('createAccessToken', user),
      );
    headers['authorization'] = `Bearer ${credential === 'session' ? accessToken : token}`;
  }
  const inactive = Object.entries(users).filter(([, { isActive }]) => !isActive);
  const changed = [...inactive.map(([name]) => name), ...(users[CALLER] ? [] : [CALLER])];
  await become({ state: stored, changed });
  meanwhile(become);
  const [method, path, json] = requestOf(request, idOf);
  return send(method, path, { json, headers });
};

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
