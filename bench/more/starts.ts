import { type ServerSettings, startServer } from '../measure/server.ts';
import { median } from '../report/numbers.ts';

/** Milliseconds from the start of a process to the end of its first answer, on a database that is there; medians of so many. */
export const measureStarts = async (
  turns: number,
  settings: ServerSettings,
): Promise<{ readonly floor: number; readonly service: number }> => {
  const times = { floor: [] as number[], service: [] as number[] };
  for (let at = 0; at < turns; at++) {
    for (const name of ['floor', 'service'] as const) {
      const server = await startServer(name, settings);
      times[name].push(server.startedIn);
      await server.stop();
    }
  }
  return { floor: median(times.floor), service: median(times.service) };
};
