export { makeOpsServer, type OpsPorts } from './ops/ops-server.ts';
export { makeRoutes } from './routes/routes.ts';
export { type HttpApiPorts, type HttpSettings, makeHttpApi } from './server/http-api.ts';
export type { RequestState } from './server/http-context.ts';
export { makeHttpServer } from './server/http-server.ts';
export {
  type HttpLog,
  type HttpMetrics,
  type LogRequest,
  logRequestText,
  type MeasuredRequest,
  makeHttpMetrics,
  type TraceRequest,
} from './server/request-telemetry.ts';
