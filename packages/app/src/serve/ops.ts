import { makeOpsServer, type OpsPorts } from '@chapter/adapters-http';
import type { Config } from '../config/config.ts';
import { drain, listen } from './lifecycle.ts';

/** Serves the internal port if there is one. @throws OperatorError if the service cannot listen on it. */
export const startOps = async (at: Config['ops'], ports: OpsPorts): Promise<() => Promise<void>> => {
  if (!at) return () => Promise.resolve();
  const server = makeOpsServer(ports);
  await listen(server, at, 'OPS_PORT', ' or to "off"');
  return () => drain(server, 1);
};
