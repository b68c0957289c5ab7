import type { UseCases } from '@chapter/domain';
import { authenticationRoutes } from './authentication.ts';
import { divisionRoutes } from './divisions.ts';
import type { Route, UntaggedRoute } from './route.ts';
import { permissionRoutes, serviceRoutes } from './service.ts';
import { userRoutes } from './users.ts';

const tagged = (tag: Route['tag'], routes: readonly UntaggedRoute[]): readonly Route[] =>
  routes.map((route) => Object.assign({ tag }, route));

/** Returns all endpoints with their handlers, inputs and documentation. */
export const makeRoutes = (useCases: UseCases): readonly Route[] => [
  ...tagged('Authentication', authenticationRoutes(useCases)),
  ...tagged('Users', userRoutes(useCases)),
  ...tagged('Divisions', divisionRoutes(useCases)),
  ...tagged('Service', serviceRoutes(useCases)),
  ...tagged('Authentication', permissionRoutes(useCases)),
];
