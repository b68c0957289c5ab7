// Serves requests for two minutes, and draws the panels of the dashboard with what its queries then return from Prometheus.
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { launchChromium } from '../test-support/chromium.ts';
import { clientOf } from '../test-support/client.ts';
import { makeFolder } from '../test-support/folders.ts';
import { freePort } from '../test-support/free-port.ts';
import { dashboardPanels, type Series, startPrometheus } from '../test-support/prometheus.ts';
import { serveInProcess } from '../test-support/service-process.ts';
import { startLoad } from '../test-support/steady-load.ts';

const RUN_SECONDS = 120;
const CELL = { width: 52, height: 30 };

/** By Grafana's names of units: the name of the unit shown, and how many of it are one of the unit of the metric. */
const UNITS: Readonly<Record<string, readonly [shown: string, factor: number]>> = {
  bytes: ['MiB', 2 ** -20],
  ops: ['per second', 1],
  percentunit: ['%', 100],
  reqps: ['per second', 1],
  s: ['ms', 1000],
  short: ['', 1],
};

const labelOf = ({ metric }: Series, format: string): string =>
  format.replaceAll(/{{(\w+)}}/g, (_, name: string) => metric[name] ?? '');

/** Returns the panels with their series, whose times are seconds since the start. */
const panelsOfRun = async () => {
  const port = String(await freePort());
  const settings = { DATA_DIR: makeFolder(), OPS_PORT: port, CHANGES_PER_HOUR: '1000000' };
  const service = await serveInProcess(settings);
  const prometheus = await startPrometheus(`127.0.0.1:${port}`);
  try {
    const load = await startLoad(service.url);
    const until = Date.now() + RUN_SECONDS * 1000;
    while (Date.now() < until) {
      for (const path of ['/api/users/', '/api/nothing/']) await clientOf(service.url)('GET', path);
      await sleep(200);
    }
    const end = Date.now() / 1000;
    const panels = [];
    for (const { title, type, gridPos, fieldConfig, targets } of dashboardPanels()) {
      const [unit, factor] = UNITS[fieldConfig.defaults.unit] ?? ['', 1];
      const lines = [];
      for (const { expr, legendFormat } of targets) {
        // Rates of a run of two minutes.
        const query = expr.replaceAll('[5m]', '[30s]');
        const range = { query, start: String(end - RUN_SECONDS), end: String(end), step: '2' };
        for (const series of await prometheus.ask('query_range', range)) {
          const data = series.values.map(([x, y]) => ({ x: x - end + RUN_SECONDS, y: Number(y) * factor }));
          lines.push({ label: labelOf(series, legendFormat), data });
        }
      }
      panels.push({ title: unit === '' ? title : `${title} (${unit})`, type, gridPos, lines });
    }
    const { failures } = load;
    await load.stop();
    if (failures.length > 0) throw new Error(failures[0]);
    return panels;
  } finally {
    prometheus.end();
    await service.end();
  }
};

const DRAW = `
  const place = ({ x, y, w, h }) => 'left:' + x * ${CELL.width} + 'px;top:' + y * ${CELL.height} + 'px;width:' +
    (w * ${CELL.width} - 12) + 'px;height:' + (h * ${CELL.height} - 12) + 'px';
  for (const { title, type, gridPos, lines } of panels) {
    const panel = document.body.appendChild(document.createElement('section'));
    panel.style = place(gridPos);
    panel.append(Object.assign(document.createElement('h2'), { textContent: title }));
    if (type === 'stat') {
      const { label, data } = lines[0];
      const textContent = title === 'Version' ? label : String(Math.round(data.at(-1).y * 100) / 100);
      panel.append(Object.assign(document.createElement('p'), { textContent }));
      continue;
    }
    const box = panel.appendChild(document.createElement('div'));
    new Chart(box.appendChild(document.createElement('canvas')), {
      type: 'line',
      data: { datasets: lines.map((line) => ({ ...line, pointRadius: 0, borderWidth: 1.5 })) },
      options: {
        animation: false, parsing: false, maintainAspectRatio: false, color: '#ccc',
        scales: {
          x: { type: 'linear', max: ${RUN_SECONDS}, ticks: { callback: (value) => value + ' s' }, grid: { color: '#333' } },
          y: { suggestedMin: 0, grid: { color: '#333' } },
        },
        plugins: { legend: { position: 'bottom', labels: { boxWidth: 10, boxHeight: 2, font: { size: 10 } } } },
      },
    });
  }
`;
const STYLE = `
  body { margin: 8px; background: #111217; color: #ccc; font: 13px sans-serif; }
  section { position: absolute; margin: 8px; padding: 8px; box-sizing: border-box; background: #181b1f; border: 1px solid #333; }
  h2 { margin: 0; height: 20px; font-size: 13px; font-weight: normal; } div { height: calc(100% - 20px); }
  p { margin: 12px 0; font-size: 34px; text-align: center; color: #73bf69; }
`;

const panels = await panelsOfRun();
const browser = await launchChromium();
try {
  const page = await browser.newPage({ viewport: { width: 24 * CELL.width + 16, height: 900 } });
  await page.setContent(`<!doctype html><meta charset="utf-8"><style>${STYLE}</style><body>`);
  await page.addScriptTag({ path: fileURLToPath(new URL('chart.umd.min.js', import.meta.resolve('chart.js'))) });
  await page.evaluate(`(() => { const panels = ${JSON.stringify(panels)}; ${DRAW} })()`);
  await page.screenshot({ path: 'docs/images/dashboard.png', fullPage: true });
} finally {
  await browser.close();
}
