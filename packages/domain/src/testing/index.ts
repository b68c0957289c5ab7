export * from './builders.ts';
export * from './contracts/contract-case.ts';
export * from './contracts/expect.ts';
export * from './contracts/user-repository.ts';
export * from './fake-ids.ts';
export * from './settable-clock.ts';
export * from './settle.ts';
export * from './world.ts';
