import { Presets, SingleBar } from 'cli-progress';
import { type Progress, silentProgress } from '../bulk/progress.ts';

/** A bar on a terminal, one after the other for each piece of work; nothing where there is no terminal. */
export const makeProgressBar = (terminal: NodeJS.WriteStream | null): Progress => {
  if (!terminal) return silentProgress;
  let bar: SingleBar | undefined;
  const end = (): void => {
    bar?.stop();
    bar = undefined;
  };
  return {
    begin: (what, total) => {
      end();
      const format = `${what} {bar} {percentage}% | {eta_formatted} left`;
      bar = new SingleBar({ stream: terminal, format, hideCursor: true, etaBuffer: 100 }, Presets.shades_grey);
      bar.start(Math.max(total, 1), 0);
    },
    to: (steps) => bar?.update(steps),
    end,
  };
};
