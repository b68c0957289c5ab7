import type { SingleBar } from 'cli-progress';
import { type Progress, silentProgress } from '../../bulk/report.ts';
import type { CliContext } from './context.ts';

/** Formats the remaining seconds. cli-progress passes a string while it has no estimate, and 0 at the end. */
const formatTimeLeft = (seconds: number): string => {
  if (!Number.isFinite(seconds) || seconds === 0) return '';
  if (seconds < 90) return ` | ${seconds} s left`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? ` | ${minutes} min left` : ` | ${Math.round(minutes / 60)} h left`;
};

/** Shows one progress bar per phase on a terminal; without a terminal, ignores progress. */
export const makeProgressBar = async (terminal: NodeJS.WriteStream | null): Promise<Progress> => {
  if (!terminal) return silentProgress;
  const { Presets, SingleBar } = await import('cli-progress');
  let bar: SingleBar | undefined;
  const end = (): void => {
    bar?.stop();
    bar = undefined;
  };
  return {
    begin: (phase, total) => {
      end();
      const format = `${phase} {bar} {percentage}%{eta_formatted}`;
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

/** Runs `use`, which shows its progress on a terminal. */
export const withProgressBar = async <T>(
  { terminal }: Pick<CliContext, 'terminal'>,
  use: (progress: Progress) => Promise<T>,
): Promise<T> => {
  const progress = await makeProgressBar(terminal);
  try {
    return await use(progress);
  } finally {
    progress.end();
  }
};
