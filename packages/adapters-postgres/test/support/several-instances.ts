import type { World } from '@chapter/domain/testing';
import { connectPostgres, type Database } from '../../src/index.ts';
import type { PostgresWorld } from './use-world.ts';

/** A port whose every call goes to the next of several instances of the service. */
const inTurn = <Port extends object>(ports: readonly Port[]): Port => {
  let turn = 0;
  return new Proxy({} as Port, {
    get: (_, name) => {
      turn += 1;
      return Reflect.get(ports[turn % ports.length] ?? {}, name);
    },
  });
};

/** The same world as seen through several instances of the service, each with connections of its own. */
export const severalInstances = (
  { url, clock, ids }: PostgresWorld,
  count: number,
): { readonly world: World; readonly close: () => Promise<void> } => {
  const instances: readonly Database[] = Array.from({ length: count }, () => connectPostgres({ url, clock, ids }));
  const port = <Name extends keyof Database>(name: Name) =>
    inTurn(instances.map((one) => one[name] as object)) as Database[Name];
  const world = {
    users: port('users'),
    divisions: port('divisions'),
    sessions: port('sessions'),
    credentials: port('credentials'),
    actors: port('actors'),
    loginLimits: port('loginLimits'),
    conflictLimits: port('conflictLimits'),
    audit: port('audit'),
    clock,
    ids,
  };
  return { world, close: async () => void (await Promise.all(instances.map((one) => one.close()))) };
};
