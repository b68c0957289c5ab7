import { makeRoutes } from '@chapter/adapters-http';
import { type Group, LIFETIME_SECONDS, OPERATOR, type UseCases, userAudit } from '@chapter/domain/api';
import { aDivision, aUser, fakeHash, storeDivision, storeUser } from '@chapter/domain/testing';
import { expect } from 'chai';
import { PASSWORD } from '../../../../test-support/proof/bodies.ts';
import { applyLaterState, type LaterState } from '../../../../test-support/proof/later-state.ts';
import type { ModelRequest, Stored } from '../../../../test-support/proof/outcome.ts';
import { CALLER, type Situation } from '../../../../test-support/proof/situations.ts';
import type { ServedChapter } from '../support/chapter.ts';
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
export const sendSituation = async (
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
