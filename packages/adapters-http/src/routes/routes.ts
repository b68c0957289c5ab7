import type { UseCases } from '@chapter/domain';
import { accessTokenRoutes } from './access-tokens.ts';
import { authenticationRoutes } from './authentication.ts';
import { divisionRoutes } from './divisions.ts';
import type { Route } from './route.ts';
import { serviceRoutes } from './service.ts';
import { userRoutes } from './users.ts';

/** Returns all endpoints with their handlers, inputs and documentation. */
export const makeRoutes = (useCases: UseCases): readonly Route[] => [
  ...authenticationRoutes(useCases),
  ...accessTokenRoutes(useCases),
  ...userRoutes(useCases),
  ...divisionRoutes(useCases),
  ...serviceRoutes(useCases),
];
