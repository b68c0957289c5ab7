export { type HttpApiPorts, makeHttpApi, makeRoutes } from './api.ts';
export type { HttpLog } from './edge.ts';
export type { AnsweredRequest, HttpMetrics } from './metrics.ts';
export { makeHttpServer } from './server.ts';
export type { HttpSettings } from './settings.ts';
