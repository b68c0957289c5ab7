import type { UseCases } from '@chapter/domain';
import { fieldsInput, noInput } from '../requests/request-input.ts';
import { presentPersonalToken } from '../responses/present.ts';
import { CreatedPersonalToken, NewPersonalToken, PersonalTokenList } from '../schemas/personal-token.ts';
import { defineRoute, NO_CONTENT, type Route } from './route.ts';

const tag = 'Authentication';

/** The endpoints of personal access tokens (contract §11). */
export const accessTokenRoutes = (useCases: UseCases): readonly Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/auth/access-tokens/',
    operationId: 'createAccessToken',
    tag,
    summary: 'Create a personal access token',
    description:
      'For any signed-in caller. Returns a `token` with which a script of yours sends requests as you, with your current rights. It is shown once. It cannot change passwords, create password links, or use sessions and tokens.',
    input: fieldsInput({ schema: NewPersonalToken }),
    status: 201,
    ok: CreatedPersonalToken,
    problems: ['forbidden', 'not_found', 'too_many_tokens', 'validation_failed'],
    handle: async ({ actor, readInput }) => {
      const caller = await actor;
      const { token, ...created } = await useCases.createAccessToken(caller, caller.id, readInput);
      return { body: { ...presentPersonalToken(created), token } };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/api/auth/access-tokens/',
    operationId: 'listAccessTokens',
    tag,
    summary: 'List your personal access tokens',
    description: 'For any signed-in caller. Returns the tokens that have neither ended nor expired, newest first.',
    input: noInput,
    status: 200,
    ok: PersonalTokenList,
    problems: ['not_found', 'validation_failed'],
    handle: async ({ actor }) => {
      const caller = await actor;
      return { body: (await useCases.listAccessTokens(caller, caller.id)).map(presentPersonalToken) };
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/auth/access-tokens/{id}',
    operationId: 'endAccessToken',
    tag,
    summary: 'End one of your personal access tokens',
    description: 'For any signed-in caller. The token stops working.',
    input: noInput,
    ...NO_CONTENT,
    problems: ['not_found', 'validation_failed'],
    handle: async ({ actor, id, readInput }) => {
      const caller = await actor;
      await useCases.endAccessToken(caller, caller.id, id, readInput);
      return { body: null };
    },
  }),
];
