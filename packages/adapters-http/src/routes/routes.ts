import type { UseCases } from '@chapter/domain';
import { authenticationRoutes } from './authentication.ts';
import { divisionRoutes } from './divisions.ts';
import type { Route } from './route.ts';
import { serviceRoutes } from './service.ts';
import { userRoutes } from './users.ts';

/** All endpoints. They serve, check and document themselves. */
export const makeRoutes = (useCases: UseCases): readonly Route[] => [
  ...authenticationRoutes(useCases),
  ...userRoutes(useCases),
  ...divisionRoutes(useCases),
  ...serviceRoutes(useCases),
];
