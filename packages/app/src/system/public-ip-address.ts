import { isIP } from 'node:net';
import type { PublicAddress } from '@chapter/domain';

/** How often, in milliseconds, to ask again: an address that is known, and at first and at last one that is not. */
const LOOKUP_INTERVALS_MS = { known: 3_600_000, unknownAtFirst: 60_000, unknownAtLast: 3_600_000 };

/** How long, in milliseconds, one look-up may take. */
const LOOKUP_TIMEOUT_MS = 5000;

const lookUpPublicIp = async (): Promise<string> => {
  const { publicIp } = await import('public-ip');
  return publicIp({ timeout: LOOKUP_TIMEOUT_MS });
};

/** A public address that is looked up in the background. */
export interface LookedUpAddress extends PublicAddress {
  /** Ends the look-ups; the last known address stays. */
  readonly stop: () => void;
}

/**
 * Returns the `known` address, or looks up the one that other hosts see: in the background, again every hour, and at
 * growing intervals after failures. No request waits for it, and failures are ignored. Contract §4.
 */
export const makePublicAddress = (
  { known, lookUp }: { readonly known: string | null; readonly lookUp: boolean },
  find: () => Promise<string> = lookUpPublicIp,
): LookedUpAddress => {
  let address = known;
  let timer: NodeJS.Timeout | undefined;
  let stopped = !lookUp || known !== null;

  const ask = async (pause: number): Promise<void> => {
    const found = await find().catch(() => '');
    if (stopped) return;
    const isKnown = isIP(found) > 0;
    if (isKnown) address = found;
    const [wait, next] = isKnown ? [LOOKUP_INTERVALS_MS.known, LOOKUP_INTERVALS_MS.unknownAtFirst] : [pause, pause * 2];
    timer = setTimeout(() => void ask(Math.min(next, LOOKUP_INTERVALS_MS.unknownAtLast)), wait).unref();
  };
  if (!stopped) void ask(LOOKUP_INTERVALS_MS.unknownAtFirst);

  return {
    current: () => address,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
};
