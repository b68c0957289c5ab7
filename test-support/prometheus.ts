import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from './folders.ts';
import { freePort } from './free-port.ts';
import { spawn } from './processes.ts';

const FOLDER = 'deploy/monitoring';

/** A panel of the dashboard for Grafana. */
interface Panel {
  readonly title: string;
  readonly type: 'stat' | 'timeseries';
  /** In cells. The dashboard is 24 wide. */
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly fieldConfig: { readonly defaults: { readonly unit: string } };
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

/** A time series as Prometheus reports it. Values are `[seconds, text]`: the latest one, or all of a range. */
export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
  readonly values: readonly (readonly [number, string])[];
}

/** Returns the panels of the dashboard, whose queries concern all instances. */
export const dashboardPanels = (): readonly Panel[] =>
  JSON.parse(readFileSync(join(FOLDER, 'dashboard.json'), 'utf8').replaceAll('$instance', '.*')).panels;

/** Starts Prometheus with the example configuration for an internal port. It asks every second. */
export const startPrometheus = async (ops: string) => {
  const folder = makeFolder();
  const address = `127.0.0.1:${await freePort()}`;
  mkdirSync(join(folder, 'data'));
  const config = readFileSync(join(FOLDER, 'prometheus.yaml'), 'utf8')
    .replace('127.0.0.1:9464', ops)
    .replace('scrape_interval: 15s', 'scrape_interval: 1s')
    .replace('rules.yaml', join(process.cwd(), FOLDER, 'rules.yaml'));
  writeFileSync(join(folder, 'prometheus.yaml'), config);
  const files = [`--config.file=${folder}/prometheus.yaml`, `--storage.tsdb.path=${folder}/data`];
  const options = [...files, '--enable-feature=exemplar-storage', `--web.listen-address=${address}`];
  const prometheus = spawn('prometheus', options, { stdio: 'ignore' });
  return {
    /** Returns the result of a query, none while Prometheus starts. @throws Error if it is refused. */
    ask: async (
      path: 'query' | 'query_range' | 'query_exemplars',
      parameters: Record<string, string>,
    ): Promise<readonly Series[]> => {
      const response = await fetch(
        `http://${address}/api/v1/${path}?${new URLSearchParams(parameters).toString()}`,
      ).catch(() => null);
      if (response === null || response.status === 503) return [];
      const { error, data } = (await response.json()) as {
        readonly error?: string;
        readonly data: { readonly result: readonly Series[] } | readonly Series[];
      };
      if (error !== undefined) throw new Error(`${parameters['query']}: ${error}`);
      return 'result' in data ? data.result : data;
    },
    end: () => prometheus.kill(),
  };
};
