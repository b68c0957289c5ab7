import { isIP } from 'node:net';
import type { PublicAddress } from '@chapter/domain/ports';

/** Milliseconds to the next look-up: after a success, after the first failure, and at most after repeated failures. */
const LOOKUP_INTERVALS_MS = { afterSuccess: 3_600_000, afterFirstFailure: 60_000, afterFailures: 3_600_000 };

const LOOKUP_TIMEOUT_MS = 5000;

const lookUpPublicIp = async (): Promise<string> => {
  const { publicIp } = await import('public-ip');
  return publicIp({ timeout: LOOKUP_TIMEOUT_MS });
};

/** A public address that is looked up in the background. */
export interface LookedUpAddress extends PublicAddress {
  /** Ends the look-ups; `current` still returns the last address. */
  readonly stop: () => void;
}

/**
 * Returns the `known` address, or looks up the one that other hosts see, in the background: hourly after a success, at
 * growing intervals after failures. Requests do not wait for it, and failures are ignored. Contract §4.
 */
export const makePublicAddress = (
  { known, lookUp }: { readonly known: string | null; readonly lookUp: boolean },
  find: () => Promise<string> = lookUpPublicIp,
): LookedUpAddress => {
  let address = known;
  let timer: NodeJS.Timeout | undefined;
  let stopped = !lookUp || known !== null;

  const poll = async (pause: number): Promise<void> => {
    const found = await find().catch(() => '');
    if (stopped) return;
    const isKnown = isIP(found) > 0;
    if (isKnown) address = found;
    const [wait, next] = isKnown
      ? [LOOKUP_INTERVALS_MS.afterSuccess, LOOKUP_INTERVALS_MS.afterFirstFailure]
      : [pause, pause * 2];
    timer = setTimeout(() => void poll(Math.min(next, LOOKUP_INTERVALS_MS.afterFailures)), wait).unref();
  };
  if (!stopped) void poll(LOOKUP_INTERVALS_MS.afterFirstFailure);

  return {
    current: () => address,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
};
