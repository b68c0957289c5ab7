import { makeOpsServer, type OpsPorts } from '@chapter/adapters-http';
import type { Config } from '../config/config.ts';
import { drain, listen } from './lifecycle.ts';

/** Serves the internal port, where there is one. @throws OperatorError where it cannot be listened on. */
export const startOps = async (at: Config['ops'], ports: OpsPorts): Promise<() => Promise<void>> => {
  if (!at) return () => Promise.resolve();
  const server = makeOpsServer(ports);
  await listen(server, at, 'OPS_PORT', ' or to "off"');
  return () => drain(server, 1);
};
