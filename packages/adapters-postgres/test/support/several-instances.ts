import type { World } from '@chapter/domain/testing';
import { connectPostgres } from '../../src/index.ts';
import { type PostgresWorld, portsInTime } from './use-world.ts';

/** Returns a port whose calls go to several instances of the service in turn. */
const inTurn = <Port extends object>(ports: readonly Port[]): Port => {
  let turn = 0;
  return new Proxy({} as Port, {
    get: (_, name) => {
      turn += 1;
      return Reflect.get(ports[turn % ports.length] ?? {}, name);
    },
  });
};

/** Makes a world whose calls go to several instances of the service, each with its own connections. */
export const severalInstances = (
  { url, clock, ids, inTime, erasure }: PostgresWorld,
  count: number,
): { readonly world: World; readonly close: () => Promise<void> } => {
  const instances = Array.from({ length: count }, () => connectPostgres({ url, clock, ids }));
  const ports = instances.map((instance) => portsInTime(instance, inTime));
  const port = <Name extends keyof (typeof ports)[number]>(name: Name) => inTurn(ports.map((one) => one[name]));
  const world = {
    users: port('users'),
    divisions: port('divisions'),
    sessions: port('sessions'),
    credentials: port('credentials'),
    actors: port('actors'),
    loginLimits: port('loginLimits'),
    conflictLimits: port('conflictLimits'),
    passwordLinks: port('passwordLinks'),
    directory: port('directory'),
    listExports: port('listExports'),
    audit: port('audit'),
    personalData: port('personalData'),
    // The instances serve, so they are not the owner.
    erasure,
    clock,
    ids,
  };
  return { world, close: async () => void (await Promise.all(instances.map((one) => one.close()))) };
};
