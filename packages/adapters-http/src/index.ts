export { type HttpApiPorts, makeHttpApi, makeRoutes } from './api.ts';
export type { HttpLog } from './edge.ts';
export { type AnsweredRequest, type HttpMetrics, makeHttpMetrics } from './metrics.ts';
export type { OpsPorts } from './ops/ops-api.ts';
export { makeOpsServer } from './ops/ops-server.ts';
export { makeHttpServer } from './server.ts';
export type { HttpSettings } from './settings.ts';
