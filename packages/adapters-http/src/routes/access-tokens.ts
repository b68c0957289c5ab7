import type { UseCases } from '@chapter/domain';
import { fieldsInput } from '../requests/request-input.ts';
import { presentPersonalToken } from '../responses/present.ts';
import { CreatedPersonalToken, NewPersonalToken, PersonalTokenList } from '../schemas/personal-token.ts';
import { defineRoute, NO_CONTENT, noContent, type UntaggedRoute } from './route.ts';

/** The endpoints of personal access tokens (contract §11). */
export const accessTokenRoutes = (useCases: UseCases): readonly UntaggedRoute[] => [
  defineRoute({
    method: 'POST',
    path: '/api/auth/access-tokens/',
    operationId: 'createAccessToken',
    summary: 'Create a personal access token',
    description:
      'For any signed-in caller. Returns a `token` with which a script of yours sends requests as you, with your current rights. It is shown once. It cannot change passwords, create password links, or use sessions and tokens.',
    input: fieldsInput({ schema: NewPersonalToken }),
    status: 201,
    ok: CreatedPersonalToken,
    problems: ['forbidden', 'not_found', 'too_many_tokens'],
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
    summary: 'List your personal access tokens',
    description: 'For any signed-in caller. Returns the tokens that have neither ended nor expired, newest first.',
    ok: PersonalTokenList,
    problems: ['not_found'],
    handle: async ({ actor }) => {
      const caller = await actor;
      return { body: (await useCases.listAccessTokens(caller, caller.id)).map(presentPersonalToken) };
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/auth/access-tokens/{id}',
    operationId: 'endAccessToken',
    summary: 'End one of your personal access tokens',
    description: 'For any signed-in caller. The token stops working.',
    ...NO_CONTENT,
    problems: ['not_found'],
    handle: async ({ actor, id, readInput }) => {
      const caller = await actor;
      return noContent(useCases.endAccessToken(caller, caller.id, id, readInput));
    },
  }),
];
