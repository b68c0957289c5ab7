import { Presets, SingleBar } from 'cli-progress';
import { type Progress, silentProgress } from '../bulk/progress.ts';

/** Formats the rest of the time in seconds. cli-progress passes a word while it has no estimate, and 0 at the end. */
const formatTimeLeft = (seconds: number): string => {
  if (!Number.isFinite(seconds) || seconds === 0) return '';
  if (seconds < 90) return ` | ${seconds} s left`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? ` | ${minutes} min left` : ` | ${Math.round(minutes / 60)} h left`;
};

/** Makes progress bars on a terminal, one after the other for each piece of work; without a terminal, none. */
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
      const format = `${what} {bar} {percentage}%{eta_formatted}`;
      bar = new SingleBar(
        { stream: terminal, format, formatTime: formatTimeLeft, hideCursor: true, etaBuffer: 100 },
        Presets.shades_grey,
      );
      bar.start(Math.max(total, 1), 0);
    },
    to: (steps) => bar?.update(steps),
    end,
  };
};
